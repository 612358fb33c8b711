#include "filter_policy/rocksdb/canonical_key.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "filter_policy/line/hash.h"
#include "filter_policy/rocksdb/filter_bits_reader.h"

namespace linebloom {
namespace {

using rocksdb::Slice;

void Make(const CanonicalKey& canonical_key, const Slice& key,
          std::string* canonical) {
  canonical->clear();
  canonical_key.Append(key, canonical);
}

FilterPlan WithId(FilterPlan plan, const CanonicalKey& canonical_key) {
  plan.request.canonical_key = CanonicalId(canonical_key);
  return plan;
}

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
    Make(*canonical_key_, key, &canonical);
    return reader_->MayMatch(canonical);
  }

  void MayMatch(int num_keys, Slice** keys, bool* may_match) override {
    constexpr int kBatch = 32;  // RocksDB's largest
    std::array<std::string, kBatch> canonical;
    std::array<Slice, kBatch> slices;
    std::array<Slice*, kBatch> pointers;
    for (int begin = 0; begin < num_keys; begin += kBatch) {
      const int count = std::min(kBatch, num_keys - begin);
      for (int i = 0; i < count; ++i) {
        Make(*canonical_key_, *keys[begin + i], &canonical[i]);
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

}  // namespace

uint64_t CanonicalId(const CanonicalKey& canonical_key) {
  // Without a name no database opens, but an SstFileWriter writes its file.
  const char* const name = canonical_key.Name();
  return std::max(HashUnseeded(name, name == nullptr ? 0 : std::strlen(name)),
                  uint64_t{1});
}

CanonicalFilterBitsBuilder::CanonicalFilterBitsBuilder(
    std::shared_ptr<const CanonicalKey> canonical_key, FilterPlan plan,
    bool detect_corruption)
    : FilterBitsBuilder(WithId(std::move(plan), *canonical_key),
                        detect_corruption),
      canonical_key_(std::move(canonical_key)) {}

void CanonicalFilterBitsBuilder::AddKey(const Slice& key) {
  Make(*canonical_key_, key, &key_);
  FilterBitsBuilder::AddKey(key_);
}

void CanonicalFilterBitsBuilder::AddKeyAndAlt(const Slice& key,
                                              const Slice& alt) {
  Make(*canonical_key_, key, &key_);
  Make(*canonical_key_, alt, &alt_);
  FilterBitsBuilder::AddKeyAndAlt(key_, alt_);
}

std::unique_ptr<rocksdb::FilterBitsReader> NewCanonicalFilterBitsReader(
    std::shared_ptr<const CanonicalKey> canonical_key, const Slice& block,
    const rocksdb::FilterPolicy& built_in) {
  auto reader =
      NewFilterBitsReader(block, built_in, CanonicalId(*canonical_key));
  return std::make_unique<CanonicalFilterBitsReader>(std::move(canonical_key),
                                                     std::move(reader));
}

}  // namespace linebloom
