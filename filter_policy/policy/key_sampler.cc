#include "filter_policy/policy/key_sampler.h"

namespace linebloom {
namespace {

// Bounds the memory, to 8 MB.
constexpr size_t kMaxKeys = 8192;
constexpr size_t kMaxKeyBytes = 1024;  // longer keys are not sampled

constexpr uint32_t kMinInterval = 256;

// A batch of 32 keys, RocksDB's largest, makes this many probes in eight runs.
constexpr int kProbesOfBatch = 256;

// True once the thread's pending key is destroyed. The main thread's is before
// static objects are, and one of those may look up keys until then. Rejected: a
// key without a destructor, which couldn't share the sampler.
thread_local constinit bool pending_is_gone = false;

// A rejected key whose lookup may go on.
struct PendingKey {
  ~PendingKey() { pending_is_gone = true; }

  std::shared_ptr<KeySampler> sampler;  // null: there is no such key
  std::string key;
  int probes = 0;  // since it was rejected
  std::minstd_rand random;
};
thread_local PendingKey pending;

}  // namespace

thread_local constinit uint32_t probes_until_sample = kMinInterval;

void LookAtProbe(const rocksdb::Slice& key, bool may_match, bool in_batch,
                 const std::shared_ptr<KeySampler>& sampler) {
  if (pending_is_gone) return;
  if (pending.sampler == nullptr) {
    if (!may_match && key.size() <= kMaxKeyBytes) {
      pending.key.assign(key.data(), key.size());
      pending.sampler = sampler;
      pending.probes = 0;
    }
  } else if (key == pending.key) {
    if (may_match) pending.sampler = nullptr;
  } else if (!in_batch || ++pending.probes == kProbesOfBatch) {
    std::exchange(pending.sampler, nullptr)->Add(std::move(pending.key));
  }
  // At random, or a pattern of lookups could always meet the same run.
  probes_until_sample =
      pending.sampler != nullptr
          ? 1
          : kMinInterval +
                static_cast<uint32_t>(pending.random() % (2 * kMinInterval));
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
