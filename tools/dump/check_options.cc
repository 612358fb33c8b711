#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "filter_policy/levels/level_size_listener.h"
#include "filter_policy/policy/policy_options.h"
#include "linebloom/filter_policy.h"
#include "linebloom/level_size_listener.h"
#include "nlohmann/json.hpp"
#include "rocksdb/convenience.h"
#include "rocksdb/env.h"
#include "rocksdb/filter_policy.h"
#include "rocksdb/listener.h"
#include "rocksdb/options.h"
#include "rocksdb/table.h"
#include "rocksdb/utilities/options_util.h"
#include "table/block_facts.h"
#include "table/status.h"
#include "tools/commands.h"
#include "tools/dump/inputs.h"
#include "tools/shared/databases.h"
#include "tools/shared/policies.h"
#include "tools/shared/terminal_text.h"

namespace linebloom::tools {
namespace {

// The policies are tried with a file of this many keys.
constexpr uint64_t kKeysOfCheck = 100'000;

struct FamilyInFile {
  std::string name;
  rocksdb::ColumnFamilyOptions options;
  // The value of filter_policy as it stands in the file; empty without one.
  std::string policy;
  std::string wants_partitions;  // RocksDB may load it as false
  std::string listeners;         // of the database
};

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

// The options as written, without `options`, by column family: RocksDB's loader
// forgets policies and changes options that have no effect. RocksDB has loaded
// the file.
std::map<std::string, FamilyInFile> AsWritten(absl::string_view text) {
  std::map<std::string, FamilyInFile> families;
  FamilyInFile* family = &families[""];
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
    take("filter_policy", &family->policy);
    take("partition_filters", &family->wants_partitions);
    take("listeners", &family->listeners);
  }
  return families;
}

// A sentence if RocksDB loads none of `listeners`, the value in the file,
// because this program lacks one of them; else empty.
std::string LostListeners(const rocksdb::DBOptions& loaded,
                          const std::string& listeners) {
  if (!loaded.listeners.empty()) return "";
  rocksdb::ConfigOptions strict;
  strict.ignore_unsupported_options = false;
  for (absl::string_view name :
       absl::StrSplit(listeners, absl::ByAnyChar(":{}"), absl::SkipEmpty())) {
    std::shared_ptr<rocksdb::EventListener> made;
    if (!rocksdb::EventListener::CreateFromString(strict, std::string(name),
                                                  &made)
             .ok()) {
      return absl::StrCat("RocksDB drops listeners=", listeners,
                          " where the program lacks '", name, "', as this one");
    }
  }
  return "";
}

// The column families, and the options of the database. InvalidArgument, with
// RocksDB's message, if it can't load the file.
absl::StatusOr<std::vector<FamilyInFile>> ReadOptionsFile(
    const std::string& path, rocksdb::DBOptions* database,
    std::string* lost_listeners) {
  std::vector<rocksdb::ColumnFamilyDescriptor> loaded;
  std::string text;
  rocksdb::Status status = rocksdb::LoadOptionsFromFile(
      rocksdb::ConfigOptions(), path, database, &loaded);
  if (status.ok()) {
    status = rocksdb::ReadFileToString(rocksdb::Env::Default(), path, &text);
  }
  if (!status.ok()) {
    return absl::InvalidArgumentError(
        FromRocksDb(
            status,
            absl::StrCat("'", path, "': RocksDB can't load this options file"))
            .message());
  }
  std::map<std::string, FamilyInFile> written = AsWritten(text);
  *lost_listeners = LostListeners(*database, written[""].listeners);
  std::vector<FamilyInFile> families;
  for (const auto& [name, options] : loaded) {
    FamilyInFile& family = families.emplace_back(std::move(written[name]));
    family.name = name;
    family.options = options;
  }
  return families;
}

double BitsPerKey(const BlockFacts& filter) {
  return 8.0 * filter.bytes / kKeysOfCheck;
}

// Lists what works, but not as it could.
std::vector<std::string> Notes(const FamilyInFile& family,
                               const rocksdb::DBOptions& database) {
  std::vector<std::string> notes;
  const auto& table = *TableOptionsOf(family.options);
  const FilterPolicyOptions* const own =
      OptionsOfLinebloom(table.filter_policy.get());
  if (own != nullptr && IsLevelAware(*own) && !NeedsListener(*own) &&
      FindLevelSizeListener(database) == nullptr) {
    notes.push_back(
        absl::StrCat("without listeners=linebloom_level_sizes every file gets ",
                     BitsPerKeyText(BitsPerKeyOf(*own)), " bits per key"));
  }
  // As RocksDB reads a boolean.
  const bool wants_partitions =
      family.wants_partitions == "true" || family.wants_partitions == "1";
  if (wants_partitions &&
      table.index_type !=
          rocksdb::BlockBasedTableOptions::kTwoLevelIndexSearch) {
    notes.emplace_back(
        "partition_filters=true has no effect without "
        "index_type=kTwoLevelIndexSearch: filters are whole");
  }
  return notes;
}

std::string NameOf(const BlockFacts& filter) {
  return filter.kind == BlockKind::kLinebloom
             ? absl::StrCat("linebloom ", LineName(filter.info.request.line))
             : std::string(ToString(filter.kind));
}

// Sets `problem` to a sentence if the policy doesn't yield what it names.
Json Check(const FamilyInFile& family, const rocksdb::DBOptions& database,
           std::string* problem) {
  Json json = {{"name", family.name},
               {"filter_policy", family.policy},
               {"filter", nullptr}};
  const PolicyString read = ReadPolicyString(family.policy, database);
  *problem = read.problem;
  const auto* const table = TableOptionsOf(family.options);
  const bool loaded = table != nullptr && table->filter_policy != nullptr;
  const std::string block =
      loaded ? BuildFilterBlock(*table->filter_policy, kKeysOfCheck) : "";
  if (loaded && !table->whole_key_filtering &&
      family.options.prefix_extractor == nullptr) {
    *problem =
        "filters hold nothing: whole_key_filtering is off and there is no "
        "prefix_extractor";
  } else if (!block.empty()) {
    const BlockFacts filter = ReadBlockFacts(block, kKeysOfCheck);
    json["filter"] = NameOf(filter);
    json["bits_per_key"] = BitsPerKey(filter);
    json["false_positive_rate"] = filter.rate;
    const std::vector<std::string> notes = Notes(family, database);
    if (problem->empty() && !notes.empty()) {
      json["note"] = absl::StrJoin(notes, "; ");
    }
  } else if (problem->empty() && read.policy != nullptr) {
    *problem = absl::StrCat(
        "'", family.policy, "' ",
        loaded ? "builds no filters"
               : "is not used: RocksDB loads no filter policy for this column "
                 "family");
  }
  return json;
}

std::string CheckAsText(const Json& checked) {
  std::string text;
  for (const Json& family : checked["column_families"]) {
    absl::StrAppend(
        &text,
        WrapText(
            absl::StrCat(Fill("Column family {/name}: ", family),
                         family["filter_policy"].get<std::string>().empty()
                             ? "no filter_policy"
                             : Fill("filter_policy={/filter_policy}", family)),
            kTextWidth, 2),
        "\n  yields ",
        Fill("{/filter}, {/bits_per_key:.2f} bits per key|no filter", family),
        Fill(", FPR {/false_positive_rate:.4%} %\n|\n", family));
    if (family.contains("note")) {
      absl::StrAppend(&text, NamedText("", Fill("note: {/note}", family), 2));
    }
  }
  const size_t wrong = checked["problems"].size();
  absl::StrAppend(
      &text, "\n",
      wrong == 0
          ? "All policies are as named."
          : absl::StrCat(wrong, " of ", checked["column_families"].size(),
                         " are not as named; stderr says why."),
      "\n",
      BulletText(absl::StrCat("Bits per key and FPR, the false-positive rate, "
                              "are those of a file of ",
                              WithThousands(kKeysOfCheck),
                              " keys outside a database, so of no level.")));
  return text;
}

// `folder` has the database that they are for, or is "".
absl::StatusOr<Outcome> RunCheckOptions(const std::string& path,
                                        std::string folder) {
  RegisterFilterPolicy();
  rocksdb::DBOptions database;
  std::string lost_listeners;
  ASSIGN_OR_RETURN(const std::vector<FamilyInFile> families,
                   ReadOptionsFile(path, &database, &lost_listeners));
  if (!folder.empty()) RETURN_IF_ERROR(CheckIsDatabase("--db", folder));
  const std::string beside = std::filesystem::path(path).parent_path().string();
  if (folder.empty() && CheckIsDatabase(path, beside).ok()) {
    folder = beside;
  }
  Json json = {{"options_file", path},
               {"column_families", Json::array()},
               {"problems", Json::array()}};
  std::vector<rocksdb::ColumnFamilyDescriptor> sound;
  for (const FamilyInFile& family : families) {
    std::string problem;
    Json checked = Check(family, database, &problem);
    if (!problem.empty() && !lost_listeners.empty()) {
      absl::StrAppend(&problem, ". ", lost_listeners);
    }
    json["column_families"].push_back(std::move(checked));
    if (problem.empty()) {
      sound.emplace_back(family.name, family.options);
      continue;
    }
    json["problems"].push_back(
        absl::StrCat(path, ": column family ", family.name, ": ", problem));
  }
  if (!folder.empty()) {
    ASSIGN_OR_RETURN(const auto lost, LostFilters(folder, sound));
    for (const std::string& problem : lost) {
      json["problems"].push_back(absl::StrCat(path, ": ", problem));
    }
  }
  return Outcome{CheckAsText(json), json};
}

Runner DeclareCheckOptions(CLI::App* app) {
  const auto path = std::make_shared<std::string>();
  const auto db = std::make_shared<std::string>();
  app->add_option("file", *path, "an options file")->required();
  app->add_option("--db", *db,
                  "a database, which is only read: do its files have filters "
                  "that these options lose?");
  return [path, db] { return RunCheckOptions(*path, *db); };
}

}  // namespace

const Subcommand kCheckOptions = {
    "check-options",
    R"(says which filters the policies of an options file yield.

RocksDB loads a policy's name that it doesn't know as no filter, without a word.
With --db, or if the file is in a database's folder, says also whether files
there have filters that the options lose.

  linebloom check-options my_options.ini

Exits with 0; with 1 if a policy isn't one, and stderr says which; with 2 for
bad usage or a file that RocksDB can't load; with 130 after Ctrl-C.)",
    DeclareCheckOptions};

}  // namespace linebloom::tools
