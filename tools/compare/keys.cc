#include "tools/compare/keys.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <fstream>
#include <memory>
#include <numeric>
#include <random>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/strip.h"

namespace linebloom::tools {
namespace {

// A uniform number from 0 to below 1.
double MixedShare(uint64_t mixed) { return (mixed >> 11) / 0x1p53; }

constexpr uint64_t kNumberedKeyBytes = 16;

Keys Numbered(uint64_t size, std::function<uint64_t(uint64_t)> number) {
  return {size, kNumberedKeyBytes * size,
          [number = std::move(number)](uint64_t i) {
            return absl::StrFormat("user%012d", number(i));
          }};
}

// Visits each number below `end` once, in a scattered order.
struct ScatteredOrder {
  ScatteredOrder(uint64_t end, uint64_t seed) : size(end), left(end) {
    next = size == 0 ? 0 : Mix(seed) % size;
    // Steps by the golden ratio are far apart. Without a common factor they
    // reach every number before repeating one.
    step = std::max<uint64_t>(1, static_cast<uint64_t>(0.6180339887 * size));
    while (std::gcd(step, size) > 1) ++step;
  }

  // There must be some left.
  uint64_t Next() {
    --left;
    return std::exchange(next, (next + step) % size);
  }

  uint64_t size;
  uint64_t left;
  uint64_t step;
  uint64_t next;
};

std::string RepeatedLookup(const LookupMix& mix, uint64_t i) {
  const uint64_t random = Mix(Mix(mix.seed, 5), i);
  const bool exists = MixedShare(random) < mix.hit_ratio;
  const Keys& keys = exists ? mix.existing : mix.missing;
  const size_t range = mix.popularity.Draw(MixedShare(Mix(random, 2)));
  const uint64_t begin = mix.popularity.Begin(range, keys.size);
  const uint64_t end = mix.popularity.Begin(range + 1, keys.size);
  const auto number =
      begin + static_cast<uint64_t>(MixedShare(Mix(random, 1)) * (end - begin));
  return keys.at(std::min(number, keys.size - 1));
}

}  // namespace

Keys KeysOf(KeyList list) {
  const auto shared = std::make_shared<const KeyList>(std::move(list));
  uint64_t bytes = 0;
  for (const std::string& key : *shared) bytes += key.size();
  return {shared->size(), bytes, [shared](uint64_t i) { return (*shared)[i]; }};
}

Keys NumberedKeys(uint64_t rows, uint64_t stride) {
  return Numbered(rows, [stride](uint64_t i) { return i * stride; });
}

Keys KeysBetween(uint64_t rows, uint64_t stride) {
  return Numbered((rows - 1) * (stride - 1), [stride](uint64_t i) {
    return i / (stride - 1) * stride + 1 + i % (stride - 1);
  });
}

absl::StatusOr<KeyList> ReadKeyFile(absl::string_view flag,
                                    const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  KeyList keys;
  std::string line;
  while (std::getline(file, line)) {
    absl::string_view key = line;
    absl::ConsumeSuffix(&key, "\r");
    if (!key.empty()) keys.emplace_back(key);
  }
  // Opening a folder succeeds like opening a file, but reading it fails.
  if (!file.eof()) {
    return absl::ErrnoToStatus(
        errno, absl::StrCat("cannot read --", flag, "='", path, "'"));
  }
  if (keys.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat("--", flag, "='", path, "' holds no keys"));
  }
  return keys;
}

KeyList SortedAndUnique(KeyList keys, const rocksdb::Comparator& comparator) {
  std::ranges::sort(keys, [&](const std::string& a, const std::string& b) {
    return comparator.Compare(a, b) < 0;
  });
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  return keys;
}

Popularity::Popularity(double zipf_exponent, uint64_t seed) : ends_(1000) {
  for (size_t i = 0; i < ends_.size(); ++i) {
    ends_[i] = std::pow(i + 1, -zipf_exponent);
  }
  const double all = std::accumulate(ends_.begin(), ends_.end(), 0.0);
  peak = ends_.size() / all;
  std::shuffle(ends_.begin(), ends_.end(), std::mt19937_64(Mix(seed, 4)));
  double sum = 0;
  for (double& end : ends_) end = sum += end / all;
}

uint64_t Popularity::Begin(size_t range, uint64_t keys) const {
  return static_cast<uint64_t>(
      std::ceil(1.0 * range / ends_.size() * keys - 1e-9));
}

size_t Popularity::Draw(double random) const {
  const auto end = std::ranges::upper_bound(ends_, random);
  // The sums may end slightly below 1.
  return std::min<size_t>(end - ends_.begin(), ends_.size() - 1);
}

Keys DistinctLookups(const LookupMix& mix, uint64_t count) {
  // floor(n * ratio) of n lookups are for existing rows.
  const auto hits_of = [&](uint64_t n) {
    return static_cast<uint64_t>(std::floor(n * mix.hit_ratio + 1e-9));
  };
  KeyList chosen;
  ScatteredOrder existing(mix.existing.size, Mix(mix.seed, 1));
  ScatteredOrder missing(mix.missing.size, Mix(mix.seed, 2));
  for (uint64_t i = 0; i < count; ++i) {
    const bool exists = hits_of(i + 1) > hits_of(i);
    ScatteredOrder& order = exists ? existing : missing;
    if (order.left == 0) break;
    chosen.push_back((exists ? mix.existing : mix.missing).at(order.Next()));
  }
  return KeysOf(std::move(chosen));
}

Keys RepeatedLookups(const LookupMix& mix, uint64_t count) {
  return {count, 0, [mix](uint64_t i) { return RepeatedLookup(mix, i); }};
}

}  // namespace linebloom::tools
