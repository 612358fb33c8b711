// Filters that share a budget, in databases that grow and shrink, alone and
// together.

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "linebloom/filter_policy.h"
#include "linebloom/level_size_listener.h"
#include "linebloom/rebuild_filters.h"
#include "rocksdb/env.h"
#include "rocksdb/file_system.h"
#include "rocksdb/listener.h"
#include "rocksdb/merge_operator.h"
#include "rocksdb/slice_transform.h"
#include "rocksdb/sst_file_writer.h"
#include "tests/rocksdb/tree_fixture.h"

namespace linebloom {
namespace {

class MemoryBudgetTest : public TreeTest {
 protected:
  MemoryBudgetTest() { UseListener(); }

  void UseBudget(uint64_t bytes) {
    budget_ = static_cast<double>(bytes);
    UseOptions({.memory_budget = bytes});
  }

  // Files of 10,000 rows each.
  void WriteFiles(uint64_t begin, uint64_t end) {
    for (uint64_t row = begin; row < end; row += 20'000) {
      WriteFile({row, row + 20'000});
    }
  }

  double budget_ = 0;
};

// Up to twice the keys for which the budget has 10 bits each.
class GrowingBudgetTest : public MemoryBudgetTest,
                          public testing::WithParamInterface<int> {};

TEST_P(GrowingBudgetTest, StaysWithinIt) {
  constexpr uint64_t kRows = 120'000;
  ForEachLoad([this](bool in_order, rocksdb::CompactionStyle style) {
    UseBudget(kRows * 5 / 8);
    const auto seen = Grow(kRows, in_order, style, GetParam());
    const double most = seen.max_bytes / budget_;
    printf(
        "%s, style %d: at most %.3f of the budget in %zu trees, %.3f in the "
        "end; %zu of %zu files without a filter\n",
        in_order ? "in order" : "at random", style, most, seen.trees,
        Now().bytes / budget_, Now().without, Now().files);
    EXPECT_GT(seen.trees, 15);
    EXPECT_LE(most, 1.35);
    EXPECT_GE(Now().bytes, 0.5 * budget_);
    ExpectRows({0, 2 * kRows});
  });
}

INSTANTIATE_TEST_SUITE_P(MillisecondsOfDelay, GrowingBudgetTest,
                         testing::Values(0, 60));

// Each step of a tree with full filters, or with partitions and prefixes.
TEST_F(MemoryBudgetTest, ACompactedTreeHasItsBudget) {
  for (const bool partitioned : {false, true}) {
    SCOPED_TRACE(partitioned);
    if (partitioned) {
      table_.partition_filters = true;
      table_.index_type = table_.kTwoLevelIndexSearch;
      table_.metadata_block_size = 1024;
      table_.detect_filter_construct_corruption = true;
      options_.prefix_extractor.reset(
          rocksdb::NewFixedPrefixTransform(RowKey(0).size() - 1));
    }
    UseListener();
    UseBudget(60'000);
    DestroyAndReopen();
    for (uint64_t row = 0; row < 100'000; row += 20'000) {
      WriteFiles(row, row + 20'000);
      EXPECT_LE(Now().bytes, 1.1 * budget_);
    }
    CompactAll();
    EXPECT_LE(Now().bytes, (partitioned ? 1.1 : 1) * budget_);
    EXPECT_GE(Now().bytes, (partitioned ? 0.7 : 0.85) * budget_);
    ExpectRows({0, 100'000});
  }
}

// RocksDB moves the files of such a load down as they are, and nobody knows how
// many more will come.
TEST_F(MemoryBudgetTest, ALoadInTheOrderOfKeysIsKnownByItsMoves) {
  UseBudget(uint64_t{1} << 30);
  UseSmallLevels(64 << 10, 256 << 10);
  Reopen();
  Put(Numbers(60'000, true));
  Flush();
  WaitForCompactions();
  EXPECT_NEAR(12, Now().bits_per_key(), 0.7);
}

// So many files are seldom listed.
TEST_F(MemoryBudgetTest, AFailedCompactionFreesNothing) {
  class NeverMerges : public rocksdb::AssociativeMergeOperator {
   public:
    const char* Name() const override { return "never"; }
    bool Merge(const rocksdb::Slice& /*key*/, const rocksdb::Slice* /*before*/,
               const rocksdb::Slice& /*value*/, std::string* /*merged*/,
               rocksdb::Logger* /*info_log*/) const override {
      return false;
    }
  };
  options_.merge_operator = std::make_shared<NeverMerges>();
  options_.paranoid_checks = false;  // or the database would stop
  UseBudget(20'000);
  Reopen();
  ASSERT_OK(db_->Merge({}, "key", "value"));
  constexpr uint64_t kFiles = 200;
  for (uint64_t i = 0; i < kFiles; ++i) WriteFile({200 * i, 200 * (i + 1)});
  for (uint64_t i = 0; i < 4; ++i) {
    EXPECT_FALSE(db_->CompactRange(RewriteAll(), nullptr, nullptr).ok());
    const double before = Now().bytes;
    const uint64_t begin = 200 * kFiles + 2000 * i;
    WriteFile({begin, begin + 2000});
    EXPECT_LT(8 * (Now().bytes - before) / 1000, 10);
  }
}

// RocksDB doesn't name the file that it couldn't finish.
TEST_F(MemoryBudgetTest, AFailedFlushFreesWhatItBooked) {
  // Has `space` for each of a number of SSTables.
  class FullDisk : public rocksdb::FileSystemWrapper {
   public:
    FullDisk() : FileSystemWrapper(rocksdb::FileSystem::Default()) {}
    const char* Name() const override { return "test.Full"; }
    rocksdb::IOStatus NewWritableFile(
        const std::string& path, const rocksdb::FileOptions& options,
        std::unique_ptr<rocksdb::FSWritableFile>* file,
        rocksdb::IODebugContext* dbg) override {
      const rocksdb::IOStatus status =
          FileSystemWrapper::NewWritableFile(path, options, file, dbg);
      if (path.ends_with(".sst") && failures > 0) {
        --failures;
        *file = std::make_unique<File>(std::move(*file), space);
      }
      return status;
    }
    std::atomic<int> failures = 0;
    std::atomic<uint64_t> space = 0;

   private:
    class File : public rocksdb::FSWritableFileOwnerWrapper {
     public:
      File(std::unique_ptr<rocksdb::FSWritableFile>&& file, uint64_t space)
          : FSWritableFileOwnerWrapper(std::move(file)), space_(space) {}
      rocksdb::IOStatus Append(const rocksdb::Slice& data,
                               const rocksdb::IOOptions& options,
                               rocksdb::IODebugContext* dbg) override {
        if (data.size() > space_) return rocksdb::IOStatus::NoSpace();
        space_ -= data.size();
        return FSWritableFileOwnerWrapper::Append(data, options, dbg);
      }

     private:
      uint64_t space_;
    };
  };
  const auto disk = std::make_shared<FullDisk>();
  const std::unique_ptr<rocksdb::Env> env = rocksdb::NewCompositeEnv(disk);
  options_.env = env.get();
  options_.writable_file_max_buffer_size = 4096;
  options_.paranoid_checks = false;  // or the database would stop
  UseBudget(60'000);
  double without_failure = 0;
  for (const int failures : {0, 3}) {
    DestroyAndReopen();
    disk->failures = failures;
    PutRows({0, 20'000});
    rocksdb::FlushOptions no_wait;  // for what fails, which nobody tries again
    no_wait.wait = false;
    no_wait.allow_write_stall = true;
    while (Now().files == 0) {
      ASSERT_OK(db_->Flush(no_wait));
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    EXPECT_EQ(0, disk->failures);
    if (failures > 0) break;
    without_failure = Now().bytes;
    std::vector<rocksdb::LiveFileMetaData> files;
    db_->GetLiveFilesMetaData(&files);
    disk->space = files[0].size - static_cast<uint64_t>(without_failure / 2);
  }
  EXPECT_EQ(without_failure, Now().bytes);
  db_.reset();
  options_.env = rocksdb::Env::Default();
}

TEST_F(MemoryBudgetTest, ABulkLoadWhoseSizeIsExpected) {
  options_.listeners = {
      NewLevelSizeListener({.keys = {0, 0, 0, 0, 0, 0, 100'000}})};
  UseBudget(100'000);
  options_.write_buffer_size = 1 << 20;
  options_.disable_auto_compactions = false;
  Reopen();
  Put(Numbers(100'000, true));
  Flush();
  EXPECT_LE(Now().bytes, 1.1 * budget_);
  EXPECT_GE(Now().bytes, 0.7 * budget_);
  EXPECT_EQ(0, Now().without);
}

// A filter is worth building from one bit per key.
TEST_F(MemoryBudgetTest, LessThanABitPerKey) {
  UseBudget(2'000);
  Reopen();
  for (uint64_t row = 0; row < 100'000; row += 10'000) {
    WriteFile({row, row + 10'000});
  }
  EXPECT_LE(Now().bytes, 1.1 * budget_);
  EXPECT_GT(Now().bytes, 0);
  EXPECT_GT(Now().without, 0);
  CompactAll();
  EXPECT_LE(Now().bytes, 1.1 * budget_);
  ExpectRows({0, 100'000});
  const int said =
      CountInLog({"memory_budget=2000", "less than one bit per key"});
  EXPECT_GE(said, 1);
  EXPECT_LE(said, 8);  // not one for each file
}

// A budget that nobody keeps account of came to 6 times its bytes.
TEST_F(MemoryBudgetTest, AnotherCopysListenerIsRefused) {
  class OtherCopys : public rocksdb::EventListener {
   public:
    explicit OtherCopys(bool is_current) {
      if (!is_current) return;
      RegisterOptions("linebloom_level_sizes.copy", &own_copy_, nullptr);
    }
    const char* Name() const override { return kLevelSizeListenerName; }

   private:
    char own_copy_ = 0;
  };
  UseBudget(1 << 20);
  for (const bool is_current : {false, true}) {
    options_.listeners = {std::make_shared<OtherCopys>(is_current)};
    const rocksdb::Status status = TryReopen();
    EXPECT_TRUE(status.IsInvalidArgument()) << status.ToString();
    EXPECT_NE(std::string::npos, status.ToString().find("same copy"));
  }
}

// RocksDB doesn't validate the options of an SstFileWriter, and calls no
// listener for it.
TEST_F(MemoryBudgetTest, FilesWrittenElsewhereHaveTenBits) {
  UseBudget(11'000);
  Reopen();
  rocksdb::Options options = OptionsWithTable();
  ASSERT_OK(rocksdb::CreateLoggerFromOptions(Path("writer"), options,
                                             &options.info_log));
  for (const char* name : {"a.sst", "b.sst"}) {
    rocksdb::SstFileWriter writer({}, options);
    ASSERT_OK(writer.Open(Path(name)));
    const uint64_t first = name[0] == 'a' ? 0 : 20'000;
    for (uint64_t i = first; i < first + 20'000; i += 2) {
      ASSERT_OK(writer.Put(RowKey(i), RowValue(i)));
    }
    ASSERT_OK(writer.Finish());
    ASSERT_OK(db_->IngestExternalFile({Path(name)}, {}));
  }
  EXPECT_NEAR(9.6, Now().bits_per_key(), 0.5);
  EXPECT_EQ(1, CountInLog({"[WARN]", "files outside any tree", "linebloom:10"},
                          "writer/LOG"));
  EXPECT_GT(Now().bytes, 2 * budget_);
  CompactAll();
  EXPECT_LE(Now().bytes, 1.1 * budget_);
}

// Nothing bounds these, but they count.
TEST_F(MemoryBudgetTest, FiltersOfAnotherPolicyTakeFromIt) {
  UseBudget(60'000);
  Reopen();
  WriteFiles(0, 80'000);
  CompactAll();
  EXPECT_GT(Now().bytes, 0.85 * budget_);
  UsePolicy(kBloom);
  rocksdb::ColumnFamilyHandle* bloom = nullptr;
  ASSERT_OK(db_->CreateColumnFamily(OptionsWithTable(), "bloom", &bloom));
  for (uint64_t row = 0; row < 20'000; ++row) {
    ASSERT_OK(db_->Put({}, bloom, RowKey(row), "value"));
  }
  ASSERT_OK(db_->Flush({}, bloom));
  const double blooms = FiltersOf(db_.get(), bloom).bytes;
  printf("with Bloom filters: %.2f of the budget\n",
         (Now().bytes + blooms) / budget_);
  EXPECT_GT(Now().bytes + blooms, 1.2 * budget_);
  CompactAll();
  EXPECT_LE(Now().bytes + blooms, 1.1 * budget_);
  ASSERT_OK(db_->DestroyColumnFamilyHandle(bloom));
}

// What is closed leaves its share to the others, which take twice theirs, and
// has its filters again when it is opened. Each has a line in its log, although
// the next log's address may be that of one before.
TEST_F(MemoryBudgetTest, DatabasesClosedAndOpenedInTurn) {
  constexpr int kDatabases = 6;
  UseBudget(60'000);
  std::vector<std::unique_ptr<rocksdb::DB>> databases(kDatabases);
  const auto open = [&](int i) {
    databases[i] = OpenAnother("database" + std::to_string(i));
  };
  const auto compact = [&] {
    for (int i = 0; i < kDatabases; ++i) {
      if (databases[i] == nullptr) continue;
      PutRows({0, 2000}, databases[i].get());
      Flush(databases[i].get());
      CompactAll(databases[i].get());
    }
  };
  const auto share = [&] {
    double bytes = 0;
    for (const auto& db : databases) {
      if (db != nullptr) bytes += FiltersOf(db.get()).bytes;
    }
    return bytes / budget_;
  };
  for (int i = 0; i < kDatabases; ++i) {
    open(i);
    PutRows({0, 32'000}, databases[i].get());
    Flush(databases[i].get());
  }
  for (int round = 0; round < 2; ++round) compact();
  EXPECT_LE(share(), 1.1);
  for (int i = 0; i < kDatabases; i += 2) databases[i].reset();
  compact();
  EXPECT_GE(share(), 0.8);
  for (int i = 0; i < kDatabases; i += 2) open(i);
  printf("closed and opened in turn: %.2f of the budget\n", share());
  EXPECT_LE(share(), 1.55);
  for (int round = 0; round < 2; ++round) compact();
  EXPECT_LE(share(), 1.1);
  for (int i = 0; i < kDatabases; ++i) {
    databases[i].reset();
    const std::string name = "database" + std::to_string(i);
    EXPECT_GE(CountInLog({"memory_budget=60000: filters of"}, name + "/LOG"), 1)
        << name;
    ASSERT_OK(rocksdb::DestroyDB(Path(name), OptionsWithTable()));
  }
}

// RocksDB tells listeners of files by the path of their database alone.
TEST_F(MemoryBudgetTest, DatabasesOfOnePathHaveTheBudgetEach) {
  UseBudget(30'000);
  std::unique_ptr<rocksdb::Env> env[2];
  std::unique_ptr<rocksdb::DB> databases[2];
  for (int i = 0; i < 2; ++i) {
    env[i].reset(rocksdb::NewMemEnv(rocksdb::Env::Default()));
    options_.env = env[i].get();
    databases[i] = OpenAnother("same");
  }
  double bytes = 0;
  for (int round = 0; round < 2; ++round) {
    for (const auto& db : databases) {
      PutRows({0, 40'000}, db.get());
      Flush(db.get());
      CompactAll(db.get());
    }
  }
  for (auto& db : databases) {
    ExpectRows({0, 40'000}, db.get());
    bytes += FiltersOf(db.get()).bytes;
    db.reset();
  }
  printf("two databases of one path: %.2f of the budget\n", bytes / budget_);
  EXPECT_LE(bytes, 2.2 * budget_);
  options_.env = rocksdb::Env::Default();
}

// The smaller one would be used up by files of the other's policy.
TEST_F(MemoryBudgetTest, TwoBudgetsOfAListenerAreWarnedOf) {
  for (const uint64_t budget_of_other : {30'000, 3'000}) {
    UseListener();
    UseBudget(30'000);
    DestroyAndReopen();
    WriteFile({0, 2000});
    UseBudget(budget_of_other);
    auto other = OpenAnother("other");
    for (int i = 0; i < 2; ++i) {
      PutRows({0, 2}, other.get());
      Flush(other.get());
    }
    WriteFile({0, 2000});
    for (const char* log : {"db/LOG", "other/LOG"}) {
      EXPECT_EQ(budget_of_other == 30'000 ? 0 : 1,
                CountInLog({"[WARN]", "30000", "share a listener"}, log));
    }
  }
}

TEST_F(MemoryBudgetTest, ColumnFamiliesShareIt) {
  UseBudget(40'000);
  Reopen();
  std::vector<std::string> names;
  for (int i = 0; i < 100; ++i) names.push_back("family" + std::to_string(i));
  std::vector<rocksdb::ColumnFamilyHandle*> families;
  ASSERT_OK(db_->CreateColumnFamilies(OptionsWithTable(), names, &families));
  for (rocksdb::ColumnFamilyHandle* family : families) {
    for (uint64_t i = 0; i < 1000; i += 2) {
      ASSERT_OK(db_->Put({}, family, RowKey(i), RowValue(i)));
    }
  }
  ASSERT_OK(db_->Flush({}, families));
  double bytes = 0;
  for (rocksdb::ColumnFamilyHandle* family : families) {
    bytes += FiltersOf(db_.get(), family).bytes;
  }
  EXPECT_LE(bytes, 1.1 * budget_);
  EXPECT_GE(bytes, 0.6 * budget_);
  // Memory of a dropped column family is available again.
  ASSERT_OK(db_->DropColumnFamilies(families));
  for (rocksdb::ColumnFamilyHandle* family : families) {
    ASSERT_OK(db_->DestroyColumnFamilyHandle(family));
  }
  WriteFiles(0, 40'000);
  CompactAll();
  EXPECT_GT(Now().bits_per_key(), 12);
}

// Filters older than the budget count with their actual size.
class OverBudgetTest : public MemoryBudgetTest {
 protected:
  // Reopens a tree whose filters take `times` the budget.
  void Exceed(double times) {
    UseOptions({12});
    Reopen();
    WriteFiles(0, 200'000);
    CompactAll();
    WriteFiles(200'000, 240'000);
    UseBudget(static_cast<uint64_t>(Now().bytes / times));
    Reopen();
  }
};

TEST_F(OverBudgetTest, FlushedFilesGetPartOfWhatIsLeft) {
  Exceed(1.2);
  const double before = Now().bytes;
  for (uint64_t row = 240'000; row < 244'000; row += 2000) {
    WriteFile({row, row + 2000});
  }
  EXPECT_NEAR(12, 8 * (Now().bytes - before) / 2000, 2);
  EXPECT_GE(CountInLog({"[WARN]", "at most a third of what is left",
                        "1.35 times the budget", "RebuildFilters"}),
            1);
}

TEST_F(OverBudgetTest, RebuildFiltersBringsThemBack) {
  Exceed(2);
  const double before = Now().bytes;
  WriteFiles(240'000, 300'000);
  EXPECT_EQ(before, Now().bytes);

  RebuildFiltersOptions dry;
  dry.dry_run = true;
  RebuildFiltersReport report;
  ASSERT_OK(RebuildFilters(db_.get(), dry, nullptr, &report));
  ASSERT_FALSE(report.files.empty());
  EXPECT_EQ(RebuildReason::kOverBudget, report.files[0].reason);
  EXPECT_LT(report.files[0].saved_reads, 0);
  EXPECT_GT(report.reads[0].after, 0);

  ASSERT_OK(RebuildFilters(db_.get(), {}, nullptr, &report));
  EXPECT_LE(Now().bytes, 1.05 * budget_);
  EXPECT_GE(Now().bytes, 0.6 * budget_);
  ExpectRows({0, 300'000});
  const auto other = OpenAnother("other");
  PutRows({0, 2000}, other.get());
  Flush(other.get());
  EXPECT_GT(FiltersOf(other.get()).bytes, 0);
  for (int i = 0; i < 3; ++i) {
    ASSERT_OK(RebuildFilters(db_.get(), {}, nullptr, &report));
  }
  EXPECT_EQ(0u, report.files.size());
}

}  // namespace
}  // namespace linebloom
