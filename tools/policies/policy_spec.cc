#include "tools/policies/policy_spec.h"

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "linebloom/level_size_listener.h"
#include "rocksdb/convenience.h"
#include "tools/policies/policy_string.h"

namespace linebloom::tools {
namespace {

std::string OptionString(const std::string& name, double bits_per_key,
                         double ribbon_bloom_bits) {
  if (name == kNoPolicy) return "";
  if (name == kRocksDbBloom) return absl::StrCat("bloomfilter:", bits_per_key);
  // -1: Ribbon in flushed files too. By default RocksDB uses Bloom there, which
  // would give those files about 1.4 times the memory.
  if (name == kRocksDbRibbon) {
    return absl::StrCat("ribbonfilter:", ribbon_bloom_bits, ":-1");
  }
  if (name == kLinebloom) return absl::StrCat("linebloom:", bits_per_key);
  if (name == kLinebloomPlain) {
    return absl::StrCat("{id=linebloom;bits_per_key=", bits_per_key,
                        ";line=plain}");
  }
  if (name == kLinebloomLevelAware) {
    return absl::StrCat("{id=linebloom;bits_per_key=", bits_per_key,
                        ";level_aware=true}");
  }
  if (name == kLinebloomHeatAware) {
    return absl::StrCat("{id=linebloom;bits_per_key=", bits_per_key,
                        ";heat_aware=true}");
  }
  return name;
}

absl::Status UnknownPolicy(const std::string& name) {
  return absl::InvalidArgumentError(
      absl::StrCat("--policies: no filter policy '", name,
                   "'; there are none, rocksdb-bloom, rocksdb-ribbon, "
                   "linebloom-plain, linebloom, linebloom-levels, "
                   "linebloom-heat, and any option string that RocksDB knows, "
                   "such as linebloom:10"));
}

}  // namespace

absl::StatusOr<std::vector<std::string>> SplitPolicies(absl::string_view list) {
  std::vector<std::string> policies;
  std::string entry;
  int depth = 0;
  const auto finish_entry = [&] {
    policies.emplace_back(absl::StripAsciiWhitespace(entry));
    entry.clear();
  };
  for (const char c : list) {
    if (c == '{') ++depth;
    if (c == '}' && --depth < 0) break;
    if (c == ';' && depth == 0) {
      finish_entry();
    } else {
      entry.push_back(c);
    }
  }
  finish_entry();
  if (depth != 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("--policies='", list, "': braces do not match"));
  }
  for (const std::string& policy : policies) {
    if (policy.empty()) {
      return absl::InvalidArgumentError(absl::StrCat(
          "--policies='", list,
          "': an entry is empty; write for example none;linebloom:10"));
    }
  }
  return policies;
}

absl::StatusOr<NamedPolicy> MakePolicy(const std::string& name,
                                       double bits_per_key,
                                       double ribbon_bloom_bits) {
  NamedPolicy made;
  made.name = name;
  made.options = OptionString(name, bits_per_key, ribbon_bloom_bits);
  if (name == kNoPolicy) return made;

  rocksdb::DBOptions db;
  db.listeners = {NewLevelSizeListener()};  // without which some are refused
  const PolicyString read = ReadPolicyString(made.options, db);
  if (read.policy == nullptr) return UnknownPolicy(name);
  if (!read.problem.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat("--policies: ", read.problem));
  }
  made.policy = read.policy;
  std::string heat_aware;
  made.heat_aware =
      made.policy->GetOption({}, "heat_aware", &heat_aware).ok() &&
      heat_aware == "true";
  return made;
}

}  // namespace linebloom::tools
