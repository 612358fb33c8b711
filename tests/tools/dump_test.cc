// Tests the parts of linebloom dump directly.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <fstream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "filter_policy/levels/auto_bits.h"
#include "filter_policy/policy/notes.h"
#include "nlohmann/json.hpp"
#include "rocksdb/cache.h"
#include "rocksdb/db.h"
#include "rocksdb/options.h"
#include "rocksdb/table.h"
#include "rocksdb/version.h"
#include "tests/table/rocksdb_files.h"
#include "tests/temporary_folder.h"
#include "tests/tools/run_subcommand.h"
#include "tools/dump/inputs.h"
#include "tools/shared/run_tool.h"

namespace linebloom::tools {
namespace {

namespace lt = linebloom::testing;
using ::testing::HasSubstr;

TEST(TextTest, KeysAreShownAsTextAndInHex) {
  EXPECT_EQ(KeyText(std::string("k\0'", 3)), "'k\\x00\\'' (6b0027)");
  EXPECT_EQ(KeyText(""), "'' ()");
}

// Bytes of a version 5 file that no checksum covers and nobody reads: the
// padding of the footer's handles.
bool IsPadding(const std::string& bytes, size_t at) {
  return bytes[at] == 0 && at > bytes.size() - 53 && at < bytes.size() - 12;
}

// Damage anywhere is an error or a problem, never anything worse.
TEST(VerifyTest, EveryDamagedByteIsReported) {
  const TemporaryFolder folder;
  // Not SstFileWriter, because ingestion may change 8 bytes in its files.
  const std::string written =
      lt::WriteDatabase(folder.File("db"),
                        {5, ChecksumType::kXxh3, FilterKind::kPartitioned,
                         lt::FilterContent::kBoth, lt::kLinebloom},
                        60)
          .front();
  const std::string path = folder.Write("a.sst", ReadFileBytes(written));
  const std::string bytes = ReadFileBytes(path);
  const auto problems = [&path] {
    return RunSubcommand(kVerify, {path})->json["problems"];
  };
  ASSERT_TRUE(problems().empty());
  for (size_t at = 0; at < bytes.size(); ++at) {
    std::string damaged = bytes;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x10);
    folder.Write("a.sst", damaged);
    EXPECT_TRUE(!problems().empty() || IsPadding(bytes, at))
        << "byte " << at << " of " << bytes.size();
  }
}

#if ROCKSDB_MAJOR < 8 || (ROCKSDB_MAJOR == 8 && ROCKSDB_MINOR < 6)
TEST(VerifyTest, AFileThatRocksDbCantReadIsNotDamaged) {
  const absl::StatusOr<Outcome> outcome =
      RunSubcommand(kVerify, {LINEBLOOM_GOLDEN_DIR "/sst/v6_full.sst"});
  ASSERT_TRUE(outcome.ok()) << outcome.status();
  const Json& report = outcome->json;
  EXPECT_EQ(report["problems"], Json::array());
  EXPECT_THAT(report["notes"].dump(), HasSubstr("can't read format_version 6"));
  EXPECT_EQ(report["files"][0]["rows_were_read"], false);
}
#endif

// The process that has the database open may delete a file while the tool runs;
// a file that the manifest still names is lost, or elsewhere.
TEST(FindingsTest, AFileThatTheManifestStillNamesWasNotDeleted) {
  const TemporaryFolder folder;
  rocksdb::Options options = lt::MakeOptions({});
  options.disable_auto_compactions = true;
  options.cf_paths = {{folder.File("elsewhere"), 1 << 30}};
  const auto db = lt::OpenDb(options, folder.File("db"));
  lt::WriteRows(db.get(), 1000);
  Inputs inputs;
  inputs.db = folder.File("db");
  const std::vector<LiveFile> files = ReadInputs(inputs)->files;
  ASSERT_EQ(files.size(), 2);
  Json report = RunSubcommand(kDump, {inputs.db})->json;
  EXPECT_EQ(report["notes"], Json::array());
  ASSERT_EQ(report["problems"].size(), 2);
  EXPECT_THAT(report["problems"][0].get<std::string>(),
              HasSubstr("db_paths or cf_paths"));
  lt::FlushAndCompact(db.get());
  Findings findings(inputs.db);
  for (const LiveFile& file : files) {
    findings.Add(file, absl::NotFoundError("not there"));
  }
  report = Json();
  findings.AddTo(&report);
  EXPECT_EQ(report["problems"], Json::array());
  ASSERT_EQ(report["notes"].size(), 2);
  EXPECT_THAT(report["notes"][0].get<std::string>(),
              HasSubstr("was deleted after"));
}

// A database of two column families with filters of about 25 kB in caches of
// their own.
class CachesTest : public ::testing::Test {
 protected:
  // A family without a cache has RocksDB's default one.
  std::vector<std::string> NotesWithCaches(uint64_t of_default,
                                           uint64_t of_other) {
    rocksdb::Options options = lt::MakeOptions({});
    options.db_log_dir = log_dir_;
    options.create_if_missing = true;
    options.create_missing_column_families = true;
    const auto family = [&](const std::string& name, uint64_t cache_bytes) {
      rocksdb::BlockBasedTableOptions table =
          *options.table_factory->GetOptions<rocksdb::BlockBasedTableOptions>();
      table.cache_index_and_filter_blocks = true;
      if (cache_bytes > 0) {
        table.block_cache = rocksdb::NewLRUCache(cache_bytes);
      }
      rocksdb::ColumnFamilyOptions own = options;
      own.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
      return rocksdb::ColumnFamilyDescriptor(name, own);
    };
    std::vector<rocksdb::ColumnFamilyHandle*> handles;
    rocksdb::DB* opened = nullptr;
    lt::Check(rocksdb::DB::Open(
        options, folder_.File("db"),
        {family("default", of_default), family("other", of_other)}, &handles,
        &opened));
    const std::unique_ptr<rocksdb::DB> db(opened);
    for (auto* handle : handles) {
      for (int i = 0; i < 20'000; ++i) {
        lt::Check(db->Put({}, handle, std::to_string(i), ""));
      }
      lt::Check(db->Flush({}, handle));
      lt::Check(db->DestroyColumnFamilyHandle(handle));
    }
    const auto outcome = RunSubcommand(kDump, {folder_.File("db")});
    EXPECT_TRUE(outcome.ok()) << outcome.status();
    return outcome->json["notes"];
  }

