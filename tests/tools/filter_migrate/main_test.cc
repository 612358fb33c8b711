// filter_migrate as a user runs it, where files are to be read again; see also
// transcripts/filter_migrate.txt.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "filter_policy/filter_facts/file_facts.h"
#include "linebloom/filter_policy.h"
#include "nlohmann/json.hpp"
#include "rocksdb/convenience.h"
#include "rocksdb/db.h"
#include "rocksdb/filter_policy.h"
#include "rocksdb/options.h"
#include "rocksdb/perf_context.h"
#include "rocksdb/perf_level.h"
#include "rocksdb/table.h"
#include "tests/table/rocksdb_files.h"
#include "tests/tools/run_program.h"
#include "tests/tools/tool_test.h"
#include "tools/shared/databases.h"

namespace linebloom::tools {
namespace {

using linebloom::testing::Check;
using linebloom::testing::FileSpec;
using linebloom::testing::FilterContent;
using linebloom::testing::KeyAt;
using linebloom::testing::MakeOptions;
using linebloom::testing::OpenDb;
using linebloom::testing::Policy;
using linebloom::testing::WriteDatabase;
using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr int kRows = 20'000;

class FilterMigrateTest : public ToolTest {
 protected:
  FilterMigrateTest() : ToolTest(LINEBLOOM_FILTER_MIGRATE) {}

  std::vector<rocksdb::LiveFileMetaData> LiveFiles() {
    const auto database = ReadOnlyDatabase::Open("--db", folder_.File("db"));
    EXPECT_TRUE(database.ok()) << database.status();
    std::vector<rocksdb::LiveFileMetaData> files;
    database->db()->GetLiveFilesMetaData(&files);
    return files;
  }

  // All live files have linebloom's filters, nothing else is in the folder, and
  // filter_dump finds no problem with their rows.
  void ExpectMigrated(uint32_t millibits = 10'000) {
    const auto files = LiveFiles();
    for (const auto& file : files) {
      const auto opened =
          OpenFilterFile(file.directory + "/" + file.relative_filename);
      ASSERT_TRUE(opened.ok()) << opened.status();
      const auto facts = ReadFileFacts(*opened);
      ASSERT_TRUE(facts.ok()) << facts.status();
      EXPECT_EQ(facts->first.kind, BlockKind::kLinebloom);
      EXPECT_EQ(facts->first.info.request.millibits_per_key, millibits);
    }
    const auto in_folder = std::count_if(
        std::filesystem::directory_iterator(folder_.File("db")), {},
        [](const auto& entry) { return entry.path().extension() == ".sst"; });
    EXPECT_EQ(in_folder, std::ssize(files));
    const ProgramResult verify =
        Program({LINEBLOOM_FILTER_DUMP, "--db=db", "--command=verify"},
                folder_.path())
            .Wait();
    EXPECT_EQ(verify.exit_code, 0) << verify.err;
  }

