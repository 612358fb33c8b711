#include "tools/compare/keys.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <fstream>
#include <memory>
#include <numeric>
#include <random>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "tools/shared/policies.h"

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

constexpr int kZipfStretches = 1000;

// Limits how far apart generated rows must be for missing keys to fit in
// between (workload.cc).
constexpr double kMinPercent = 0.1;
constexpr double kMaxPercent = 99.9;
constexpr double kMinExponent = 0.1;
constexpr double kMaxExponent = 2;

absl::Status OutOfRange(absl::string_view text) {
  return absl::InvalidArgumentError(absl::StrCat(
      "--skew='", text, "': must be A/B with ", kMinPercent,
      " <= B <= A <= ", kMaxPercent, ", such as 80/20, or zipf:S with S from ",
      kMinExponent, " to ", kMaxExponent, ", such as zipf:0.99"));
}

bool Read(absl::string_view text, double min, double max, double* number) {
  return absl::SimpleAtod(text, number) && *number >= min && *number <= max;
}

// `lookups` and `keys` are shares.
std::vector<Skew::Stretch> HotRange(double lookups, double keys, double begin) {
  const double cold = (1 - lookups) / (1 - keys);  // per key
  const double end = begin + keys;
  return {{0, begin, cold * begin},
          {begin, end, lookups},
          {end, 1, cold * (1 - end)}};
}

std::vector<Skew::Stretch> Zipf(double exponent, uint64_t seed) {
  std::vector<double> popularity(kZipfStretches);
  for (int i = 0; i < kZipfStretches; ++i) {
    popularity[i] = std::pow(i + 1, -exponent);
  }
  const double all = std::accumulate(popularity.begin(), popularity.end(), 0.0);
  std::shuffle(popularity.begin(), popularity.end(), std::mt19937_64(seed));
  std::vector<Skew::Stretch> stretches;
  for (int i = 0; i < kZipfStretches; ++i) {
    stretches.push_back({1.0 * i / kZipfStretches,
                         1.0 * (i + 1) / kZipfStretches, popularity[i] / all});
  }
  return stretches;
}

// The first of `size` keys that is at `place` or after it.
uint64_t KeyAt(double place, uint64_t size) {
  return static_cast<uint64_t>(std::ceil(place * size - 1e-9));
}

// Visits each of begin to end - 1 once, in a scattered order.
struct ScatteredOrder {
  ScatteredOrder(uint64_t first, uint64_t end, uint64_t seed)
      : begin(first), size(end - first), left(size) {
    next = size == 0 ? 0 : Mix(seed) % size;
    // Steps by the golden ratio are far apart. Without a common factor they
    // reach every number before repeating one.
    step = std::max<uint64_t>(1, static_cast<uint64_t>(0.6180339887 * size));
    while (std::gcd(step, size) > 1) ++step;
  }

  // There must be some left.
  uint64_t Next() {
    --left;
    return begin + std::exchange(next, (next + step) % size);
  }

  uint64_t begin;
  uint64_t size;
  uint64_t left;
  uint64_t step;
  uint64_t next;
};

// The share of the `keys`, at least one, that are smaller than `key`.
double PlaceOf(absl::string_view key, const Keys& keys,
               const rocksdb::Comparator& comparator) {
  const auto are_smaller = [&](uint64_t count) {
    const rocksdb::Slice slice(key.data(), key.size());
    return comparator.Compare(keys.at(count - 1), slice) < 0;
  };
  const uint64_t smaller = LargestThat(1, keys.size, are_smaller).value_or(0);
  return 1.0 * smaller / keys.size;
}

std::string RepeatedLookup(const LookupMix& mix, uint64_t i) {
  const uint64_t random = Mix(Mix(mix.seed, 5), i);
  const bool exists = MixedShare(random) < mix.hit_ratio;
  const Keys& keys = exists ? mix.existing : mix.missing;
  const Skew::Stretch& stretch =
      mix.skew.stretches()[mix.skew.Draw(MixedShare(Mix(random, 2)))];
  const uint64_t begin = KeyAt(stretch.begin, keys.size);
  const uint64_t end = KeyAt(stretch.end, keys.size);
  const auto number =
      begin + static_cast<uint64_t>(MixedShare(Mix(random, 1)) * (end - begin));
  return keys.at(std::min(number, keys.size - 1));
}

}  // namespace

void KeyList::Add(absl::string_view key) {
  bytes_.append(key.data(), key.size());
  ends_.push_back(bytes_.size());
}

void KeyList::EndBatch(uint64_t size) {
  if (size > 1) batches_[ends_.size()] = ends_.size() - size;
}

uint64_t KeyList::Together(uint64_t i) const {
  const auto batch = batches_.upper_bound(i);
  return batch != batches_.end() && batch->second <= i ? batch->first - i : 1;
}

absl::string_view KeyList::operator[](uint64_t i) const {
  const uint64_t begin = i == 0 ? 0 : ends_[i - 1];
  return absl::string_view(bytes_).substr(begin, ends_[i] - begin);
}

Keys KeysOf(KeyList list) {
  const auto shared = std::make_shared<const KeyList>(std::move(list));
  uint64_t bytes = 0;
  for (uint64_t i = 0; i < shared->size(); ++i) bytes += (*shared)[i].size();
  return {shared->size(), bytes,
          [shared](uint64_t i) { return std::string((*shared)[i]); }};
}

