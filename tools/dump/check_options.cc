// linebloom check-options: the filters that an OPTIONS file produces.
#include <CLI/CLI.hpp>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <system_error>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/string_view.h"
#include "filter_policy/policy/policy_options.h"
#include "filter_policy/policy/rocksdb_filter_bits.h"
#include "linebloom/filter_policy.h"
#include "linebloom/level_size_listener.h"
#include "nlohmann/json.hpp"
#include "rocksdb/convenience.h"
#include "rocksdb/env.h"
#include "rocksdb/options.h"
#include "rocksdb/table.h"
#include "rocksdb/utilities/options_util.h"
#include "table/block_facts.h"
#include "table/status.h"
#include "tools/database/caches.h"
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

// The filter block that the table's policy gives such a file, with
// optimize_filters_for_memory off. "" if it builds none.
std::string BuildFilterBlock(rocksdb::BlockBasedTableOptions table) {
  table.optimize_filters_for_memory = false;
  const std::unique_ptr<rocksdb::FilterBitsBuilder> builder(
      table.filter_policy->GetBuilderWithContext(
          rocksdb::FilterBuildingContext(table)));
  if (builder == nullptr) return "";
  for (uint64_t i = 0; i < kKeysOfCheck; ++i) {
    builder->AddKey(absl::StrFormat("%016d", i));
  }
  std::unique_ptr<const char[]> memory;
  return builder->Finish(&memory).ToString();
}

// The options alone. InvalidArgument, with RocksDB's message, if it can't load
// the file.
absl::StatusOr<DatabaseFacts> ReadOptionsFile(const std::string& path) {
  DatabaseFacts file;
  std::string text;
  rocksdb::Status status = rocksdb::LoadOptionsFromFile(
      rocksdb::ConfigOptions(), path, &file.stored.db, &file.stored.families);
  if (status.ok()) {
    status = rocksdb::ReadFileToString(rocksdb::Env::Default(), path, &text);
  }
  if (!status.ok()) {
    const std::string what =
        absl::StrCat("'", path, "': RocksDB can't load this options file");
    return absl::InvalidArgumentError(FromRocksDb(status, what).message());
  }
  file.written = ParseOptionsText(text);
  return file;
}

// Lists what works, but not as it could.
std::vector<std::string> Notes(const rocksdb::BlockBasedTableOptions& table,
                               const WrittenOptions& written,
                               bool has_listener) {
  std::vector<std::string> notes;
  const FilterPolicyOptions* const own =
      OptionsOfLinebloom(table.filter_policy.get());
  if (own != nullptr && IsLevelAware(*own) && !has_listener) {
    notes.push_back(absl::StrCat(
        "without listeners=linebloom_level_sizes ",
        IsAuto(*own)
            ? "every file gets 10 bits per key, whatever the block cache"
            : "level_aware gives every file the average"));
  }
  if (own != nullptr && IsAuto(*own) && !CacheHoldsFilters(table)) {
    notes.emplace_back(
        "without cache_index_and_filter_blocks=true every file gets 10 bits "
        "per key on average: linebloom chooses none");
  }
  // As RocksDB reads a boolean.
  const std::string& wants_partitions = written.partition_filters;
  if ((wants_partitions == "true" || wants_partitions == "1") &&
      table.index_type !=
          rocksdb::BlockBasedTableOptions::kTwoLevelIndexSearch) {
    notes.emplace_back(
        "partition_filters=true has no effect without "
        "index_type=kTwoLevelIndexSearch: filters are whole");
  }
  return notes;
}

bool HoldNothing(const rocksdb::ColumnFamilyOptions& options) {
  return !TableOptionsOf(options)->whole_key_filtering &&
         options.prefix_extractor == nullptr;
}

// What keeps the policy, which RocksDB makes of the string in the file, from
// building filters with these options; "" if nothing.
std::string WhyNoFilter(const rocksdb::ColumnFamilyOptions& options,
                        const std::string& written,
                        const rocksdb::DBOptions& db, bool builds) {
  const auto* const table = TableOptionsOf(options);
  const std::string quoted = absl::StrCat("'", written, "' ");
  if (table == nullptr || table->filter_policy == nullptr) {
    return quoted +
           "is not used: RocksDB loads no filter policy for this column family";
  }
  if (HoldNothing(options)) {
    return "filters hold nothing: whole_key_filtering is off and there is no "
           "prefix_extractor";
  }
  if (!builds) return quoted + "builds no filters";
  const rocksdb::Status status =
      options.table_factory->ValidateOptions(db, options);
  return std::string(
      FromRocksDb(status, "no database opens with these options").message());
}