  std::string StoredPolicy() {
    std::string newest;
    uint64_t number = 0;
    for (const auto& entry :
         std::filesystem::directory_iterator(folder_.File("db"))) {
      const std::string name = entry.path().filename();
      if (!absl::StartsWith(name, "OPTIONS-")) continue;
      const uint64_t its = std::stoull(name.substr(8));
      if (its > number) newest = entry.path();
      number = std::max(number, its);
    }
    for (absl::string_view line : absl::StrSplit(ReadWholeFile(newest), '\n')) {
      if (absl::StrContains(line, "filter_policy=")) return std::string(line);
    }
    return "";
  }
};

TEST_F(FilterMigrateTest, BringsEveryKindUpToLinebloom) {
  const std::vector<std::pair<FileSpec, std::string>> kinds = {
      {{5, ChecksumType::kXxh3, FilterKind::kNone}, "no filter"},
      {{5, ChecksumType::kXxh3, FilterKind::kFull}, "foreign filter"},
      {{2, ChecksumType::kCrc32c, FilterKind::kFull}, "foreign filter"},
      {{5, ChecksumType::kXxh3, FilterKind::kPartitioned}, "foreign filter"},
      {{5, ChecksumType::kXxh3, FilterKind::kFull, FilterContent::kBoth},
       "foreign filter"},
      {{5, ChecksumType::kXxh3, FilterKind::kFull, FilterContent::kWholeKeys,
        Policy::kRibbon},
       "foreign filter"}};
  for (const auto& [spec, reason] : kinds) {
    SCOPED_TRACE(linebloom::testing::NameOf(spec));
    std::filesystem::remove_all(folder_.File("db"));
    WriteDatabase(folder_.File("db"), spec, kRows);
    const json plan = RunForJson({"--db=db", "--dry_run"});
    const json report = RunForJson({"--db=db"});
    ASSERT_EQ(report["files"].size(), 2u);
    EXPECT_EQ(report["files"], [&] {
      json done = plan["files"];
      for (json& file : done) file["outcome"] = "rewritten";
      return done;
    }());
    for (const json& file : report["files"]) EXPECT_EQ(file["reason"], reason);
    ExpectMigrated();
    // filter_dump finds approximately the promised reads: filters of 10,000
    // keys vary by chance, and partitions of about 400 keys have their own
    // lines.
    const ProgramResult dump =
        Program({LINEBLOOM_FILTER_DUMP, "--db=db", "--json=-"}, folder_.path())
            .Wait();
    const double reads =
        json::parse(dump.out)["totals"][0]["all"]["reads_per_missing_row"];
    const json& family = report["column_families"][0];
    EXPECT_EQ(family["lookups_known_from"], "even");
    const double promised = family["reads_per_missing_row_after"];
    EXPECT_LT(reads, 1.1 * promised);
    EXPECT_GT(reads, 0.6 * promised);

    const std::vector<std::string> before = Fingerprint(folder_.File("db"));
    const ProgramResult again = Run({"--db=db"});
    EXPECT_EQ(again.exit_code, 0);
    EXPECT_THAT(again.out, HasSubstr("Nothing to rewrite among 2 files."));
    EXPECT_EQ(Fingerprint(folder_.File("db")), before);
  }
}

// The data blocks that lookups of missing rows read with the policy `id`.
uint64_t BlockReads(const std::string& folder, const std::string& id) {
  rocksdb::Options options = MakeOptions({});
  rocksdb::BlockBasedTableOptions table;
  table.no_block_cache = true;
  Check(rocksdb::FilterPolicy::CreateFromString({}, id, &table.filter_policy));
  options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
  const auto db = OpenDb(options, folder);
  rocksdb::SetPerfLevel(rocksdb::PerfLevel::kEnableCount);
  rocksdb::get_perf_context()->Reset();
  rocksdb::PinnableSlice value;
  for (int i = 0; i < kRows; ++i) {
    EXPECT_TRUE(db->Get({}, db->DefaultColumnFamily(),
                        absl::StrCat(KeyAt(i), "x"), &value)
                    .IsNotFound());
  }
  return rocksdb::get_perf_context()->block_read_count;
}

TEST_F(FilterMigrateTest, ThereAndBack) {
  RegisterFilterPolicy();
  for (const std::string back : {"bloomfilter:10", "ribbonfilter:10"}) {
    SCOPED_TRACE(back);
    std::filesystem::remove_all(folder_.File("db"));
    WriteDatabase(folder_.File("db"), {}, kRows);
    const json there = RunForJson({"--db=db", "--policy=linebloom:10"});
    ASSERT_EQ(there["files"].size(), 2u);
    // Every lookup probes one of the two files.
    EXPECT_LT(BlockReads(folder_.File("db"), "linebloom:10"), kRows / 100);
    EXPECT_GT(BlockReads(folder_.File("db"), back), kRows * 99 / 100);

    const std::string flag = "--policy=" + back;
    const ProgramResult dry = Run({"--db=db", flag, "--dry_run"});
    EXPECT_EQ(dry.exit_code, 0) << dry.err;
    EXPECT_THAT(dry.out, AllOf(HasSubstr(", RocksDB's own\n"),
                               HasSubstr("Reads per missing row: 1.00 now, "),
                               HasSubstr("- The reads now are those without")));
    const ProgramResult run = Run({"--db=db", flag});
    EXPECT_EQ(run.exit_code, 0) << run.err;
    EXPECT_THAT(run.out, HasSubstr("Rewrote 2 of 2 files"));
    EXPECT_THAT(StoredPolicy(), HasSubstr(back));
    EXPECT_LT(BlockReads(folder_.File("db"), back), kRows / 40);
    EXPECT_EQ(LiveFiles().size(), 2u);

    const ProgramResult again = Run({"--db=db", flag});
    EXPECT_THAT(again.out, HasSubstr("Nothing to rewrite among 2 files."));
  }
}

TEST_F(FilterMigrateTest, OptionsNameThePolicyAndKeepAllElse) {
  rocksdb::Options options = MakeOptions({});
  options.level0_file_num_compaction_trigger = 7;
  {
    const auto db = OpenDb(options, folder_.File("open"));
    for (int i = 0; i < 1000; ++i) Check(db->Put({}, KeyAt(i), "value"));
    Check(db->Flush({}));
    Check(db->Put({}, "b", "in the log"));
    Check(db->FlushWAL(/*sync=*/true));
    std::filesystem::copy(folder_.File("open"), folder_.File("db"));
  }
  const ProgramResult run =
      Run({"--db=db", "--policy={bits_per_key=12;line=plain}"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(StoredPolicy(),
              AllOf(HasSubstr("id=linebloom:12;"), HasSubstr("line=plain")));
  EXPECT_EQ(LiveFiles().size(), 2u);  // the log's row has a file now
  ExpectMigrated(12'000);
  const auto reopened = OpenDb(options, folder_.File("db"));
  std::string value;
  Check(reopened->Get({}, "b", &value));
  EXPECT_EQ(value, "in the log");
}

TEST_F(FilterMigrateTest, AnInterruptedRunSaysHowFarItCame) {
  WriteDatabase(folder_.File("db"), {}, kRows);
  // After rewriting the first file it pauses for days.
  Program program({LINEBLOOM_FILTER_MIGRATE, "--db=db", "--bytes_per_second=1"},
                  folder_.path());
  const auto new_files = [this] {
    return std::count_if(
        std::filesystem::directory_iterator(folder_.File("db")), {},
        [](const auto& entry) { return entry.path().extension() == ".sst"; });
  };
  for (int i = 0; i < 1000 && new_files() == 2; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(500));
  program.Signal(SIGINT);
  const ProgramResult run = program.Wait();
  EXPECT_EQ(run.exit_code, 130);
  EXPECT_THAT(run.out, HasSubstr("Interrupted: rewrote 1 of 2 files, "));
  EXPECT_THAT(run.out, HasSubstr("Run it again for the others."));
  EXPECT_EQ(run.err, "");
  EXPECT_THAT(Run({"--db=db"}).out, HasSubstr("Rewrote 1 of 1 file, "));
  ExpectMigrated();
}

}  // namespace
}  // namespace linebloom::tools
