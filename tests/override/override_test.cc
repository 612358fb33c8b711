// A program that knows nothing of linebloom and runs with
// liblinebloom_override.so preloaded: every way to open a database, and every
// policy that it may have set.
//
// ctest runs it with the library loaded, and again with LINEBLOOM_OVERRIDE=off,
// in which case the same databases get no linebloom, and with level_aware=true.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "rocksdb/c.h"
#include "rocksdb/comparator.h"
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
#include "tests/filter_policy/ignored_case.h"
#include "tests/temporary_folder.h"

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

bool IsOverrideSetTo(std::string_view value) {
  const char* const text = std::getenv("LINEBLOOM_OVERRIDE");
  return text != nullptr && text == value;
}

bool IsOff() { return IsOverrideSetTo("off"); }

// The policy of column families that would otherwise have none.
std::string Given() { return IsOff() ? "" : "linebloom"; }

// The key of row `i`. Odd rows are never written.
std::string Key(int i) { return "row" + std::to_string(1000000 + i); }

void MustBeOk(const Status& status) {
  if (!status.ok()) FAIL() << status.ToString();
}

class OverrideTest : public testing::Test {
 protected:
  OverrideTest() {
    options_.create_if_missing = true;
    options_.create_missing_column_families = true;
    options_.statistics = rocksdb::CreateDBStatistics();
  }

  void Open() {
    DB* db = nullptr;
    MustBeOk(DB::Open(options_, path_, &db));
    db_.reset(db);
  }

  // Writes a file of rows and checks the policy that it names; "" if none.
  void ExpectWrites(const std::string& policy,
                    ColumnFamilyHandle* family = nullptr) {
    if (family == nullptr) family = db_->DefaultColumnFamily();
    for (int i = 0; i < kRows; ++i) {
      MustBeOk(db_->Put({}, family, Key(2 * i), Key(2 * i)));
    }
    MustBeOk(db_->Flush({}, family));
    rocksdb::TablePropertiesCollection tables;
    MustBeOk(db_->GetPropertiesOfAllTables(family, &tables));
    EXPECT_FALSE(tables.empty());
    for (const auto& [file, properties] : tables) {
      EXPECT_EQ(policy, properties->filter_policy_name) << family->GetName();
    }
  }

  // Checks that those rows are right and that the filter is used, or not.
  void ExpectReads(DB* db) {
    MustBeOk(options_.statistics->Reset());
    std::string value;
    for (int i = 0; i < kRows; ++i) {
      MustBeOk(db->Get({}, Key(2 * i), &value));
      EXPECT_EQ(Key(2 * i), value);
      EXPECT_TRUE(db->Get({}, Key(2 * i + 1), &value).IsNotFound());
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
      if (file.path().filename().string().starts_with(begin_of_name)) {
        text += linebloom::ReadFileBytes(file.path());
      }
    }
    return text;
  }

  // The info log has the change of a family if and only if the override is on.
  void ExpectLogNames(const std::string& family) const {
    const std::string message = "linebloom_override: column family [" + family +
                                "] of " + path_ +
                                " had no filter policy and gets linebloom";
    EXPECT_EQ(IsOff(), Text("LOG").find(message) == std::string::npos);
  }

  const linebloom::TemporaryFolder folder_;
  const std::string path_ = folder_.File("db");
  Options options_;
  std::unique_ptr<DB> db_;
};

// A way to open a database.
struct Way {
  const char* name;
  Status (*open)(const Options& options, const std::string& path, DB** db);
};
std::ostream& operator<<(std::ostream& out, const Way& way) {
  return out << way.name;
}

// Releases the handles, for Options that open a single family.
Status Release(DB* db, const std::vector<ColumnFamilyHandle*>& handles,
               Status status) {
  for (ColumnFamilyHandle* handle : handles) {
    MustBeOk(db->DestroyColumnFamilyHandle(handle));
  }
  return status;
}

Status OpenFamilies(const Options& options, const std::string& path, DB** db) {
  std::vector<ColumnFamilyHandle*> handles;
  const Status status = DB::Open(
      options, path, {{"default", options}, {"more", options}}, &handles, db);
  return Release(*db, handles, status);
}

template <typename Base>
Status OpenKind(const Options& options, const std::string& path, DB** db) {
  Base* of_kind = nullptr;
  Status status;
  if constexpr (std::is_same_v<Base, rocksdb::TransactionDB>) {
    status = Base::Open(options, {}, path, &of_kind);
  } else {
    status = Base::Open(options, path, &of_kind);
  }
  *db = of_kind;
  return status;
}

