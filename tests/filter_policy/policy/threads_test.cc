// Policies and readers shared among threads. ThreadSanitizer runs these.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "filter_policy/policy/filter_bits_reader.h"
#include "filter_policy/policy/key_sampler.h"
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

TEST(ThreadsTest, SamplesAreTakenWhileReadersAddThem) {
  constexpr int kProbes = 500'000;
  const auto sampler = std::make_shared<KeySampler>();
  const auto built_in = MakeBloom();
  const auto rejects_all =
      NewFilterBitsReader("", *built_in, /*canonical_key=*/nullptr, sampler);
  std::atomic<size_t> samples = 0;
  InThreads([&](int thread) {
    for (int i = 0; i < kProbes; ++i) {
      rejects_all->MayMatch(std::to_string(thread * kProbes + i));
      if (i % 1000 == 0) samples += sampler->Take().keys.size();
    }
  });
  samples += sampler->Take().keys.size();
  EXPECT_NEAR(kThreads * kProbes / 512, samples, 400);
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
