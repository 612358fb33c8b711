// Binary fuse filters: Graf and Lemire, 2022. A key has a place in each of
// kArity neighbouring segments of an array of fingerprints, solved so that the
// XOR of its places is its fingerprint; a missing key's is so only by chance.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <optional>
#include <stdexcept>
#include <vector>

#include "bench/contestants/contestants.h"

namespace linebloom {
namespace {

// Determines the places of a hash; stored before the fingerprints.
struct FuseShape {
  uint64_t
      multiplier;  // odd; each value gives a different choice of all places
  uint32_t segment_length;  // a power of two
  uint32_t starts;  // how many places a key's first segment can start at

  static FuseShape For(int arity, size_t keys);
  uint32_t PlacesFor(int arity) const {
    return starts + static_cast<uint32_t>(arity - 1) * segment_length;
  }
};

template <int kArity>
using FusePlaces = std::array<uint32_t, kArity>;

// `mixed` is a hash times the multiplier. The integer part of a product is its
// place in the first segment; the fraction selects those in the others.
template <int kArity>
FusePlaces<kArity> PlacesOf(const FuseShape& shape, uint64_t mixed) {
  constexpr int kBits = kArity == 3 ? 18 : 16;  // bits of the longest segment
  const unsigned __int128 product =
      static_cast<unsigned __int128>(mixed) * shape.starts;
  auto fraction = static_cast<uint64_t>(product);
  auto at = static_cast<uint32_t>(product >> 64);
  FusePlaces<kArity> places;
  places[0] = at;
  for (int i = 1; i < kArity; ++i) {
    at += shape.segment_length;
    const auto chosen = static_cast<uint32_t>(fraction >> (64 - kBits));
    places[i] = at ^ (chosen & (shape.segment_length - 1));
    fraction <<= kBits;
  }
  return places;
}

template <int kArity, typename Fingerprint>
class BinaryFuse {
 public:
  static FilterBytes Build(const Hashes& hashes);

  explicit BinaryFuse(const rocksdb::Slice& filter)
      : fingerprints_(filter.data() + sizeof(shape_)) {
    std::memcpy(&shape_, filter.data(), sizeof(shape_));
  }

  bool MayMatch(uint64_t hash) const {
    const uint64_t mixed = hash * shape_.multiplier;
    Fingerprint difference = FingerprintOf(mixed);
    for (const uint32_t place : PlacesOf<kArity>(shape_, mixed)) {
      difference ^= FingerprintAt(fingerprints_, place);
    }
    return difference == 0;
  }

  void Prefetch(uint64_t hash) const {
    const uint64_t mixed = hash * shape_.multiplier;
    for (const uint32_t place : PlacesOf<kArity>(shape_, mixed)) {
      __builtin_prefetch(fingerprints_ + place * sizeof(Fingerprint));
    }
  }

 private:
  static Fingerprint FingerprintOf(uint64_t mixed) {
    return static_cast<Fingerprint>(mixed ^ (mixed >> 32));
  }

  static Fingerprint FingerprintAt(const char* fingerprints, uint32_t place) {
    Fingerprint fingerprint;
    std::memcpy(&fingerprint, fingerprints + place * sizeof(fingerprint),
                sizeof(fingerprint));
    return fingerprint;
  }

  FuseShape shape_;
  const char* fingerprints_;
};

// The hashes times the multiplier, roughly sorted by position, so that all
// later passes stay within a few segments at a time.
std::vector<uint64_t> MixedInOrder(const Hashes& hashes, uint64_t multiplier,
                                   uint32_t segments) {
  const int shift = 64 - static_cast<int>(std::bit_width(segments) + 1);
  std::vector<size_t> ends((size_t{1} << (64 - shift)) + 1);
  for (const uint64_t hash : hashes) ++ends[(hash * multiplier >> shift) + 1];
  for (size_t i = 1; i < ends.size(); ++i) ends[i] += ends[i - 1];
  std::vector<uint64_t> ordered(hashes.size());
  for (const uint64_t hash : hashes) {
    const uint64_t mixed = hash * multiplier;
    ordered[ends[mixed >> shift]++] = mixed;
  }
  return ordered;
}

// Removes keys that are alone in one of their places until none is left. In
// reverse order, each key then has a place that no later one reads.
template <int kArity>
class Peeling {
 public:
  struct Peeled {
    std::vector<uint64_t> keys;  // mixed hashes, in the order of removal
    std::vector<uint8_t> which;  // which of its places each was alone in
  };

  explicit Peeling(const FuseShape& shape)
      : shape_(shape),
        counts_(shape.PlacesFor(kArity)),
        sums_(shape.PlacesFor(kArity)) {}

  // Nothing if some keys can't be removed.
  std::optional<Peeled> Run(std::vector<uint64_t> keys) {
    if (!AddAll(keys)) return std::nullopt;
    const size_t count = keys.size();
    keys.clear();  // its memory is reused
    Peeled peeled{std::move(keys), {}};
    peeled.which.reserve(count);
    for (uint32_t place = 0; place < counts_.size(); ++place) {
      alone_.push_back(place);
      while (!alone_.empty()) TakeNext(&peeled);
    }
    if (peeled.keys.size() != count) return std::nullopt;
    return peeled;
  }

