// The ledger of a database that it follows by events alone, and its memory.
#include <gtest/gtest.h>
#include <malloc.h>

#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "filter_policy/tree/live_files.h"
#include "tests/filter_policy/tree/filtered_files.h"

namespace linebloom {
namespace {

// A database, and the ledger that is told of each of its jobs.
class JobsTest : public testing::Test {
 protected:
  enum class End { kMerge, kMove, kFail };

  std::string Write(double rows) {
    const std::string path = "/db/" + std::to_string(++last_file_) + ".sst";
    ledger_.Create(path, FilteredFile(rows));
    return path;
  }

  void Flush(const std::string& family, double rows) {
    rocksdb::FlushJobInfo job;
    job.cf_name = family;
    ledger_.BeginFlush(family, rows);
    job.file_path = Write(rows);
    job.table_properties.num_entries = static_cast<uint64_t>(rows);
    ledger_.EndFlush(job);
    files_[job.file_path] = {family, 0, rows};
  }

  // Of all files of a level, into the next one. What it loses is deleted.
  void Compact(const std::string& family, int level, End end,
               bool drops_all = false) {
    rocksdb::CompactionJobInfo job;
    job.cf_name = family;
    job.job_id = ++last_job_;
    job.base_input_level = level;
    job.output_level = level + 1;
    double rows = 0;
    for (const auto& [path, file] : files_) {
      if (file.family != family || file.level != level) continue;
      job.input_files.push_back(path);
      rows += file.rows;
    }
    if (job.input_files.empty()) return;
    ledger_.BeginCompaction(job, [](const std::string&) { return 0; });
    std::vector<std::string> gone = job.input_files;
    if (end == End::kMove) {
      job.output_files = std::exchange(gone, {});
    } else if (!drops_all) {
      job.output_files = {Write(rows)};
    }
    if (end == End::kFail) {
      job.status = rocksdb::Status::Corruption();
      gone = std::exchange(job.output_files, {});
    }
    for (const std::string& path : job.output_files) {
      job.output_file_infos.push_back({level + 1, 0, 0});
      files_[path] = {family, level + 1,
                      end == End::kMove ? files_[path].rows : rows};
    }
    ledger_.EndCompaction(job);
    if (level == 0 && end == End::kMove) ++moves_[family];
    if (level == 0 && end == End::kMerge) moves_[family] = 0;
    for (const std::string& path : gone) Delete(path);
  }

  void Delete(const std::string& path) {
    ledger_.Delete(path);
    files_.erase(path);
  }

  // A new file of the family is told of all others.
  void ExpectAllFiles(const std::string& family) {
    std::vector<PlacedFile> files;
    for (const auto& [path, file] : files_) {
      if (file.family != family) continue;
      files.push_back({FilteredFile(file.rows), file.level});
    }
    const TreeState tree = TreeOf(files);
    NewFile file{.column_family = family,
                 .reason = rocksdb::TableFileCreationReason::kFlush};
    ledger_.Describe(/*job=*/0, &file);
    ASSERT_NE(nullptr, file.tree);
    std::vector<double> runs = tree.Runs();
    std::vector<double> seen = file.tree->Runs();
    std::ranges::sort(runs);
    std::ranges::sort(seen);
    EXPECT_EQ(runs, seen);
    for (int level = 1; level < 6; ++level) {
      EXPECT_EQ(tree.RowsOf(level), file.tree->RowsOf(level));
    }
    EXPECT_EQ(tree.filters.rows, file.tree->filters.rows);
    EXPECT_EQ(moves_[family] >= 3, file.tree->in_order);
  }

  // What RocksDB lists, with the same files in all levels.
  std::vector<rocksdb::LiveFileMetaData> Listed() const {
    std::vector<rocksdb::LiveFileMetaData> listed;
    for (const auto& [path, file] : files_) {
      listed.emplace_back();
      listed.back().column_family_name = file.family;
      listed.back().name = path.substr(path.rfind('/'));
      listed.back().level = file.level;
      listed.back().size = 1000;
    }
    return listed;
  }

  struct File {
    std::string family;
    int level;
    double rows;
  };
  LiveFiles ledger_;
  std::map<std::string, File> files_;  // by path
  std::map<std::string, int> moves_;   // of level 0 since it was merged
  int last_file_ = 0;
  int last_job_ = 0;
};

TEST_F(JobsTest, AreFollowedByTheFilesThatTheyAddAndDelete) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 2000 && !HasFailure(); ++i) {
    const std::string family = i % 2 == 0 ? "default" : "other";
    Flush(family, static_cast<double>(10 + random() % 50));
    const auto end = static_cast<End>(random() % 3);
    Compact(family, static_cast<int>(random() % 4), end);
    ExpectAllFiles(family);
  }
}

// It would undo what the job changed.
TEST_F(JobsTest, AListFromBeforeAJobIsNotTaken) {
  Flush("default", 10);
  const uint64_t version = ledger_.version();
  const auto listed = Listed();
  Flush("default", 20);
  ledger_.List(listed, version);
  ExpectAllFiles("default");
  EXPECT_TRUE(ledger_.IsDue(0));
  ledger_.List(Listed(), ledger_.version());
  ExpectAllFiles("default");
}

// Of malloc, which AddressSanitizer replaces: there nothing is counted.
int64_t BytesAllocated() {
  const struct mallinfo2 info = mallinfo2();
  return static_cast<int64_t>(info.uordblks + info.hblkhd);
}

// Files, families and jobs, those that failed among them.
TEST_F(JobsTest, WhatIsGoneLeavesNoBytes) {
  int64_t before = 0;
  for (int i = 0; i < 20'000; ++i) {
    if (i == 1000) before = BytesAllocated();
    const std::string family = "family" + std::to_string(i);
    Flush(family, 10);
    Compact(family, 0, End::kFail);
    Compact(family, 0, End::kMerge, /*drops_all=*/true);
    ledger_.Delete(Write(10));  // of a flush that failed
    moves_.clear();
    if (i % 100 == 99) ledger_.List({}, ledger_.version());
  }
  EXPECT_TRUE(files_.empty());
  EXPECT_LE(BytesAllocated() - before, 100'000);
}

}  // namespace
}  // namespace linebloom
