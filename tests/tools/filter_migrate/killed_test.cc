// Kills filter_migrate at random moments and runs it again until it finishes.
// The environment sets the size of the database:
//
//   LINEBLOOM_KILL_ROWS=10000000 filter_migrate_test --gtest_filter='Killed*'
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "linebloom/filter_policy.h"
#include "nlohmann/json.hpp"
#include "rocksdb/db.h"
#include "rocksdb/filter_policy.h"
#include "rocksdb/options.h"
#include "rocksdb/table.h"
#include "tests/tools/run_program.h"
#include "tools/shared/databases.h"
#include "tools/shared/numbers.h"
#include "tools/shared/terminal_text.h"

namespace linebloom::tools {
namespace {

constexpr uint64_t kSmallRows = 100'000;
constexpr int kKills = 5;

uint64_t RowsToWrite() {
  const char* rows = std::getenv("LINEBLOOM_KILL_ROWS");
  return rows == nullptr ? kSmallRows : std::stoull(rows);
}

// Rows in random order, so that each level has files over the whole range.
std::string RowKey(uint64_t i) { return absl::StrFormat("%016x", Mix(i)); }
std::string RowValue(uint64_t i) {
  return absl::StrCat("value of row ", i, std::string(60, '.'));
}

class KilledTest : public ::testing::Test {
 protected:
  const uint64_t rows_ = RowsToWrite();

  rocksdb::Options OptionsWith(const rocksdb::FilterPolicy* policy) const {
    rocksdb::BlockBasedTableOptions table;
    table.filter_policy.reset(policy);
    rocksdb::Options options;
    options.create_if_missing = true;
    options.compression = rocksdb::kNoCompression;
    options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
    // About 60 files in several levels, whatever the number of rows.
    options.write_buffer_size = std::max<size_t>(64 << 10, rows_ * 2);
    options.target_file_size_base = options.write_buffer_size;
    options.max_bytes_for_level_base = 4 * options.write_buffer_size;
    options.level0_file_num_compaction_trigger = 4;
    return options;
  }

  std::unique_ptr<rocksdb::DB> Open(const rocksdb::FilterPolicy* policy) {
    rocksdb::DB* db = nullptr;
    const rocksdb::Status status =
        rocksdb::DB::Open(OptionsWith(policy), folder_.File("db"), &db);
    EXPECT_TRUE(status.ok()) << status.ToString();
    return std::unique_ptr<rocksdb::DB>(db);
  }

  void WriteRows() {
    const auto db = Open(rocksdb::NewBloomFilterPolicy(10));
    rocksdb::WriteOptions without_log;
    without_log.disableWAL = true;
    for (uint64_t i = 0; i < rows_; ++i) {
      ASSERT_TRUE(db->Put(without_log, RowKey(i), RowValue(i)).ok());
    }
    ASSERT_TRUE(db->Flush({}).ok());
    // Waits until no compaction is due, because RocksDB's own would change the
    // files.
    for (int quiet = 0; quiet < 5;) {
      uint64_t pending = 0;
      uint64_t running = 0;
      db->GetIntProperty(rocksdb::DB::Properties::kCompactionPending, &pending);
      db->GetIntProperty(rocksdb::DB::Properties::kNumRunningCompactions,
                         &running);
      quiet = pending + running > 0 ? 0 : quiet + 1;
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    old_files_ = LiveFiles();
    std::printf("%s rows in %zu files with RocksDB's Bloom filter\n",
                WithThousands(rows_).c_str(), old_files_.size());
  }

  // The names of the live files with their levels.
  std::map<std::string, int> LiveFiles() const {
    const auto database = ReadOnlyDatabase::Open("--db", folder_.File("db"));
    EXPECT_TRUE(database.ok()) << database.status();
    std::vector<rocksdb::LiveFileMetaData> files;
    database->db()->GetLiveFilesMetaData(&files);
    std::map<std::string, int> names;
    for (const auto& file : files) {
      names[file.relative_filename] = file.level;
    }
    return names;
  }

  std::set<std::string> TablesInFolder() const {
    std::set<std::string> names;
    for (const auto& entry :
         std::filesystem::directory_iterator(folder_.File("db"))) {
      if (entry.path().extension() == ".sst") {
        names.insert(entry.path().filename());
      }
    }
    return names;
  }

  // Runs the program. If `kill` is true, kills it at a random moment after it
  // wrote a first file. Returns true if it was killed.
  bool RunAndKill(bool kill) {
    const std::set<std::string> before = TablesInFolder();
    // Leaves time to kill it: the small database is rewritten in a second.
    const uint64_t speed = rows_ == kSmallRows ? 10'000'000 : 0;
    Program program({LINEBLOOM_FILTER_MIGRATE, "--db=db",
                     absl::StrCat("--bytes_per_second=", speed)},
                    folder_.path());
    if (kill) {
      while (program.IsRunning() && TablesInFolder() == before) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      }
      const int64_t longest = rows_ == kSmallRows ? 100'000 : 700'000;
      std::this_thread::sleep_for(std::chrono::microseconds(
          std::uniform_int_distribution<int64_t>(0, longest)(random_)));
      program.Signal(SIGKILL);
    }
    const ProgramResult result = program.Wait();
    if (result.exit_code == 0) std::fputs(result.out.c_str(), stdout);
    EXPECT_THAT(result.exit_code, ::testing::AnyOf(0, kill ? -1 : 0))
        << result.err;
    return result.exit_code == -1;
  }

