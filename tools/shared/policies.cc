#include "tools/shared/policies.h"

#include <cmath>
#include <map>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "filter_policy/policy/rocksdb_filter_bits.h"
#include "linebloom/level_size_listener.h"
#include "rocksdb/convenience.h"
#include "table/block_facts.h"
#include "tools/shared/databases.h"

namespace linebloom::tools {
namespace {

// The IDs of RocksDB's policies have the bits that they build with, in
// thousandths.
bool BitsWereMoved(const std::string& text, const std::string& id) {
  const std::optional<double> requested = BitsInId(text);
  const std::optional<double> used = BitsInId(id);
  return requested.has_value() && used.has_value() &&
         std::abs(*requested - *used) > 0.001;
}

// -1 for Ribbon: in flushed files too. By default RocksDB uses Bloom there,
// which would give those files about 1.4 times the memory.
std::string OptionString(const std::string& name, double bits_per_key,
                         double ribbon_bloom_bits) {
  const std::string own =
      absl::StrCat("{id=linebloom;bits_per_key=", bits_per_key, ";");
  const std::map<absl::string_view, std::string> options = {
      {kNoPolicy, ""},
      {kRocksDbBloom, absl::StrCat("bloomfilter:", bits_per_key)},
      {kRocksDbRibbon, absl::StrCat("ribbonfilter:", ribbon_bloom_bits, ":-1")},
      {kLinebloom, absl::StrCat("linebloom:", bits_per_key)},
      {kLinebloomPlain, own + "line=plain}"},
      {kLinebloomLevelAware, own + "level_aware=true}"}};
  const auto found = options.find(name);
  return found == options.end() ? name : found->second;
}

// For a list with the wrong separator.
std::string OnCommas(const std::string& name) {
  return absl::StrContains(name, ',') ? "; semicolons separate policies" : "";
}

absl::Status UnknownPolicy(const std::string& name) {
  return absl::InvalidArgumentError(
      absl::StrCat("--policies: no filter policy '", name,
                   "'; there are none, rocksdb-bloom, rocksdb-ribbon, "
                   "linebloom-plain, linebloom, linebloom-levels, "
                   "and any option string that RocksDB knows, "
                   "such as linebloom:10",
                   OnCommas(name)));
}

// RocksDB stores thousandths of a bit.
std::string RibbonOf(uint64_t millibits, uint64_t keys) {
  return BuildRibbonBlock(millibits / 1000.0, keys);
}

}  // namespace

std::optional<double> BitsInId(absl::string_view id) {
  const size_t colon = id.find(':');
  if (colon == absl::string_view::npos) return std::nullopt;
  const absl::string_view rest = id.substr(colon + 1);
  double bits = 0;
  if (!absl::SimpleAtod(rest.substr(0, rest.find_first_of(":;}")), &bits)) {
    return std::nullopt;
  }
  return bits;
}

PolicyString ReadPolicyString(const std::string& text,
                              const rocksdb::DBOptions& db) {
  rocksdb::ConfigOptions strict;
  strict.ignore_unknown_options = false;
  strict.ignore_unsupported_options = false;
  PolicyString read;
  rocksdb::Status status =
      rocksdb::FilterPolicy::CreateFromString(strict, text, &read.policy);
  const std::string quoted = absl::StrCat("'", text, "'");
  if (status.IsNotSupported()) {
    read.policy = nullptr;
    read.problem = absl::StrCat(
        quoted,
        " names no filter policy, neither RocksDB's nor linebloom's; "
        "RocksDB takes it for no filter");
    return read;
  }
  if (status.ok() && read.policy != nullptr) {
    status = read.policy->ValidateOptions(db, rocksdb::ColumnFamilyOptions());
  }
  if (!status.ok()) {
    read.problem = std::string(FromRocksDb(status, quoted).message());
  } else if (read.policy != nullptr &&
             BitsWereMoved(text, read.policy->GetId())) {
    read.problem =
        absl::StrCat(quoted, ": RocksDB makes that ", read.policy->GetId(),
                     "; bits per key must be from 1 to 100");
  }
  return read;
}

absl::StatusOr<std::vector<std::string>> SplitPolicies(absl::string_view list) {
  std::vector<std::string> policies(1);
  int depth = 0;
  for (const char c : list) {
    depth += c == '{' ? 1 : c == '}' ? -1 : 0;
    if (depth < 0) break;
    if (c == ';' && depth == 0) {
      policies.emplace_back();
    } else {
      policies.back() += c;
    }
  }
  if (depth != 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("--policies='", list, "': braces do not match"));
  }
  for (std::string& policy : policies) {
    absl::StripAsciiWhitespace(&policy);
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
        absl::StrCat("--policies: ", read.problem, OnCommas(name)));
  }
  made.policy = read.policy;
  return made;
}

std::string BuildFilterBlock(const rocksdb::FilterPolicy& policy, uint64_t keys,
                             rocksdb::BlockBasedTableOptions table) {
  table.optimize_filters_for_memory = false;
  const rocksdb::FilterBuildingContext context(table);
  const std::unique_ptr<rocksdb::FilterBitsBuilder> builder(
      policy.GetBuilderWithContext(context));
  if (builder == nullptr) return "";
  for (uint64_t i = 0; i < keys; ++i) {
    builder->AddKey(absl::StrFormat("%016d", i));
  }
  std::unique_ptr<const char[]> memory;
  return builder->Finish(&memory).ToString();
}

std::optional<uint64_t> LargestThat(uint64_t low, uint64_t high,
                                    absl::FunctionRef<bool(uint64_t)> fits) {
  if (!fits(low)) return std::nullopt;
  while (low < high) {
    const uint64_t middle = high - (high - low) / 2;
    if (fits(middle)) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  return low;
}

std::string BuildRibbonBlock(double bloom_bits, uint64_t keys) {
  // -1: Ribbon in every level; by default level 0 has Bloom.
  const std::unique_ptr<const rocksdb::FilterPolicy> policy(
      rocksdb::NewRibbonFilterPolicy(bloom_bits, -1));
  return BuildFilterBlock(*policy, keys);
}

double RibbonBitsWithin(double bytes, double bits_per_key, uint64_t keys) {
  const auto low = static_cast<uint64_t>(std::lround(1000 * bits_per_key));
  const auto fits = [&](uint64_t millibits) {
    return RibbonOf(millibits, keys).size() <= bytes;
  };
  return LargestThat(low, 2 * low, fits).value_or(low) / 1000.0;
}

std::optional<double> RibbonBitsForRate(double rate, uint64_t keys) {
  // A Bloom filter's rate hardly falls beyond this.
  constexpr uint64_t kMaxMillibits = 50'000;
  const auto is_too_few = [&](uint64_t millibits) {
    const std::string block = RibbonOf(millibits, keys);
    return BuiltInFilterRate(block.data(), block.size(), keys).value_or(1) >
           rate;
  };
  const uint64_t too_few =
      LargestThat(1000, kMaxMillibits, is_too_few).value_or(999);
  if (too_few == kMaxMillibits) return std::nullopt;
  return (too_few + 1) / 1000.0;
}

}  // namespace linebloom::tools
