// What advise says of databases.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_format.h"
#include "filter_policy/bits/rocksdb_cache.h"
#include "linebloom/filter_policy.h"
#include "rocksdb/db.h"
#include "rocksdb/filter_policy.h"
#include "rocksdb/statistics.h"
#include "rocksdb/table.h"
#include "tests/temporary_folder.h"
#include "tests/tools/run_subcommand.h"
#include "tools/database/caches.h"
#include "tools/database/database_facts.h"

namespace linebloom::tools {
namespace {

using testing::HasSubstr;

// A database of 60,000 rows in two levels, with Bloom filters of ten bits in a
// cache of 64 KiB.
class AdviseTest : public testing::Test {
 protected:
  AdviseTest() {
    RegisterFilterPolicy();
    options_.create_if_missing = true;
    options_.disable_auto_compactions = true;
    options_.compression = rocksdb::kNoCompression;
    table_.filter_policy.reset(rocksdb::NewBloomFilterPolicy(10));
    table_.cache_index_and_filter_blocks = true;
    table_.block_cache = rocksdb::NewLRUCache(kCacheBytes);
    UseTable();
    options_.statistics = rocksdb::CreateDBStatistics();
    Write();
  }

  void UseTable() {
    options_.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table_));
  }

  void Write() {
    const auto db = Open();
    for (int i = 0; i < 60'000; ++i) {
      if (i == 50'000) {
        ASSERT_TRUE(db->CompactRange({}, nullptr, nullptr).ok());
      }
      const auto key = absl::StrFormat("%08d", uint64_t{7919} * i % 60'013);
      ASSERT_TRUE(db->Put({}, key, std::string(20, 'v')).ok());
    }
    ASSERT_TRUE(db->Flush({}).ok());
  }

  std::unique_ptr<rocksdb::DB> Open() {
    rocksdb::DB* opened = nullptr;
    EXPECT_TRUE(rocksdb::DB::Open(options_, db_, &opened).ok());
    return std::unique_ptr<rocksdb::DB>(opened);
  }

  absl::StatusOr<Outcome> Advise(std::vector<std::string> flags = {}) const {
    flags.insert(flags.begin(), db_);
    return RunSubcommand(kAdvise, flags);
  }

  // Of the only cache.
  Json AdviceWith(const std::vector<std::string>& flags) const {
    const auto outcome = Advise(flags);
    EXPECT_TRUE(outcome.ok()) << outcome.status();
    EXPECT_EQ(outcome->json["caches"].size(), 1);
    return outcome->json["caches"][0];
  }

  static std::string VerdictOf(const Json& cache) {
    std::string verdict;
    for (const Json& sentence : cache["verdict"]) {
      verdict += sentence.get<std::string>() + "\n";
    }
    return verdict;
  }

  // The files of the database and when they were last written.
  std::map<std::string, std::filesystem::file_time_type> Files() const {
    std::map<std::string, std::filesystem::file_time_type> files;
    for (const auto& entry : std::filesystem::directory_iterator(db_)) {
      files[entry.path()] = entry.last_write_time();
    }
    return files;
  }

  static constexpr uint64_t kCacheBytes = 64 << 10;
  const TemporaryFolder folder_;
  rocksdb::Options options_;
  rocksdb::BlockBasedTableOptions table_;
  const std::string db_ = folder_.File("db");
};

// Without a flag: the cache is that of the application's log.
TEST_F(AdviseTest, BeginsWithAVerdictAndWritesNothing) {
  const auto db = Open();  // another process may have it open
  const auto before = Files();
  const auto outcome = Advise({"--hit_ratio=0"});
  ASSERT_TRUE(outcome.ok()) << outcome.status();
  EXPECT_EQ(Files(), before);
  const Json& cache = outcome->json["caches"][0];
  EXPECT_EQ(cache["rows"], 60'000);
  EXPECT_EQ(cache["policies"], "bloomfilter");
  EXPECT_EQ(cache["memory"], kCacheBytes);
  EXPECT_EQ(cache["shards"], 1);
  const Json& candidates = cache["candidates"];
  const double now = candidates[0]["reads_per_1000"];
  const double chosen = candidates[1]["reads_per_1000"];
  EXPECT_EQ(cache["reads_per_1000"],
            Json({{"now", now}, {"new", chosen}, {"best", chosen}}));
  EXPECT_LT(chosen, 0.8 * now);
  for (const Json& candidate : candidates) {
    if (candidate["layout"] == "whole") {
      EXPECT_LE(chosen, 1.05 * candidate["reads_per_1000"].get<double>())
          << candidate;
    }
    if (candidate["label"] == "bloomfilter:10") {
      EXPECT_NEAR(candidate["reads_per_1000"], now, 20);
      EXPECT_NEAR(candidate["filter_bytes"], 75'000, 1500);
    }
  }
  EXPECT_THAT(outcome->text,
              HasSubstr("bloomfilter in 2 of 2 files, 10.0 bits"));
  EXPECT_THAT(outcome->text, HasSubstr("read again and again"));
  EXPECT_THAT(outcome->text, HasSubstr("Next: linebloom migrate"));
  EXPECT_TRUE(outcome->json["problems"].empty());
  EXPECT_EQ(outcome->exit_code, kExitFoundSomething);  // there is to gain
}

TEST_F(AdviseTest, ThereMayBeLargerMachines) {
  EXPECT_EQ(AdviceWith({"--memory=64TB"})["memory"], 64e12);
}

TEST_F(AdviseTest, PresentRowsReadTheirData) {
  // Filters and indexes, and a tenth of the data.
  const Json files =
      AdviceWith({"--hit_ratio=1", "--memory=400kB"})["candidates"][0];
  EXPECT_NEAR(files["data"], 850, 100);
  EXPECT_LT(files["filter"], 10);
}

// Nothing that is recommended reads more: those in the cache would.
TEST_F(AdviseTest, FiltersBesideTheCacheAreNeverRead) {
  table_.cache_index_and_filter_blocks = false;
  UseTable();
  Open();  // writes OPTIONS
  for (const char* memory : {"--hit_ratio=0", "--memory=64KiB"}) {
    const Json cache = AdviceWith({"--hit_ratio=0", memory});
    EXPECT_THAT(VerdictOf(cache), HasSubstr("beside the block cache"));
    const Json& candidates = cache["candidates"];
    const double now = candidates[0]["reads_per_1000"];
    EXPECT_EQ(candidates[0]["filter"], 0);
    EXPECT_NEAR(now, 19, 3);  // two runs of 0.95 %
    EXPECT_GT(candidates[1]["filter"], 100);
    EXPECT_EQ(candidates[1]["label"], "these files");
    EXPECT_GT(candidates[1]["reads_per_1000"], 20 * now);
    EXPECT_EQ(cache["reads_per_1000"]["now"], now);
    EXPECT_LT(cache["reads_per_1000"]["best"], now / 2);
  }
}

TEST_F(AdviseTest, FamiliesWithCachesOfTheirOwn) {
  {
    const auto db = Open();
    rocksdb::BlockBasedTableOptions table = table_;
    table.block_cache = rocksdb::NewLRUCache(1 << 20);
    rocksdb::ColumnFamilyOptions options(options_);
    options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
    rocksdb::ColumnFamilyHandle* other = nullptr;
    ASSERT_TRUE(db->CreateColumnFamily(options, "other", &other).ok());
    ASSERT_TRUE(db->Put({}, other, "key", "value").ok());
    ASSERT_TRUE(db->Flush({}, other).ok());
    ASSERT_TRUE(db->DestroyColumnFamilyHandle(other).ok());
  }
  const auto outcome = Advise();
  ASSERT_TRUE(outcome.ok()) << outcome.status();
  const Json& caches = outcome->json["caches"];
  ASSERT_EQ(caches.size(), 2);
  EXPECT_EQ(caches[0]["memory"], kCacheBytes);
  EXPECT_EQ(caches[1]["memory"], 1 << 20);
  EXPECT_EQ(caches[1]["column_families"], Json({"other"}));
  EXPECT_THAT(outcome->text, HasSubstr("other, 1 file\n"));
  // One that both would share.
  EXPECT_EQ(AdviceWith({"--memory=64KiB"})["column_families"].size(), 2);
}

TEST_F(AdviseTest, TakesHitsFromTheInfoLog) {
  EXPECT_EQ(Advise()->json["hits_from"], "not known");
  options_.stats_dump_period_sec = 1;
  {
    const auto db = Open();
    std::string value;
    for (int i = 0; i < 100; ++i) {
      (void)db->Get({}, absl::StrFormat("%08d", i % 4 == 0 ? i : 90'000),
                    &value);
    }
    while (Advise()->json["hits_from"] == "not known") {
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
  }
  const auto outcome = Advise();
  EXPECT_NEAR(outcome->json["hit_ratio"], 0.25, 0.02);
  EXPECT_THAT(outcome->text,
              HasSubstr("75 % for missing rows (by the info log)"));
  EXPECT_EQ(Advise({"--hit_ratio=0.5"})->json["hit_ratio"], 0.5);
}

// A lookup meets each of them, though their ranges are one.
TEST_F(AdviseTest, EachFileOfLevel0IsARun) {
  {
    const auto db = Open();
    for (const char* value : {"a", "b"}) {
      ASSERT_TRUE(db->Put({}, "00000000", value).ok());
      ASSERT_TRUE(db->Put({}, "00060000", value).ok());
      ASSERT_TRUE(db->Flush({}).ok());
    }
  }
  const auto database = ReadDatabase(db_);
  ASSERT_TRUE(database.ok()) << database.status();
  const auto read = ReadCaches(*database, {});
  ASSERT_TRUE(read.ok()) << read.status();
  int of_level0 = 0;
  for (const read_model::Run& run : read->caches[0].load.trees[0].runs) {
    of_level0 += run.level0 ? 1 : 0;
    EXPECT_EQ(run.files.size(), 1);
  }
  EXPECT_EQ(of_level0, 3);
}

// A file that is live and isn't there is an error; one that a compaction has
// removed meanwhile is not in the second listing.
TEST_F(AdviseTest, AFileIsMissing) {
  std::filesystem::path table;
  for (const auto& entry : std::filesystem::directory_iterator(db_)) {
    if (entry.path().extension() == ".sst") table = entry.path();
  }
  std::filesystem::remove(table);
  EXPECT_THAT(std::string(Advise().status().message()),
              HasSubstr(table.filename()));
}

// As NewLRUCache() has them.
TEST(DefaultShardsTest, AtLeast512KiBEach) {
  for (const double capacity : {1e5, 1e6, 2.5e6, 8e6, 3e7, 1e12}) {
    rocksdb::LRUCacheOptions options;
    options.capacity = static_cast<size_t>(capacity);
    const std::string printed =
        rocksdb::NewLRUCache(options)->GetPrintableOptions();
    const double bits =
        std::stod(printed.substr(printed.find("num_shard_bits : ") + 17));
    EXPECT_EQ(DefaultShards(capacity), std::exp2(bits)) << capacity;
  }
}

}  // namespace
}  // namespace linebloom::tools
