#include "tools/database/database_facts.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_split.h"
#include "rocksdb/convenience.h"
#include "rocksdb/env.h"
#include "table/status.h"

namespace linebloom::tools {
namespace {

// The option `wanted` in `value`, or in options in braces within it, such as
// {id=BlockBasedTable;filter_policy=linebloom:10}; else empty. Its name may
// come after those of what has it: block_based_table_factory.filter_policy.
std::string FindOption(absl::string_view wanted, absl::string_view name,
                       const std::string& value) {
  if (name.substr(name.rfind('.') + 1) == wanted) return value;
  std::unordered_map<std::string, std::string> options;
  if (!absl::StartsWith(value, "{") ||
      !rocksdb::StringToMap(value, &options).ok()) {
    return "";
  }
  for (const auto& [inner_name, inner_value] : options) {
    const std::string found = FindOption(wanted, inner_name, inner_value);
    if (!found.empty()) return found;
  }
  return "";
}

// RocksDB writes a backslash before each ':', '#' and backslash of a name, and
// line ends as \n and \r.
std::string Unescaped(absl::string_view escaped) {
  std::string text;
  for (size_t i = 0; i < escaped.size(); ++i) {
    if (escaped[i] != '\\') {
      text += escaped[i];
    } else if (++i < escaped.size()) {
      const char c = escaped[i];
      text += c == 'n' ? '\n' : c == 'r' ? '\r' : c;
    }
  }
  return text;
}

// Without a comment, which begins at a '#' that is not escaped.
absl::string_view Statement(absl::string_view line) {
  for (size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '#' && (i == 0 || line[i - 1] != '\\')) {
      line = line.substr(0, i);
    }
  }
  return absl::StripAsciiWhitespace(line);
}

// The column family of a section such as [CFOptions "default"] or
// [TableOptions/BlockBasedTable "default"], whose name may have quotes.
std::string FamilyOfSection(absl::string_view line) {
  const size_t begin = line.find('"');
  const size_t end = line.rfind('"');
  return begin == end ? "" : Unescaped(line.substr(begin + 1, end - begin - 1));
}

}  // namespace

std::map<std::string, WrittenOptions> ParseOptionsText(absl::string_view text) {
  std::map<std::string, WrittenOptions> families;
  WrittenOptions* family = &families[""];
  for (absl::string_view line : absl::StrSplit(text, '\n')) {
    line = Statement(line);
    if (absl::StartsWith(line, "[")) {
      family = &families[FamilyOfSection(line)];
      continue;
    }
    const std::pair<absl::string_view, absl::string_view> option =
        absl::StrSplit(line, absl::MaxSplits('=', 1));
    const absl::string_view name = absl::StripAsciiWhitespace(option.first);
    const std::string value =
        Unescaped(absl::StripAsciiWhitespace(option.second));
    // RocksDB takes the first of an option that is there twice.
    const auto take = [&](absl::string_view wanted, std::string* to) {
      if (to->empty()) *to = FindOption(wanted, name, value);
    };
    take("filter_policy", &family->filter_policy);
    take("partition_filters", &family->partition_filters);
    take("listeners", &family->listeners);
  }
  return families;
}

const rocksdb::ColumnFamilyOptions* DatabaseFacts::OptionsOf(
    const std::string& family) const {
  const auto found = std::ranges::find(stored.families, family,
                                       &rocksdb::ColumnFamilyDescriptor::name);
  return found == stored.families.end() ? nullptr : &found->options;
}

absl::StatusOr<DatabaseFacts> ReadDatabase(const std::string& folder) {
  DatabaseFacts database;
  database.folder = folder;
  ASSIGN_OR_RETURN(database.files, ListLiveFiles(folder));
  database.stored = LoadOptionsLeniently(folder);
  ASSIGN_OR_RETURN(database.log,
                   ReadInfoLog(folder, database.stored.db.db_log_dir));
  std::string text;
  const auto path = NewestOptions(folder);
  if (path.ok()) {
    (void)rocksdb::ReadFileToString(rocksdb::Env::Default(), *path, &text);
  }
  database.written = ParseOptionsText(text);
  return database;
}

}  // namespace linebloom::tools
