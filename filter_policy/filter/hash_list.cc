#include "filter_policy/filter/hash_list.h"

#include <utility>

namespace linebloom {

HashList::Bucket& HashList::MakeRoomFor(uint64_t hash) {
  if (bucket_mask_ == 0 && size_ >= kFew) Spread();
  Bucket& bucket = BucketOf(hash);
  if (bucket.next == bucket.end) {
    // Not make_unique: that would clear memory that is written anyway.
    bucket.chunks.emplace_back(new uint64_t[kChunk]);
    bucket.next = bucket.chunks.back().get();
    bucket.end = bucket.next + kChunk;
  }
  return bucket;
}

void HashList::Spread() {
  const HashList few = std::exchange(*this, HashList());
  buckets_ = std::vector<Bucket>(size_t{1} << kBucketBits);
  bucket_mask_ = buckets_.size() - 1;
  few.VisitAll([this](std::span<const uint64_t> chunk) {
    for (const uint64_t hash : chunk) Add(hash);
  });
}

}  // namespace linebloom
