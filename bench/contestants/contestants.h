// The filters from outside RocksDB that filter_bench measures, built and probed
// like RocksDB's own: through RocksDB's interfaces, from keys that they hash
// themselves.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "filter_policy/line/hash.h"
#include "filter_policy/policy/rocksdb_filter_bits.h"

namespace linebloom {

// The hashes of a filter's keys, in the container that RocksDB's builders use.
using Hashes = std::deque<uint64_t>;

// A finished filter.
struct FilterBytes {
  std::unique_ptr<char[]> bytes;
  size_t size;
};

struct Contestant {
  std::string name;
  // How many cache lines a lookup of a missing key touches on average, if the
  // filter starts at a cache line.
  double cache_lines;
  const rocksdb::FilterPolicy* (*new_policy)();
};

// A Filter has
//   static FilterBytes Build(const Hashes&);
//   explicit Filter(const rocksdb::Slice&), over bytes that outlive it;
//   bool MayMatch(uint64_t hash) const;
//   void Prefetch(uint64_t hash) const (optional).
template <typename Filter>
class ContestantBuilder final : public FilterBitsBuilderOfAnyVersion {
 public:
  void AddKey(const rocksdb::Slice& key) override {
    hashes_.push_back(HashUnseeded(key.data(), key.size()));
  }

  void AddKeyAndAlt(const rocksdb::Slice& key,
                    const rocksdb::Slice& alt) override {
    AddKey(key);
    AddKey(alt);
  }

  size_t EstimateEntriesAdded() override { return hashes_.size(); }

  rocksdb::Slice Finish(std::unique_ptr<const char[]>* buffer) override {
    FilterBytes filter = Filter::Build(hashes_);
    hashes_.clear();
    *buffer = std::move(filter.bytes);
    return {buffer->get(), filter.size};
  }

  // RocksDB calls this to cut partitions; no benchmark does.
  size_t ApproximateNumEntries(size_t bytes) override { return bytes; }
  size_t CalculateSpace(size_t num_entries) override { return num_entries; }
  double EstimatedFpRate(size_t /*num_entries*/, size_t /*bytes*/) override {
    return 1;
  }

 private:
  Hashes hashes_;
};

template <typename Filter>
class ContestantReader final : public rocksdb::FilterBitsReader {
 public:
  explicit ContestantReader(const rocksdb::Slice& filter) : filter_(filter) {}

  bool MayMatch(const rocksdb::Slice& key) override {
    return filter_.MayMatch(HashUnseeded(key.data(), key.size()));
  }

  void MayMatch(int num_keys, rocksdb::Slice** keys, bool* may_match) override {
    constexpr int kMaxKeys = 32;  // the most that RocksDB looks up at once
    uint64_t hashes[kMaxKeys];
    for (int i = 0; i < num_keys; ++i) {
      hashes[i] = HashUnseeded(keys[i]->data(), keys[i]->size());
      if constexpr (requires { filter_.Prefetch(hashes[i]); }) {
        filter_.Prefetch(hashes[i]);
      }
    }
    for (int i = 0; i < num_keys; ++i) {
      may_match[i] = filter_.MayMatch(hashes[i]);
    }
  }

 private:
  const Filter filter_;
};

// Only for benchmarks: cuts no partitions and doesn't handle damaged filters.
template <typename Filter>
class ContestantPolicy final : public rocksdb::FilterPolicy {
 public:
  static const rocksdb::FilterPolicy* New() { return new ContestantPolicy(); }

  const char* Name() const override { return "contestant"; }
  const char* CompatibilityName() const override { return Name(); }

  rocksdb::FilterBitsBuilder* GetBuilderWithContext(
      const rocksdb::FilterBuildingContext& /*context*/) const override {
    return new ContestantBuilder<Filter>();
  }

  rocksdb::FilterBitsReader* GetFilterBitsReader(
      const rocksdb::Slice& filter) const override {
    return new ContestantReader<Filter>(filter);
  }
};

// The high half of the product: for a random `hash`, a random number below
// `bound`.
inline uint64_t HighProduct(uint64_t hash, uint64_t bound) {
  return static_cast<uint64_t>((static_cast<unsigned __int128>(hash) * bound) >>
                               64);
}

// Each hash once.
Hashes DistinctOf(Hashes hashes);

// All of them.
const std::vector<Contestant>& Contestants();

// Null if there is no such contestant.
const Contestant* FindContestant(const std::string& name);

std::vector<Contestant> BinaryFuseContestants();
std::vector<Contestant> CuckooContestants();

// Those of Boost.Bloom that keep all bits of a key in one block. Empty without
// Boost.Bloom (Boost 1.89), or without AVX2, which they are compiled for.
std::vector<Contestant> BoostBloomContestants();

}  // namespace linebloom
