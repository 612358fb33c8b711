// RocksDB's own filters of every kind, size and number of bits: linebloom's
// policy gives the same answers as RocksDB's.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "filter_policy/policy/rocksdb_filter_bits.h"
#include "linebloom/filter_policy.h"
#include "tests/filter_policy/policy/filter_bits.h"

namespace linebloom {
namespace {

using rocksdb::FilterPolicy;

struct Kind {
  const char* name;
  uint32_t format_version;  // below 5: the legacy Bloom filter
  OwnedPolicy (*make)(double bits_per_key);
};

OwnedPolicy MakeRibbon(double bits_per_key) {
  return OwnedPolicy(rocksdb::NewRibbonFilterPolicy(bits_per_key));
}

constexpr int kMissingKeys = 5000;

std::string Build(const Kind& kind, double bits_per_key, int keys) {
  rocksdb::BlockBasedTableOptions table;
  table.format_version = kind.format_version;
  table.optimize_filters_for_memory = true;  // newer versions' default
  return BuildBlock(*kind.make(bits_per_key), NumberedKeys("key", keys), table);
}

// In batches and one by one.
std::vector<bool> AnswersOf(const FilterPolicy& policy,
                            const std::string& block,
                            const std::vector<std::string>& keys) {
  const auto reader = NewReader(policy, block);
  std::vector<bool> answers = MatchInBatches(reader.get(), keys);
  for (const std::string& key : keys) answers.push_back(reader->MayMatch(key));
  return answers;
}

class BuiltInBlocksTest : public testing::TestWithParam<Kind> {};

TEST_P(BuiltInBlocksTest, GetRocksDbsAnswers) {
  const auto ours = MakePolicy();
  const auto theirs = MakeBloom();
  const std::vector<std::string> missing =
      NumberedKeys("missing", kMissingKeys);
  for (const double bits : {0.5, 1.0, 1.1, 1.2, 1.3, 1.4, 1.5, 2.0, 3.0, 5.0,
                            7.5, 10.0, 15.0, 20.0, 30.0, 50.0, 100.0}) {
    for (const int keys :
         {0, 1, 2, 7, 32, 51, 127, 128, 129, 300, 1000, 5000, 50'000}) {
      SCOPED_TRACE(std::to_string(bits) + " bits, " + std::to_string(keys) +
                   " keys");
      const std::string block = Build(GetParam(), bits, keys);
      EXPECT_EQ(AnswersOf(*ours, block, missing),
                AnswersOf(*theirs, block, missing));
      const std::vector<std::string> present = NumberedKeys("key", keys);
      EXPECT_EQ(AnswersOf(*ours, block, present),
                std::vector<bool>(2 * present.size(), true));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Of, BuiltInBlocksTest,
                         testing::Values(Kind{"Bloom", 5, MakeBloom},
                                         Kind{"LegacyBloom", 4, MakeBloom},
                                         Kind{"Ribbon", 5, MakeRibbon}),
                         [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace linebloom
