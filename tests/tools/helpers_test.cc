// The small pieces that tools share.
#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <map>
#include <new>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "absl/status/status.h"
#include "nlohmann/json.hpp"
#include "tests/table/rocksdb_files.h"
#include "tests/temporary_folder.h"
#include "tools/database/database_facts.h"
#include "tools/database/file_walk.h"
#include "tools/database/info_log.h"
#include "tools/database/policies.h"
#include "tools/report/flags.h"
#include "tools/report/run_tool.h"
#include "tools/report/terminal_text.h"

namespace linebloom::tools {
namespace {

// `text` as a whole number or as a real one.
template <typename Number>
std::optional<Number> Parsed(const std::string& text) {
  Number number = 0;
  return ParseNumber(text, &number) ? std::optional(number) : std::nullopt;
}

TEST(NumberTest, MayHaveUnits) {
  for (const auto& [text, number] :
       std::map<std::string, uint64_t>{{"18446744073709551615", UINT64_MAX},
                                       {"2g", 2'000'000'000},
                                       {"114MB", 114'000'000},
                                       {"64kib", 64u << 10},
                                       {"12B", 12}}) {
    EXPECT_EQ(Parsed<uint64_t>(text), number) << text;
  }
  for (const char* percent : {"0.01", "1e-2", "1%", "1 %"}) {
    EXPECT_DOUBLE_EQ(Parsed<double>(percent).value_or(-1), 0.01);
  }
  for (const char* none : {"", "ten", "-1", "1x", "1MM", "100000000T"}) {
    EXPECT_EQ(Parsed<uint64_t>(none), std::nullopt) << none;
  }
  for (const char* none : {"", "%", "1%%", "one", "1k"}) {
    EXPECT_EQ(Parsed<double>(none), std::nullopt) << none;
  }
}

// Values shown by --help can be passed as flags.
TEST(NumberTest, ReadsWhatItWrites) {
  for (const uint64_t number : {uint64_t{0}, uint64_t{999}, uint64_t{1'234'000},
                                uint64_t{3} << 50, UINT64_MAX}) {
    for (const Unit unit : {Unit::kNone, Unit::kBytes}) {
      EXPECT_EQ(Parsed<uint64_t>(NumberText(number, unit)), number);
    }
  }
  EXPECT_EQ(NumberText(uint64_t{2'000'000}, Unit::kNone), "2M");
  EXPECT_EQ(RangeText(uint64_t{65'536}, UINT64_MAX, Unit::kBytes),
            "64KiB or more");
}

std::string Choice(const std::string& megabytes, const std::string& process,
                   const std::string& hits = "12.5 % of the lookups hit") {
  return "2026/11/28-09:00:00.000000 9 linebloom: bits_per_key=auto: new files "
         "get 7.0 bits per key on average. The block cache has " +
         megabytes + " MB, indexes take 0.7 MB, and " + hits +
         ". Expected block reads per 1,000 lookups: 12.30. Chosen by " +
         process + ".\n";
}

// The last statistics alone, of the lookups that reached files. It isn't always
// one number.
TEST(InfoLogTest, HitsAreThoseOfOneDump) {
  const TemporaryFolder folder;
  const auto hits_of = [&folder](const std::string& lines) {
    folder.Write("LOG", lines);
    const HitRange hits = ReadInfoLog(folder.path(), "")->hits;
    return std::pair(hits.least, hits.most);
  };
  const std::string first =
      "2026/11/27-08:00:00.000000 1 [a.cc:1] STATISTICS:\n"
      " rocksdb.number.multiget.keys.read COUNT : 1000\n"
      " rocksdb.l1.hit COUNT : 900\n";
  const std::string second =
      "2026/11/27-08:10:00.000000 1 [a.cc:1] STATISTICS:\n"
      " rocksdb.memtable.hit COUNT : 20\n"
      " rocksdb.number.keys.read COUNT : 120\n"
      " rocksdb.l0.hit COUNT : 50\n";
  constexpr std::pair kUnknown(0.0, 1.0);
  EXPECT_EQ(hits_of(""), kUnknown);
  EXPECT_EQ(hits_of(first), std::pair(0.9, 0.9));
  EXPECT_EQ(hits_of(first + second), std::pair(0.5, 0.5));
  // Several counters are read one after another, and one may have been reset.
  EXPECT_EQ(hits_of(second + " rocksdb.l0.hit COUNT : 101\n"), kUnknown);
  // Without any the policy may have counted.
  EXPECT_EQ(hits_of(Choice("67.1", "app") + first), std::pair(0.9, 0.9));
  for (const auto& [words, hits] :
       {std::pair("12.5 % of the lookups hit", std::pair(0.125, 0.125)),
        std::pair("2.0 % of the lookups hit, or up to 58.0 %, by a sample",
                  std::pair(0.02, 0.58)),
        std::pair("12.5 % of the lookups are assumed to hit", kUnknown),
        std::pair("how many of the lookups hit isn't known", kUnknown),
        std::pair("58.0 % of the lookups hit, or up to 2.0 %", kUnknown)}) {
    EXPECT_EQ(hits_of(Choice("67.1", "app", words)), hits) << words;
  }
}

// What RocksDB 7.8.3 logs of a column family; of an empty name as in a log that
// follows on a full one.
std::string LoggedOptions(const std::string& name, const std::string& cache,
                          int capacity) {
  const std::string time = "2026/11/28-08:59:42.508184 14606 ";
  return (name.empty() ? ""
                       : time +
                             "[db/column_family.cc:632] --------------- "
                             "Options for column family [" +
                             name + "]:\n") +
         time + "              Options.comparator: leveldb.Bytewise\n" +
         "  block_cache: " + cache + "\n  block_cache_options:\n" +
         "    capacity : " + std::to_string(capacity) + "\n" +
         "    num_shard_bits : 2\n  filter_policy: linebloom\n" +
         "  secondary_cache:\n    capacity : 5\n    num_shard_bits : 5\n";
}

std::string Session(const std::string& id) {
  return "2026/11/28-08:59:42.508029 14606 DB Session ID:  " + id + "\n";
}

// By the policy or by RocksDB, in whichever log of the same process.
TEST(InfoLogTest, TheLastSizeOfACacheCounts) {
  const TemporaryFolder folder;
  const auto bytes = [&folder](const std::string& name) {
    return ReadInfoLog(folder.path(), "")->FamilyOf(name).cache_bytes;
  };
  const std::string logged = LoggedOptions("default", "0x55a0", 262'144);
  const std::string opening = Session("A") + logged;
  const std::string two = opening + LoggedOptions("other", "0x55b0", 500'000);
  const std::string dump = "Block cache LRUCache@0x55a0#77 capacity: ";
  folder.Write("LOG", opening + Choice("67.1", "app"));
  EXPECT_EQ(bytes("default"), 67'100'000);
  folder.Write("LOG", opening + Choice("0.262", "app"));
  EXPECT_EQ(bytes("default"), 262'144);  // as exact as it is known
  folder.Write("LOG", opening + Choice("67.1", "app") + dump + "96.00 MB x\n");
  EXPECT_EQ(bytes("default"), 96 << 20);
  folder.Write("LOG", opening + dump + "96,50 KB x\n");  // in some locales
  EXPECT_EQ(bytes("default"), 98'816);
  // It doesn't say which of two it means.
  folder.Write("LOG", two + Choice("67.1", "app"));
  EXPECT_EQ(bytes("default"), 262'144);
  folder.Write("LOG", two + dump + "1.00 GB x\n");
  EXPECT_EQ(bytes("default"), 1 << 30);
  EXPECT_EQ(bytes("other"), 500'000);
  folder.Write("LOG.old.1", opening + Choice("67.1", "app"));
  folder.Write("LOG", opening);  // the first was full
  EXPECT_EQ(bytes("default"), 67'100'000);
  folder.Write("LOG", Session("B") + LoggedOptions("default", "0x55a0", 9000));
  EXPECT_EQ(bytes("default"), 9000);  // opened again
  folder.Write("LOG.old.1", logged + Choice("67.1", "app"));
  folder.Write("LOG", logged);
  EXPECT_EQ(bytes("default"), 262'144);  // perhaps opened again
}

// Which has the options of all column families, but not their names.
TEST(InfoLogTest, ALogThatFollowsOnAFullOneHasTheCache) {
  const TemporaryFolder folder;
  const std::string one = LoggedOptions("", "0x55a0", 80'740'352);
  folder.Write("LOG", Session("A") + one + one);
  InfoLogFacts facts = *ReadInfoLog(folder.path(), "");
  EXPECT_EQ(facts.FamilyOf("any").cache, "0x55a0");
  EXPECT_EQ(facts.FamilyOf("any").cache_bytes, 80'740'352);
  EXPECT_EQ(facts.FamilyOf("any").cache_shards, 4);
  // Whose is which?
  folder.Write("LOG", one + LoggedOptions("", "0x55b0", 1'000'000));
  EXPECT_FALSE(ReadInfoLog(folder.path(), "")->FamilyOf("any").cache_bytes);
  // RocksDB leaves out those beyond ten.
  std::string ten;
  for (int i = 0; i < 10; ++i) ten += one;
  folder.Write("LOG", ten);
  EXPECT_FALSE(ReadInfoLog(folder.path(), "")->FamilyOf("any").cache_bytes);
  folder.Write("LOG.old.1", LoggedOptions("any", "0x55a0", 80'740'352));
  EXPECT_EQ(ReadInfoLog(folder.path(), "")->FamilyOf("any").cache_bytes,
            80'740'352);
}

// After a restart, or a process that found the database locked.
TEST(InfoLogTest, TheLastChoiceOfTheApplicationIsFound) {
  const TemporaryFolder folder;
  const std::string statistics =
      "2026/11/28-09:10:00.000000 1 [a.cc:1] STATISTICS:\n"
      " rocksdb.number.keys.read COUNT : 120\n"
      " rocksdb.l0.hit COUNT : 30\n";
  folder.Write("LOG.old.1", Session("A") +
                                LoggedOptions("default", "0x55a0", 400'000) +
                                statistics + Choice("0.400", "app"));
  const auto check = [&folder] {
    const InfoLogFacts facts = *ReadInfoLog(folder.path(), "");
    EXPECT_NE(facts.chosen_bits.find("7.0 bits"), std::string::npos);
    EXPECT_NE(facts.chosen_bits.find(" by app."), std::string::npos);
    EXPECT_EQ(facts.FamilyOf("default").cache_bytes, 400'000);
    EXPECT_EQ(facts.hits.least, 0.25);
    EXPECT_EQ(facts.until, "2026/11/28-09:10:00.000000");
    EXPECT_EQ(facts.path, folder.path() + "/LOG.old.1");
  };
  folder.Write("LOG", Session("B"));
  check();
  folder.Write("LOG",
               Session("B") + LoggedOptions("default", "0x77a0", 400'000));
  check();
  // ldb may have the library, or write nothing, and has a cache of its own.
  const std::string ldb =
      Session("C") + LoggedOptions("default", "0x99a0", 8 << 20);
  for (const char* tool : {"ldb", "sst_dump"}) {
    folder.Write("LOG", ldb + Choice("8.389", tool));
    check();
  }
  folder.Write("LOG", ldb);
  check();
  folder.Write("LOG", ldb +
                          "2026/11/28-09:00:00.000000 9 linebloom: "
                          "bits_per_key=auto: there is no listener.\n");
  check();
  // But an application may have the same.
  folder.Write("LOG", ldb + Choice("8.389", "app"));
  EXPECT_EQ(ReadInfoLog(folder.path(), "")->FamilyOf("default").cache_bytes,
            8 << 20);
}

TEST(ShortPolicyNameTest, IsWhatPeopleSay) {
  for (const auto& [policy, name] : std::map<std::string, std::string>{
           {"{level_aware=true;id=linebloom;bits_per_key=8;line=plain}",
            "linebloom:plain:8 levels"},
           {"{id=linebloom:plain;line=plain;bits_per_key=auto}",
            "linebloom:plain"},
           {"{id=linebloom;hash_seed=0;line=solved;level_aware=false;"
            "false_positive_rate=unset;bits_per_key=auto;}",
            "linebloom"},
           {"{id=linebloom:9;level_aware=true;bits_per_key=9;}",
            "linebloom:9 levels"},
           {"{id=own.Policy;bits=3}", "{id=own.Policy;bits=3}"}}) {
    EXPECT_EQ(ShortPolicyName(policy), name);
  }
}

TEST(TerminalTextTest, FillsInNumbersByTheirFormat) {
  const nlohmann::ordered_json json = {
      {"rate", 0.0123456}, {"tiny", 1e-12},        {"bytes", 1234567},
      {"name", "a"},       {"many", 12345.6},      {"none", nullptr},
      {"zero", 0},         {"list", {7, 8, 99.97}}};
  EXPECT_EQ(Fill("{/name}: {/rate:3} {/rate:%} {/rate:.2f} {/bytes:,}", json),
            "a: 0.0123 1.23 0.01 1,234,567");
  EXPECT_EQ(Fill("{/tiny:3} {/many:3} {/list/1:1000}", json), "0 12,346 8,000");
  EXPECT_EQ(Fill("{/bytes:MB} {/list/1} {/zero:,}", json), "1.23 8 0");
  EXPECT_EQ(Fill("{/list/2:3}", json), "100");
  EXPECT_EQ(Fill("no value", json), "no value");
  // The first alternative that is there.
  EXPECT_EQ(Fill("{/none} of {/name}|{/name}", json), "a");
  for (const char* no_value : {"{/none}", "{/no/such}", "{/zero:MB}"}) {
    EXPECT_EQ(Fill(no_value, json), "-");
  }
}

TEST(FilterStatsTest, TheRateIsOfProbesThatAFilterCanSave) {
  FilterStats answers =
      FilterStatsOf({{"rocksdb.bloom.filter.useful", 990},
                     {"rocksdb.bloom.filter.full.positive", 110},
                     {"rocksdb.bloom.filter.full.true.positive", 100},
                     {"rocksdb.bloom.filter.prefix.checked", 1000}});
  EXPECT_EQ(answers.false_positives, 10);
  EXPECT_DOUBLE_EQ(answers.false_positive_rate().value(), 0.01);
  EXPECT_EQ((FilterStats{0, 7, 0}.false_positive_rate()), std::nullopt);
  // More true positives than positives are no false ones.
  EXPECT_EQ(FilterStatsOf({{"rocksdb.bloom.filter.full.positive", 3},
                           {"rocksdb.bloom.filter.full.true.positive", 4}})
                .false_positives,
            0);
  // Where RocksDB counts gets of prefixes apart from scans.
  answers = FilterStatsOf({{"rocksdb.bloom.filter.useful", 1},
                           {"rocksdb.bloom.filter.prefix.useful", 60},
                           {"rocksdb.bloom.filter.prefix.checked", 100},
                           {"rocksdb.bloom.filter.prefix.true.positive", 30}});
  EXPECT_EQ(answers.negatives, 61);
  EXPECT_EQ(answers.false_positives, 10);
  EXPECT_EQ(answers.true_positives, 30);
}

// Terminals obey control characters, and some of them are not UTF-8.
TEST(PrintableTest, KeepsUtf8AndEscapesTheRest) {
  for (const auto& [name, escaped] : std::map<std::string, std::string>{
           {"\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80", "="},
           {"\xed\x9f\xbf \xee\x80\x80 \xf4\x8f\xbf\xbf", "="},
           {"a\xff", R"(a\xff)"},
           {"\xc3", R"(\xc3)"},
           {"\xe2\x82", R"(\xe2\x82)"},
           {"\xc0\xaf", R"(\xc0\xaf)"},  // longer than needed
           {"\xe0\x9f\xbf", R"(\xe0\x9f\xbf)"},
           {"\xed\xa0\x80", R"(\xed\xa0\x80)"},  // half a surrogate pair
           {"\xf4\x90\x80\x80", R"(\xf4\x90\x80\x80)"},  // after U+10FFFF
           {"x\x1b[31m\n\x7f\tz\xc2\x9b",
            R"(x\x1b[31m\x0a\x7f\x09z\xc2\x9b)"}}) {
    EXPECT_EQ(Fill("{/a}", {{"a", name}}), escaped == "=" ? name : escaped);
  }
}

// The process that has the database open may delete a file while the tool runs;
// a file that the manifest still names is lost, or elsewhere.
TEST(FindingsTest, AFileThatTheManifestStillNamesWasNotDeleted) {
  const TemporaryFolder folder;
  rocksdb::Options options = linebloom::testing::MakeOptions({});
  options.disable_auto_compactions = true;
  options.cf_paths = {{folder.File("elsewhere"), 1 << 30}};
  const auto db = linebloom::testing::OpenDb(options, folder.File("db"));
  linebloom::testing::WriteRows(db.get(), 1000);
  const DatabaseFacts database = *ReadDatabase(folder.File("db"));
  for (const bool is_deleted : {false, true}) {
    if (is_deleted) linebloom::testing::FlushAndCompact(db.get());
    const Findings findings =
        WalkFiles(database, "", [](const LiveFile&, const SstFile&, Findings*) {
          return absl::OkStatus();
        });
    EXPECT_EQ(findings.problems.empty(), is_deleted);
    EXPECT_EQ(findings.notes.empty(), !is_deleted);
  }
}

// In a thread of RocksDB's nobody can catch it.
TEST(RunProgramDeathTest, ExceptionsInThreadsEndTheToolWithAMessage) {
  const Subcommand throws = {
      "throw", "", [](CLI::App*) -> std::function<absl::StatusOr<Outcome>()> {
        return []() -> absl::StatusOr<Outcome> {
          std::thread([] { throw std::bad_alloc(); }).join();
          return Outcome{};
        };
      }};
  char name[] = "tool";
  char subcommand[] = "throw";
  char* arguments[] = {name, subcommand, nullptr};
  EXPECT_EXIT(RunProgram(2, arguments, "description", {throws}),
              ::testing::ExitedWithCode(2),
              "tool throw: RocksDB ended with an exce");
}

}  // namespace
}  // namespace linebloom::tools
