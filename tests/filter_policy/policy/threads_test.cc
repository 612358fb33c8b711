// Policies and readers shared among threads. ThreadSanitizer runs these.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

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

// Rounded sizes depend on the filters before them.
TEST(ThreadsTest, EachThreadBuildsWithTheSamePolicy) {
  for (const LineKind line : {LineKind::kSolved, LineKind::kPlain}) {
    for (const bool is_rounded : {false, true}) {
      const auto policy = MakePolicy({10, line});
      rocksdb::BlockBasedTableOptions table;
      table.optimize_filters_for_memory = is_rounded;
      std::atomic<int> denied = 0;
      InThreads([&](int thread) {
        for (int keys = 1000; keys <= 10'000; keys += 1000) {
          const auto added = NumberedKeys("key", keys + 100 * thread);
          const std::string block = BuildBlock(*policy, added, table);
          denied += static_cast<int>(added.size()) -
                    CountMatches(NewReader(*policy, block).get(), added);
        }
      });
      EXPECT_EQ(0, denied);
    }
  }
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
