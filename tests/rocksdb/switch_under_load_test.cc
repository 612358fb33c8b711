// A database that is switched from RocksDB's Bloom filter to linebloom and back
// while threads write to it and read from it: by SetOptions(), and by
// reopening, for which the threads wait.
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

using testing::ElementsAre;
using testing::UnorderedElementsAre;

struct File : rocksdb::LiveFileMetaData {
  std::string policy;
};

class SwitchUnderLoadTest : public DbTest {
 protected:
  using Switch = std::function<void(const Policy&)>;

  SwitchUnderLoadTest() {
    options_.max_open_files = -1;
    options_.target_file_size_base = 16 << 10;
    UsePolicy(kBloom);
  }

  std::vector<File> Files() {
    const auto properties = AllProperties(db_.get());
    std::vector<File> files;
    for (const auto& file : FilesOf(db_.get())) {
      files.push_back({file, properties.at(files.size())->filter_policy_name});
    }
    return files;
  }

  std::set<std::string> PoliciesOfFiles() {
    std::set<std::string> policies;
    for (const File& file : Files()) policies.insert(file.policy);
    return policies;
  }

  // Looks up missing rows. Among the files probed, those with a filter of
  // `readable` nearly always reject, and all others never do.
  void ExpectFilters(const std::set<std::string>& readable) {
    const std::vector<File> files = Files();
    uint64_t asked = 0;
    uint64_t asked_readable = 0;
    rocksdb::SetPerfLevel(rocksdb::kEnableCount);
    rocksdb::get_perf_context()->Reset();  // that of this thread
    for (uint64_t i = kRows / 5 * 2 + 1; i < kRows / 5 * 8; i += 28) {
      const std::string key = RowKey(i);
      EXPECT_EQ(GetText(db_.get(), key), "NotFound: ");
      for (const File& file : files) {
        const bool covers = file.smallestkey <= key && key <= file.largestkey;
        asked += covers;
        asked_readable += covers && readable.count(file.policy) > 0;
      }
    }
    const uint64_t no = rocksdb::get_perf_context()->bloom_sst_miss_count;
    const uint64_t maybe = rocksdb::get_perf_context()->bloom_sst_hit_count;
    rocksdb::SetPerfLevel(rocksdb::kDisable);
    EXPECT_EQ(no + maybe, asked);
    EXPECT_LE(no, asked_readable);
    EXPECT_GE(no, asked_readable * 95 / 100);
    EXPECT_GT(asked_readable, 400);
  }

  int LastLevel() { return Files().back().level; }

  // Rewrites files of the last level that have filters of `policy`, up to the
  // middle of the rows. With the whole range, CompactRange() would take all
  // files.
  void RewriteHalf(const std::string& policy) {
    std::vector<std::string> names;
    for (const File& file : Files()) {
      if (file.level == LastLevel() && file.policy == policy &&
          file.largestkey < RowKey(kRows)) {
        names.push_back(file.name);
      }
    }
    ASSERT_GE(names.size(), 1);
    rocksdb::CompactionOptions compact;
    compact.compression = rocksdb::kDisableCompressionOption;
    compact.output_file_size_limit = options_.target_file_size_base;
    ASSERT_OK(db_->CompactFiles(compact, names, LastLevel()));
  }

  void StartLoad() {
    Reopen();
    load_ = std::make_unique<Load>([this] { return db_.get(); });
    Step([this] { Flush(); });
    Step([this] { CompactAll(); });
    Step([this] { Flush(); });
    EXPECT_THAT(PoliciesOfFiles(), ElementsAre("bloomfilter"));
    // Four or five, depending on how much was written before the compaction
    // began.
    EXPECT_GE(Files().size(), 3);
    ExpectFilters({"bloomfilter"});
  }

  void Step(const std::function<void()>& action) {
    load_->WhileWriting(kRowsOfAStep, action);
  }