 private:
  // False if a place has more keys than its counter can hold.
  bool AddAll(const std::vector<uint64_t>& keys) {
    bool all_fit = true;
    for (const uint64_t mixed : keys) {
      for (const uint32_t place : PlacesOf<kArity>(shape_, mixed)) {
        all_fit &= ++counts_[place] != 0;
        sums_[place] ^= mixed;
      }
    }
    return all_fit;
  }

  void TakeNext(Peeled* peeled) {
    const uint32_t place = alone_.back();
    alone_.pop_back();
    if (counts_[place] != 1) return;
    const uint64_t mixed = sums_[place];
    const FusePlaces<kArity> places = PlacesOf<kArity>(shape_, mixed);
    for (int i = 0; i < kArity; ++i) {
      if (places[i] == place) {
        peeled->keys.push_back(mixed);
        peeled->which.push_back(static_cast<uint8_t>(i));
      }
      sums_[places[i]] ^= mixed;
      if (--counts_[places[i]] == 1) alone_.push_back(places[i]);
    }
  }

  const FuseShape shape_;
  std::vector<uint8_t> counts_;  // keys in each place
  std::vector<uint64_t> sums_;   // XOR of the keys in each place
  std::vector<uint32_t> alone_;  // places to examine
};

template <int kArity>
std::optional<typename Peeling<kArity>::Peeled> Peel(const FuseShape& shape,
                                                     const Hashes& hashes) {
  const uint32_t segments = shape.starts / shape.segment_length;
  return Peeling<kArity>(shape).Run(
      MixedInOrder(hashes, shape.multiplier, segments));
}

// Finds a multiplier with which all keys can be removed.
template <int kArity>
typename Peeling<kArity>::Peeled PeelAll(const Hashes& hashes,
                                         FuseShape* shape) {
  if (auto peeled = Peel<kArity>(*shape, hashes)) return *std::move(peeled);
  const Hashes distinct = DistinctOf(hashes);  // a copy would never be alone
  for (int attempts = 0; attempts < 100; ++attempts) {
    shape->multiplier = shape->multiplier * 0x5851f42d4c957f2d + 2;
    if (auto peeled = Peel<kArity>(*shape, distinct)) return *std::move(peeled);
  }
  throw std::runtime_error("binary fuse filter: no multiplier works");
}

// The paper's formulas for lengths and sizes, which it found by experiment.
FuseShape FuseShape::For(int arity, size_t keys) {
  const auto count = static_cast<double>(std::max<size_t>(keys, 2));
  const double log_length = arity == 3 ? std::log(count) / std::log(3.33) + 2.25
                                       : std::log(count) / std::log(2.91) - 0.5;
  const double factor =
      arity == 3
          ? std::max(1.125, 0.875 + 0.25 * std::log(1e6) / std::log(count))
          : std::max(1.075, 0.77 + 0.305 * std::log(6e5) / std::log(count));
  const auto length = uint32_t{1} << std::min(static_cast<int>(log_length),
                                              arity == 3 ? 18 : 16);
  const auto segments =
      static_cast<uint32_t>(std::ceil(std::round(count * factor) / length));
  const auto others = static_cast<uint32_t>(arity - 1);
  return {1, length, (segments > others ? segments - others : 1) * length};
}

template <int kArity, typename Fingerprint>
FilterBytes BinaryFuse<kArity, Fingerprint>::Build(const Hashes& hashes) {
  FuseShape shape = FuseShape::For(kArity, hashes.size());
  const auto peeled = PeelAll<kArity>(hashes, &shape);
  const size_t size =
      sizeof(shape) + sizeof(Fingerprint) * shape.PlacesFor(kArity);
  FilterBytes filter{std::make_unique<char[]>(size), size};
  std::memcpy(filter.bytes.get(), &shape, sizeof(shape));
  char* const fingerprints = filter.bytes.get() + sizeof(shape);
  for (size_t i = peeled.keys.size(); i-- > 0;) {
    const auto places = PlacesOf<kArity>(shape, peeled.keys[i]);
    Fingerprint missing = FingerprintOf(peeled.keys[i]);
    for (const uint32_t place : places) {  // the key's own place is still zero
      missing ^= FingerprintAt(fingerprints, place);
    }
    std::memcpy(fingerprints + places[peeled.which[i]] * sizeof(missing),
                &missing, sizeof(missing));
  }
  return filter;
}

// Each place is in a different segment.
template <int kArity, typename Fingerprint>
Contestant FuseContestant(const char* name) {
  return {name, kArity,
          &ContestantPolicy<BinaryFuse<kArity, Fingerprint>>::New};
}

}  // namespace

std::vector<Contestant> BinaryFuseContestants() {
  return {FuseContestant<3, uint8_t>("binary-fuse-3x8"),
          FuseContestant<4, uint8_t>("binary-fuse-4x8"),
          FuseContestant<4, uint16_t>("binary-fuse-4x16")};
}

}  // namespace linebloom
