#include "filter_policy/filter/line_partition.h"

#include "filter_policy/line/line.h"

namespace linebloom {

LinePartition::LinePartition(const HashList& hashes, uint32_t lines)
    : hashes_(hashes), lines_(lines) {}

std::span<const uint64_t> LinePartition::Next() {
  // More than once if a line spans buckets.
  while (next_line_ == end_of_whole_) LoadBucket();
  return HashesOf(next_line_++);
}

uint64_t LinePartition::FirstHashOf(size_t bucket) const {
  return hashes_.bucket_count() == 1
             ? 0
             : uint64_t{bucket} << (64 - HashList::kBucketBits);
}

std::span<const uint64_t> LinePartition::HashesOf(uint32_t line) const {
  const size_t* const start = &starts_[line - first_line_];
  return std::span(loaded_).subspan(start[0], start[1] - start[0]);
}

void LinePartition::LoadBucket() {
  const bool is_last = next_bucket_ + 1 == hashes_.bucket_count();
  const uint32_t last_line =
      is_last ? lines_ - 1 : LineOf(FirstHashOf(next_bucket_ + 1) - 1, lines_);
  const auto visit_hashes = [&](const auto& visit) {
    for (const uint64_t hash : carried_) visit(hash);
    hashes_.VisitBucket(next_bucket_, [&](std::span<const uint64_t> chunk) {
      for (const uint64_t hash : chunk) visit(hash);
    });
  };

  // Lines are counted two places further on, so that a line's count first
  // becomes the start of the next line and then, while its hashes are moved,
  // its end.
  first_line_ = next_line_;
  starts_.assign(last_line - first_line_ + 3, 0);
  visit_hashes([&](uint64_t hash) {
    ++starts_[LineOf(hash, lines_) - first_line_ + 2];
  });
  for (size_t i = 1; i < starts_.size(); ++i) starts_[i] += starts_[i - 1];
  loaded_.resize(starts_.back());
  visit_hashes([&](uint64_t hash) {
    loaded_[starts_[LineOf(hash, lines_) - first_line_ + 1]++] = hash;
  });

  ++next_bucket_;
  const bool goes_on =
      !is_last && LineOf(FirstHashOf(next_bucket_), lines_) == last_line;
  end_of_whole_ = goes_on ? last_line : last_line + 1;
  carried_.clear();
  if (goes_on) {
    const std::span<const uint64_t> rest = HashesOf(last_line);
    carried_.assign(rest.begin(), rest.end());
  }
}

}  // namespace linebloom
