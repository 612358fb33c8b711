// What a policy says to its users.
#include "filter_policy/policy/notes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <string>

#include "filter_policy/bits/rocksdb_cache.h"
#include "filter_policy/tree/new_file.h"
#include "linebloom/level_size_listener.h"
#include "rocksdb/table.h"
#include "tests/filter_policy/policy/filter_bits.h"
#include "tests/filter_policy/tree/filtered_files.h"

namespace linebloom {
namespace {

using testing::HasSubstr;

constexpr AutoBits kChosen = {.average_bits = 7.5,
                              .is_chosen = true,
                              .cache_bytes = 12.5e9,
                              .index_bytes = 690e3,
                              .hits = {0.125, 0.125},
                              .reads = {0.0123, 0.0123}};

TEST(NotesTest, ChosenBitsHaveTheirReasons) {
  EXPECT_EQ(
      ChosenBits(kChosen, "my app"),
      "linebloom: bits_per_key=auto: new files get 7.5 bits per key on "
      "average. The block cache has 12500.0 MB, indexes take 0.690 MB, and "
      "12.5 % of the lookups hit. Expected block reads per 1,000 lookups, once "
      "all "
      "files have them: 12.30. Chosen by my app.");
  AutoBits range = kChosen;
  range.others_bytes = 2.5e9;
  range.hits = {0.02, 0.58};
  range.reads = {0.01, 0.3};
  range.is_sampled = true;
  EXPECT_EQ(
      ChosenBits(range, ""),
      "linebloom: bits_per_key=auto: new files get 7.5 bits per key on "
      "average. The block cache has 12500.0 MB, of which others use 2500.0 MB, "
      "indexes take 0.690 MB, and 2.0 % of the lookups hit, or up to 58.0 %, "
      "by a sample of the filters' answers. Expected block reads per 1,000 "
      "lookups, once all files have them: 10.00 to 300.00.");
  range.hits = {};
  EXPECT_THAT(ChosenBits(range, ""),
              HasSubstr(", and how many of the lookups hit isn't known."));
  range.cache_bytes = 262'144;  // as exact as tools need it
  EXPECT_THAT(ChosenBits(range, ""), HasSubstr(" has 0.262 MB, "));
}

// RocksDB's policies, which round them, have one number of bits each.
TEST(RoundingTest, PlainLinesHaveTheBitsOfTheirFile) {
  rocksdb::BlockBasedTableOptions table;
  table.optimize_filters_for_memory = true;
  const auto policy = MakePolicy(
      {.bits_per_key = 10, .line = LineKind::kPlain, .level_aware = true});
  rocksdb::FilterBuildingContext context(table);
  context.level_at_creation = 0;
  context.reason = rocksdb::TableFileCreationReason::kRecovery;
  const auto keys_in_megabyte = [&] {
    const std::unique_ptr<rocksdb::FilterBitsBuilder> builder(
        policy->GetBuilderWithContext(context));
    return static_cast<double>(builder->ApproximateNumEntries(1 << 20));
  };
  const double average = keys_in_megabyte();
  // A recovered file is of no tree, whatever was at its path before.
  Database before;
  before.session = "before";
  before.files.BeginFlush("", 1e4);
  before.files.families()[""].tree =
      std::make_shared<TreeState>(TreeOf({{FilteredFile(1e6), 6}}));
  Ledger::OfProcess().Open("/recovered", std::move(before));
  rocksdb::TableFileCreationBriefInfo info;
  info.db_name = "/recovered";
  info.reason = context.reason;
  NewLevelSizeListener()->OnTableFileCreationStarted(info);
  EXPECT_NEAR(13.0 / 10, average / keys_in_megabyte(), 0.01);
}

// Says what filters get, and how to add what is missing.
TEST(NotesTest, NoListener) {
  for (const FilterPolicyOptions& options :
       {FilterPolicyOptions(),
        FilterPolicyOptions{.bits_per_key = 10, .level_aware = true}}) {
    const std::string note = NoListener(options);
    for (const char* words : {"linebloom_level_sizes", "10 bits per key",
                              "linebloom::Use()", "linebloom_use()", "copy"}) {
      EXPECT_THAT(note, HasSubstr(words));
    }
  }
}

class SaidTest : public testing::Test {
 protected:
  SaidTest() {
    context_.level_at_creation = 1;
    context_.info_log = &log_;
  }

  // Begins a filter of a file, for which the policy says something.
  void Build(NewFile file = {}) {
    file.reason = context_.reason;
    BeginFile(file);
    delete policy_->GetBuilderWithContext(context_);
  }

  const OwnedPolicy policy_ = MakePolicy();
  rocksdb::BlockBasedTableOptions table_;
  rocksdb::FilterBuildingContext context_{table_};
  Log log_;
};

TEST_F(SaidTest, FiltersBesideTheCacheAreSaidOnce) {
  for (int i = 0; i < 2; ++i) Build();
  ASSERT_EQ(1u, log_.lines.size());
  EXPECT_THAT(log_.lines[0], HasSubstr("get 10 bits per key on average"));
  EXPECT_THAT(log_.lines[0], HasSubstr("cache_index_and_filter_blocks=true"));
}

// Every half bit, however small the steps are.
TEST_F(SaidTest, ChosenBitsThatCreepAreSaidAgain) {
  table_.cache_index_and_filter_blocks = true;
  table_.block_cache = rocksdb::NewLRUCache(1 << 20, 0);
  NewFile file;
  const auto tree = std::make_shared<TreeState>();
  tree->Add(FilteredFile(1e6), 6);
  double hits = 0.02;
  file.users_of = [&](auto&&...) { return UsersOf(tree, {hits, hits}); };
  double told = 0;
  size_t changes = 0;
  for (double bytes = 2e6; bytes > 1e6; bytes *= 0.99) {
    table_.block_cache->SetCapacity(static_cast<size_t>(bytes));
    Build(file);
    const double bits = ChooseBits(file, table_).average_bits;
    if (std::abs(bits - told) >= 0.5) {
      told = bits;
      ++changes;
    }
    EXPECT_EQ(changes, log_.lines.size()) << bits;
  }
  EXPECT_GE(changes, 5u);
  // So are the hits that they stand on.
  hits = 0.6;
  for (int i = 0; i < 2; ++i) Build(file);
  ASSERT_EQ(changes + 1, log_.lines.size());
  EXPECT_THAT(log_.lines.back(), HasSubstr("60.0 % of the lookups hit"));
  EXPECT_THAT(log_.lines.back(), HasSubstr(" Chosen by policy_test."));
  // So are those of another cache, of about this one's size, and to each log.
  table_.block_cache = rocksdb::NewLRUCache(1'000'000, 0);
  for (int i = 0; i < 2; ++i) Build(file);
  EXPECT_EQ(changes + 2, log_.lines.size());
  Log other;
  context_.info_log = &other;
  Build(file);
  EXPECT_EQ(1u, other.lines.size());
}

}  // namespace
}  // namespace linebloom
