#include "filter_policy/filter/group_partition.h"

#include "filter_policy/line/line.h"

namespace linebloom {

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
