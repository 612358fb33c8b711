#include "tools/io_compare/rows/lookups.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <optional>
#include <vector>

#include "tools/shared/numbers.h"

namespace linebloom::tools {
namespace {

// Visits each of 0 to size - 1 once, in a scattered order.
class ScatteredOrder {
 public:
  ScatteredOrder(uint64_t size, uint64_t seed)
      : size_(size), next_(size == 0 ? 0 : Mix(seed) % size) {
    // Steps by the golden ratio are far apart. Without a common factor they
    // reach every number before repeating one.
    step_ = std::max<uint64_t>(
        1, static_cast<uint64_t>(0.6180339887 * static_cast<double>(size)));
    while (std::gcd(step_, size_) > 1) ++step_;
  }

  uint64_t Next() {
    const uint64_t number = next_;
    next_ = (next_ + step_) % size_;
    return number;
  }

  uint64_t size() const { return size_; }

 private:
  uint64_t size_;
  uint64_t step_;
  uint64_t next_;
};

// The first of `size` keys that is at `place` or after it.
uint64_t KeyAt(double place, uint64_t size) {
  return static_cast<uint64_t>(
      std::ceil(place * static_cast<double>(size) - 1e-9));
}

// Draws numbers of missing keys, each once.
class MissingDraw {
 public:
  MissingDraw(uint64_t size, const Skew& skew, uint64_t seed)
      : skew_(skew), seed_(seed) {
    for (const Skew::Stretch& stretch : skew.stretches()) {
      const uint64_t begin = KeyAt(stretch.begin, size);
      const uint64_t keys = KeyAt(stretch.end, size) - begin;
      parts_.push_back(
          {begin, keys, ScatteredOrder(keys, Mix(seed, 2 + parts_.size()))});
    }
  }

  // Nothing if the key would have to come from a stretch without any left.
  std::optional<uint64_t> Next() {
    Part& part = parts_[skew_.Draw(MixedShare(Mix(Mix(seed_, 3), drawn_++)))];
    if (part.left == 0) return std::nullopt;
    --part.left;
    return part.begin + part.order.Next();
  }

 private:
  struct Part {
    uint64_t begin;
    uint64_t left;
    ScatteredOrder order;
  };

  const Skew& skew_;
  const uint64_t seed_;
  uint64_t drawn_ = 0;
  std::vector<Part> parts_;
};

// The share of the keys of `table` that are smaller than `key`.
double PlaceOf(absl::string_view key, const KeyTable& table,
               const rocksdb::Comparator& comparator) {
  uint64_t begin = 0;
  uint64_t end = table.size();
  std::string middle;
  while (begin < end) {
    const uint64_t i = begin + (end - begin) / 2;
    table.Get(i, &middle);
    if (comparator.Compare(middle, {key.data(), key.size()}) < 0) {
      begin = i + 1;
    } else {
      end = i;
    }
  }
  return static_cast<double>(begin) / static_cast<double>(table.size());
}

}  // namespace

Lookups ChooseLookups(const KeyTable& existing, const KeyTable& missing,
                      uint64_t lookups, double hit_ratio, const Skew& skew,
                      uint64_t seed) {
  // floor(n * ratio) of n lookups are for existing rows.
  const auto hits_of = [hit_ratio](uint64_t n) {
    return static_cast<uint64_t>(
        std::floor(static_cast<double>(n) * hit_ratio + 1e-9));
  };
  const auto is_possible = [&](uint64_t n) {
    return hits_of(n) <= existing.size() && n - hits_of(n) <= missing.size();
  };
  uint64_t total = 0;  // the largest possible number, by bisection
  for (uint64_t step = std::bit_floor(std::max<uint64_t>(lookups, 1)); step > 0;
       step /= 2) {
    if (total + step <= lookups && is_possible(total + step)) total += step;
  }

  Lookups chosen;
  ScatteredOrder existing_order(existing.size(), Mix(seed, 1));
  MissingDraw missing_draw(missing.size(), skew, seed);
  std::string key;
  for (uint64_t i = 0; i < total; ++i) {
    if (hits_of(i + 1) > hits_of(i)) {
      existing.Get(existing_order.Next(), &key);
      ++chosen.existing;
    } else {
      const std::optional<uint64_t> number = missing_draw.Next();
      if (!number.has_value()) break;
      missing.Get(*number, &key);
    }
    chosen.keys.Add(key);
  }
  return chosen;
}

void WarmLookups::Get(uint64_t i, std::string* key) const {
  const uint64_t random = Mix(Mix(seed, 5), i);
  const double place = MixedShare(Mix(random, 1));
  if (MixedShare(random) < hit_ratio) {
    existing->Get(
        static_cast<uint64_t>(place * static_cast<double>(existing->size())),
        key);
    return;
  }
  const Skew::Stretch& stretch =
      skew.stretches()[skew.Draw(MixedShare(Mix(random, 2)))];
  const uint64_t begin = KeyAt(stretch.begin, missing->size());
  const uint64_t end = KeyAt(stretch.end, missing->size());
  const auto number =
      begin + static_cast<uint64_t>(place * static_cast<double>(end - begin));
  missing->Get(std::min(number, missing->size() - 1), key);
}

double LookupsBetween(const KeyTable& missing, const Skew& skew,
                      const rocksdb::Comparator& comparator,
                      absl::string_view smallest, absl::string_view largest) {
  return skew.LookupsBetween(PlaceOf(smallest, missing, comparator),
                             PlaceOf(largest, missing, comparator));
}

}  // namespace linebloom::tools
