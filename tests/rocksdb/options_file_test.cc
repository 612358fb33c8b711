// The policy in option strings and in the OPTIONS file of a database.

#include <memory>
#include <string>

#include "rocksdb/convenience.h"
#include "rocksdb/statistics.h"
#include "tests/rocksdb/db_fixture.h"

namespace linebloom {
namespace {

// By default RocksDB ignores a policy that it can't create.
rocksdb::ConfigOptions Strict() {
  rocksdb::ConfigOptions config;
  config.ignore_unsupported_options = false;
  config.ignore_unknown_options = false;
  return config;
}

std::shared_ptr<const rocksdb::FilterPolicy> PolicyOf(
    const rocksdb::ColumnFamilyOptions& family) {
  return family.table_factory->GetOptions<rocksdb::BlockBasedTableOptions>()
      ->filter_policy;
}

class OptionsFileTest : public DbTest {
 protected:
  static constexpr Rows kRows{0, 8000};
};

TEST_F(OptionsFileTest, ADatabaseReopensFromItsOptionsFile) {
  for (const auto& [text, bits] :
       {std::pair("linebloom", 10.0),
        std::pair("{id=linebloom;bits_per_key=9.001;line=plain}", 9.001),
        std::pair("{id=linebloom:7.375;hash_seed=18446744073709551614}", 7.375),
        std::pair("{id=linebloom:12.5;hash_seed=random}", 12.5),
        std::pair("linebloom:rate:0.01", 7.0)}) {
    SCOPED_TRACE(text);
    ASSERT_OK(rocksdb::FilterPolicy::CreateFromString(Strict(), text,
                                                      &table_.filter_policy));
    DestroyAndReopen();
    WriteFile(kRows);
    Close();
    rocksdb::Options loaded = LatestOptions();
    std::string mismatch;
    EXPECT_TRUE(table_.filter_policy->AreEquivalent(
        Strict(), PolicyOf(loaded).get(), &mismatch))
        << mismatch;
    loaded.statistics = options_.statistics;
    ASSERT_OK(rocksdb::DB::Open(loaded, Path("db"), OutPtr(&db_)));
    ExpectFilterWorks(kRows);
    const uint64_t size = AllProperties(db_.get()).at(0)->filter_size;
    CompactAll();
    ExpectFilterWorks(kRows);
    const auto properties = AllProperties(db_.get());
    ASSERT_EQ(properties.size(), 1);
    EXPECT_EQ(properties[0]->filter_policy_name, "linebloom");
    EXPECT_EQ(properties[0]->filter_size, size);
    EXPECT_NEAR(8 * static_cast<double>(size) / kRows.present(), bits, 0.3);
  }
}

#if ROCKSDB_IS_AT_LEAST(9, 8)
// RocksDB before 9.8 rejects this (switch_under_load_test.cc).
TEST_F(OptionsFileTest, ChangedWhileTheDatabaseIsOpen) {
  UsePolicy(PolicyKind::kBuiltinBloom);
  Reopen();
  WriteFile(kRows);
  ASSERT_OK(db_->SetOptions({{"block_based_table_factory",
                              "{filter_policy={id=linebloom;bits_per_key=20;"
                              "hash_seed=5};}"}}));
  WriteFile(kRows);
  ExpectFilterWorks(kRows, 2);
  auto properties = AllProperties(db_.get());
  ASSERT_EQ(properties.size(), 2);
  EXPECT_EQ(properties[0]->filter_policy_name, "linebloom");
  EXPECT_GE(properties[0]->filter_size, kRows.present() * 20 / 8);
  EXPECT_EQ(properties[1]->filter_policy_name, "bloomfilter");
  EXPECT_EQ(PolicyOf(LatestOptions())->GetId(), "linebloom:20");

  ASSERT_OK(db_->SetOptions(
      {{"block_based_table_factory", "{filter_policy=bloomfilter:10;}"}}));
  WriteFile(kRows);
  EXPECT_EQ(AllProperties(db_.get())[0]->filter_policy_name, "bloomfilter");
  ExpectRows(kRows);
}
#endif

}  // namespace
}  // namespace linebloom
