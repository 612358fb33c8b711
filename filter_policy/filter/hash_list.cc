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

LinePartition::LinePartition(const HashList& hashes, uint32_t lines)
    : hashes_(hashes), lines_(lines) {}

const LinePartition::Group& LinePartition::Next() {
  // More than once if a group spans buckets.
  while (next_group_ == end_of_whole_) LoadBucket();
  return groups_[next_group_++ - first_group_];
}

uint64_t LinePartition::FirstHashOf(size_t bucket) const {
  return hashes_.bucket_count() == 1
             ? 0
             : uint64_t{bucket} << (64 - HashList::kBucketBits);
}

void LinePartition::LoadBucket() {
  const bool is_last = next_bucket_ + 1 == hashes_.bucket_count();
  const uint32_t last_group =
      is_last ? GroupsOf(lines_) - 1
              : GroupOf(FirstHashOf(next_bucket_ + 1) - 1, lines_);
  const bool goes_on =
      !is_last && GroupOf(FirstHashOf(next_bucket_ + 1), lines_) == last_group;
  first_group_ = next_group_;
  end_of_whole_ = goes_on ? last_group : last_group + 1;
  groups_.resize(last_group - first_group_ + 1);
  slices_.assign(groups_.size(), {});

  const auto visit_hashes = [&](const auto& visit) {
    auto* const slices = reinterpret_cast<size_t*>(slices_.data());
    const uint64_t first = uint64_t{first_group_} * kLinesPerGroup * kSlices;
    const auto visit_all = [&](std::span<const uint64_t> hashes) {
      for (const uint64_t hash : hashes) {
        visit(hash, &slices[SliceOfFilter(hash, lines_) - first]);
      }
    };
    visit_all(carried_);
    hashes_.VisitBucket(next_bucket_, visit_all);
  };
  size_t hashes = 0;
  visit_hashes([&hashes](uint64_t, size_t* count) {
    ++*count;
    ++hashes;
  });
  loaded_.resize(hashes);
  size_t place = 0;
  for (size_t i = 0; i < groups_.size(); ++i) {
    // The lines of a smaller group can't exchange slices, and those of a group
    // that goes on don't yet.
    const uint32_t group = first_group_ + static_cast<uint32_t>(i);
    const bool exchanges = group < end_of_whole_ &&
                           lines_ - kLinesPerGroup * group >= kLinesPerGroup;
    groups_[i].code = exchanges ? ChooseCode(slices_[i]) : 0;
    place = PlaceLines(place, &slices_[i], &groups_[i]);
  }
  visit_hashes(
      [this](uint64_t hash, size_t* next) { loaded_[(*next)++] = hash; });

  ++next_bucket_;
  carried_.clear();
  if (goes_on) {
    const auto rest = groups_.back().lines.front().data() - loaded_.data();
    carried_.assign(loaded_.begin() + rest, loaded_.end());
  }
}

size_t LinePartition::PlaceLines(size_t place, SliceCounts* slices,
                                 Group* group) {
  std::array<size_t, kLinesPerGroup> next = {};
  for (uint32_t line = 0; line < kLinesPerGroup; ++line) {
    for (uint32_t slice = 0; slice < kSlices; ++slice) {
      next[BalancedLine(line, slice, group->code)] += (*slices)[line][slice];
    }
  }
  for (uint32_t line = 0; line < kLinesPerGroup; ++line) {
    group->lines[line] = std::span(loaded_).subspan(place, next[line]);
    place += std::exchange(next[line], place);
  }
  for (uint32_t line = 0; line < kLinesPerGroup; ++line) {
    for (uint32_t slice = 0; slice < kSlices; ++slice) {
      size_t& of_line = next[BalancedLine(line, slice, group->code)];
      of_line += std::exchange((*slices)[line][slice], of_line);
    }
  }
  return place;
}

}  // namespace linebloom