  const TemporaryFolder folder_;
  std::string log_dir_;
};

TEST_F(CachesTest, AreThoseOfTheirColumnFamilies) {
  const std::vector<std::string> notes = NotesWithCaches(20'000, 1 << 20);
  ASSERT_EQ(notes.size(), 1);
  EXPECT_THAT(notes[0], HasSubstr(" of default don't fit the block cache of "
                                  "0.0200 MB"));
}

TEST_F(CachesTest, AreThoseOfTheirColumnFamiliesTheOtherWayRound) {
  const std::vector<std::string> notes = NotesWithCaches(1 << 20, 20'000);
  ASSERT_EQ(notes.size(), 1);
  EXPECT_THAT(notes[0], HasSubstr(" of other don't fit the block cache of "
                                  "0.0200 MB"));
}

// It would flicker, though all would fit.
TEST_F(CachesTest, ShardsHoldTheLargestBlockTwice) {
  const std::vector<std::string> notes = NotesWithCaches(45'000, 1 << 20);
  ASSERT_EQ(notes.size(), 1);
  EXPECT_THAT(notes[0], HasSubstr("more than half of a shard of the block "
                                  "cache (0.0450 MB, shards: 1)"));
}

TEST_F(CachesTest, OptionsWithoutACacheAreNoReasonForAlarm) {
  EXPECT_THAT(NotesWithCaches(0, 0), ::testing::IsEmpty());
}

TEST_F(CachesTest, AreInALogElsewhere) {
  log_dir_ = folder_.File("logs");
  const std::vector<std::string> notes = NotesWithCaches(20'000, 20'000);
  ASSERT_EQ(notes.size(), 2);
  EXPECT_THAT(notes[0], HasSubstr(" of default don't fit"));
  EXPECT_THAT(notes[1], HasSubstr(" of other don't fit"));
}

// In the policy's own words.
TEST(DumpTest, ShowsTheBitsThatAutoChoseLast) {
  const TemporaryFolder folder;
  lt::WriteDatabase(folder.File("db"), {}, 100);
  AutoBits chosen = {.average_bits = 16, .is_chosen = true};
  std::ofstream log(folder.File("db/LOG"), std::ios::app);
  log << "2026/11/27-01:02:03.123456 1 " << ChosenBits(chosen) << "\n";
  chosen.average_bits = 7.3;
  chosen.reads = 1.25;
  chosen.reads_with_10 = 0.0123;
  log << "2026/11/27-04:05:06.123456 1 " << ChosenBits(chosen) << "\n";
  log.close();
  const auto outcome = RunSubcommand(kDump, {folder.File("db")});
  ASSERT_TRUE(outcome.ok()) << outcome.status();
  const Json& json = outcome->json["auto"];
  EXPECT_EQ(json["at"], "2026/11/27-04:05:06.123456");
  EXPECT_EQ(json["bits_per_key"], 7.3);
  EXPECT_EQ(json["reads_per_1000_lookups"], 1250);
  EXPECT_EQ(json["reads_with_10_bits"], 12.3);
  EXPECT_THAT(outcome->text, HasSubstr("\n- bits_per_key=auto, says the info "
                                       "log of 2026/11/27-04:05:06.123456: "));
  const std::string metrics = AsPrometheus(outcome->json);
  EXPECT_THAT(metrics, HasSubstr("linebloom_auto_bits_per_key{database=\"" +
                                 folder.File("db") + "\"} 7.3\n"));
  EXPECT_THAT(metrics, HasSubstr("\"} 1250.0\n"));
}

// A single byte that is not UTF-8 makes Prometheus drop all of the text.
TEST(PrometheusTest, EscapesNames) {
  const std::vector<std::pair<std::string, std::string>> names = {
      {"a\"b\\c\nd", R"(a\"b\\c\nd)"},
      {"\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80", "="},  // UTF-8 stays
      {"\xed\x9f\xbf \xee\x80\x80 \xf4\x8f\xbf\xbf", "="},
      {"a\xff", R"(a\\xff)"},
      {"\xc3", R"(\\xc3)"},
      {"\xe2\x82", R"(\\xe2\\x82)"},
      {"\xc0\xaf", R"(\\xc0\\xaf)"},  // longer than needed
      {"\xe0\x9f\xbf", R"(\\xe0\\x9f\\xbf)"},
      {"\xed\xa0\x80", R"(\\xed\\xa0\\x80)"},           // half a surrogate pair
      {"\xf4\x90\x80\x80", R"(\\xf4\\x90\\x80\\x80)"},  // after U+10FFFF
      {"\x1b[31m\x7f", R"(\\x1b[31m\\x7f)"},            // reaches terminals
      {"\xc2\x9b", R"(\\xc2\\x9b)"}};
  for (const auto& [name, escaped] : names) {
    EXPECT_EQ(AsPrometheus({{"database", name},
                            {"totals", Json::array()},
                            {"observed", nullptr},
                            {"auto", nullptr},
                            {"problems", {"a problem"}}}),
              "# TYPE linebloom_problems gauge\n"
              "linebloom_problems{database=\"" +
                  (escaped == "=" ? name : escaped) + "\"} 1\n");
  }
}

}  // namespace
}  // namespace linebloom::tools
