// RocksDB's own filters of every kind, size and number of bits: linebloom's
// policy gives the same answers as RocksDB's.
#include <gtest/gtest.h>
#include <malloc.h>

#include <cstdlib>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "filter_policy/filter/filter_reader.h"
#include "filter_policy/line/kernel/line_kernel.h"
#include "filter_policy/policy/rocksdb_filter_bits.h"
#include "linebloom/filter_policy.h"
#include "tests/filter_policy/policy/filter_bits.h"

namespace linebloom {
namespace {

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
std::vector<bool> AnswersOf(const rocksdb::FilterPolicy& policy,
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

// Keys of 0 to 300 bytes: all of the hash's ways.
std::vector<std::string> RandomKeys(size_t count, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<std::string> keys(count);
  for (std::string& key : keys) {
    key.resize(random() % (random() % 4 == 0 ? 301 : 20));
    for (char& byte : key) byte = static_cast<char>(random());
  }
  return keys;
}

// Any bits, of which `ones` in 8 are set, and a tail.
std::string RandomBlock(size_t bits_size, int ones, const std::string& tail,
                        std::mt19937_64* random) {
  std::string block(bits_size, '\0');
  for (char& byte : block) {
    for (int bit = 0; bit < 8; ++bit) {
      const int set = static_cast<int>((*random)() % 8) < ones ? 1 : 0;
      byte = static_cast<char>(byte | set << bit);
    }
  }
  return block + tail;
}

// Every kernel's answers are RocksDB's, or all 'may match' if the block's
// length contradicts its tail: RocksDB reads such a block as if it were
// shorter.
void ExpectRocksDbsAnswers(const std::string& block,
                           const std::vector<std::string>& keys) {
  static const auto theirs = MakeBloom();
  static const auto ours = MakePolicy();
  const ParsedFilter parsed = ParseFilter(block.data(), block.size());
  const bool is_sound =
      IsOfRocksDb(parsed.kind) || parsed.kind == BlockKind::kEmpty;
  const std::vector<bool> expected =
      is_sound ? AnswersOf(*theirs, block, keys)
               : std::vector<bool>(2 * keys.size(), true);
  ASSERT_EQ(expected, AnswersOf(*ours, block, keys));
  if (parsed.kind != BlockKind::kBloom) return;
  for (const LineKernel* kernel : SupportedKernels()) {
    const auto reader = FilterReader::Make(block.data(), parsed, *kernel);
    for (size_t i = 0; i < keys.size(); ++i) {
      ASSERT_EQ(expected[i], reader->MayMatch(keys[i].data(), keys[i].size()))
          << kernel->name;
    }
  }
}

TEST(BloomBlocksTest, EveryKernelAnswersLikeRocksDb) {
  std::mt19937_64 random(1);
  for (int probes = 1; probes <= 30; ++probes) {
    const std::string tail = {-1, 0, static_cast<char>(probes), 0, 0};
    for (const size_t lines : {1, 2, 3, 7, 8, 9, 63, 64, 65, 1000}) {
      SCOPED_TRACE(std::to_string(probes) + " probes, " +
                   std::to_string(lines) + " lines");
      const int ones = probes < 4 ? 4 : probes < 12 ? 6 : 7;
      ExpectRocksDbsAnswers(RandomBlock(64 * lines, ones, tail, &random),
                            RandomKeys(200, random()));
    }
  }
}

TEST(BloomBlocksTest, ReservedTailsAnswerLikeRocksDb) {
  std::mt19937_64 random(2);
  const std::vector<std::string> keys = RandomKeys(32, 3);
  for (int at = 0; at < 5; ++at) {
    for (int byte = 0; byte < 256; ++byte) {
      std::string tail = {-1, 0, 6, 0, 0};
      tail[at] = static_cast<char>(byte);
      // Legacy filters that Debian's RocksDB can't read without a fault.
      for (const size_t size : {0, 64, 640}) {
        SCOPED_TRACE(std::to_string(at) + ": " + std::to_string(byte));
        ExpectRocksDbsAnswers(RandomBlock(size, 4, tail, &random), keys);
      }
    }
  }
}

// Both policies build filters of these numbers of keys, one after the other, as
// partitions are.
void ExpectRocksDbsBytes(double bits, bool optimize,
                         const std::vector<size_t>& counts) {
  rocksdb::BlockBasedTableOptions table;
  table.format_version = 5;
  table.optimize_filters_for_memory = optimize;
  const auto ours =
      MakePolicy({.bits_per_key = bits, .line = LineKind::kPlain});
  const auto theirs = MakeBloom(bits);
  const auto our_builder = NewBuilder(*ours, table);
  const auto their_builder = NewBuilder(*theirs, table);
  for (const size_t count : counts) {
    std::vector<std::string> keys = RandomKeys(count, count);
    if (!keys.empty()) keys.push_back(keys.back());  // a repeat
    for (const std::string& key : keys) our_builder->AddKey(key);
    for (const std::string& key : keys) their_builder->AddKey(key);
    const std::string expected = FinishToString(their_builder.get());
    const std::string block = FinishToString(our_builder.get());
    // Newer versions write no byte for no keys, which denies as a tail does.
    if (count == 0 && expected.empty()) {
      ASSERT_LE(block.size(), kFilterTailBytes);
      continue;
    }
    ASSERT_EQ(expected, block)
        << bits << " bits, " << count << " keys, optimize " << optimize;
    ASSERT_EQ(BuildBlock(*theirs, keys, table), BuildBlock(*ours, keys, table));
  }
}

void ExpectRocksDbsBytesOfAllSizes() {
  // Else glibc, unlike other mallocs, changes its sizes as it runs.
  mallopt(M_MMAP_THRESHOLD, 128 << 10);
  std::vector<size_t> counts = {0, 1, 2, 3, 20, 50, 51, 52, 60, 1000, 3333};
  std::vector<size_t> all(2000);
  std::iota(all.begin(), all.end(), 1);
  std::mt19937_64 random(1);
  std::vector<size_t> any(20);
  for (size_t& count : any) count = random() % 50'000;
  for (const bool optimize : {false, true}) {
    for (int hundredths = 50; hundredths <= 3000; hundredths += 25) {
      ExpectRocksDbsBytes(hundredths / 100.0, optimize, counts);
    }
    for (const double bits : {2.251, 9.9995, 10.07, 10.071, 22.6}) {
      ExpectRocksDbsBytes(bits, optimize, counts);
    }
    for (const double bits : {2.25, 7.3, 22.6}) {
      ExpectRocksDbsBytes(bits, optimize, any);
    }
    ExpectRocksDbsBytes(10, optimize, all);
    // More than HashList keeps in a single bucket. A block of its own pages has
    // room for more lines, which RocksDB makes up for in later filters.
    ExpectRocksDbsBytes(10, optimize, {300'000, 120'000, 1000, 130'000});
  }
}

// In a process of its own: what malloc adds to a large block depends on the
// holes that earlier tests left in its heap.
TEST(PlainLinesTest, HaveTheBytesOfRocksDbsBloomFilter) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        ExpectRocksDbsBytesOfAllSizes();
        std::exit(HasFailure());
      },
      testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace linebloom
