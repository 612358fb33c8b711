// Samples the keys of lookups that filters spare a read, for heat_aware.
//
// The filters of all runs reject a missing key; one that is in the largest run
// is rejected by those of the runs above it. No reader knows its run, since
// RocksDB creates it from the filter's bytes alone. But a thread probes one run
// after the other, so it keeps a rejected key until it has seen whether a later
// filter lets it through.
//
// Rejected: RocksDB's SstFileMetaData::num_reads_sampled, which counts keys
// that are found, and scans. With a fifth of the lookups missing in one half of
// the keys and the others finding rows in the other half, filters sized by it
// cost more reads than equal ones. A mark in the filters of the largest run,
// which files that were moved, ingested or written earlier would lack.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "filter_policy/policy/rocksdb_filter_bits.h"

namespace linebloom {

struct KeySamples {
  std::vector<std::string> keys;
  double weight = 1;  // the sampled keys that each stands for
};

// Thread-safe.
class KeySampler {
 public:
  // Keeps a random choice of all keys since the last Take().
  void Add(std::string key);

  KeySamples Take();

 private:
  std::mutex mutex_;
  std::vector<std::string> keys_;
  uint64_t added_ = 0;
  std::minstd_rand random_;
};

// The probes until the calling thread looks at one. A library loaded at run
// time would call a function for it on each probe; glibc, unlike musl, reserves
// memory for the faster way.
#ifdef __GLIBC__
__attribute__((tls_model("initial-exec")))
#endif
extern thread_local constinit uint32_t probes_until_sample;

// Looks at a probe's answer. `in_batch` if the thread may probe other keys
// before it is done with this one.
void LookAtProbe(const rocksdb::Slice& key, bool may_match, bool in_batch,
                 const std::shared_ptr<KeySampler>& sampler);

// Answers as the reader to which `Pointer` points, and samples one probe in
// 512. RocksDB may keep it in its cache for longer than the policy lives.
template <typename Pointer>
class SamplingReader final : public rocksdb::FilterBitsReader {
 public:
  SamplingReader(Pointer reader, std::shared_ptr<KeySampler> sampler)
      : reader_(std::move(reader)), sampler_(std::move(sampler)) {}

  bool MayMatch(const rocksdb::Slice& key) override {
    return --probes_until_sample != 0 ? reader_->MayMatch(key)
                                      : MayMatchAndLook(key);
  }

  void MayMatch(int num_keys, rocksdb::Slice** keys, bool* may_match) override {
    reader_->MayMatch(num_keys, keys, may_match);
    for (int i = 0; i < num_keys; ++i) {
      if (--probes_until_sample != 0) continue;
      LookAtProbe(*keys[i], may_match[i], /*in_batch=*/true, sampler_);
    }
  }

 private:
  // Not inlined, so that most probes need no stack.
  __attribute__((noinline)) bool MayMatchAndLook(const rocksdb::Slice& key) {
    const bool may_match = reader_->MayMatch(key);
    LookAtProbe(key, may_match, /*in_batch=*/false, sampler_);
    return may_match;
  }

  Pointer reader_;
  const std::shared_ptr<KeySampler> sampler_;
};

}  // namespace linebloom