// Column families created in an open database in each way that there is.
std::vector<ColumnFamilyHandle*> CreateFamilies(DB* db,
                                                const Options& options) {
  std::vector<ColumnFamilyHandle*> all(1);
  MustBeOk(db->CreateColumnFamily(options, "second", all.data()));
  std::vector<ColumnFamilyHandle*> by_name;
  MustBeOk(db->CreateColumnFamilies(options, {"third", "fourth"}, &by_name));
  std::vector<ColumnFamilyHandle*> by_descriptor;
  MustBeOk(db->CreateColumnFamilies({{"fifth", options}, {"sixth", options}},
                                    &by_descriptor));
  std::ranges::copy(by_name, std::back_inserter(all));
  std::ranges::copy(by_descriptor, std::back_inserter(all));
  return all;
}

class OverrideWaysTest : public OverrideTest,
                         public testing::WithParamInterface<Way> {};

INSTANTIATE_TEST_SUITE_P(
    By, OverrideWaysTest,
    testing::Values(Way{"Open", OpenKind<DB>},
                    Way{"OpenFamilies", OpenFamilies},
                    Way{"TransactionDb", OpenKind<rocksdb::TransactionDB>},
                    Way{"OptimisticTransactionDb",
                        OpenKind<rocksdb::OptimisticTransactionDB>},
                    Way{"DbWithTtl", OpenKind<rocksdb::DBWithTTL>}),
    testing::PrintToStringParamName());

TEST_P(OverrideWaysTest, FamiliesWithoutAPolicyGetLinebloom) {
  DB* db = nullptr;
  MustBeOk(GetParam().open(options_, path_, &db));
  db_.reset(db);
  ExpectWrites(Given());
  ExpectReads(db);
  ExpectLogNames("default");
  for (ColumnFamilyHandle* family : CreateFamilies(db, options_)) {
    ExpectWrites(Given(), family);
    ExpectLogNames(family->GetName());
    MustBeOk(db->DestroyColumnFamilyHandle(family));
  }
}

TEST_P(OverrideWaysTest, ErrorsStayErrors) {
  DB* db = nullptr;
  options_.create_if_missing = false;
  EXPECT_TRUE(GetParam().open(options_, path_, &db).IsInvalidArgument());
  EXPECT_FALSE(DB::OpenForReadOnly(options_, path_, &db).ok());
  options_.create_if_missing = true;
  Open();
  ColumnFamilyHandle* family = nullptr;
  EXPECT_TRUE(db_->CreateColumnFamily(options_, "default", &family)
                  .IsInvalidArgument());
}

TEST_F(OverrideTest, ReadersUseTheFilters) {
  Open();
  ExpectWrites(Given());
  Options all_open = options_;
  all_open.max_open_files = -1;  // for which RocksDB has another class
  const std::vector<std::function<Status(DB**)>> ways = {
      [&](DB** db) { return DB::OpenForReadOnly(options_, path_, db); },
      [&](DB** db) { return DB::OpenForReadOnly(all_open, path_, db); },
      [&](DB** db) {
        std::vector<ColumnFamilyHandle*> handles;
        const Status status = DB::OpenForReadOnly(
            options_, path_, {{"default", options_}}, &handles, db);
        return Release(*db, handles, status);
      },
      [&](DB** db) {
        const std::string own = folder_.File("secondary");
        return DB::OpenAsSecondary(all_open, path_, own, db);
      }};
  for (size_t way = 0; way < ways.size(); ++way) {
    SCOPED_TRACE(way);
    DB* db = nullptr;
    db_.reset();
    MustBeOk(ways[way](&db));
    db_.reset(db);
    ExpectReads(db);
  }
}

TEST_F(OverrideTest, NothingElseChanges) {
  BlockBasedTableOptions table;
  table.block_size = 1234;
  table.block_cache = rocksdb::NewLRUCache(1 << 20);
  options_.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
  const auto factory = options_.table_factory;
  Open();
  EXPECT_EQ(factory, options_.table_factory);
  EXPECT_EQ(nullptr,
            factory->GetOptions<BlockBasedTableOptions>()->filter_policy);
  const Options used = db_->GetOptions();
  const auto* const used_table =
      used.table_factory->GetOptions<BlockBasedTableOptions>();
  EXPECT_EQ(1234u, used_table->block_size);
  EXPECT_EQ(table.block_cache, used_table->block_cache);
  options_.table_factory.reset(rocksdb::NewPlainTableFactory());
  options_.prefix_extractor.reset(rocksdb::NewFixedPrefixTransform(3));
  db_.reset();
  std::filesystem::remove_all(path_);
  Open();
  EXPECT_STREQ("PlainTable", db_->GetOptions().table_factory->Name());
}