// Sets `problem` to a sentence if the policy doesn't yield what it names.
Json Check(const rocksdb::ColumnFamilyDescriptor& family,
           const DatabaseFacts& file, const WrittenOptions& written,
           const DatabaseCaches& database, std::string* problem) {
  Json json = {{"name", family.name},
               {"filter_policy", written.filter_policy},
               {"policy", written.filter_policy.empty()
                              ? Json()
                              : Json(ShortPolicyName(written.filter_policy))},
               {"filter", nullptr}};
  const auto files = database.families.find(family.name);
  if (files != database.families.end() && files->second.keys > 0) {
    json["bits_per_key_in_files"] = files->second.bits / files->second.keys;
  }
  const auto read = ReadPolicyString(written.filter_policy);
  *problem = std::string(read.status().message());
  const auto* const table = TableOptionsOf(family.options);
  const std::string block = table != nullptr && table->filter_policy != nullptr
                                ? BuildFilterBlock(*table)
                                : "";
  if (read.ok() && *read != nullptr) {
    *problem = WhyNoFilter(family.options, written.filter_policy,
                           file.stored.db, !block.empty());
  }
  if (block.empty() || HoldNothing(family.options)) return json;
  const BlockFacts filter = ReadBlockFacts(block);
  json["filter"] = filter.kind == BlockKind::kLinebloom
                       ? "linebloom " + LineName(filter.info.request.line)
                       : std::string(ToString(filter.kind));
  const auto* const own = OptionsOfLinebloom(table->filter_policy.get());
  if (own == nullptr || !IsAuto(*own)) {
    json["bits_per_key"] = 8.0 * filter.bytes / kKeysOfCheck;
    json["false_positive_rate"] =
        filter.kind == BlockKind::kLegacyBloom ? Json() : Json(filter.rate);
  }
  // By the text: RocksDB drops all listeners where the program lacks one of
  // them, as this program may.
  const bool has_listener =
      absl::StrContains(file.written.at("").listeners, kLevelSizeListenerName);
  json["notes"] = Notes(*table, written, has_listener);
  return json;
}

std::string CheckAsText(const Json& checked) {
  std::string text;
  bool has_bits = false;
  for (const Json& family : checked["column_families"]) {
    has_bits = has_bits || family.contains("bits_per_key");
    absl::StrAppend(
        &text,
        Fill("Column family {/name}: filter_policy={/policy}|"
             "Column family {/name}: no filter_policy",
             family),
        "\n",
        NamedText(
            "  yields",
            Fill("{/filter}, {/bits_per_key:.2f} bits per key|"
                 "{/filter}, bits_per_key=auto|no filter",
                 family) +
                Fill(", FPR {/false_positive_rate:%} %|", family) +
                Fill("; files have {/bits_per_key_in_files:.1f}|", family),
            9));
    for (const Json& note : family.value("notes", Json::array())) {
      text += NamedText("", "note: " + note.get<std::string>(), 2);
    }
  }
  if (!has_bits) return text;
  return absl::StrCat(
      text, "\n",
      BulletText(absl::StrCat("Bits per key and FPR, the false-positive rate, "
                              "are those of a file of ",
                              WithThousands(kKeysOfCheck),
                              " keys outside a database, so of no level.")));
}

// `operand` is a database's folder or an options file.
absl::StatusOr<Outcome> RunCheckOptions(const std::string& operand) {
  std::error_code ignored;
  std::string path = operand;
  DatabaseCaches database;
  if (std::filesystem::is_directory(operand, ignored)) {
    RETURN_IF_ERROR(CheckIsDatabase(operand));
    ASSIGN_OR_RETURN(path, NewestOptions(operand));
    ASSIGN_OR_RETURN(const DatabaseFacts facts, ReadDatabase(operand));
    ASSIGN_OR_RETURN(database, ReadCaches(facts, {}));
  }
  ASSIGN_OR_RETURN(DatabaseFacts file, ReadOptionsFile(path));
  Json json = {{"options_file", path},
               {"column_families", Json::array()},
               {"problems", Json::array()}};
  for (const rocksdb::ColumnFamilyDescriptor& family : file.stored.families) {
    RETURN_IF_ERROR(CheckInterrupt());
    std::string problem;
    json["column_families"].push_back(
        Check(family, file, file.written[family.name], database, &problem));
    if (problem.empty()) continue;
    json["problems"].push_back(
        absl::StrCat(path, ": column family ", family.name, ": ", problem));
  }
  for (const std::string& problem : database.findings.problems) {
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
named there. Whether they fit the block cache, and what bits_per_key=auto chose,
linebloom advise says.

  linebloom check-options my_options.ini
  linebloom check-options /var/lib/my_database

Exits with 0; with 1 if a policy or filters are missing, and stderr says which;
with 2 for bad usage or a file that RocksDB can't load; with 130 after Ctrl-C.)",
    DeclareCheckOptions};

}  // namespace linebloom::tools
