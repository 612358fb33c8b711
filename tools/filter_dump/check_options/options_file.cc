#include "tools/filter_dump/check_options/options_file.h"

#include <map>
#include <unordered_map>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "rocksdb/convenience.h"
#include "rocksdb/env.h"
#include "rocksdb/table.h"
#include "rocksdb/utilities/options_util.h"
#include "tools/shared/databases.h"

namespace linebloom::tools {
namespace {

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

}  // namespace

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

}  // namespace linebloom::tools
