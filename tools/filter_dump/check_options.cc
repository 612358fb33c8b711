#include "tools/filter_dump/check_options.h"

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "linebloom/filter_policy.h"
#include "linebloom/level_size_listener.h"
#include "nlohmann/json.hpp"
#include "rocksdb/convenience.h"
#include "rocksdb/env.h"
#include "rocksdb/filter_policy.h"
#include "rocksdb/options.h"
#include "rocksdb/table.h"
#include "rocksdb/utilities/options_util.h"
#include "tools/filter_dump/text.h"
#include "tools/shared/databases.h"
#include "tools/shared/policies.h"
#include "tools/shared/terminal_text.h"

namespace linebloom::tools {
namespace {

// The filter policies that an options file of RocksDB's names.

struct FamilyInFile {
  std::string column_family;
  // The value of filter_policy as it stands in the file; empty without one.
  std::string named;
  // The policy that RocksDB loads; null for no filter.
  std::shared_ptr<const rocksdb::FilterPolicy> loaded;
};

struct OptionsFile {
  rocksdb::DBOptions database;
  std::vector<FamilyInFile> families;  // all of them
};

// InvalidArgument, with RocksDB's message, if
// it can't load the file.
absl::StatusOr<OptionsFile> ReadOptionsFile(const std::string& path);

constexpr absl::string_view kFilterPolicy = "filter_policy";

// The filter_policy in `value`, or in options in braces within it, such as
// {id=BlockBasedTable;filter_policy=linebloom:10}; else empty.
std::string FindPolicy(absl::string_view name, const std::string& value) {
  if (name == kFilterPolicy) return value;
  std::unordered_map<std::string, std::string> options;
  if (!absl::StartsWith(value, "{") ||
      !rocksdb::StringToMap(value, &options).ok()) {
    return "";
  }
  for (const auto& [inner_name, inner_value] : options) {
    const std::string found = FindPolicy(inner_name, inner_value);
    if (!found.empty()) return found;
  }
  return "";
}

// The column family of a section such as [CFOptions "default"] or
// [TableOptions/BlockBasedTable "default"].
std::string FamilyOfSection(absl::string_view line) {
  const std::vector<absl::string_view> parts = absl::StrSplit(line, '"');
  return parts.size() == 3 ? std::string(parts[1]) : "";
}

// The policies as they were written, by column family: RocksDB's loader forgets
// them. Trusts that RocksDB has loaded the file.
std::map<std::string, std::string> NamedPolicies(absl::string_view text) {
  std::map<std::string, std::string> named;
  std::string family;
  for (absl::string_view line : absl::StrSplit(text, '\n')) {
    line = absl::StripAsciiWhitespace(line.substr(0, line.find('#')));
    if (absl::StartsWith(line, "[")) {
      family = FamilyOfSection(line);
      continue;
    }
    const std::pair<absl::string_view, absl::string_view> option =
        absl::StrSplit(line, absl::MaxSplits('=', 1));
    const std::string policy =
        FindPolicy(absl::StripAsciiWhitespace(option.first),
                   std::string(absl::StripAsciiWhitespace(option.second)));
    if (!policy.empty()) named[family] = policy;
  }
  return named;
}

std::shared_ptr<const rocksdb::FilterPolicy> PolicyOf(
    const rocksdb::ColumnFamilyOptions& options) {
  const auto* table = options.table_factory == nullptr
                          ? nullptr
                          : options.table_factory
                                ->GetOptions<rocksdb::BlockBasedTableOptions>();
  return table == nullptr ? nullptr : table->filter_policy;
}

absl::StatusOr<OptionsFile> ReadOptionsFile(const std::string& path) {
  rocksdb::ConfigOptions as_applications_do;
  OptionsFile file;
  std::vector<rocksdb::ColumnFamilyDescriptor> loaded;
  std::string text;
  rocksdb::Status status = rocksdb::LoadOptionsFromFile(
      as_applications_do, path, &file.database, &loaded);
  if (status.ok()) {
    status = rocksdb::ReadFileToString(rocksdb::Env::Default(), path, &text);
  }
  if (!status.ok()) {
    return absl::InvalidArgumentError(
        FromRocksDb(status,
                    absl::StrCat("--check_options='", path,
                                 "': RocksDB can't load this options file"))
            .message());
  }
  const std::map<std::string, std::string> named = NamedPolicies(text);
  for (const rocksdb::ColumnFamilyDescriptor& family : loaded) {
    const auto it = named.find(family.name);
    file.families.push_back({family.name, it == named.end() ? "" : it->second,
                             PolicyOf(family.options)});
  }
  return file;
}

bool HasListener(const rocksdb::DBOptions& database) {
  return std::any_of(database.listeners.begin(), database.listeners.end(),
                     [](const auto& listener) {
                       return listener != nullptr &&
                              listener->Name() ==
                                  std::string(kLevelSizeListenerName);
                     });
}

// True for a linebloom policy with level_aware, whether or not it can do
// without the listener.
bool WantsListener(const rocksdb::FilterPolicy* policy) {
  if (policy == nullptr || policy->Name() != std::string(kFilterPolicyName)) {
    return false;
  }
  const auto* const options =
      policy->GetOptions<FilterPolicyOptions>(kFilterPolicyName);
  return options != nullptr && options->level_aware;
}

CheckedFamily Check(const FamilyInFile& family,
                    const rocksdb::DBOptions& database) {
  CheckedFamily checked;
  checked.column_family = family.column_family;
  checked.named = family.named;
  const PolicyString read = ReadPolicyString(family.named, database);
  checked.problem = read.problem;
  if (checked.problem.empty() && WantsListener(family.loaded.get()) &&
      !HasListener(database)) {
    checked.note =
        "level_aware without listeners=linebloom_level_sizes goes by the level "
        "alone, as if all levels were full; in a load in key order filters "
        "took 16.7 bits per key instead of 10.3 (docs/benchmarks.md)";
  }
  if (family.loaded != nullptr) {
    const std::string block = BuildFilterBlock(*family.loaded, kKeysOfCheck);
    if (!block.empty()) checked.filter = ReadBlockFacts(block, kKeysOfCheck);
  }
  if (!checked.problem.empty() || checked.filter.has_value() ||
      read.policy == nullptr) {
    return checked;
  }
  checked.problem = absl::StrCat(
      "'", family.named, "' ",
      family.loaded == nullptr
          ? "is not used: RocksDB loads no filter policy for this column family"
          : "builds no filters");
  return checked;
}

double BitsPerKey(const BlockFacts& filter) {
  return 8.0 * static_cast<double>(filter.bytes) / kKeysOfCheck;
}

std::string NameOf(const BlockFacts& filter) {
  return filter.kind == BlockKind::kLinebloom
             ? absl::StrCat("linebloom ", LineName(filter.info.request.line))
             : std::string(ToString(filter.kind));
}

std::string Yields(const CheckedFamily& family) {
  if (!family.filter.has_value()) return "no filter";
  return absl::StrFormat("%s, %.2f bits per key, FPR %.4f %%",
                         NameOf(*family.filter), BitsPerKey(*family.filter),
                         100 * family.filter->rate);
}

}  // namespace

absl::StatusOr<CheckedOptions> CheckOptionsFile(const std::string& path) {
  RegisterFilterPolicy();
  const absl::StatusOr<OptionsFile> file = ReadOptionsFile(path);
  if (!file.ok()) return file.status();
  CheckedOptions checked;
  checked.path = path;
  for (const FamilyInFile& family : file->families) {
    checked.families.push_back(Check(family, file->database));
    const CheckedFamily& last = checked.families.back();
    if (last.problem.empty()) continue;
    checked.problems.push_back(absl::StrCat(
        path, ": column family ", last.column_family, ": ", last.problem));
  }
  return checked;
}

std::string CheckAsText(const CheckedOptions& checked) {
  std::string text;
  for (const CheckedFamily& family : checked.families) {
    const std::string named =
        family.named.empty() ? "no filter_policy"
                             : absl::StrCat("filter_policy=", family.named);
    absl::StrAppend(&text,
                    WrapText(absl::StrCat("Column family ",
                                          family.column_family, ": ", named),
                             kTextWidth, 2),
                    "\n  yields ", Yields(family), "\n");
    if (!family.note.empty()) {
      absl::StrAppend(
          &text, "  ",
          WrapText(absl::StrCat("note: ", family.note), kTextWidth - 2, 2),
          "\n");
    }
  }
  const size_t wrong = checked.problems.size();
  absl::StrAppend(
      &text, "\n",
      wrong == 0 ? "All policies are as named."
                 : absl::StrCat(wrong, " of ", checked.families.size(),
                                " are not as named; stderr says why."),
      "\n",
      BulletText(absl::StrCat("Bits per key and FPR, the false-positive rate, "
                              "are those of a file of ",
                              WithThousands(kKeysOfCheck),
                              " keys outside a database, so of no level.")));
  return text;
}

nlohmann::ordered_json CheckAsJson(const CheckedOptions& checked) {
  nlohmann::ordered_json json = {
      {"options_file", checked.path},
      {"column_families", nlohmann::ordered_json::array()},
      {"problems", checked.problems}};
  for (const CheckedFamily& family : checked.families) {
    nlohmann::ordered_json one = {{"name", family.column_family},
                                  {"filter_policy", family.named},
                                  {"filter", nullptr}};
    if (family.filter.has_value()) {
      one["filter"] = NameOf(*family.filter);
      one["bits_per_key"] = BitsPerKey(*family.filter);
      one["false_positive_rate"] = family.filter->rate;
    }
    if (!family.note.empty()) one["note"] = family.note;
    json["column_families"].push_back(std::move(one));
  }
  return json;
}

}  // namespace linebloom::tools
