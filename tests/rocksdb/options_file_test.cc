// The policy in option strings and in the OPTIONS file of a database.

#include <gmock/gmock.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "linebloom/filter_policy.h"
#include "rocksdb/convenience.h"
#include "rocksdb/statistics.h"
#include "rocksdb/utilities/options_util.h"
#include "tests/rocksdb/db_fixture.h"

namespace linebloom {
namespace {

using PolicyPtr = std::shared_ptr<const rocksdb::FilterPolicy>;

// By default RocksDB ignores a policy that it can't create.
rocksdb::ConfigOptions Strict() {
  rocksdb::ConfigOptions config;
  config.ignore_unsupported_options = false;
  config.ignore_unknown_options = false;
  return config;
}

PolicyPtr FromString(const std::string& text) {
  PolicyPtr policy;
  EXPECT_OK(rocksdb::FilterPolicy::CreateFromString(Strict(), text, &policy))
      << text;
  return policy;
}

class OptionsFileTest : public DbTest {
 protected:
  // The missing rows that a policy's filters let through: if they are the same
  // for two policies, both build the same filters.
  std::vector<uint64_t> FalsePositives(const PolicyPtr& policy) {
    table_.filter_policy = policy;
    DestroyAndReopen();
    WriteFile(kRows);
    std::vector<uint64_t> found;
    for (uint64_t i = kRows.begin + 1; i + 1 < kRows.end; i += 2) {
      TakeCounts();
      EXPECT_EQ(GetText(db_.get(), RowKey(i)), "NotFound: ");
      const FilterCounts counts = TakeCounts();
      EXPECT_EQ(counts.no + counts.maybe, 1);
      if (counts.maybe > 0) {
        found.push_back(i);
      }
    }
    return found;
  }

  // The database's OPTIONS file.
  PolicyPtr LoadPolicy() {
    rocksdb::DBOptions db_options;
    std::vector<rocksdb::ColumnFamilyDescriptor> families;
    EXPECT_OK(rocksdb::LoadLatestOptions(Strict(), Path("db"), &db_options,
                                         &families));
    EXPECT_EQ(families.size(), 1);
    const auto* table = families.front()
                            .options.table_factory
                            ->GetOptions<rocksdb::BlockBasedTableOptions>();
    return table->filter_policy;
  }

