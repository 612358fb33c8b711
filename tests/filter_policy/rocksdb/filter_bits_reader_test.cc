#include "filter_policy/rocksdb/filter_bits_reader.h"

#include <gtest/gtest.h>

#include <random>

#include "filter_policy/filter/filter_block.h"
#include "tests/filter_policy/rocksdb/filter_bits.h"

namespace linebloom {
namespace {

using rocksdb::FilterBitsReader;
using rocksdb::FilterPolicy;
using rocksdb::Slice;

class FilterBitsReaderTest : public testing::Test {
 protected:
  static bool MatchesAll(FilterBitsReader* reader,
                         const std::vector<std::string>& keys) {
    for (const std::string& key : keys) {
      if (!reader->MayMatch(key)) return false;
    }
    return true;
  }

  static int Matches(FilterBitsReader* reader,
                     const std::vector<std::string>& keys) {
    int matches = 0;
    for (const std::string& key : keys) matches += reader->MayMatch(key);
    return matches;
  }

  std::unique_ptr<const FilterPolicy> policy_{NewFilterPolicy(10)};
  std::unique_ptr<const FilterPolicy> built_in_{
      rocksdb::NewBloomFilterPolicy(10)};
  std::unique_ptr<const FilterPolicy> ribbon_{
      rocksdb::NewRibbonFilterPolicy(10)};
  const std::vector<std::string> keys_ = NumberedKeys("key", 5000);
  const std::vector<std::string> strangers_ = NumberedKeys("stranger", 5000);
};

TEST_F(FilterBitsReaderTest, FindsKeysAndRejectsMissingOnes) {
  const std::string block = BuildBlock(*policy_, keys_);
  const auto reader = NewReader(*policy_, block);
  EXPECT_TRUE(MatchesAll(reader.get(), keys_));
  EXPECT_LT(Matches(reader.get(), strangers_), 60);
}

TEST_F(FilterBitsReaderTest, BatchesAnswerLikeSingleProbes) {
  const std::string block = BuildBlock(*policy_, keys_);
  const auto reader = NewReader(*policy_, block);
  for (const int count : {0, 1, 2, 31, 32, 33, 64, 100}) {
    std::vector<Slice> slices;
    for (int i = 0; i < count; ++i) {
      slices.emplace_back(i % 3 == 0 ? keys_[i] : strangers_[i]);
    }
    std::vector<Slice*> pointers;
    for (Slice& slice : slices) pointers.push_back(&slice);
    const auto may_match = std::make_unique<bool[]>(count + 1);
    may_match[count] = true;  // must stay unchanged
    reader->MayMatch(count, pointers.data(), may_match.get());
    for (int i = 0; i < count; ++i) {
      EXPECT_EQ(reader->MayMatch(slices[i]), may_match[i]) << i;
    }
    EXPECT_TRUE(may_match[count]);
  }
}

TEST_F(FilterBitsReaderTest, EveryAlignmentOfTheBlock) {
  const std::string block = BuildBlock(*policy_, keys_);
  std::string buffer(block.size() + 64, '\0');
  for (size_t shift = 0; shift < 64; ++shift) {
    buffer.replace(shift, block.size(), block);
    const auto reader =
        NewReader(*policy_, Slice(buffer.data() + shift, block.size()));
    EXPECT_TRUE(MatchesAll(reader.get(), keys_));
    EXPECT_LT(Matches(reader.get(), strangers_), 60);
  }
}

// Switching in both directions: with linebloom, built-in filters keep their
// effect; without it, linebloom's filters deny nothing.
TEST_F(FilterBitsReaderTest, BuiltInBlocksAreReadByTheBuiltInReader) {
  for (const FilterPolicy* other : {built_in_.get(), ribbon_.get()}) {
    const std::string block = BuildBlock(*other, keys_);
    const auto ours = NewReader(*policy_, block);
    const auto theirs = NewReader(*built_in_, block);
    EXPECT_TRUE(MatchesAll(ours.get(), keys_));
    EXPECT_EQ(Matches(theirs.get(), strangers_),
              Matches(ours.get(), strangers_));
    EXPECT_LT(Matches(ours.get(), strangers_), 120);
  }
}

TEST_F(FilterBitsReaderTest, LegacyBlocksAreReadByTheBuiltInReader) {
  rocksdb::BlockBasedTableOptions table;
  table.format_version = 4;
  const rocksdb::FilterBuildingContext context(table);
  std::unique_ptr<rocksdb::FilterBitsBuilder> builder(
      built_in_->GetBuilderWithContext(context));
  for (const std::string& key : keys_) builder->AddKey(key);
  const std::string block = FinishToString(builder.get());
  const auto reader = NewReader(*policy_, block);
  EXPECT_TRUE(MatchesAll(reader.get(), keys_));
  EXPECT_LT(Matches(reader.get(), strangers_), 200);
}

TEST_F(FilterBitsReaderTest, RocksDbTreatsOurBlocksAsMayMatch) {
  for (const int keys : {1, 51, 5000}) {
    const std::string block = BuildBlock(*policy_, NumberedKeys("key", keys));
    const auto reader = NewReader(*built_in_, block);
    EXPECT_TRUE(MatchesAll(reader.get(), keys_));
    EXPECT_TRUE(MatchesAll(reader.get(), strangers_));
  }
}

// Each of the tail's three safeguards is sufficient alone.
TEST_F(FilterBitsReaderTest, EachPartOfTheTailAloneMeansMayMatch) {
  const std::string block = BuildBlock(*policy_, keys_);
  const size_t tail = block.size() - 5;
  const auto matches_all = [&](const std::string& changed) {
    return MatchesAll(NewReader(*built_in_, changed).get(), strangers_);
  };
  std::string only_implementation = block;
  only_implementation.replace(tail + 2, 3, std::string("\x06\0\0", 3));
  EXPECT_TRUE(matches_all(only_implementation));
  std::string only_probes = block;
  only_probes.replace(tail + 1, 4, std::string("\0\0\0\0", 4));
  EXPECT_TRUE(matches_all(only_probes));
  std::string only_reserved = block;
  only_reserved.replace(tail + 1, 2, std::string("\0\x06", 2));
  EXPECT_TRUE(matches_all(only_reserved));
}

// Whatever is cut off or changed after the lines, no key is ever denied.
TEST_F(FilterBitsReaderTest, TruncatedBlocksMatchAll) {
  const std::vector<std::string> keys = NumberedKeys("key", 200);
  const std::string block = BuildBlock(*policy_, keys);
  for (size_t size = 1; size < block.size(); ++size) {
    const std::string cut = block.substr(0, size);
    EXPECT_TRUE(MatchesAll(NewReader(*policy_, cut).get(), keys)) << size;
  }
}

// A block truncated within its metadata may look like one of RocksDB's filters
// (docs/format.md).
TEST_F(FilterBitsReaderTest, TruncatedBlocksOfPlainLinesMatchAll) {
  FilterPolicyOptions options;
  options.line = Line::kPlain;
  const std::unique_ptr<const rocksdb::FilterPolicy> plain(
      NewFilterPolicy(options));
  const std::vector<std::string> keys = NumberedKeys("key", 78694);
  const std::string block = BuildBlock(*plain, keys);
  ASSERT_EQ(1537 * 64 + kFilterBlockOverhead, block.size());
  for (size_t cut = 1; cut <= kFilterBlockOverhead; ++cut) {
    const std::string rest = block.substr(0, block.size() - cut);
    ASSERT_TRUE(MatchesAll(NewReader(*plain, rest).get(), keys)) << cut;
  }
}

TEST_F(FilterBitsReaderTest, DamagedEndsMatchAll) {
  const std::vector<std::string> keys = NumberedKeys("key", 200);
  const std::string block = BuildBlock(*policy_, keys);
  for (size_t at = block.size() - kFilterBlockOverhead; at < block.size();
       ++at) {
    for (int change = 1; change < 256; ++change) {
      std::string damaged = block;
      damaged[at] = static_cast<char>(damaged[at] ^ change);
      const auto reader = NewReader(*policy_, damaged);
      EXPECT_TRUE(reader->MayMatch("stranger")) << at << " " << change;
      EXPECT_TRUE(MatchesAll(reader.get(), keys)) << at << " " << change;
    }
  }
}

TEST_F(FilterBitsReaderTest, UnknownKindsOfLineMatchAll) {
  std::string block = BuildBlock(*policy_, keys_);
  FilterBlockInfo info = ParseFilter(block.data(), block.size()).info;
  for (const int kind : {0, 3, 255}) {
    info.request.line = static_cast<Line>(kind);
    WriteFilterBlockEnd(info,
                        block.data() + block.size() - kFilterBlockOverhead);
    EXPECT_TRUE(MatchesAll(NewReader(*policy_, block).get(), strangers_));
  }
}

TEST_F(FilterBitsReaderTest, RandomBytesNeverCrash) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 20000; ++i) {
    std::string bytes(random() % 300, '\0');
    for (char& byte : bytes) byte = static_cast<char>(random());
    NewReader(*policy_, bytes)->MayMatch("key");
  }
}

