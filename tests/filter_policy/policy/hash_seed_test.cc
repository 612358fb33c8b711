// Seeds keep out keys that were chosen beforehand. This program has a
// getentropy() of its own in place of the C library's: while a test runs it
// gives what the test wants, else the system's numbers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/random.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "filter_policy/line/hash.h"
#include "tests/filter_policy/policy/filter_bits.h"

namespace {

std::vector<std::optional<uint64_t>> next_numbers;  // nothing: an error

}  // namespace

extern "C" int getentropy(void* buffer, size_t size) {
  if (next_numbers.empty()) return getrandom(buffer, size, 0) < 0 ? -1 : 0;
  const std::optional<uint64_t> number = next_numbers.front();
  if (next_numbers.size() > 1) next_numbers.erase(next_numbers.begin());
  if (!number.has_value() || size != sizeof(*number)) {
    errno = ENOSYS;
    return -1;
  }
  memcpy(buffer, &*number, size);
  return 0;
}

namespace linebloom {
namespace {

using ::testing::HasSubstr;

class HashSeedTest : public testing::Test {
 protected:
  void TearDown() override { next_numbers.clear(); }

  const OwnedPolicy policy_ =
      MakePolicy({.bits_per_key = 10, .hash_seed = kRandomHashSeed});
};

// XXH3 without a seed multiplies the halves x and y of 16 bytes as (x ^ p) *
// (y ^ q) with public p and q. So (y ^ p ^ q, x ^ p ^ q) has the same hash.
TEST_F(HashSeedTest, KeysMadeBeforehandPassOnlyWithoutASeed) {
  constexpr uint64_t kSwap = 0xbe4ba423396cfeb8 ^ 0x1cad21f72c81017c;
  std::mt19937_64 random(1);
  std::vector<std::string> keys;
  std::vector<std::string> chosen;
  const auto bytes = [](const uint64_t(&words)[4]) {
    return std::string(reinterpret_cast<const char*>(words), sizeof(words));
  };
  for (int i = 0; i < 20'000; ++i) {
    const uint64_t words[4] = {random(), random(), random(), random()};
    keys.push_back(bytes(words));
    chosen.push_back(
        bytes({words[1] ^ kSwap, words[0] ^ kSwap, words[2], words[3]}));
  }
  const auto passing = [&](uint64_t hash_seed) {
    const auto policy = MakePolicy({10, LineKind::kSolved, hash_seed});
    const std::string block = BuildBlock(*policy, keys);
    return CountMatches(NewReader(*policy, block).get(), chosen);
  };
  EXPECT_EQ(passing(0), 20'000);
  EXPECT_LT(passing(7), 60);
  EXPECT_LT(passing(kRandomHashSeed), 60);
}

TEST_F(HashSeedTest, IsWhatTheSystemGivesButNever0) {
  next_numbers = {5, 0, 0, 6, std::nullopt};
  EXPECT_EQ(DrawHashSeed(), 5u);
  EXPECT_EQ(DrawHashSeed(), 6u);
  EXPECT_EQ(DrawHashSeed(), std::nullopt);
}

uint64_t SeedOf(const std::string& block) {
  return InfoOf(block).request.hash_seed;
}

// Partitions share their file's seed.
TEST_F(HashSeedTest, IsDrawnOnceForEachBuilder) {
  next_numbers = {5, 6, std::nullopt};
  const auto first = NewBuilder(*policy_);
  const auto second = NewBuilder(*policy_);
  for (int partition = 0; partition < 2; ++partition) {
    first->AddKey("key");
    second->AddKey("key");
    EXPECT_EQ(SeedOf(FinishToString(first.get())), 5u);
    EXPECT_EQ(SeedOf(FinishToString(second.get())), 6u);
  }
}

TEST_F(HashSeedTest, WithoutEntropyNoDatabaseOpensAndOpenOnesSaySo) {
  EXPECT_TRUE(policy_->ValidateOptions({}, {}).ok());
  next_numbers = {std::nullopt};
  EXPECT_THAT(policy_->ValidateOptions({}, {}).ToString(),
              HasSubstr("hash_seed=random: the operating system gives no"));
  Log log;
  rocksdb::BlockBasedTableOptions table;
  rocksdb::FilterBuildingContext context(table);
  context.info_log = &log;
  for (int i = 0; i < 2; ++i) {
    const std::unique_ptr<rocksdb::FilterBitsBuilder> builder(
        policy_->GetBuilderWithContext(context));
    builder->AddKey("key");
    EXPECT_EQ(SeedOf(FinishToString(builder.get())), 0u);
  }
  ASSERT_EQ(log.lines.size(), 1);
  EXPECT_THAT(log.lines[0], HasSubstr("built with hash_seed=0"));
}

}  // namespace
}  // namespace linebloom
