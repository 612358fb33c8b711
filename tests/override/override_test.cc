// A program that knows nothing of linebloom and runs with
// liblinebloom_override.so preloaded: every way to open a database, and every
// policy that it may have set.
//
// ctest runs it with the library loaded, and again with LINEBLOOM_OVERRIDE=off,
// in which case the same databases get no linebloom.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "rocksdb/c.h"
#include "rocksdb/convenience.h"
#include "rocksdb/db.h"
#include "rocksdb/filter_policy.h"
#include "rocksdb/options.h"
#include "rocksdb/slice_transform.h"
#include "rocksdb/statistics.h"
#include "rocksdb/table.h"
#include "rocksdb/utilities/db_ttl.h"
#include "rocksdb/utilities/optimistic_transaction_db.h"
#include "rocksdb/utilities/transaction_db.h"

namespace {

using rocksdb::BlockBasedTableOptions;
using rocksdb::ColumnFamilyHandle;
using rocksdb::DB;
using rocksdb::FilterPolicy;
using rocksdb::Options;
using rocksdb::Status;
using testing::HasSubstr;
using testing::Not;

constexpr int kRows = 2000;

bool IsOff() {
  const char* const text = std::getenv("LINEBLOOM_OVERRIDE");
  return text != nullptr && std::string_view(text) == "off";
}

// The policy of column families that would otherwise have none.
std::string Given() { return IsOff() ? "" : "linebloom"; }

// The key of row `i`. Odd rows are never written.
std::string Key(int i) { return "row" + std::to_string(1000000 + i); }

void MustBeOk(const Status& status) {
  if (!status.ok()) FAIL() << status.ToString();
}

class OverrideTest : public testing::Test {
 protected:
  void SetUp() override {
    path_ = testing::TempDir() + "override_test_" +
            testing::UnitTest::GetInstance()->current_test_info()->name() +
            (IsOff() ? "_off" : "");
    std::filesystem::remove_all(path_);
    options_.create_if_missing = true;
    options_.create_missing_column_families = true;
    options_.statistics = rocksdb::CreateDBStatistics();
  }
  void TearDown() override { std::filesystem::remove_all(path_); }

  static void WriteRows(DB* db) {
    for (int i = 0; i < kRows; ++i) {
      MustBeOk(db->Put(rocksdb::WriteOptions(), Key(2 * i), Key(2 * i)));
    }
    MustBeOk(db->Flush(rocksdb::FlushOptions()));
  }

  // The policy named by all tables of a family; "" if none.
  static std::string PolicyOfTables(DB* db, ColumnFamilyHandle* family) {
    rocksdb::TablePropertiesCollection tables;
    MustBeOk(db->GetPropertiesOfAllTables(family, &tables));
    EXPECT_FALSE(tables.empty());
    std::string name = tables.begin()->second->filter_policy_name;
    for (const auto& [file, properties] : tables) {
      EXPECT_EQ(name, properties->filter_policy_name) << file;
    }
    return name;
  }

  static void ExpectWrites(const std::string& policy, DB* db) {
    WriteRows(db);
    EXPECT_EQ(policy, PolicyOfTables(db, db->DefaultColumnFamily()));
  }

  void WriteDatabase() {
    DB* db = nullptr;
    MustBeOk(DB::Open(options_, path_, &db));
    WriteRows(db);
    delete db;
  }

  // Checks that the rows of WriteDatabase() are right and that the filter is
  // used, or not.
  void ExpectReads(DB* db) {
    MustBeOk(options_.statistics->Reset());
    std::string value;
    for (int i = 0; i < kRows; ++i) {
      MustBeOk(db->Get(rocksdb::ReadOptions(), Key(2 * i), &value));
      EXPECT_EQ(Key(2 * i), value);
      EXPECT_TRUE(
          db->Get(rocksdb::ReadOptions(), Key(2 * i + 1), &value).IsNotFound());
    }
    const uint64_t useful =
        options_.statistics->getTickerCount(rocksdb::BLOOM_FILTER_USEFUL);
    if (IsOff()) {
      EXPECT_EQ(0u, useful);
    } else {
      EXPECT_GT(useful, kRows * 97 / 100);
    }
  }

  // The contents of all files of the database whose names start like this.
  std::string Text(const std::string& begin_of_name) const {
    std::string text;
    for (const auto& file : std::filesystem::directory_iterator(path_)) {
      if (file.path().filename().string().rfind(begin_of_name, 0) != 0) {
        continue;
      }
      std::ifstream stream(file.path());
      text.append(std::istreambuf_iterator<char>(stream), {});
    }
    return text;
  }

