#include "filter_policy/policy/key_sampler.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "filter_policy/policy/filter_bits_reader.h"
#include "tests/filter_policy/policy/filter_bits.h"

namespace linebloom {
namespace {

using Readers = std::vector<std::unique_ptr<rocksdb::FilterBitsReader>>;

// A tree of three runs, of which the last one has the keys, by each policy.
class KeySamplerTest : public testing::TestWithParam<bool> {
 protected:
  KeySamplerTest() {
    blocks_ = {BuildBlock(*policy_, NumberedKeys("above", 5000)),
               BuildBlock(*policy_, NumberedKeys("between", 5000)),
               BuildBlock(*policy_, keys_)};
    for (const std::string& block : blocks_) {
      readers_.push_back(
          NewFilterBitsReader(block, *built_in_, nullptr, sampler_));
    }
  }

  void LookUp(const std::string& key) {
    for (const auto& reader : readers_) {
      if (reader->MayMatch(key)) return;
    }
  }

  // As MultiGet() does.
  void LookUpBatch(std::vector<std::string> keys) {
    for (const auto& reader : readers_) {
      if (keys.empty()) return;
      const std::vector<bool> found = MatchInBatches(reader.get(), keys);
      size_t i = 0;
      std::erase_if(keys, [&](const std::string&) { return found[i++]; });
    }
  }

  const std::vector<std::string> keys_ = NumberedKeys("key", 5000);
  const OwnedPolicy built_in_ = MakeBloom();
  const OwnedPolicy policy_ = GetParam() ? MakePolicy({20}) : MakeBloom(20);
  const std::shared_ptr<KeySampler> sampler_ = std::make_shared<KeySampler>();
  std::vector<std::string> blocks_;
  Readers readers_;
};

INSTANTIATE_TEST_SUITE_P(LinebloomAndBloom, KeySamplerTest, testing::Bool());

TEST_P(KeySamplerTest, SamplesKeysThatAllFiltersReject) {
  for (int i = 0; i < 500'000; ++i) {
    LookUp(keys_[i % 5000]);
    if (i % 5 == 0) LookUp("missing" + std::to_string(i));
  }
  // Each of 100,000 misses makes 3 of 1.8 million probes.
  const KeySamples samples = sampler_->Take();
  EXPECT_EQ(1, samples.weight);
  EXPECT_NEAR(300'000 / 512, samples.keys.size(), 150);
  for (const std::string& key : samples.keys) {
    EXPECT_TRUE(key.starts_with("missing")) << key;
  }
  EXPECT_EQ(0, sampler_->Take().keys.size());
}

TEST_P(KeySamplerTest, BatchesGoOnFromRunToRun) {
  for (int i = 0; i < 20'000; ++i) {
    std::vector<std::string> batch;
    for (int j = 0; j < 32; ++j) {
      batch.push_back(j % 4 == 0 ? "missing" + std::to_string(32 * i + j)
                                 : keys_[(7 * i + j) % 5000]);
    }
    LookUpBatch(batch);
  }
  const KeySamples samples = sampler_->Take();
  EXPECT_GT(samples.keys.size(), 200);
  for (const std::string& key : samples.keys) {
    EXPECT_TRUE(key.starts_with("missing")) << key;
  }
}

struct AtEnd {
  ~AtEnd() { run(); }
  std::function<void()> run;
};

// A global object may close its database when the main thread's are gone.
TEST_P(KeySamplerTest, NothingIsSampledOnceTheThreadsObjectsAreGone) {
  std::thread([this] {
    thread_local AtEnd first;  // so it goes last
    first.run = [this] {
      for (int i = 0; i < 10'000; ++i) {
        LookUp("a key too long for a string's own bytes" + std::to_string(i));
      }
    };
    first.run();
    EXPECT_NE(0, sampler_->Take().keys.size());
  }).join();
  EXPECT_EQ(0, sampler_->Take().keys.size());
}

TEST(KeySamplerMemoryTest, KeepsARandomChoice) {
  KeySampler sampler;
  constexpr int kAdded = 100'000;
  for (int i = 0; i < kAdded; ++i) sampler.Add(i < kAdded / 4 ? "a" : "b");
  const KeySamples samples = sampler.Take();
  const auto size = static_cast<double>(samples.keys.size());
  EXPECT_LE(size, 10'000);
  EXPECT_NEAR(kAdded, samples.weight * size, 1);
  EXPECT_NEAR(0.25,
              std::count(samples.keys.begin(), samples.keys.end(), "a") / size,
              0.02);
}

}  // namespace
}  // namespace linebloom
