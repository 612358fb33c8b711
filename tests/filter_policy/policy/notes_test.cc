// What a policy says to its users.
#include "filter_policy/policy/notes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "filter_policy/levels/new_file.h"
#include "rocksdb/cache.h"
#include "rocksdb/table.h"
#include "tests/filter_policy/policy/filter_bits.h"

namespace linebloom {
namespace {

using testing::HasSubstr;

constexpr AutoBits kChosen = {.average_bits = 7.5,
                              .is_chosen = true,
                              .cache_bytes = 12.5e9,
                              .index_bytes = 690e3,
                              .hit_share = 0.125,
                              .counted = true,
                              .reads = 0.0123,
                              .reads_with_10 = 0.0456};

TEST(NotesTest, ChosenBitsHaveTheirReasons) {
  EXPECT_EQ(
      ChosenBits(kChosen),
      "linebloom: bits_per_key=auto: new files get 7.5 bits per key on "
      "average. The block cache has 12500.0 MB, indexes take 0.7 MB, and 12.5 "
      "% of the lookups hit. Expected block reads per 1,000 lookups: 12.30, "
      "with "
      "10 bits 45.60.");
  AutoBits assumed = kChosen;
  assumed.counted = false;
  assumed.filters_last_run = false;
  assumed.hit_share = 0.5 / 11'000;
  EXPECT_THAT(ChosenBits(assumed),
              HasSubstr(", and 0.0 % of the lookups are assumed to hit (too "
                        "few were counted)."));
  EXPECT_THAT(ChosenBits(assumed), HasSubstr("those of the last level none"));
  AutoBits sampled = kChosen;
  sampled.sampled = true;
  EXPECT_THAT(ChosenBits(sampled),
              HasSubstr("hit, by a sample of the filters' answers. "));
}

// Says what filters get, and how to add what is missing.
TEST(NotesTest, NoListener) {
  const rocksdb::BlockBasedTableOptions table;
  rocksdb::FilterBuildingContext context(table);
  context.level_at_creation = -1;
  EXPECT_EQ(NoListener({}, context),
            "linebloom: bits_per_key=auto: SstFileWriter calls no listener: "
            "filters of "
            "its files get 10 bits per key.");
  context.level_at_creation = 0;
  for (const FilterPolicyOptions& options :
       {FilterPolicyOptions(),
        FilterPolicyOptions{.bits_per_key = 10, .level_aware = true}}) {
    const std::string note = NoListener(options, context);
    for (const char* words : {"linebloom_level_sizes", "10 bits per key",
                              "linebloom::Use()", "linebloom_use()", "copy"}) {
      EXPECT_THAT(note, HasSubstr(words));
    }
  }
}

// Every half bit, however small the steps are.
TEST(NotesTest, ChosenBitsThatCreepAreSaidAgain) {
  const auto policy = MakePolicy();
  Log log;
  rocksdb::BlockBasedTableOptions table;
  table.cache_index_and_filter_blocks = true;
  table.block_cache = rocksdb::NewLRUCache(1 << 20);
  rocksdb::FilterBuildingContext context(table);
  context.level_at_creation = 1;
  context.info_log = &log;
  for (const double bits : {7.0, 7.25, 7.4, 7.5, 7.25, 7.75, 8.0}) {
    NewFile file = {.reason = context.reason};
    file.choose = [bits](const NewFile&,
                         const rocksdb::BlockBasedTableOptions&) {
      return AutoBits{.average_bits = bits, .is_chosen = true};
    };
    BeginFile(file);
    const std::unique_ptr<rocksdb::FilterBitsBuilder> builder(
        policy->GetBuilderWithContext(context));
  }
  ASSERT_EQ(log.lines.size(), 3);
  EXPECT_THAT(log.lines[0], HasSubstr("new files get 7.0 bits"));
  EXPECT_THAT(log.lines[1], HasSubstr("new files get 7.5 bits"));
  EXPECT_THAT(log.lines[2], HasSubstr("new files get 8.0 bits"));
}

}  // namespace
}  // namespace linebloom
