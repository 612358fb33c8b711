// The policy's options in strings, in the OPTIONS file of a database and of its
// column families. Out of range they are an error that names the option, the
// value and the range, and leaves a database unchanged.

#include <filesystem>
#include <memory>
#include <string>
#include <utility>

#include "gmock/gmock.h"
#include "linebloom/filter_policy.h"
#include "linebloom/level_size_listener.h"
#include "rocksdb/convenience.h"
#include "tests/rocksdb/db_fixture.h"

namespace linebloom {
namespace {

using rocksdb::Status;

class BadOptionsTest : public DbTest {
 protected:
  static void ExpectInvalid(const Status& status, const char* words) {
    // NotFound: an unknown option.
    EXPECT_TRUE(status.IsInvalidArgument() || status.IsNotFound());
    EXPECT_THAT(status.ToString(), testing::HasSubstr(words));
  }

  // Opens a new database, which must fail and leave nothing.
  Status TryToOpen(const rocksdb::Options& options) {
    std::unique_ptr<rocksdb::DB> db;
    const Status status =
        rocksdb::DB::Open(options, Path("other"), OutPtr(&db));
    EXPECT_FALSE(std::filesystem::exists(Path("other/CURRENT")));
    return status;
  }

  // RocksDB drops the errors of a filter policy inside table options: the
  // string then parses, and the database must not open with a policy that
  // nobody asked for, or without one.
  Status OpenWithTableOptions(const std::string& text) {
    const Status parsed = rocksdb::GetBlockBasedTableOptionsFromString(
        rocksdb::ConfigOptions(), rocksdb::BlockBasedTableOptions(),
        "filter_policy=" + text, &table_);
    return parsed.ok() ? TryToOpen(OptionsWithTable()) : parsed;
  }
};

// policy_options_test.cc has all values.
TEST_F(BadOptionsTest, AreRefusedInEveryWay) {
  for (const auto& [text, words] :
       {std::pair("linebloom:100", "bits_per_key=100: must be auto, or a"),
        std::pair("{id=linebloom;bits_per_kay=10}", "bits_per_kay")}) {
    SCOPED_TRACE(text);
    // RocksDB's default parsing ignores a policy that it can't create.
    for (const auto& config : {rocksdb::ConfigOptions(), StrictConfig()}) {
      std::shared_ptr<const rocksdb::FilterPolicy> policy;
      ExpectInvalid(
          rocksdb::FilterPolicy::CreateFromString(config, text, &policy),
          words);
    }
    ExpectInvalid(OpenWithTableOptions(text), words);
  }
  // A program can set what strings can't say.
  UseOptions({.line = static_cast<LineKind>(9)});
  ExpectInvalid(TryToOpen(OptionsWithTable()),
                "line=9: must be solved or plain");
}

// Another policy's ID, and options that a newer version may have written and
// that the caller asks to ignore.
TEST_F(BadOptionsTest, UnknownNames) {
  std::shared_ptr<const rocksdb::FilterPolicy> policy;
  for (const char* text : {"linebloomx:10", "lineblo", "Linebloom:10"}) {
    EXPECT_TRUE(
        rocksdb::FilterPolicy::CreateFromString(StrictConfig(), text, &policy)
            .IsNotSupported());
    EXPECT_EQ(policy, nullptr);
  }
  rocksdb::ConfigOptions lenient;
  lenient.ignore_unknown_options = true;
  ASSERT_OK(rocksdb::FilterPolicy::CreateFromString(
      lenient, "id=linebloom;bits_per_key=12;of_a_later_version=1", &policy));
  ASSERT_NE(policy, nullptr);
  EXPECT_EQ(policy->GetId(), "linebloom:12");
}

// RocksDB before 9.8 validates nothing here, and later versions don't validate
// what SetOptions() changes. Without filters, every lookup would read the disk
// until somebody reopened the database.
TEST_F(BadOptionsTest, ANewColumnFamilyGetsTenBits) {
  for (const auto& [text, words] :
       {std::pair("linebloom:31", "bits_per_key=31: must be auto, or a number"),
        std::pair("{id=linebloom;bits_per_key=14;line=great}", "line=great")}) {
    SCOPED_TRACE(text);
    DestroyAndReopen();
    ASSERT_OK(rocksdb::GetBlockBasedTableOptionsFromString(
        rocksdb::ConfigOptions(), rocksdb::BlockBasedTableOptions(),
        std::string("filter_policy=") + text, &table_));
    rocksdb::ColumnFamilyHandle* handle = nullptr;
    const Status created =
        db_->CreateColumnFamily(OptionsWithTable(), "new", &handle);
    UsePolicy(kLinebloom);
    if (!created.ok()) {
      ExpectInvalid(created, words);
      continue;
    }
    for (int file = 0; file < 2; ++file) {
      PutRows({0, 20'000}, nullptr, 2, handle);
      ASSERT_OK(db_->Flush({}, handle));
    }
    rocksdb::TablePropertiesCollection files;
    ASSERT_OK(db_->GetPropertiesOfAllTables(handle, &files));
    for (const auto& [path, table] : files) {
      EXPECT_NEAR(8.0 * static_cast<double>(table->filter_size) / 10'000, 10,
                  0.3);
    }
    ASSERT_OK(db_->DestroyColumnFamilyHandle(handle));
    Close();
    EXPECT_EQ(CountInLog({words, "filters are built with"}), 1);
  }
}

// Before 9.8 RocksDB refuses to change a filter policy.
TEST_F(BadOptionsTest, SwitchedBySetOptions) {
  const Rows rows{0, 4000};
  const auto set = [this](const std::string& policy) {
    return db_->SetOptions(
        {{"block_based_table_factory", "{filter_policy=" + policy + ";}"}});
  };
  UsePolicy(kBloom);
  Reopen();
  WriteFile(rows);
#if ROCKSDB_IS_AT_LEAST(9, 8)
  // An open file keeps the policy with which it was opened, so even linebloom's
  // filters work until the database is reopened.
  ASSERT_OK(set("linebloom:10"));
  ExpectFilterWorks(rows);
  WriteFile(rows);
  EXPECT_EQ(AllProperties(db_.get()).at(0)->filter_policy_name, "linebloom");
  ASSERT_OK(set("bloomfilter:10"));
  ExpectFilterWorks(rows, /*files=*/2);
  CompactAll();
  EXPECT_EQ(AllProperties(db_.get()).at(0)->filter_policy_name, "bloomfilter");
  // RocksDB drops this error. The database continues with the nearest valid
  // filters and reports the error when it is reopened.
  ASSERT_OK(set("linebloom:100"));
  WriteFile(rows);
  ExpectRows(rows);
  EXPECT_GT(AllProperties(db_.get()).at(0)->filter_size, 0);
  Close();
  std::unique_ptr<rocksdb::DB> db;
  ExpectInvalid(rocksdb::DB::Open(LatestOptions(), Path("db"), OutPtr(&db)),
                "bits_per_key=100: must be auto, or a number from 0 to 30");
#else
  ExpectInvalid(set("linebloom:10"), "Option not changeable: filter_policy");
  ExpectFilterWorks(rows);
#endif
}

// ---------------------------------------------------------------------------
// Options that are fine.

std::shared_ptr<const rocksdb::FilterPolicy> PolicyOf(
    const rocksdb::ColumnFamilyOptions& family) {
  return family.table_factory->GetOptions<rocksdb::BlockBasedTableOptions>()
      ->filter_policy;
}

using UseTest = DbTest;

TEST_F(UseTest, KeepsAllOtherOptions) {
  rocksdb::BlockBasedTableOptions table;
  table.block_cache = rocksdb::NewLRUCache(1 << 20);
  table.block_size = 1234;
  table.cache_index_and_filter_blocks = true;
  rocksdb::Options options;
  options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
  const auto factory = options.table_factory;  // another family's, too
  const auto other = std::make_shared<rocksdb::EventListener>();
  struct OfAnotherCopy : rocksdb::EventListener {
    const char* Name() const override { return kLevelSizeListenerName; }
  };
  options.listeners = {other, nullptr, std::make_shared<OfAnotherCopy>()};
  ASSERT_OK(Use(&options));
  const auto& used =
      *options.table_factory->GetOptions<rocksdb::BlockBasedTableOptions>();
  EXPECT_EQ(used.block_cache, table.block_cache);
  EXPECT_EQ(used.block_size, 1234);
  EXPECT_TRUE(used.cache_index_and_filter_blocks);
  EXPECT_EQ(PolicyOf(options)->GetId(), "linebloom");
  EXPECT_EQ(
      factory->GetOptions<rocksdb::BlockBasedTableOptions>()->filter_policy,
      nullptr);
  ASSERT_EQ(options.listeners.size(), 3);
  EXPECT_EQ(options.listeners[0], other);
  // Again, for another family, and with other options.
  rocksdb::ColumnFamilyOptions family;
  family.table_factory = nullptr;  // RocksDB's default
  ASSERT_OK(Use(&options, &family, {.false_positive_rate = 0.02}));
  EXPECT_EQ(PolicyOf(family)->GetId(), "linebloom:rate:0.02");
  EXPECT_EQ(PolicyOf(options)->GetId(), "linebloom");
  EXPECT_EQ(options.listeners.size(), 3);
}

// An application's own, of which RocksDB finds the options of `inner`.
class WrappingFactory final : public rocksdb::TableFactory {
 public:
  const char* Name() const override { return "Wrapping"; }
  const Customizable* Inner() const override { return inner.get(); }
  using TableFactory::NewTableReader;
  Status NewTableReader(const rocksdb::ReadOptions&,
                        const rocksdb::TableReaderOptions&,
                        std::unique_ptr<rocksdb::RandomAccessFileReader>&&,
                        uint64_t, std::unique_ptr<rocksdb::TableReader>*,
                        bool) const override {
    return Status::NotSupported();
  }
  rocksdb::TableBuilder* NewTableBuilder(
      const rocksdb::TableBuilderOptions&,
      rocksdb::WritableFileWriter*) const override {
    return nullptr;
  }
  // Of RocksDB since 9.10.
  std::unique_ptr<rocksdb::TableFactory> Clone() const { return nullptr; }

  const std::shared_ptr<rocksdb::TableFactory> inner{
      rocksdb::NewBlockBasedTableFactory()};
};

TEST_F(UseTest, RefusesWhatItCantDo) {
  rocksdb::Options options;
  options.table_factory.reset(rocksdb::NewPlainTableFactory());
  const auto refuse = [&](const FilterPolicyOptions& filter,
                          const std::string& words) {
    const Status status = Use(&options, filter);
    EXPECT_TRUE(status.IsInvalidArgument());
    EXPECT_THAT(status.ToString(), testing::HasSubstr(words));
    EXPECT_TRUE(options.listeners.empty());
  };
  refuse({}, "only block-based tables have filter policies, not PlainTable");
  const auto wrapping = std::make_shared<WrappingFactory>();
  options.table_factory = wrapping;
  refuse({}, "not Wrapping: set filter_policy in the table that it wraps");
  EXPECT_EQ(options.table_factory, wrapping);
  options.table_factory.reset();
  refuse({31}, "bits_per_key=31: must be auto, or a number from 0 to 30");
}

// Its listener is in the file, too.
TEST_F(UseTest, ADatabaseReopensFromItsOptionsFile) {
  constexpr Rows kRows{0, 8000};
  options_.listeners = {NewLevelSizeListener()};
  for (const auto& [text, bits] :
       {std::pair("linebloom", 10.0), std::pair("linebloom:10", 10.0),
        std::pair("{id=linebloom;bits_per_key=9.001;line=plain}", 9.001),
        std::pair("{id=linebloom:7.375;hash_seed=18446744073709551614}", 7.375),
        std::pair("{id=linebloom:12.5;hash_seed=random}", 12.5),
        std::pair("linebloom:rate:0.01", 7.0)}) {
    SCOPED_TRACE(text);
    UsePolicy({"", text});
    DestroyAndReopen();
    WriteFile(kRows);
    Close();
    rocksdb::Options loaded = LatestOptions();
    std::string mismatch;
    EXPECT_TRUE(table_.filter_policy->AreEquivalent(
        StrictConfig(), PolicyOf(loaded).get(), &mismatch))
        << mismatch;
    ASSERT_EQ(loaded.listeners.size(), 1);
    EXPECT_STREQ(loaded.listeners[0]->Name(), kLevelSizeListenerName);
    loaded.statistics = options_.statistics;
    ASSERT_OK(rocksdb::DB::Open(loaded, Path("db"), OutPtr(&db_)));
    ExpectFilterWorks(kRows);
    const uint64_t size = AllProperties(db_.get()).at(0)->filter_size;
    CompactAll();
    ExpectFilterWorks(kRows);
    const auto properties = AllProperties(db_.get());
    ASSERT_EQ(properties.size(), 1);
    EXPECT_EQ(properties[0]->filter_policy_name, table_.filter_policy->Name());
    EXPECT_EQ(properties[0]->filter_size, size);
    EXPECT_NEAR(8 * static_cast<double>(size) / kRows.present(), bits, 0.3);
  }
}

}  // namespace
}  // namespace linebloom
