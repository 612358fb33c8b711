#include "filter_policy/policy/filter_bits_reader.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "filter_policy/filter/filter_block.h"
#include "filter_policy/filter/filter_reader.h"
#include "filter_policy/line/short_key_hash.inc"
#include "filter_policy/policy/filter_bits_builder.h"
#include "filter_policy/policy/policy_options.h"

namespace linebloom {
namespace {

using rocksdb::Slice;

class LineFilterBitsReader : public rocksdb::FilterBitsReader {
 public:
  explicit LineFilterBitsReader(const FilterReader& filter) : filter_(filter) {}

  bool MayMatch(const Slice& key) override {
    return filter_.MayMatch(key.data(), key.size());
  }

  // Hashes and prefetches a whole batch before the first probe, so that cache
  // misses overlap.
  void MayMatch(int num_keys, Slice** keys, bool* may_match) override {
    std::array<uint64_t, kMaxBatch> hashes;
    for (int begin = 0; begin < num_keys; begin += kMaxBatch) {
      const int count = std::min(kMaxBatch, num_keys - begin);
      for (int i = 0; i < count; ++i) {
        hashes[i] = HashOf(*keys[begin + i]);
        filter_.Prefetch(hashes[i]);
      }
      filter_.MayMatch(hashes.data(), count, may_match + begin);
    }
  }

 protected:
  const FilterReader filter_;

 private:
  // Short keys inline: with calls, batches take 4 to 8 % longer.
  uint64_t HashOf(const Slice& key) const {
    const KeyHash& hash = filter_.hash();
    return key.size() > kShortKey || hash.seed() != 0
               ? hash(key.data(), key.size())
               : HashShortKey(hash.line(), key.data(), key.size());
  }
};

// How many probes there are until one is counted, with that one; 0 if none was
// made yet. By threads, several of which may share one and then lose a probe
// now and then.
//
// Rejected: a variable of the thread. In a shared library it is either in
// static memory (tls_model("initial-exec")), of which glibc has little left
// where others use it, and musl none after dlopen(), or each probe calls a
// function for it: a hot miss takes 1.16 times as long with TLS descriptors,
// and 1.09 times with this. A counter in each reader: threads that share a
// filter would fight for it.
struct alignas(64) Countdown {
  std::atomic<int> left = 0;
};
constinit std::array<Countdown, 64> countdowns;

// The stacks of threads, and with them these addresses, are whole pages apart.
Countdown& CountdownOfThisThread() {
  const auto thread = reinterpret_cast<uintptr_t>(__builtin_thread_pointer());
  return countdowns[(thread >> 12) % countdowns.size()];
}

// A distance to the next probe that is counted, 1 or more. They have a
// geometric distribution, so that each probe is counted with the same
// probability, also the first ones of a thread that makes few.
int DrawDistance(uint64_t number) {
  number = (number + 1) * 0x9e3779b97f4a7c15;  // splitmix64's
  number = (number ^ (number >> 30)) * 0xbf58476d1ce4e5b9;
  number = (number ^ (number >> 27)) * 0x94d049bb133111eb;
  number ^= number >> 31;
  const double share = (static_cast<double>(number >> 11) + 1) * 0x1p-53;
  return 1 + static_cast<int>(std::log(share) /
                              std::log1p(-1.0 / kProbesPerSample));
}

// Counts one probe in kProbesPerSample on average, which costs a hot miss 9 %.
// The distance between two is random, because each lookup probes the same runs
// in turn.
//
// Rejected: keys with certain hashes, which needs no variable of the thread.
// With Zipf's law a few keys are most of the lookups, in the sample or not.
template <bool kIsSeeded>
class SampledFilterBitsReader final : public LineFilterBitsReader {
 public:
  SampledFilterBitsReader(const FilterReader& filter,
                          std::shared_ptr<AnswerSample> sample)
      : LineFilterBitsReader(filter), sample_(std::move(sample)) {}

  bool MayMatch(const Slice& key) override {
    std::atomic<int>& left = CountdownOfThisThread().left;
    const int now = left.load(std::memory_order_relaxed);
    if (now <= 1) [[unlikely]] {
      return CountedMayMatch(key);
    }
    left.store(now - 1, std::memory_order_relaxed);
    return kIsSeeded ? filter_.MayMatch(key.data(), key.size())
                     : filter_.MayMatchUnseeded(key.data(), key.size());
  }

  void MayMatch(int num_keys, Slice** keys, bool* may_match) override {
    LineFilterBitsReader::MayMatch(num_keys, keys, may_match);
    Count(may_match, num_keys);
  }

 private:
  // Not inlined, so that other probes need no stack.
  __attribute__((noinline)) bool CountedMayMatch(const Slice& key) {
    const bool may_match = LineFilterBitsReader::MayMatch(key);
    Count(&may_match, 1);
    return may_match;
  }

