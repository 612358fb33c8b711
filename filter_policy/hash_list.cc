#include "filter_policy/hash_list.h"

namespace linebloom {

void HashList::Bucket::AddChunk() {
  // Not make_unique: it would clear what is written anyway.
  chunks_.emplace_back(new uint64_t[kChunk]);
  last_ = chunks_.back().get();
  used_of_last_ = 0;
}

void HashList::Spread() {
  buckets_.resize(size_t{1} << kBucketBits);
  for (const uint64_t hash : few_) {
    buckets_[hash >> (64 - kBucketBits)].Add(hash);
  }
  few_ = {};
}

}  // namespace linebloom
