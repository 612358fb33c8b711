#include "filter_policy/filter/hash_list.h"

#include <utility>

#include "filter_policy/line/line.h"

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

GroupPartition::GroupPartition(const HashList& hashes, uint32_t lines)
    : hashes_(hashes), lines_(lines) {}

std::span<const uint64_t> GroupPartition::Next() {
  // More than once if a group spans buckets.
  while (next_group_ == end_of_whole_) LoadBucket();
  return HashesOf(next_group_++);
}

uint64_t GroupPartition::FirstHashOf(size_t bucket) const {
  return hashes_.bucket_count() == 1
             ? 0
             : uint64_t{bucket} << (64 - HashList::kBucketBits);
}

std::span<const uint64_t> GroupPartition::HashesOf(uint32_t group) const {
  const size_t* const start = &starts_[group - first_group_];
  return std::span(loaded_).subspan(start[0], start[1] - start[0]);
}

void GroupPartition::LoadBucket() {
  const bool is_last = next_bucket_ + 1 == hashes_.bucket_count();
  const uint32_t last_group =
      is_last ? GroupsOf(lines_) - 1
              : GroupOf(FirstHashOf(next_bucket_ + 1) - 1, lines_);
  const auto visit_hashes = [&](const auto& visit) {
    for (const uint64_t hash : carried_) visit(hash);
    hashes_.VisitBucket(next_bucket_, [&](std::span<const uint64_t> chunk) {
      for (const uint64_t hash : chunk) visit(hash);
    });
  };

  // Groups are counted two places further on, so that a group's count first
  // becomes the start of the next group and then, while its hashes are moved,
  // its end.
  first_group_ = next_group_;
  starts_.assign(last_group - first_group_ + 3, 0);
  visit_hashes([&](uint64_t hash) {
    ++starts_[GroupOf(hash, lines_) - first_group_ + 2];
  });
  for (size_t i = 1; i < starts_.size(); ++i) starts_[i] += starts_[i - 1];
  loaded_.resize(starts_.back());
  visit_hashes([&](uint64_t hash) {
    loaded_[starts_[GroupOf(hash, lines_) - first_group_ + 1]++] = hash;
  });

  ++next_bucket_;
  const bool goes_on =
      !is_last && GroupOf(FirstHashOf(next_bucket_), lines_) == last_group;
  end_of_whole_ = goes_on ? last_group : last_group + 1;
  carried_.clear();
  if (goes_on) {
    const std::span<const uint64_t> rest = HashesOf(last_group);
    carried_.assign(rest.begin(), rest.end());
  }
}

}  // namespace linebloom
