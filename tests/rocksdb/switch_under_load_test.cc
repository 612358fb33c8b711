// A database that is switched from RocksDB's Bloom filter to linebloom and back
// by SetOptions(), while threads write to it and read from it.
//
// Before 9.8 RocksDB refuses to change a filter policy with SetOptions()
// ("Option not changeable: filter_policy"), and this test expects that. The
// race between SetOptions() and reads, RocksDB issue 10079, concerned other
// table options; the release that fixed it made this one changeable.
//
// The threads only put and get. Flushes and compactions are called in between,
// so that at each moment the files and the required answers of their filters
// are known. The next step depends on how much has been written, never on time.
//
// ThreadSanitizer doesn't run this test (tests/CMakeLists.txt). In the
// distribution's RocksDB, which is built without it, it reports memtables and
// log files that threads share by atomics. None of its reports includes a
// function of linebloom's.

#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "rocksdb/cache.h"
#include "rocksdb/perf_context.h"
#include "rocksdb/perf_level.h"
#include "tests/rocksdb/db_fixture.h"
#include "tests/rocksdb/load.h"

namespace linebloom {
namespace {

class SwitchUnderLoadTest : public DbTest {
 protected:
  SwitchUnderLoadTest() {
    options_.max_open_files = -1;
    options_.target_file_size_base = 16 << 10;
    UsePolicy(kBloom);
  }

  void SetUp() override {
    Reopen();
    load_ = std::make_unique<Load>(db_.get());
    Step([this] { Flush(); });
    Step([this] { CompactAll(); });
    Step([this] { Flush(); });
    // Four or five, depending on how much was written before the compaction
    // began.
    EXPECT_GE(Files().size(), 3);
    ExpectFilters({"bloomfilter"});
  }

  void Step(const std::function<void()>& action) {
    load_->WhileWriting(kRowsOfAStep, action);
  }

  // The files have filters of these policies, which reject nearly all missing
  // rows.
  void ExpectFilters(const std::set<std::string>& policies) {
    std::set<std::string> found;
    for (const auto& file : AllProperties(db_.get())) {
      found.insert(file->filter_policy_name);
    }
    EXPECT_EQ(found, policies);
    const std::vector<rocksdb::LiveFileMetaData> files = Files();
    uint64_t probed = 0;
    rocksdb::SetPerfLevel(rocksdb::kEnableCount);
    rocksdb::get_perf_context()->Reset();  // that of this thread
    for (uint64_t i = kRows / 5 * 2 + 1; i < kRows / 5 * 8; i += 28) {
      const std::string key = RowKey(i);
      EXPECT_EQ(GetText(db_.get(), key), "NotFound: ");
      for (const auto& file : files) {
        probed += file.smallestkey <= key && key <= file.largestkey;
      }
    }
    const uint64_t no = rocksdb::get_perf_context()->bloom_sst_miss_count;
    const uint64_t maybe = rocksdb::get_perf_context()->bloom_sst_hit_count;
    rocksdb::SetPerfLevel(rocksdb::kDisable);
    EXPECT_EQ(no + maybe, probed);
    EXPECT_GE(no, probed * 95 / 100);
    EXPECT_GT(probed, 400);
  }

  rocksdb::Status SetPolicy(const Policy& policy) {
    return db_->SetOptions(
        {{"block_based_table_factory",
          "{filter_policy=" + std::string(policy.option_string) + ";}"}});
  }

  // An iterator from before the switch reads on.
  void SwitchTo(const Policy& policy) {
    const std::unique_ptr<rocksdb::Iterator> before(db_->NewIterator({}));
    ASSERT_OK(SetPolicy(policy));
    before->SeekToFirst();
    EXPECT_GE(KeysFrom(before.get()).size(), 3 * kRowsOfAStep);
  }

  void ExpectAllRows() {
    load_->Stop();
    const uint64_t written = load_->Written();
    EXPECT_GE(written, 5 * kRowsOfAStep);
    for (uint64_t i = 0; i < kRows; ++i) {
      const uint64_t row = Number(i);
      EXPECT_EQ(GetText(db_.get(), RowKey(row)),
                i < written ? RowValue(row) : "NotFound: ");
      EXPECT_EQ(GetText(db_.get(), RowKey(row + 1)), "NotFound: ");
    }
  }

  static constexpr uint64_t kRowsOfAStep = 1600;
  std::unique_ptr<Load> load_;
};

#if ROCKSDB_IS_AT_LEAST(9, 8)
// An open file keeps the policy with which it was opened, so even linebloom's
// filters work until the database is reopened.
TEST_F(SwitchUnderLoadTest, BySetOptions) {
  Step([this] { SwitchTo(kLinebloom); });
  ExpectFilters({"bloomfilter"});  // none was lost by the switch
  Step([this] { Flush(); });
  ExpectFilters({"bloomfilter", "linebloom"});
  Step([this] { SwitchTo(kBloom); });
  Step([this] { Flush(); });
  ExpectFilters({"bloomfilter", "linebloom"});
  Step([this] { CompactAll(); });
  ExpectFilters({"bloomfilter"});
  ExpectAllRows();
}
#else
TEST_F(SwitchUnderLoadTest, SetOptionsRefuses) {
  Step([this] {
    const rocksdb::Status status = SetPolicy(kLinebloom);
    EXPECT_TRUE(status.IsInvalidArgument());
    EXPECT_THAT(status.ToString(),
                testing::HasSubstr("Option not changeable: filter_policy"));
  });
  Step([this] { Flush(); });
  ExpectFilters({"bloomfilter"});
  ExpectAllRows();
}
#endif

// ---------------------------------------------------------------------------
// Without a switch: rows are written, flushed and compacted while threads read.
// Two compactions and a flush build filters while readers probe the finished
// ones.

class ConcurrencyTest : public PolicyTest {
 protected:
  ConcurrencyTest() {
    options_.disable_auto_compactions = false;
    options_.level0_file_num_compaction_trigger = 2;
    options_.target_file_size_base = 64 << 10;
    options_.max_bytes_for_level_base = 256 << 10;
    options_.max_background_jobs = 4;
    options_.max_subcompactions = 2;
  }

  void Run() {
    Reopen();
    {
      Load load(db_.get());
      for (int flush = 0; flush < 10; ++flush) {
        load.WhileWriting(kRows / 10, [this] { Flush(); });
      }
    }
    EXPECT_GE(TakeCounts().no, 1000);  // the filters were at work
    CompactAll();
    ExpectRows({0, 2 * kRows});
    uint64_t keys = 0;
    for (const auto& properties : AllProperties(db_.get())) {
      keys += properties->num_filter_entries;
    }
    EXPECT_EQ(keys, kRows);
  }
};
INSTANTIATE_POLICY_TEST(ConcurrencyTest);

TEST_P(ConcurrencyTest, FullFilters) { Run(); }

TEST_P(ConcurrencyTest, PartitionedFiltersInASmallCache) {
  UsePartitions(512);
  table_.cache_index_and_filter_blocks = true;
  table_.block_cache = rocksdb::NewLRUCache(64 << 10);
  Run();
}

}  // namespace
}  // namespace linebloom
