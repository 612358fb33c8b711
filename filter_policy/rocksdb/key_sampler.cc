#include "filter_policy/rocksdb/key_sampler.h"

namespace linebloom {
namespace {

// Bounds the memory, to 8 MB.
constexpr size_t kMaxKeys = 8192;
constexpr size_t kMaxKeyBytes = 1024;  // longer keys are not sampled

constexpr uint32_t kMinInterval = 256;

// A batch of 32 keys, RocksDB's largest, makes this many probes in eight runs.
constexpr int kProbesOfBatch = 256;

// A rejected key whose lookup may go on.
struct PendingKey {
  bool is_set = false;
  int probes = 0;  // since then
  std::string key;
  std::shared_ptr<KeySampler> sampler;
  std::minstd_rand random;
};
thread_local PendingKey pending;

}  // namespace

thread_local constinit uint32_t probes_until_sample = kMinInterval;

void LookAtProbe(const rocksdb::Slice& key, bool may_match, bool in_batch,
                 const std::shared_ptr<KeySampler>& sampler) {
  if (!pending.is_set) {
    if (!may_match && key.size() <= kMaxKeyBytes) {
      pending.key.assign(key.data(), key.size());
      pending.sampler = sampler;
      pending.probes = 0;
      pending.is_set = true;
    }
  } else if (key == pending.key) {
    pending.is_set = !may_match;
  } else if (!in_batch || ++pending.probes == kProbesOfBatch) {
    pending.is_set = false;
    std::exchange(pending.sampler, nullptr)->Add(std::move(pending.key));
  }
  // At random, or a pattern of lookups could always meet the same run.
  probes_until_sample =
      pending.is_set ? 1
                     : kMinInterval + static_cast<uint32_t>(pending.random() %
                                                            (2 * kMinInterval));
}

void KeySampler::Add(std::string key) {
  const std::lock_guard<std::mutex> lock(mutex_);
  ++added_;
  if (keys_.size() < kMaxKeys) {
    keys_.push_back(std::move(key));
  } else if (const uint64_t at = random_() % added_; at < kMaxKeys) {
    keys_[at] = std::move(key);
  }
}

KeySamples KeySampler::Take() {
  const std::lock_guard<std::mutex> lock(mutex_);
  KeySamples samples;
  if (!keys_.empty()) {
    samples.weight =
        static_cast<double>(added_) / static_cast<double>(keys_.size());
  }
  samples.keys = std::exchange(keys_, {});
  added_ = 0;
  return samples;
}

}  // namespace linebloom