  // Finds out which files are new after a run. Files that were rewritten must
  // stay, and at most one was cut short: it is in the folder but not in the
  // database.
  void TakeFiles(bool was_killed) {
    const std::map<std::string, int> live = LiveFiles();
    for (const std::string& name : rewritten_) {
      EXPECT_EQ(live.count(name), 1) << name << " was rewritten again";
    }
    for (const auto& [name, level] : live) {
      if (old_files_.count(name) == 0) rewritten_.insert(name);
    }
    size_t cut_short = 0;
    for (const std::string& name : TablesInFolder()) {
      const bool known = live.count(name) + old_files_.count(name) > 0;
      cut_short += known ? 0 : 1;
    }
    EXPECT_LE(cut_short, was_killed ? 1 : 0);
    cut_short_ += cut_short;
    std::printf("%s; %zu of %zu files rewritten, %zu cut short\n",
                was_killed ? "killed" : "ended", rewritten_.size(),
                old_files_.size(), cut_short);
  }

  // Nothing is left to do, and each level has as many files as before. Any old
  // file left has few rows, for which RocksDB's filter is just as good.
  void ExpectAllRewritten() {
    const ProgramResult plan =
        Program({LINEBLOOM_FILTER_MIGRATE, "--db=db", "--dry_run", "--json=-"},
                folder_.path())
            .Wait();
    const nlohmann::json report = nlohmann::json::parse(plan.out);
    EXPECT_TRUE(report["files"].empty()) << plan.out;
    std::map<int, int> old_levels;
    std::map<int, int> levels;
    size_t left = 0;
    for (const auto& [name, level] : old_files_) ++old_levels[level];
    for (const auto& [name, level] : LiveFiles()) {
      left += old_files_.count(name);
      ++levels[level];
    }
    EXPECT_EQ(levels, old_levels);
    EXPECT_EQ(left, report["files_no_better"]);
    EXPECT_LE(left, old_files_.size() / 5);
    EXPECT_EQ(rewritten_.size() + left, old_files_.size());
    std::printf("%zu rewrites for %zu files\n", rewritten_.size() + cut_short_,
                old_files_.size());
  }

  void ExpectSound() {
    const ProgramResult verify =
        Program({LINEBLOOM_FILTER_DUMP, "--db=db", "--command=verify"},
                folder_.path())
            .Wait();
    EXPECT_EQ(verify.exit_code, 0) << verify.err;
    std::fputs(verify.out.substr(verify.out.rfind("\n\n") + 2).c_str(), stdout);
  }

  void ExpectAllRows() {
    const auto db = Open(NewFilterPolicy(10));
    std::string value;
    uint64_t found = 0;
    for (uint64_t i = 0; i < rows_; ++i) {
      const rocksdb::Status status = db->Get({}, RowKey(i), &value);
      found += status.ok() && value == RowValue(i);
    }
    EXPECT_EQ(found, rows_);
    std::printf("rows found: %s of %s\n", WithThousands(found).c_str(),
                WithThousands(rows_).c_str());
  }

  std::mt19937_64 random_{std::random_device()()};
  TemporaryFolder folder_;
  std::map<std::string, int> old_files_;
  std::set<std::string> rewritten_;
  size_t cut_short_ = 0;
};

TEST_F(KilledTest, EveryFileIsRewrittenOnceAndNoRowIsLost) {
  WriteRows();
  ASSERT_GE(old_files_.size(), 20);
  int kills = 0;
  bool was_killed = true;
  while (was_killed) {
    was_killed = RunAndKill(kills < kKills);
    kills += was_killed ? 1 : 0;
    TakeFiles(was_killed);
  }
  EXPECT_EQ(kills, kKills);
  ExpectAllRewritten();
  ExpectSound();
  ExpectAllRows();
}

}  // namespace
}  // namespace linebloom::tools