  // Switches to linebloom, rewrites the Bloom filters file by file, switches
  // back, and rewrites linebloom's file by file. `readable_without` lists the
  // filters that still work after switching back, before files are rewritten.
  void ThereAndBack(const Switch& switch_to,
                    const std::set<std::string>& readable_without) {
    const std::set<std::string> both = {"bloomfilter", "linebloom"};
    StartLoad();
    Step([&] { switch_to(kLinebloom); });
    ExpectFilters(both);  // none was lost by the switch
    const auto step = [&](const std::set<std::string>& readable,
                          const std::function<void()>& action) {
      Step(action);
      EXPECT_THAT(PoliciesOfFiles(),
                  UnorderedElementsAre("bloomfilter", "linebloom"));
      ExpectFilters(readable);
    };
    step(both, [&] { Flush(); });
    step(both, [&] { RewriteHalf("bloomfilter"); });
    step(both, [&] { Flush(); });
    step(readable_without, [&] { switch_to(kBloom); });
    step(readable_without, [&] { Flush(); });
    step(readable_without, [&] { RewriteHalf("linebloom"); });
    Step([&] { CompactAll(); });
    EXPECT_THAT(PoliciesOfFiles(), ElementsAre("bloomfilter"));
    ExpectFilters({"bloomfilter"});
    ExpectAllRows();
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

  rocksdb::Status SetPolicy(const std::string& policy) {
    return db_->SetOptions(
        {{"block_based_table_factory", "{filter_policy=" + policy + ";}"}});
  }

  static constexpr uint64_t kRowsOfAStep = 1600;
  std::unique_ptr<Load> load_;
};

// RocksDB's Bloom filter can't read the filters that linebloom built, and only
// those: the files that it writes itself have filters that it reads.
TEST_F(SwitchUnderLoadTest, ByReopening) {
  ThereAndBack(
      [this](const Policy& policy) {
        load_->WhilePaused([&] {
          UsePolicy(policy);
          Reopen();
        });
      },
      {"bloomfilter"});
}

#if ROCKSDB_IS_AT_LEAST(9, 8)
// An open file keeps the policy with which it was opened, so even linebloom's
// filters work until the database is reopened.
TEST_F(SwitchUnderLoadTest, BySetOptions) {
  ThereAndBack(
      [this](const Policy& policy) {
        const std::unique_ptr<rocksdb::Iterator> before(db_->NewIterator({}));
        ASSERT_OK(SetPolicy(policy.option_string));
        before->SeekToFirst();
        EXPECT_GE(KeysFrom(before.get()).size(), 3 * kRowsOfAStep);
      },
      {"bloomfilter", "linebloom"});
}
#else
TEST_F(SwitchUnderLoadTest, SetOptionsRefuses) {
  StartLoad();
  Step([&] {
    const rocksdb::Status status = SetPolicy("linebloom:10");
    EXPECT_TRUE(status.IsInvalidArgument());
    EXPECT_THAT(status.ToString(),
                testing::HasSubstr("Option not changeable: filter_policy"));
  });
  Step([this] { Flush(); });
  EXPECT_THAT(PoliciesOfFiles(), ElementsAre("bloomfilter"));
  ExpectFilters({"bloomfilter"});
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
      Load load([this] { return db_.get(); });
      for (int flush = 0; flush < 10; ++flush) {
        load.WhileWriting(kRows / 10, [this] { Flush(); });
      }
    }
    EXPECT_GE(TakeCounts().no, 1000);  // the filters were at work
    CompactAll();
    ExpectRows({0, 2 * kRows});
    EXPECT_EQ(SumOfFilterEntries(db_.get()), kRows);
  }
};
INSTANTIATE_POLICY_TEST(ConcurrencyTest);

TEST_P(ConcurrencyTest, FullFilters) { Run(); }

TEST_P(ConcurrencyTest, PartitionedFiltersInASmallCache) {
  table_.partition_filters = true;
  table_.index_type = table_.kTwoLevelIndexSearch;
  table_.metadata_block_size = 512;
  table_.cache_index_and_filter_blocks = true;
  table_.block_cache = rocksdb::NewLRUCache(64 << 10);
  Run();
}

}  // namespace
}  // namespace linebloom
