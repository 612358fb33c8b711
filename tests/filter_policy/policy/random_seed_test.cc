// The seeds of hash_seed=random, and a system that gives no entropy: this
// program has a getentropy() of its own in place of the C library's. While a
// test runs it gives what the test wants, else the system's numbers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/random.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "filter_policy/line/hash.h"
#include "rocksdb/env.h"
#include "rocksdb/options.h"
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

class RandomSeedTest : public testing::Test {
 protected:
  void TearDown() override { next_numbers.clear(); }
};

TEST_F(RandomSeedTest, IsWhatTheSystemGivesButNever0) {
  next_numbers = {5, 0, 0, 6, std::nullopt};
  EXPECT_EQ(DrawHashSeed(), 5u);
  EXPECT_EQ(DrawHashSeed(), 6u);
  EXPECT_EQ(DrawHashSeed(), std::nullopt);
}

OwnedPolicy RandomSeedPolicy() {
  return MakePolicy({.bits_per_key = 10, .hash_seed = kRandomHashSeed});
}

uint64_t SeedOf(const std::string& block) {
  return InfoOf(block).request.hash_seed;
}

// Partitions share their file's seed.
TEST_F(RandomSeedTest, IsDrawnOnceForEachBuilder) {
  next_numbers = {5, 6, std::nullopt};
  const auto policy = RandomSeedPolicy();
  const auto first = NewBuilder(*policy);
  const auto second = NewBuilder(*policy);
  for (int partition = 0; partition < 3; ++partition) {
    first->AddKey("key");
    second->AddKey("key");
    EXPECT_EQ(SeedOf(FinishToString(first.get())), 5u);
    EXPECT_EQ(SeedOf(FinishToString(second.get())), 6u);
  }
}

class Log final : public rocksdb::Logger {
 public:
  using rocksdb::Logger::Logv;
  void Logv(const char* format, va_list arguments) override {
    char line[500];
    vsnprintf(line, sizeof(line), format, arguments);
    lines.emplace_back(line);
  }
  std::vector<std::string> lines;
};

TEST_F(RandomSeedTest, WithoutEntropyNoDatabaseOpens) {
  const auto policy = RandomSeedPolicy();
  next_numbers = {std::nullopt};
  EXPECT_THAT(policy->ValidateOptions({}, {}).ToString(),
              HasSubstr("hash_seed=random: the operating system gives no"));
  next_numbers = {5};
  EXPECT_TRUE(policy->ValidateOptions({}, {}).ok());
}

TEST_F(RandomSeedTest, WithoutEntropyLaterFiltersHaveNoSeedAndTheLogSaysSo) {
  const auto policy = RandomSeedPolicy();
  next_numbers = {std::nullopt};
  Log log;
  rocksdb::BlockBasedTableOptions table;
  rocksdb::FilterBuildingContext context(table);
  context.info_log = &log;
  for (int i = 0; i < 2; ++i) {
    const std::unique_ptr<rocksdb::FilterBitsBuilder> builder(
        policy->GetBuilderWithContext(context));
    builder->AddKey("key");
    EXPECT_EQ(SeedOf(FinishToString(builder.get())), 0u);
  }
  ASSERT_EQ(log.lines.size(), 1);
  EXPECT_THAT(log.lines[0], HasSubstr("built with hash_seed=0"));
}

}  // namespace
}  // namespace linebloom
