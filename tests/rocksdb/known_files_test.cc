// What the listener knows of a database where RocksDB tells little, and what
// bits_per_key=auto makes of it.

#include <memory>
#include <string>
#include <vector>

#include "filter_policy/bits/rocksdb_cache.h"
#include "linebloom/filter_policy.h"
#include "linebloom/level_size_listener.h"
#include "rocksdb/convenience.h"
#include "rocksdb/sst_file_writer.h"
#include "rocksdb/write_buffer_manager.h"
#include "tests/rocksdb/db_fixture.h"

namespace linebloom {
namespace {

class KnownFilesTest : public DbTest {
 protected:
  KnownFilesTest() { UseListener(); }

  // A file outside the database, of 40 rows from `begin` on.
  std::string WriteSst(const rocksdb::Options& options, uint64_t begin = 0) {
    std::string path = Path(std::to_string(begin) + ".sst");
    rocksdb::SstFileWriter writer({}, options);
    EXPECT_OK(writer.Open(path));
    for (uint64_t row = begin; row < begin + 40; ++row) {
      EXPECT_OK(writer.Put(RowKey(row), "v"));
    }
    EXPECT_OK(writer.Finish());
    return path;
  }

  // The files, as if LevelDB had written them.
  void ForgetProperties() {
    const auto files = Files();
    Close();
    for (const rocksdb::LiveFileMetaData& file : files) {
      const std::string path = file.db_path + file.name;
      std::string text = ReadFileBytes(path);
      text.at(text.rfind("rocksdb.properties") + 17) = 'z';
      WriteFileBytes(path, text);
    }
    Reopen();
  }
};

TEST_F(KnownFilesTest, FilesWithoutProperties) {
  table_.checksum = rocksdb::kNoChecksum;
  table_.format_version = 2;
  options_.verify_sst_unique_id_in_manifest = false;
  for (const FilterPolicyOptions& policy :
       {FilterPolicyOptions(), {.bits_per_key = 10, .level_aware = true}}) {
    UseOptions(policy);
    DestroyAndReopen();
    for (uint64_t row = 0; row < 40'000; row += 10'000) {
      WriteFile({row, row + 10'000});
    }
    ForgetProperties();
    WriteFile({40'000, 50'000});
#if !ROCKSDB_IS_AT_LEAST(8, 6)  // which crashes when it compacts such files
    CompactAll();
    EXPECT_NEAR(10, BitsPerRow(), 0.7);
#endif
    ExpectRows({0, 50'000});
  }
}

// RocksDB opens a few of the files only, and the first look reads a thousand.
TEST_F(KnownFilesTest, AllFilesCountWhereFewAreOpen) {
  constexpr uint64_t kFiles = 1100;
  UsePolicy(kBloom);
  options_.max_open_files = -1;
  Reopen();
  std::vector<std::string> paths;
  for (uint64_t i = 0; i < kFiles; ++i) {
    paths.push_back(WriteSst(OptionsWithTable(), 40 * i));
  }
  ASSERT_OK(db_->IngestExternalFile(paths, {}));
  options_.max_open_files = 100;
  UseOptions({.bits_per_key = 10, .level_aware = true});
  Reopen();
  WriteFile({200'000, 201'000});
  // A run with an 88th of the rows.
  EXPECT_GE(8.0 * AllProperties(db_.get())[0]->filter_size / 500, 15);
  DestroyAndReopen();
  WriteFile({200'000, 201'000});
  ASSERT_OK(db_->IngestExternalFile(paths, {}));
  WriteFile({200'000, 201'000});
  EXPECT_GE(8.0 * AllProperties(db_.get())[0]->filter_size / 500, 15);
}

TEST_F(KnownFilesTest, TellsOnceThatNewFilesHaveNoPolicy) {
  const auto flush = [this] {
    PutRows({0, 1000});
    Flush(db_.get());
    return CountInLog({"WARN", "'default' has no filter policy"});
  };
  Reopen();
  EXPECT_EQ(0, flush());
  table_.filter_policy = nullptr;
  Reopen();
  EXPECT_EQ(1, flush());
  EXPECT_EQ(1, flush());
  DestroyAndReopen();  // no filters, and none to lose
  EXPECT_EQ(0, flush());
}

TEST_F(KnownFilesTest, WithoutTheListenerEachDatabaseGetsOneWarning) {
  const auto count_warnings = [this] {
    return CountInLog({"[WARN]", "linebloom_level_sizes"});
  };
  UseOptions({.bits_per_key = 10, .level_aware = true});
  DestroyAndReopen();
  ASSERT_OK(db_->Put({}, "recovered", "value"));
  Reopen();  // recovers a row
  WriteFile({0, 2000});
  CompactAll();
  // Only files of databases have a level.
  rocksdb::Options options = OptionsWithTable();
  options.info_log = db_->GetDBOptions().info_log;
  WriteSst(options);
  EXPECT_EQ(0, count_warnings());
  // One of another copy of the library, or of another name, is none.
  options_.listeners = {std::make_shared<rocksdb::EventListener>()};
  for (int database = 0; database < 5; ++database) {
    DestroyAndReopen();
    WriteFile({0, 2000});
    WriteFile({0, 2000});
    CompactAll();
    EXPECT_EQ(1, count_warnings()) << database;
    options_.listeners.clear();
  }
}

class AutoBitsTest : public KnownFilesTest {
 protected:
  AutoBitsTest() {
    table_.cache_index_and_filter_blocks = true;
    // Each file may raise the bits by a step.
    options_.target_file_size_base = 64 << 10;
    UseCache(1 << 20);
    UseOptions({});
  }
  void UseCache(size_t bytes) {
    table_.block_cache = rocksdb::NewLRUCache(bytes, 0);
  }
  // The same rows again.
  double BitsOfANewTree(rocksdb::DB* db = nullptr) {
    if (db == nullptr) db = db_.get();
    PutRows({0, rows_}, db);
    Flush(db);
    CompactAll(db);
    return BitsPerRow(db);
  }
  double BitsAtRest(rocksdb::DB* db = nullptr) {
    for (int i = 0; i < 3; ++i) BitsOfANewTree(db);
    return BitsOfANewTree(db);
  }

  uint64_t rows_ = 40'000;  // half of them are there
};

// Filters of 10 bits take 25,000 bytes.
TEST_F(AutoBitsTest, FollowTheCache) {
  Reopen();
  const double many = BitsAtRest();
  EXPECT_GE(many, 9);
  table_.block_cache->SetCapacity(20'000);
  const double few = BitsOfANewTree();
  EXPECT_LE(few, many - 2);
  EXPECT_GE(few, 1);
  table_.block_cache->SetCapacity(0);
  BitsOfANewTree();
  table_.block_cache->SetCapacity(1 << 20);
  EXPECT_NEAR(many, BitsAtRest(), 1);
  ExpectRows({0, rows_});
}

// However each was opened: with one listener, with one of its own, or by option
// strings.
TEST_F(AutoBitsTest, DatabasesThatShareACacheAreOneSum) {
  for (const std::string way : {"one", "own", "string"}) {
    UseCache(40'000);
    DestroyAndReopen();
    const double alone = BitsAtRest();
    if (way != "one") {
      options_.listeners = {NewLevelSizeListener()};
      table_.filter_policy.reset(NewFilterPolicy());
    }
    if (way == "string") {
      rocksdb::DBOptions by_string;
      ASSERT_OK(rocksdb::GetDBOptionsFromString(
          StrictConfig(), rocksdb::DBOptions(),
          "listeners={linebloom_level_sizes}", &by_string));
      options_.listeners = by_string.listeners;
      UsePolicy({"", "linebloom"});
    }
    const auto other = OpenAnother(way);
    BitsOfANewTree(other.get());
    const double together = BitsOfANewTree();
    EXPECT_LE(together, alone - 1) << way;
    // One with a cache of its own isn't in it.
    UseCache(8 << 20);
    const auto third = OpenAnother(way + " with its cache");
    EXPECT_GE(BitsAtRest(third.get()), 9) << way;
    EXPECT_NEAR(together, BitsOfANewTree(), 1) << way;
  }
}

// What is closed, or lost while the database is idle, leaves its part to the
// others.
TEST_F(AutoBitsTest, WhatIsGoneLeavesItsPart) {
  UseCache(40'000);
  Reopen();
  for (const bool is_closed : {true, false}) {
    auto other = OpenAnother(is_closed ? "closed" : "emptied");
    BitsOfANewTree(other.get());
    const double together = BitsAtRest();
    if (is_closed) {
      other.reset();
    } else {
      ASSERT_OK(rocksdb::DeleteFilesInRange(
          other.get(), other->DefaultColumnFamily(), nullptr, nullptr));
    }
    EXPECT_GE(BitsAtRest(), together + 1) << is_closed;
  }
}

// Nothing is known yet, or nothing can be.
TEST_F(AutoBitsTest, WithoutLookupsOrACache) {
  UseCache(20'000);
  Reopen();
  EXPECT_LE(BitsAtRest(), 8);
  EXPECT_GE(CountInLog({"auto", "how many of the lookups hit isn't known"}), 1);
  table_.block_cache = nullptr;
  table_.no_block_cache = true;
  table_.cache_index_and_filter_blocks = false;  // RocksDB insists
  DestroyAndReopen();
  EXPECT_NEAR(10, BitsOfANewTree(), 0.3);
}

// Memory that memtables charge to the cache isn't there for filters.
TEST_F(AutoBitsTest, LeaveOthersTheirPart) {
  rows_ = 200'000;
  UseCache(400'000);
  Reopen();
  const double alone = BitsAtRest();
  options_.write_buffer_manager = std::make_shared<rocksdb::WriteBufferManager>(
      4 << 20, table_.block_cache);
  const auto other = OpenAnother("other");
  ASSERT_OK(other->Put({}, "key", "value"));
  ASSERT_GE(table_.block_cache->GetPinnedUsage(), 256 << 10);
  BitsOfANewTree();
  EXPECT_LE(BitsOfANewTree(), alone - 1);
}

// No listener tells of them, but lookups read filters that should be there.
TEST_F(AutoBitsTest, LeaveStrangersTheirPart) {
  UseCache(50'000);
  Reopen();
  const auto bits_beside = [this](rocksdb::DB* other) {
    for (uint64_t begin = 0; begin < 3 * rows_; begin += rows_ / 10) {
      for (uint64_t i = 0; i < 4000; ++i) {
        const std::string key = RowKey((begin + 7919 * i) % rows_ | 1);
        GetText(db_.get(), key);
        GetText(other, key);
      }
      const Rows rows = {begin % rows_, begin % rows_ + rows_ / 10};
      PutRows(rows);
      Flush();
      const std::string first = RowKey(rows.begin), last = RowKey(rows.end - 1);
      const rocksdb::Slice from(first), to(last);
      EXPECT_OK(db_->CompactRange({}, &from, &to));
    }
    return BitsPerRow();
  };
  BitsAtRest();
  const double alone = bits_beside(db_.get());
  options_.listeners.clear();
  UsePolicy(kBloom);
  const auto stranger = OpenAnother("stranger");
  BitsOfANewTree(stranger.get());
  const double beside = bits_beside(stranger.get());
  EXPECT_LE(beside, alone - 1) << alone;
  EXPECT_GE(CountInLog({"auto: new files get", "of which others use"}), 1);
  EXPECT_NEAR(alone, bits_beside(db_.get()), 1) << beside;
}

// By RocksDB's statistics, or by a sample of the answers.
TEST_F(AutoBitsTest, FollowTheLookups) {
  for (const bool counted : {true, false}) {
    if (!counted) options_.statistics = nullptr;
    UseCache(26'000);
    DestroyAndReopen();
    BitsAtRest();
    const auto look_up = [&](uint64_t rows, uint64_t offset) {
      for (uint64_t i = 0; i < rows; ++i) {
        GetText(db_.get(), RowKey(2 * (i % 20'000) + offset));
      }
    };
    look_up(200'000, 1);
    const double misses = BitsAtRest();
    EXPECT_EQ(
        CountInLog({"0.0 % of the lookups hit, or up to", "by a sample"}) >= 1,
        !counted);
    look_up(400'000, 0);
    const double hits = BitsAtRest();
    EXPECT_GE(misses, hits + 1) << misses << " " << hits;
  }
}

}  // namespace
}  // namespace linebloom
