// What is said of a file follows from its blocks, of any kinds together.
#include "table/file_facts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "filter_policy/filter/filter_builder.h"
#include "table/rebuild/evaluate.h"
#include "tests/filter_policy/random_hashes.h"
#include "tests/table/sst_builder.h"
#include "tests/table/wrap_memory.h"

namespace linebloom::testing {
namespace {

const std::string kEmpty("\xff\0\6\0", 5);
const std::string kBloom =
    std::string(640, '\x5a') + std::string("\xff\0\6\0", 5);
const std::string kRibbon =
    std::string(16 * 70, '\x5a') + std::string("\xfe\7\12\0", 5);
const std::string kLegacy =
    std::string(64 * 11, '\x5a') + std::string("\6\13\0\0", 5);

std::string OwnBlock() {
  const FilterBlock block =
      BuildFilter(ListOf(RandomHashes(100, 1)),
                  {.millibits_per_key = 10000, .line = LineKind::kSolved});
  return {block.bytes.get(), block.size};
}

// A line that rejects nothing, of a filter that was to have a rate.
std::string ZeroLine(uint32_t keys) {
  std::string block(65 + kFilterBlockOverhead, '\0');
  WriteFilterBlockEnd({.request = {.false_positive_rate = 0.5},
                       .shape = {LineKind::kSolved, 64, 1},
                       .lines = 1,
                       .keys = keys,
                       .expected_false_positive_rate = 1},
                      &block[65]);
  return block;
}

// A file whose filter has these partitions. Keys in its index share so many
// bytes.
SstFile Partitioned(const std::vector<std::string>& blocks,
                    size_t shared_bytes = 0) {
  SstBuilder builder(5, ChecksumType::kXxh3);
  std::vector<Entry> index;
  for (const std::string& block : blocks) {
    index.push_back(
        {std::string(shared_bytes, 'k') + std::to_string(1000 + index.size()),
         Encode(builder.AddBlock(block))});
  }
  builder.AddMetaBlock("partitionedfilter.rocksdb.BuiltinBloomFilter",
                       index.empty() ? "" : MakeBlock(index, 1000));
  builder.AddMetaBlock("rocksdb.properties",
                       MakeBlock({{"rocksdb.index.key.is.user.key", Varint(1)},
                                  {"rocksdb.num.entries", Varint(1000)}},
                                 16));
  return SstFile::Open(WrapMemory("x.sst", builder.Finish())).value();
}

FileFacts FactsOfPartitions(const std::vector<std::string>& blocks) {
  return ReadFileFacts(Partitioned(blocks)).value();
}

TEST(FileFactsTest, KindsOfPartitions) {
  struct Case {
    std::vector<std::string> blocks;
    bool mixed, of_one_policy, rate_is_exact;
  };
  for (const auto& [blocks, mixed, of_one_policy, rate_is_exact] :
       {Case{{}, false, true, true},
        Case{{kBloom, kEmpty, kBloom}, false, true, true},
        Case{{kEmpty, kLegacy}, false, true, false},
        Case{{kBloom, kRibbon}, true, true, false},
        Case{{kRibbon, kBloom}, true, true, false},
        Case{{kBloom, kLegacy}, true, false, false},
        Case{{kLegacy, kRibbon}, true, false, false},
        Case{{OwnBlock(), kBloom}, true, false, false}}) {
    const FileFacts facts = FactsOfPartitions(blocks);
    EXPECT_EQ(blocks.size(), facts.blocks);
    EXPECT_EQ(mixed, facts.mixed);
    EXPECT_EQ(of_one_policy, facts.of_one_policy);
    EXPECT_EQ(rate_is_exact, facts.rate_is_exact);
    EXPECT_TRUE(facts.problems.empty());
    EXPECT_EQ(blocks.empty(), facts.rate == 0);
  }
  const FileFacts damaged = FactsOfPartitions({kBloom, kLegacy + "."});
  ASSERT_EQ(1u, damaged.problems.size());
  EXPECT_EQ("offset 650: filter: its size contradicts its last 5 bytes",
            damaged.problems[0]);
  const FileFacts of_no_bytes = FactsOfPartitions({kBloom, ""});
  ASSERT_EQ(1u, of_no_bytes.problems.size());
  EXPECT_THAT(of_no_bytes.problems[0], ::testing::HasSubstr("of 0 bytes"));
  EXPECT_TRUE(of_no_bytes.has_gaps && !damaged.has_gaps);
  EXPECT_EQ(RebuildReason::kDamagedFilter, Evaluate(of_no_bytes, {}).reason);
  // Every run would rewrite it, and mend nothing.
  const TargetFilter as_bad = {.built_in_rate = 0.01, .leaves_gaps = true};
  EXPECT_FALSE(Evaluate(of_no_bytes, as_bad).pays);
}

TEST(FileFactsTest, SumsOfPartitions) {
  const FileFacts own = FactsOfPartitions({OwnBlock(), OwnBlock(), kEmpty});
  EXPECT_EQ(200u, own.keys);
  EXPECT_EQ(static_cast<float>(own.rate), own.rate_in_metadata);
  // Each byte has half of its bits set, and a key 6 probes.
  EXPECT_EQ(std::exp2(-6), FactsOfPartitions({kBloom}).rate);
  EXPECT_EQ(1.0 / 128, FactsOfPartitions({kRibbon}).rate);
  // Half of the ten blocks have an additional column.
  EXPECT_EQ((1.0 / 128 + 1.0 / 256) / 2,
            FactsOfPartitions({std::string(16 * 5, '\x5a') + kRibbon}).rate);
  // At least that: its probes may coincide.
  EXPECT_EQ(std::exp2(-6), FactsOfPartitions({kLegacy}).rate);
  EXPECT_FALSE(FactsOfPartitions({kBloom, kLegacy}).rate_is_known);
  EXPECT_TRUE(FactsOfPartitions({kBloom, kRibbon}).rate_is_known);
}

// Keys of an index can share all but their ends: 100 GB in a block of 1 MB.
TEST(SstFileTest, KeysOfPartitionsTakeLittleMoreThanTheirFile) {
  const auto keys_of = [](int partitions) {
    return Partitioned(std::vector<std::string>(partitions, kBloom), 100'000)
        .ReadPartitionKeys();
  };
  EXPECT_TRUE(keys_of(160).ok());
  const auto keys = keys_of(300);
  EXPECT_TRUE(absl::IsDataLoss(keys.status()));
  EXPECT_THAT(std::string(keys.status().message()),
              ::testing::HasSubstr("keys of 30001200 bytes"));
}

// As no builder writes it.
TEST(FileFactsTest, ABlockMayStateThatItHasNoKeys) {
  const FileFacts facts = FactsOfPartitions({ZeroLine(0)});
  EXPECT_FALSE(facts.rate_in_metadata.has_value());
  EXPECT_FALSE(facts.keys.has_value());
  const FileFacts of_two = FactsOfPartitions({ZeroLine(0), ZeroLine(1)});
  EXPECT_TRUE(of_two.problems.empty());
  EXPECT_EQ(1, of_two.rate);
  EXPECT_FALSE(Evaluate(of_two, {}).pays);
}

TEST(FileFactsTest, BitsPerKeyNeedAFilterAndKeys) {
  FileFacts facts;
  facts.properties.num_entries = 100;
  EXPECT_FALSE(facts.bits_per_key().has_value());
  facts.filter_kind = FilterKind::kFull;
  EXPECT_EQ(0, facts.bits_per_key());
  facts.bytes = 645;
  EXPECT_EQ(8 * 645.0 / 100, facts.bits_per_key());
  facts.keys = 200;
  EXPECT_EQ(8 * 645.0 / 200, facts.bits_per_key());
  facts.keys = 0;
  EXPECT_FALSE(facts.bits_per_key().has_value());
}

}  // namespace
}  // namespace linebloom::testing
