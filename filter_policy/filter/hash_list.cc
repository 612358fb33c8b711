#include "filter_policy/filter/hash_list.h"

#include <utility>

namespace linebloom {

HashList::Bucket& HashList::MakeRoomFor(uint64_t hash) {
  if (bucket_mask_ == 0 && size_ >= kFew) Spread();
  Bucket& bucket = BucketOf(hash);
  if (bucket.next == bucket.end) {
    // Not make_unique: that would clear memory that is written anyway.
    bucket.chunks.push_back(std::unique_ptr<uint64_t[]>(new uint64_t[kChunk]));
    bucket.next = bucket.chunks.back().get();
    bucket.end = bucket.next + kChunk;
  }
  return bucket;
}

void HashList::Spread() {
  HashList many;
  many.buckets_ = std::vector<Bucket>(size_t{1} << kBucketBits);
  many.bucket_mask_ = many.buckets_.size() - 1;
  VisitAll([&many](std::span<const uint64_t> chunk) {
    for (const uint64_t hash : chunk) many.Add(hash);
  });
  *this = std::move(many);  // unchanged until here if memory has run out
}

}  // namespace linebloom