// The rates at which the project promises to beat the built-in filter, through
// the interface that RocksDB calls.
TEST_F(FilterBitsReaderTest, AFractionOfTheFalsePositivesOfTheBuiltIn) {
  const std::vector<std::string> keys = NumberedKeys("key", 100000);
  const std::vector<std::string> strangers = NumberedKeys("no", 1000000);
  const std::string ours = BuildBlock(*policy_, keys);
  const std::string theirs = BuildBlock(*built_in_, keys);
  EXPECT_NEAR(ours.size() - ours.size() / 513,  // without the groups' codes
              theirs.size(), 64 + kFilterBlockOverhead);
  const int our_matches = Matches(NewReader(*policy_, ours).get(), strangers);
  const int their_matches =
      Matches(NewReader(*built_in_, theirs).get(), strangers);
  EXPECT_LT(our_matches, 0.15 * their_matches);
}

// A million keys: the rate is below the project's own limit, about half of
// RocksDB's 0.97 % and 0.083 %, and the block predicts it within 5 %.
void ExpectRate(double bits_per_key, int strangers, double most) {
  const std::unique_ptr<const FilterPolicy> policy(
      NewFilterPolicy(bits_per_key));
  const std::string block = BuildBlock(*policy, NumberedKeys("key", 1000000));
  const auto reader = NewReader(*policy, block);
  int matches = 0;
  for (int i = 0; i < strangers; ++i) {
    matches += reader->MayMatch("no" + std::to_string(i));
  }
  const double measured = static_cast<double>(matches) / strangers;
  const double predicted =
      ParseFilter(block.data(), block.size()).info.expected_false_positive_rate;
  printf("%g bits per key: false-positive rate %.6f, predicted %.6f\n",
         bits_per_key, measured, predicted);
  EXPECT_LE(measured, most);
  EXPECT_NEAR(1, predicted / measured, 0.05);
}

TEST_F(FilterBitsReaderTest, FalsePositiveRateAt10BitsPerKey) {
  ExpectRate(10, 2000000, 0.0018);
}

TEST_F(FilterBitsReaderTest, FalsePositiveRateAt16BitsPerKey) {
  ExpectRate(16, 10000000, 0.00007);
}

}  // namespace
}  // namespace linebloom