TEST_F(OverrideTest, BloomOfNoBitsOrTooManyStays) {
  const double too_few = IsOverrideSetTo("level_aware=true") ? 0.7 : 0.4;
  for (const double bits : {0.0, too_few, 50.0}) {
    const std::unique_ptr<const FilterPolicy> policy(
        rocksdb::NewBloomFilterPolicy(bits));
    EXPECT_STREQ("bloomfilter", policy->Name()) << bits;
  }
}

TEST_F(OverrideTest, OtherPoliciesStay) {
  BlockBasedTableOptions table;
  table.filter_policy.reset(rocksdb::NewRibbonFilterPolicy(10));
  options_.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
  Open();
  ExpectWrites("ribbonfilter");
  for (ColumnFamilyHandle* family : CreateFamilies(db_.get(), options_)) {
    ExpectWrites("ribbonfilter", family);
    MustBeOk(db_->DestroyColumnFamilyHandle(family));
  }
  EXPECT_THAT(Text("LOG"), Not(HasSubstr("linebloom_override")));
}

// A filter would tell keys apart that are equal here.
TEST_F(OverrideTest, FamiliesThatIgnoreCaseFindEachRow) {
  static const linebloom::IgnoreCase ignore_case;
  options_.comparator = &ignore_case;
  Open();
  ExpectWrites("");
  std::string value;
  for (int i = 0; i < kRows; ++i) {
    std::string key = Key(2 * i);
    key[0] = 'R';
    EXPECT_TRUE(db_->Get({}, key, &value).ok()) << key;
  }
  for (ColumnFamilyHandle* family : CreateFamilies(db_.get(), options_)) {
    ExpectWrites("", family);
    MustBeOk(db_->DestroyColumnFamilyHandle(family));
  }
}

// RocksDB's comparator calls keys equal that differ in the timestamp.
TEST_F(OverrideTest, FamiliesWithTimestampsGetLinebloom) {
  MustBeOk(rocksdb::Comparator::CreateFromString(
      {}, "leveldb.BytewiseComparator.u64ts", &options_.comparator));
  Open();
  const Options used = db_->GetOptions();
  EXPECT_EQ(
      IsOff(),
      used.table_factory->GetOptions<BlockBasedTableOptions>()->filter_policy ==
          nullptr);
}

// With a filter of prefixes, a scan would skip files that lack its first one.
TEST_F(OverrideTest, ScansWithAPrefixExtractorReachTheNextPrefix) {
  options_.prefix_extractor.reset(rocksdb::NewFixedPrefixTransform(3));
  Open();
  ExpectWrites("");
  const std::unique_ptr<rocksdb::Iterator> scan(db_->NewIterator({}));
  scan->Seek("missing");
  ASSERT_TRUE(scan->Valid());
  EXPECT_EQ(Key(0), scan->key());
}

TEST_F(OverrideTest, FromC) {
  struct Case {
    rocksdb_filterpolicy_t* policy;
    std::string without_override;
    std::string with_it;
  };
  for (const Case& c : {Case{nullptr, "nullptr", "{id=linebloom:10;"},
                        Case{rocksdb_filterpolicy_create_bloom(9),
                             "bloomfilter", "{id=linebloom:9;"},
                        Case{rocksdb_filterpolicy_create_bloom_full(8),
                             "bloomfilter", "{id=linebloom:8;"}}) {
    std::filesystem::remove_all(path_);
    rocksdb_options_t* const options = rocksdb_options_create();
    rocksdb_options_set_create_if_missing(options, 1);
    if (c.policy != nullptr) {
      rocksdb_block_based_table_options_t* const table =
          rocksdb_block_based_options_create();
      rocksdb_block_based_options_set_filter_policy(table, c.policy);
      rocksdb_options_set_block_based_table_factory(options, table);
      rocksdb_block_based_options_destroy(table);
    }
    char* error = nullptr;
    rocksdb_t* const db = rocksdb_open(options, path_.c_str(), &error);
    ASSERT_EQ(nullptr, error) << error;
    rocksdb_column_family_handle_destroy(
        rocksdb_create_column_family(db, options, "second", &error));
    EXPECT_EQ(nullptr, error) << error;
    rocksdb_close(db);
    rocksdb_options_destroy(options);
    EXPECT_THAT(Text("OPTIONS-"),
                HasSubstr("filter_policy=" +
                          (IsOff() ? c.without_override : c.with_it)));
    if (c.policy == nullptr) ExpectLogNames("second");
  }
  // One that is never used is freed.
  rocksdb_filterpolicy_destroy(rocksdb_filterpolicy_create_bloom(10));
}

}  // namespace