Keys PartOf(const KeyList& keys, uint64_t begin, uint64_t end) {
  return {end - begin, 0,
          [&keys, begin](uint64_t i) { return std::string(keys[begin + i]); },
          [&keys, begin](uint64_t i) { return keys.Together(begin + i); }};
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
    if (!key.empty()) keys.Add(key);
  }
  // Opening a folder succeeds like opening a file, but reading it fails.
  if (!file.eof()) {
    return absl::ErrnoToStatus(
        errno, absl::StrCat("cannot read --", flag, "='", path, "'"));
  }
  if (keys.size() == 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("--", flag, "='", path, "' holds no keys"));
  }
  return keys;
}

KeyList SortedAndUnique(const KeyList& keys,
                        const rocksdb::Comparator& comparator) {
  std::vector<rocksdb::Slice> slices(keys.size());
  for (uint64_t i = 0; i < keys.size(); ++i) {
    slices[i] = {keys[i].data(), keys[i].size()};
  }
  std::ranges::sort(slices, [&](const auto& a, const auto& b) {
    return comparator.Compare(a, b) < 0;
  });
  slices.erase(std::unique(slices.begin(), slices.end()), slices.end());
  KeyList sorted;
  for (const rocksdb::Slice& slice : slices) {
    sorted.Add({slice.data(), slice.size()});
  }
  return sorted;
}

HeldOut HoldOut(const KeyList& sorted, uint64_t nth) {
  HeldOut split;
  for (uint64_t i = 0; i < sorted.size(); ++i) {
    const bool inside = i > 0 && i + 1 < sorted.size();
    const bool held_out = inside && i % nth == nth / 2;
    (held_out ? split.missing : split.rows).Add(sorted[i]);
  }
  return split;
}

absl::StatusOr<Skew> Skew::Parse(absl::string_view text, uint64_t seed) {
  if (text.empty()) return Skew();
  const uint64_t place = Mix(seed, 4);
  absl::string_view rest = text;
  if (absl::ConsumePrefix(&rest, "zipf:")) {
    double exponent = 0;
    if (!Read(rest, kMinExponent, kMaxExponent, &exponent)) {
      return OutOfRange(text);
    }
    return Skew(Zipf(exponent, place),
                absl::StrFormat("%d ranges of keys share them by Zipf's law, "
                                "exponent %g",
                                kZipfStretches, exponent));
  }
  const std::pair<absl::string_view, absl::string_view> parts =
      absl::StrSplit(text, absl::MaxSplits('/', 1));
  double lookups = 0;
  double keys = 0;
  if (!Read(parts.first, kMinPercent, kMaxPercent, &lookups) ||
      !Read(parts.second, kMinPercent, lookups, &keys)) {
    return OutOfRange(text);
  }
  const double begin = (1 - keys / 100) * MixedShare(place);
  return Skew(HotRange(lookups / 100, keys / 100, begin),
              absl::StrFormat("%g %% of them in the %g %% of the key space "
                              "from %.1f to %.1f %%",
                              lookups, keys, 100 * begin, 100 * begin + keys));
}

size_t Skew::Draw(double random) const {
  const auto end = std::ranges::upper_bound(ends_, random);
  // The sums may end slightly below 1.
  return std::min<size_t>(end - ends_.begin(), stretches_.size() - 1);
}

double Skew::LookupsBetween(double begin, double end) const {
  double lookups = 0;
  for (const Stretch& stretch : stretches_) {
    const double common =
        std::min(end, stretch.end) - std::max(begin, stretch.begin);
    if (common <= 0) continue;
    lookups += stretch.lookups * common / (stretch.end - stretch.begin);
  }
  return lookups;
}

double Skew::Peak() const {
  double peak = 0;
  for (const Stretch& stretch : stretches_) {
    const double keys = stretch.end - stretch.begin;
    if (keys > 0) peak = std::max(peak, stretch.lookups / keys);
  }
  return peak;
}

Skew::Skew(std::vector<Stretch> stretches, std::string words)
    : stretches_(std::move(stretches)), words_(std::move(words)) {
  ends_.clear();
  double sum = 0;
  for (const Stretch& stretch : stretches_) {
    ends_.push_back(sum += stretch.lookups);
  }
}

Lookups ChooseLookups(const LookupMix& mix, uint64_t count) {
  // floor(n * ratio) of n lookups are for existing rows.
  const auto hits_of = [&](uint64_t n) {
    return static_cast<uint64_t>(std::floor(n * mix.hit_ratio + 1e-9));
  };
  Lookups chosen;
  ScatteredOrder existing(0, mix.existing.size, Mix(mix.seed, 1));
  std::vector<ScatteredOrder> missing;  // by stretch
  for (const Skew::Stretch& stretch : mix.skew.stretches()) {
    missing.emplace_back(KeyAt(stretch.begin, mix.missing.size),
                         KeyAt(stretch.end, mix.missing.size),
                         Mix(mix.seed, 2 + missing.size()));
  }
  uint64_t drawn = 0;
  for (uint64_t i = 0; i < count; ++i) {
    const bool exists = hits_of(i + 1) > hits_of(i);
    ScatteredOrder& order = exists ? existing
                                   : missing[mix.skew.Draw(MixedShare(
                                         Mix(Mix(mix.seed, 3), drawn++)))];
    if (order.left == 0) break;
    chosen.keys.Add((exists ? mix.existing : mix.missing).at(order.Next()));
    chosen.existing += exists ? 1 : 0;
  }
  return chosen;
}

Keys RepeatedLookups(const LookupMix& mix, uint64_t count) {
  return {count, 0, [mix](uint64_t i) { return RepeatedLookup(mix, i); }};
}

double LookupsBetween(const LookupMix& mix,
                      const rocksdb::Comparator& comparator,
                      absl::string_view smallest, absl::string_view largest) {
  return mix.skew.LookupsBetween(PlaceOf(smallest, mix.missing, comparator),
                                 PlaceOf(largest, mix.missing, comparator));
}

}  // namespace linebloom::tools