  // Counts those of the answers whose turn it is.
  void Count(const bool* may_match, int count) {
    std::atomic<int>& left = CountdownOfThisThread().left;
    int next = left.load(std::memory_order_relaxed);
    if (next <= 0) next = DrawDistance(reinterpret_cast<uintptr_t>(&left));
    for (; next <= count; next += DrawDistance(Count(may_match[next - 1]))) {
    }
    left.store(next - count, std::memory_order_relaxed);
  }

  // Returns how many were counted before.
  uint64_t Count(bool may_match) {
    if (may_match) sample_->positives.fetch_add(1, std::memory_order_relaxed);
    return sample_->probes.fetch_add(1, std::memory_order_relaxed);
  }

  const std::shared_ptr<AnswerSample> sample_;
};

class ConstantFilterBitsReader final : public rocksdb::FilterBitsReader {
 public:
  explicit ConstantFilterBitsReader(bool answer) : answer_(answer) {}

  using FilterBitsReader::MayMatch;  // of several keys, one by one
  bool MayMatch(const Slice&) override { return answer_; }

 private:
  const bool answer_;
};

// RocksDB may keep a reader for longer than the policy lives. The canonical
// bytes are of each call alone: readers serve many threads, and a buffer per
// thread would be in use if the function looks up a key itself.
class CanonicalFilterBitsReader final : public rocksdb::FilterBitsReader {
 public:
  CanonicalFilterBitsReader(std::shared_ptr<const CanonicalKey> canonical_key,
                            std::unique_ptr<rocksdb::FilterBitsReader> reader)
      : canonical_key_(std::move(canonical_key)), reader_(std::move(reader)) {}

  bool MayMatch(const Slice& key) override {
    std::string canonical;
    MakeCanonical(*canonical_key_, key, &canonical);
    return reader_->MayMatch(canonical);
  }

  void MayMatch(int num_keys, Slice** keys, bool* may_match) override {
    std::array<std::string, kMaxBatch> canonical;
    std::array<Slice, kMaxBatch> slices;
    std::array<Slice*, kMaxBatch> pointers;
    for (int begin = 0; begin < num_keys; begin += kMaxBatch) {
      const int count = std::min(kMaxBatch, num_keys - begin);
      for (int i = 0; i < count; ++i) {
        MakeCanonical(*canonical_key_, *keys[begin + i], &canonical[i]);
        slices[i] = canonical[i];
        pointers[i] = &slices[i];
      }
      reader_->MayMatch(count, pointers.data(), may_match + begin);
    }
  }

 private:
  const std::shared_ptr<const CanonicalKey> canonical_key_;
  const std::unique_ptr<rocksdb::FilterBitsReader> reader_;
};

// Probes for the bytes that the function called `canonical_key` returns
// (FilterRequest).
std::unique_ptr<rocksdb::FilterBitsReader> ReaderOfBlock(
    const Slice& block, const rocksdb::FilterPolicy& built_in,
    uint64_t canonical_key, const std::shared_ptr<AnswerSample>& sample) {
  const ParsedFilter parsed = ParseFilter(block.data(), block.size());
  const std::optional<FilterReader> filter =
      FilterReader::Make(block.data(), parsed, ChosenKernel(), canonical_key);
  if (filter.has_value()) {
    if (sample == nullptr || !sample->statistics.expired()) {
      return std::make_unique<LineFilterBitsReader>(*filter);
    }
    if (filter->hash().seed() != 0) {
      return std::make_unique<SampledFilterBitsReader<true>>(*filter, sample);
    }
    return std::make_unique<SampledFilterBitsReader<false>>(*filter, sample);
  }
  if (IsOfRocksDb(parsed.kind) && canonical_key == 0) {  // not lines
    return std::unique_ptr<rocksdb::FilterBitsReader>(
        built_in.GetFilterBitsReader(block));
  }
  return std::make_unique<ConstantFilterBitsReader>(parsed.kind !=
                                                    BlockKind::kEmpty);
}

}  // namespace

std::unique_ptr<rocksdb::FilterBitsReader> NewFilterBitsReader(
    const Slice& block, const rocksdb::FilterPolicy& built_in,
    const std::shared_ptr<const CanonicalKey>& canonical_key,
    const std::shared_ptr<AnswerSample>& sample) {
  if (canonical_key == nullptr) {
    return ReaderOfBlock(block, built_in, /*canonical_key=*/0, sample);
  }
  return std::make_unique<CanonicalFilterBitsReader>(
      canonical_key,
      ReaderOfBlock(block, built_in, CanonicalId(*canonical_key), sample));
}

}  // namespace linebloom
