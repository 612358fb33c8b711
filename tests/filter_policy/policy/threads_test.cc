// Policies and readers shared among threads. ThreadSanitizer runs these.
#include <gtest/gtest.h>

#include <atomic>
#include <bit>
#include <latch>
#include <thread>

#include "filter_policy/policy/filter_bits_builder.h"
#include "rocksdb/convenience.h"
#include "tests/filter_policy/policy/filter_bits.h"

namespace linebloom {
namespace {

constexpr int kThreads = 4;

// All begin at once.
template <typename Work>
void InThreads(const Work& work) {
  std::latch begin(kThreads);
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&begin, &work, i] {
      begin.arrive_and_wait();
      work(i);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST(ThreadsTest, ReadersAreShared) {
  const auto policy = MakePolicy();
  const std::vector<std::string> keys = NumberedKeys("key", 20000);
  const std::string block = BuildBlock(*policy, keys);
  const auto reader = NewReader(*policy, block);
  std::atomic<int> denied = 0;
  InThreads([&](int) {
    for (const std::string& key : keys) denied += !reader->MayMatch(key);
    for (bool match : MatchInBatches(reader.get(), keys)) denied += !match;
  });
  EXPECT_EQ(0, denied);
}

// Of lines of each kind, and where RocksDB rounds plain ones. The first filter
// of a policy makes what the others share.
TEST(ThreadsTest, EachThreadBuildsWithTheSamePolicy) {
  const std::vector<std::string> keys = NumberedKeys("key", 500);
  rocksdb::BlockBasedTableOptions rounded;
  rounded.optimize_filters_for_memory = true;
  for (int round = 0; round < 50; ++round) {
    const auto solved = MakePolicy();
    const auto plain = MakePolicy({10, LineKind::kPlain});
    std::vector<std::string> blocks(kThreads);
    InThreads([&](int i) {
      blocks[i] = BuildBlock(*plain, keys, rounded);
      blocks[i] += BuildBlock(*solved, keys);
    });
    for (const std::string& block : blocks) EXPECT_EQ(blocks[0], block);
  }
}

// With sizes that are far apart, unlike glibc's.
TEST(ThreadsTest, RoundedFiltersShareADebt) {
  const auto rounding = std::make_shared<AllocationRounding>(
      [](size_t bytes) { return std::bit_ceil(bytes); });
  const auto policy = MakePolicy();
  std::atomic<int> denied = 0;
  InThreads([&](int) {
    LineFilterBitsBuilder builder({}, rounding, /*detect_corruption=*/false);
    for (int count = 500; count < 5000; count += 500) {
      const std::vector<std::string> keys = NumberedKeys("key", count);
      for (const std::string& key : keys) builder.AddKey(key);
      const std::string block = FinishToString(&builder);
      denied += count - CountMatches(NewReader(*policy, block).get(), keys);
    }
  });
  EXPECT_EQ(0, denied);
}

TEST(ThreadsTest, RegistrationFromManyThreads) {
  InThreads([](int) { RegisterFilterPolicy(); });
  std::shared_ptr<const rocksdb::FilterPolicy> policy;
  EXPECT_TRUE(rocksdb::FilterPolicy::CreateFromString(rocksdb::ConfigOptions(),
                                                      "linebloom:10", &policy)
                  .ok());
  EXPECT_NE(nullptr, policy);
}

}  // namespace
}  // namespace linebloom