  // The database's info log has the message if and only if the override is on.
  void ExpectLogSays(const std::string& message) const {
    if (IsOff()) {
      EXPECT_THAT(Text("LOG"), Not(HasSubstr(message)));
    } else {
      EXPECT_THAT(Text("LOG"), HasSubstr(message));
    }
  }

  void UsePolicy(const FilterPolicy* policy) {
    BlockBasedTableOptions table;
    table.filter_policy.reset(policy);
    options_.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
  }

  std::string path_;
  Options options_;
};

TEST_F(OverrideTest, OpenWithOneFamily) {
  DB* db = nullptr;
  MustBeOk(DB::Open(options_, path_, &db));
  ExpectWrites(Given(), db);
  ExpectReads(db);
  delete db;
}

TEST_F(OverrideTest, OpenWithFamilies) {
  DB* db = nullptr;
  std::vector<ColumnFamilyHandle*> handles;
  MustBeOk(DB::Open(options_, path_,
                    {{"default", options_}, {"second", options_}}, &handles,
                    &db));
  for (ColumnFamilyHandle* family : handles) {
    MustBeOk(db->Put(rocksdb::WriteOptions(), family, "key", "value"));
    MustBeOk(db->Flush(rocksdb::FlushOptions(), family));
    EXPECT_EQ(Given(), PolicyOfTables(db, family)) << family->GetName();
    MustBeOk(db->DestroyColumnFamilyHandle(family));
  }
  delete db;
}

// Column families created in an open database.
class OverrideCreateTest : public OverrideTest {
 protected:
  void Open() { MustBeOk(DB::Open(options_, path_, &db_)); }
  void TearDown() override {
    delete db_;
    OverrideTest::TearDown();
  }

  // Writes a file for each family and releases the handles.
  void ExpectPolicy(const std::string& policy,
                    const std::vector<ColumnFamilyHandle*>& families) {
    for (ColumnFamilyHandle* family : families) {
      MustBeOk(db_->Put(rocksdb::WriteOptions(), family, "key", "value"));
      MustBeOk(db_->Flush(rocksdb::FlushOptions(), family));
      EXPECT_EQ(policy, PolicyOfTables(db_, family)) << family->GetName();
      MustBeOk(db_->DestroyColumnFamilyHandle(family));
    }
  }

