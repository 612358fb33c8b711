#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <system_error>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "filter_policy/listener/level_size_listener.h"
#include "filter_policy/policy/policy_options.h"
#include "linebloom/filter_policy.h"
#include "nlohmann/json.hpp"
#include "rocksdb/convenience.h"
#include "rocksdb/env.h"
#include "rocksdb/filter_policy.h"
#include "rocksdb/listener.h"
#include "rocksdb/options.h"
#include "rocksdb/table.h"
#include "rocksdb/utilities/options_util.h"
#include "table/block_facts.h"
#include "table/sst_file.h"
#include "table/status.h"
#include "tools/database/database_facts.h"
#include "tools/database/databases.h"
#include "tools/database/policies.h"
#include "tools/dump/inputs.h"
#include "tools/report/commands.h"
#include "tools/report/run_tool.h"
#include "tools/report/terminal_text.h"

namespace linebloom::tools {
namespace {

// The policies are tried with a file of this many keys.
constexpr uint64_t kKeysOfCheck = 20'000;

struct FamilyInFile {
  std::string name;
  rocksdb::ColumnFamilyOptions options;
  WrittenOptions written;
};

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
  std::map<std::string, WrittenOptions> written = ParseOptionsText(text);
  *lost_listeners = LostListeners(*database, written[""].listeners);
  std::vector<FamilyInFile> families;
  for (const auto& [name, options] : loaded) {
    families.push_back({name, options, written[name]});
  }
  return families;
}

// Lists what works, but not as it could. `lost_listeners` as of
// LostListeners().
std::vector<std::string> Notes(const FamilyInFile& family,
                               const rocksdb::DBOptions& database,
                               const std::string& lost_listeners) {
  std::vector<std::string> notes;
  const auto& table = *TableOptionsOf(family.options);
  const FilterPolicyOptions* const own =
      OptionsOfLinebloom(table.filter_policy.get());
  if (own != nullptr && (own->level_aware || IsAuto(*own)) &&
      FindLevelSizeListener(database) == nullptr) {
    notes.push_back(absl::StrCat(
        lost_listeners.empty()
            ? "without listeners=linebloom_level_sizes"
            : lost_listeners + "; without linebloom_level_sizes",
        IsAuto(*own)
            ? " every file gets 10 bits per key, whatever the block cache"
            : " level_aware gives every file the average"));
  }
  if (own != nullptr && IsAuto(*own) && !CacheHoldsFilters(table)) {
    notes.emplace_back(
        "without cache_index_and_filter_blocks=true every file gets 10 bits "
        "per key on average: linebloom chooses none");
  }
  // As RocksDB reads a boolean.
  const std::string& wants_partitions = family.written.partition_filters;
  if ((wants_partitions == "true" || wants_partitions == "1") &&
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

bool HoldNothing(const rocksdb::ColumnFamilyOptions& options) {
  return !TableOptionsOf(options)->whole_key_filtering &&
         options.prefix_extractor == nullptr;
}

// What keeps the policy, which RocksDB makes of the string in the file, from
// building filters with these options; "" if nothing.
std::string WhyNoFilter(const FamilyInFile& family,
                        const rocksdb::DBOptions& database, bool builds) {
  const auto* const table = TableOptionsOf(family.options);
  const std::string quoted =
      absl::StrCat("'", family.written.filter_policy, "' ");
  if (table == nullptr || table->filter_policy == nullptr) {
    return quoted +
           "is not used: RocksDB loads no filter policy for this column family";
  }
  if (HoldNothing(family.options)) {
    return "filters hold nothing: whole_key_filtering is off and there is no "
           "prefix_extractor";
  }
  if (!builds) return quoted + "builds no filters";
  const rocksdb::Status status =
      family.options.table_factory->ValidateOptions(database, family.options);
  return std::string(
      FromRocksDb(status, "no database opens with these options").message());
}

// The bits in `chosen`, InfoLogFacts::chosen_bits; "" if there are none.
std::string BitsIn(absl::string_view chosen) {
  constexpr absl::string_view kBefore = "new files get ";
  const size_t at = chosen.find(kBefore);
  if (at == absl::string_view::npos) return "";
  chosen.remove_prefix(at + kBefore.size());
  return std::string(chosen.substr(0, chosen.find(' ')));
}

// Sets `problem` to a sentence if the policy doesn't yield what it names.
Json Check(const FamilyInFile& family, const rocksdb::DBOptions& database,
           const std::string& lost_listeners, const std::string& chosen_last,
           std::string* problem) {
  Json json = {{"name", family.name},
               {"filter_policy", family.written.filter_policy},
               {"filter", nullptr}};
  const PolicyString read =
      ReadPolicyString(family.written.filter_policy, database);
  *problem = read.problem;
  const auto* const table = TableOptionsOf(family.options);
  const std::string block =
      table != nullptr && table->filter_policy != nullptr
          ? BuildFilterBlock(*table->filter_policy, kKeysOfCheck, *table)
          : "";
  if (problem->empty() && read.policy != nullptr) {
    *problem = WhyNoFilter(family, database, !block.empty());
  }
  if (block.empty() || HoldNothing(family.options)) return json;
  const BlockFacts filter = ReadBlockFacts(block);
  json["filter"] = NameOf(filter);
  const auto* const own = OptionsOfLinebloom(table->filter_policy.get());
  if (own != nullptr && IsAuto(*own)) {
    json["auto"] = absl::StrCat(
        "auto: ", kDefaultBitsPerKey, " bits outside a block cache",
        chosen_last.empty()
            ? ""
            : absl::StrCat("; chosen last: ", chosen_last, " (info log)"));
  } else {
    json["bits_per_key"] = 8.0 * filter.bytes / kKeysOfCheck;
    json["false_positive_rate"] =
        filter.kind == BlockKind::kLegacyBloom ? Json() : Json(filter.rate);
  }
  const std::vector<std::string> notes =
      Notes(family, database, lost_listeners);
  if (problem->empty() && !notes.empty()) {
    json["note"] = absl::StrJoin(notes, "; ");
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
        "\n",
        NamedText("  yields",
                  absl::StrCat(
                      Fill("{/filter}, {/auto}|{/filter}, {/bits_per_key:.2f} "
                           "bits per key|no filter",
                           family),
                      Fill(", FPR {/false_positive_rate:.4%} %|", family)),
                  9));
    if (family.contains("note")) {
      absl::StrAppend(&text, NamedText("", Fill("note: {/note}", family), 2));
    }
  }
  const size_t wrong = checked["not_as_named"];
  const Json& families = checked["column_families"];
  const auto without = std::ranges::count_if(
      families, [](const Json& family) { return family["filter"].is_null(); });
  absl::StrAppend(
      &text, "\n",
      wrong > 0
          ? absl::StrCat("Policies whose filter isn't the named one: ", wrong,
                         " of ", families.size(), "; see stderr.")
      : without > 0
          ? absl::StrCat("Column families without a filter: ", without, " of ",
                         families.size(), ".")
          : "Every policy builds the filter that its name says.",
      "\n",
      BulletText(absl::StrCat("Bits per key and FPR, the false-positive rate, "
                              "are those of a file of ",
                              WithThousands(kKeysOfCheck),
                              " keys outside a database, so of no level.")));
  return text;
}

// What the filters of the database's files say of its options.
absl::StatusOr<std::vector<std::string>> JudgeFiles(
    const DatabaseFacts& database) {
  FilterCensus census;
  for (const LiveFile& live : database.files) {
    RETURN_IF_ERROR(CheckInterrupt());
    // `dump` and `verify` are for files that can't be read.
    const absl::StatusOr<SstFile> file = SstFile::Open(live.path);
    if (file.ok()) census.Add(live, *file);
  }
  return census.Judge(database).problems;
}

// `operand` is a database's folder or an options file.
absl::StatusOr<Outcome> RunCheckOptions(const std::string& operand) {
  RegisterFilterPolicy();
  std::error_code ignored;
  std::string path = operand;
  std::string folder;
  if (std::filesystem::is_directory(operand, ignored)) {
    folder = operand;
    RETURN_IF_ERROR(CheckIsDatabase("DATABASE", folder));
    std::string name;
    const rocksdb::Status found = rocksdb::GetLatestOptionsFileName(
        folder, rocksdb::Env::Default(), &name);
    if (!found.ok()) {
      return FromRocksDb(found, absl::StrCat("'", folder, "' has no OPTIONS"));
    }
    path = absl::StrCat(folder, "/", name);
  } else {
    // It may be a database's own.
    std::string beside = std::filesystem::path(path).parent_path();
    if (beside.empty()) beside = ".";
    if (CheckIsDatabase(path, beside).ok()) folder = beside;
  }
  rocksdb::DBOptions database;
  std::string lost_listeners;
  ASSIGN_OR_RETURN(const std::vector<FamilyInFile> families,
                   ReadOptionsFile(path, &database, &lost_listeners));
  DatabaseFacts known;
  if (!folder.empty()) {
    ASSIGN_OR_RETURN(known, ReadDatabase("DATABASE", folder, ""));
  }
  Json json = {{"options_file", path},
               {"column_families", Json::array()},
               {"problems", Json::array()}};
  for (const FamilyInFile& family : families) {
    RETURN_IF_ERROR(CheckInterrupt());
    std::string problem;
    json["column_families"].push_back(Check(family, database, lost_listeners,
                                            BitsIn(known.log.chosen_bits),
                                            &problem));
    if (problem.empty()) continue;
    if (!lost_listeners.empty()) {
      absl::StrAppend(&problem, ". ", lost_listeners);
    }
    json["problems"].push_back(
        absl::StrCat(path, ": column family ", family.name, ": ", problem));
  }
  json["not_as_named"] = json["problems"].size();
  ASSIGN_OR_RETURN(const std::vector<std::string> problems, JudgeFiles(known));
  for (const std::string& problem : problems) {
    json["problems"].push_back(problem);
  }
  return Outcome{CheckAsText(json), json};
}

Runner DeclareCheckOptions(CLI::App* app) {
  const auto operand = std::make_shared<std::string>();
  app->add_option("file", *operand,
                  "an options file, or a database's folder for its newest one")
      ->required();
  return [operand] { return RunCheckOptions(*operand); };
}

}  // namespace

const Subcommand kCheckOptions = {
    "check-options",
    R"(shows which filters an OPTIONS file produces.

RocksDB loads an unknown policy name as no filter, without a word. For a
database, it checks the newest OPTIONS, and that the files have the filters
named there. Whether they fit the block cache, linebloom advise says.

  linebloom check-options my_options.ini
  linebloom check-options /var/lib/my_database

Exits with 0; with 1 if a policy or filters are missing, and stderr says which;
with 2 for bad usage or a file that RocksDB can't load; with 130 after Ctrl-C.)",
    DeclareCheckOptions};

}  // namespace linebloom::tools