  static constexpr Rows kRows{0, 8000};
};

TEST_F(OptionsFileTest, SamePolicyFromTheOptionsFile) {
  const FilterPolicyOptions all[] = {
      {},
      {3, Line::kPlain, 0},
      {4.375, Line::kSolved, 18446744073709551614U},
      {5.001, Line::kPlain, 7},
      {2, Line::kSolved, 1234567890123456789U},
  };
  for (const FilterPolicyOptions& given : all) {
    SCOPED_TRACE(given.bits_per_key.value_or(kDefaultBitsPerKey));
    const PolicyPtr policy(NewFilterPolicy(given));
    const std::vector<uint64_t> false_positives = FalsePositives(policy);
    const PolicyPtr loaded = LoadPolicy();
    ASSERT_NE(loaded, nullptr);
    EXPECT_STREQ(loaded->Name(), "linebloom");
    EXPECT_EQ(loaded->GetId(), policy->GetId());
    std::string mismatch;
    EXPECT_TRUE(policy->AreEquivalent(Strict(), loaded.get(), &mismatch))
        << mismatch;
    EXPECT_EQ(FalsePositives(loaded), false_positives);
  }
}

TEST_F(OptionsFileTest, DatabaseReopensFromItsOptionsFile) {
  FilterPolicyOptions given;
  given.bits_per_key = 12.5;
  given.hash_seed = kRandomHashSeed;
  table_.filter_policy.reset(NewFilterPolicy(given));
  Reopen();
  WriteFile(kRows);
  Close();

  rocksdb::DBOptions db_options;
  std::vector<rocksdb::ColumnFamilyDescriptor> families;
  ASSERT_OK(
      rocksdb::LoadLatestOptions(Strict(), Path("db"), &db_options, &families));
  ASSERT_OK(rocksdb::CheckOptionsCompatibility(Strict(), Path("db"), db_options,
                                               families));
  options_ = rocksdb::Options(db_options, families.front().options);
  options_.statistics = rocksdb::CreateDBStatistics();
  table_ =
      *options_.table_factory->GetOptions<rocksdb::BlockBasedTableOptions>();
  EXPECT_THAT(table_.filter_policy->ToString(Strict()),
              testing::HasSubstr("hash_seed=random;"));
  Reopen();
  ExpectFilterWorks(kRows);
  CompactAll();
  ExpectFilterWorks(kRows);
  const auto properties = AllProperties(db_.get());
  ASSERT_EQ(properties.size(), 1);
  EXPECT_EQ(properties[0]->filter_policy_name, "linebloom");
  EXPECT_GE(properties[0]->filter_size, kRows.present() * 12.5 / 8);
}

TEST_F(OptionsFileTest, ShortAndLongStrings) {
  const std::map<std::string, FilterPolicyOptions> all = {
      {"linebloom", {}},
      {"linebloom:10", {}},
      {"linebloom:3", {3, Line::kSolved, 0}},
      {"linebloom:3.25", {3.25, Line::kSolved, 0}},
      {"{id=linebloom}", {}},
      {"id=linebloom:3", {3, Line::kSolved, 0}},
      {"{id=linebloom;bits_per_key=3;}", {3, Line::kSolved, 0}},
      {"id=linebloom;bits_per_key=3;line=plain", {3, Line::kPlain, 0}},
      {"{id=linebloom;line=plain;hash_seed=7;bits_per_key=4}",
       {4, Line::kPlain, 7}},
  };
  for (const auto& [text, given] : all) {
    SCOPED_TRACE(text);
    const PolicyPtr expected(NewFilterPolicy(given));
    const PolicyPtr policy = FromString(text);
    ASSERT_NE(policy, nullptr);
    std::string mismatch;
    EXPECT_TRUE(expected->AreEquivalent(Strict(), policy.get(), &mismatch))
        << mismatch;
    EXPECT_EQ(FalsePositives(policy), FalsePositives(expected));
    // And back through the text that it prints.
    const PolicyPtr again = FromString(policy->ToString(Strict()));
    ASSERT_NE(again, nullptr);
    EXPECT_TRUE(policy->AreEquivalent(Strict(), again.get(), &mismatch))
        << mismatch;
    EXPECT_EQ(FromString(policy->GetId())->GetId(), policy->GetId());
  }
}

TEST_F(OptionsFileTest, WhereverRocksDbTakesStrings) {
  rocksdb::BlockBasedTableOptions table;
  ASSERT_OK(rocksdb::GetBlockBasedTableOptionsFromString(
      Strict(), rocksdb::BlockBasedTableOptions(),
      "block_size=8192;filter_policy=linebloom:12", &table));
  ASSERT_NE(table.filter_policy, nullptr);
  EXPECT_EQ(table.filter_policy->GetId(), "linebloom:12");

  rocksdb::ColumnFamilyOptions family;
  ASSERT_OK(rocksdb::GetColumnFamilyOptionsFromString(
      Strict(), rocksdb::ColumnFamilyOptions(),
      "block_based_table_factory={filter_policy="
      "{id=linebloom;bits_per_key=11;line=plain};}",
      &family));
  EXPECT_EQ(family.table_factory->GetOptions<rocksdb::BlockBasedTableOptions>()
                ->filter_policy->GetId(),
            "linebloom:11");

  rocksdb::Options options;
  ASSERT_OK(rocksdb::GetOptionsFromString(
      Strict(), rocksdb::Options(),
      "create_if_missing=true;"
      "block_based_table_factory={filter_policy=linebloom:9.5}",
      &options));
  EXPECT_EQ(options.table_factory->GetOptions<rocksdb::BlockBasedTableOptions>()
                ->filter_policy->GetId(),
            "linebloom:9.5");
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
  EXPECT_EQ(LoadPolicy()->GetId(), "linebloom:20");

  ASSERT_OK(db_->SetOptions(
      {{"block_based_table_factory", "{filter_policy=bloomfilter:10;}"}}));
  WriteFile(kRows);
  EXPECT_EQ(AllProperties(db_.get())[0]->filter_policy_name, "bloomfilter");
  ExpectRows(kRows);
}
#endif

}  // namespace
}  // namespace linebloom
