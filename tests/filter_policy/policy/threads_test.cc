// Policies and readers shared among threads. ThreadSanitizer runs these.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "linebloom/memory_allocator.h"
#include "rocksdb/convenience.h"
#include "tests/filter_policy/policy/filter_bits.h"

namespace linebloom {
namespace {

constexpr int kThreads = 4;

template <typename Work>
void InThreads(const Work& work) {
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) threads.emplace_back(work, i);
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
    for (const bool match : MatchInBatches(reader.get(), keys)) {
      denied += !match;
    }
  });
  EXPECT_EQ(0, denied);
}

TEST(ThreadsTest, MemoryForFiltersIsShared) {
  const auto allocator = NewFilterAllocator();
  std::atomic<int> overwritten = 0;
  InThreads([&](int thread) {
    constexpr size_t kSize = 70000;
    for (int i = 0; i < 2000; ++i) {
      auto* const block = static_cast<char*>(allocator->Allocate(kSize + i));
      block[0] = block[kSize - 1] = static_cast<char>(thread);
      overwritten += block[0] != thread || block[kSize - 1] != thread;
      allocator->Deallocate(block);
    }
  });
  EXPECT_EQ(0, overwritten);
}

TEST(ThreadsTest, EachThreadBuildsWithTheSamePolicy) {
  const auto policy = MakePolicy();
  std::vector<std::string> blocks(kThreads);
  InThreads([&](int i) {
    blocks[i] = BuildBlock(*policy, NumberedKeys("key", 5000));
  });
  for (const std::string& block : blocks) EXPECT_EQ(blocks[0], block);
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