  DB* db_ = nullptr;
};

TEST_F(OverrideCreateTest, OneFamily) {
  Open();
  ColumnFamilyHandle* family = nullptr;
  MustBeOk(db_->CreateColumnFamily(options_, "second", &family));
  ExpectPolicy(Given(), {family});
  const std::string message = "linebloom_override: column family [second] of " +
                              path_ +
                              " had no filter policy and gets linebloom";
  ExpectLogSays(message);
}

TEST_F(OverrideCreateTest, FamiliesByName) {
  Open();
  std::vector<ColumnFamilyHandle*> families;
  MustBeOk(db_->CreateColumnFamilies(options_, {"second", "third"}, &families));
  EXPECT_EQ(2u, families.size());
  ExpectPolicy(Given(), families);
}

TEST_F(OverrideCreateTest, FamiliesByDescriptor) {
  Open();
  Options with_policy = options_;
  BlockBasedTableOptions table;
  table.filter_policy.reset(rocksdb::NewRibbonFilterPolicy(10));
  with_policy.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
  std::vector<ColumnFamilyHandle*> families;
  MustBeOk(db_->CreateColumnFamilies(
      {{"second", options_}, {"third", with_policy}}, &families));
  ASSERT_EQ(2u, families.size());
  ExpectPolicy(Given(), {families[0]});
  ExpectPolicy("ribbonfilter", {families[1]});
}

TEST_F(OverrideCreateTest, FamiliesOfTransactionDb) {
  rocksdb::TransactionDB* db = nullptr;
  MustBeOk(rocksdb::TransactionDB::Open(
      options_, rocksdb::TransactionDBOptions(), path_, &db));
  db_ = db;
  ColumnFamilyHandle* family = nullptr;
  MustBeOk(db_->CreateColumnFamily(options_, "second", &family));
  ExpectPolicy(Given(), {family});
}

TEST_F(OverrideCreateTest, FamiliesOfOptimisticTransactionDb) {
  rocksdb::OptimisticTransactionDB* db = nullptr;
  MustBeOk(rocksdb::OptimisticTransactionDB::Open(options_, path_, &db));
  db_ = db;
  ColumnFamilyHandle* family = nullptr;
  MustBeOk(db_->CreateColumnFamily(options_, "second", &family));
  ExpectPolicy(Given(), {family});
}

TEST_F(OverrideCreateTest, FamiliesOfDbWithTtl) {
  rocksdb::DBWithTTL* db = nullptr;
  MustBeOk(rocksdb::DBWithTTL::Open(options_, path_, &db));
  db_ = db;
  ColumnFamilyHandle* family = nullptr;
  MustBeOk(db->CreateColumnFamilyWithTtl(options_, "second", &family, 60));
  ExpectPolicy(Given(), {family});
}

TEST_F(OverrideCreateTest, ErrorsStayErrors) {
  Open();
  ColumnFamilyHandle* family = nullptr;
  EXPECT_TRUE(db_->CreateColumnFamily(options_, "default", &family)
                  .IsInvalidArgument());
}

TEST_F(OverrideTest, OpenForReadOnly) {
  WriteDatabase();
  DB* db = nullptr;
  MustBeOk(DB::OpenForReadOnly(options_, path_, &db));
  ExpectReads(db);
  delete db;
}

TEST_F(OverrideTest, OpenForReadOnlyAsFullyCompacted) {
  WriteDatabase();
  options_.max_open_files = -1;  // RocksDB then uses a special class
  DB* db = nullptr;
  MustBeOk(DB::OpenForReadOnly(options_, path_, &db));
  ExpectReads(db);
  delete db;
}

TEST_F(OverrideTest, OpenForReadOnlyWithFamilies) {
  WriteDatabase();
  DB* db = nullptr;
  std::vector<ColumnFamilyHandle*> handles;
  MustBeOk(DB::OpenForReadOnly(options_, path_, {{"default", options_}},
                               &handles, &db));
  ExpectReads(db);
  MustBeOk(db->DestroyColumnFamilyHandle(handles[0]));
  delete db;
}

TEST_F(OverrideTest, OpenAsSecondary) {
  WriteDatabase();
  options_.max_open_files = -1;
  DB* db = nullptr;
  MustBeOk(DB::OpenAsSecondary(options_, path_, path_ + "/secondary", &db));
  ExpectReads(db);
  delete db;
}

TEST_F(OverrideTest, TransactionDb) {
  rocksdb::TransactionDB* db = nullptr;
  MustBeOk(rocksdb::TransactionDB::Open(
      options_, rocksdb::TransactionDBOptions(), path_, &db));
  ExpectWrites(Given(), db);
  ExpectReads(db);
  delete db;
}

TEST_F(OverrideTest, OptimisticTransactionDb) {
  rocksdb::OptimisticTransactionDB* db = nullptr;
  MustBeOk(rocksdb::OptimisticTransactionDB::Open(options_, path_, &db));
  ExpectWrites(Given(), db);
  ExpectReads(db);
  delete db;
}

TEST_F(OverrideTest, DbWithTtl) {
  rocksdb::DBWithTTL* db = nullptr;
  MustBeOk(rocksdb::DBWithTTL::Open(options_, path_, &db));
  ExpectWrites(Given(), db);
  ExpectReads(db);
  delete db;
}

TEST_F(OverrideTest, CallersOptionsStayAsTheyWere) {
  const auto factory = options_.table_factory;
  WriteDatabase();
  EXPECT_EQ(factory, options_.table_factory);
  EXPECT_EQ(nullptr,
            factory->GetOptions<BlockBasedTableOptions>()->filter_policy);
}

TEST_F(OverrideTest, OtherTableOptionsAreKept) {
  BlockBasedTableOptions table;
  table.block_size = 1234;
  table.block_cache = rocksdb::NewLRUCache(1 << 20);
  options_.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
  DB* db = nullptr;
  MustBeOk(DB::Open(options_, path_, &db));
  const Options used = db->GetOptions();
  const auto* const used_table =
      used.table_factory->GetOptions<BlockBasedTableOptions>();
  EXPECT_EQ(1234u, used_table->block_size);
  EXPECT_EQ(table.block_cache, used_table->block_cache);
  delete db;
}

TEST_F(OverrideTest, TablesThatAreNotBlockBasedStay) {
  options_.table_factory.reset(rocksdb::NewPlainTableFactory());
  options_.prefix_extractor.reset(rocksdb::NewFixedPrefixTransform(3));
  DB* db = nullptr;
  MustBeOk(DB::Open(options_, path_, &db));
  EXPECT_STREQ("PlainTable", db->GetOptions().table_factory->Name());
  delete db;
}

TEST_F(OverrideTest, BloomPolicyKeepsItsBits) {
  UsePolicy(rocksdb::NewBloomFilterPolicy(12.5));
  DB* db = nullptr;
  MustBeOk(DB::Open(options_, path_, &db));
  ExpectWrites(IsOff() ? "bloomfilter" : "linebloom", db);
  EXPECT_THAT(Text("OPTIONS-"),
              HasSubstr(IsOff() ? "filter_policy=bloomfilter:12.5"
                                : "filter_policy={id=linebloom:12.5;"));
  delete db;
}

TEST_F(OverrideTest, BloomOfNoBitsOrTooManyStays) {
  for (const double bits : {0.0, 50.0}) {
    const std::unique_ptr<const FilterPolicy> policy(
        rocksdb::NewBloomFilterPolicy(bits));
    EXPECT_STREQ("bloomfilter", policy->Name()) << bits;
  }
}

TEST_F(OverrideTest, OtherPoliciesStay) {
  UsePolicy(rocksdb::NewRibbonFilterPolicy(10));
  DB* db = nullptr;
  MustBeOk(DB::Open(options_, path_, &db));
  ExpectWrites("ribbonfilter", db);
  EXPECT_THAT(Text("LOG"), Not(HasSubstr("linebloom_override")));
  delete db;
}

TEST_F(OverrideTest, InfoLogSaysWhatWasChanged) {
  WriteDatabase();
  const std::string message =
      "linebloom_override: column family [default] of " + path_ +
      " had no filter policy and gets linebloom";
  ExpectLogSays(message);
}

TEST_F(OverrideTest, ErrorsStayErrors) {
  options_.create_if_missing = false;
  DB* db = nullptr;
  EXPECT_TRUE(DB::Open(options_, path_, &db).IsInvalidArgument());
  EXPECT_FALSE(DB::OpenForReadOnly(options_, path_, &db).ok());
}

// The OPTIONS of a C program's database after opening it with `policy`.
class OverrideFromCTest : public OverrideTest {
 protected:
  std::string OptionsWith(rocksdb_filterpolicy_t* policy) {
    rocksdb_options_t* const options = rocksdb_options_create();
    rocksdb_options_set_create_if_missing(options, 1);
    if (policy != nullptr) {
      rocksdb_block_based_table_options_t* const table =
          rocksdb_block_based_options_create();
      rocksdb_block_based_options_set_filter_policy(table, policy);
      rocksdb_options_set_block_based_table_factory(options, table);
      rocksdb_block_based_options_destroy(table);
    }
    char* error = nullptr;
    rocksdb_t* const db = rocksdb_open(options, path_.c_str(), &error);
    EXPECT_EQ(nullptr, error) << error;
    rocksdb_close(db);
    rocksdb_options_destroy(options);
    return Text("OPTIONS-");
  }
};

TEST_F(OverrideFromCTest, NoPolicy) {
  EXPECT_THAT(OptionsWith(nullptr),
              HasSubstr(IsOff() ? "filter_policy=nullptr"
                                : "filter_policy={id=linebloom:10;"));
}

TEST_F(OverrideFromCTest, Bloom) {
  EXPECT_THAT(OptionsWith(rocksdb_filterpolicy_create_bloom(9)),
              HasSubstr(IsOff() ? "filter_policy=bloomfilter"
                                : "filter_policy={id=linebloom:9;"));
}

TEST_F(OverrideFromCTest, BloomFull) {
  EXPECT_THAT(OptionsWith(rocksdb_filterpolicy_create_bloom_full(8)),
              HasSubstr(IsOff() ? "filter_policy=bloomfilter"
                                : "filter_policy={id=linebloom:8;"));
}

TEST_F(OverrideFromCTest, CreatedFamily) {
  rocksdb_options_t* const options = rocksdb_options_create();
  rocksdb_options_set_create_if_missing(options, 1);
  char* error = nullptr;
  rocksdb_t* const db = rocksdb_open(options, path_.c_str(), &error);
  rocksdb_column_family_handle_destroy(
      rocksdb_create_column_family(db, options, "second", &error));
  EXPECT_EQ(nullptr, error) << error;
  rocksdb_close(db);
  rocksdb_options_destroy(options);
  const std::string message = "column family [second] of " + path_;
  ExpectLogSays(message);
}

TEST_F(OverrideFromCTest, PolicyThatIsNeverUsedIsFreed) {
  rocksdb_filterpolicy_destroy(rocksdb_filterpolicy_create_bloom(10));
}

}  // namespace
