#include "filter_policy/filter_facts/expected_reads.h"

#include <algorithm>
#include <cstddef>
#include <string_view>

#include "filter_policy/levels/key_position.h"

namespace linebloom {
namespace {

// The least distance between two ends of ranges, where all together are about
// 1 apart. A file with a single key gets some room by it.
constexpr double kLeastDistance = 1e-9;

struct End {
  std::string_view key;
  bool is_largest;  // of its file
  size_t file;
};

// The ends of all ranges in order: files that share a key overlap.
std::vector<End> EndsOf(const std::vector<FileRange>& files,
                        const rocksdb::Comparator& comparator) {
  std::vector<End> ends;
  for (size_t i = 0; i < files.size(); ++i) {
    ends.push_back({files[i].smallest, false, i});
    ends.push_back({files[i].largest, true, i});
  }
  std::sort(ends.begin(), ends.end(), [&](const End& a, const End& b) {
    const int order = comparator.CompareWithoutTimestamp(
        rocksdb::Slice(a.key.data(), a.key.size()),
        rocksdb::Slice(b.key.data(), b.key.size()));
    return order != 0 ? order < 0 : a.is_largest < b.is_largest;
  });
  return ends;
}

// Where the ends are, increasing.
std::vector<double> PlacesOf(const std::vector<End>& ends) {
  std::vector<std::string_view> keys;
  for (const End& end : ends) keys.push_back(end.key);
  const KeyPosition position(keys);
  const bool is_reversed = keys.back() < keys.front();
  std::vector<double> places;
  for (size_t i = 0; i < ends.size(); ++i) {
    const double place =
        is_reversed ? 1 - position.Between(keys.back(), keys.front(), keys[i])
                    : position.Between(keys.front(), keys.back(), keys[i]);
    double least = 0;
    if (i > 0) {
      const bool is_same = keys[i] == keys[i - 1] &&
                           ends[i].is_largest == ends[i - 1].is_largest;
      least = places.back() + (is_same ? 0 : kLeastDistance);
    }
    places.push_back(std::max(place, least));
  }
  return places;
}

}  // namespace

std::vector<double> ProbeShares(const std::vector<FileRange>& files,
                                const rocksdb::Comparator& comparator) {
  if (files.empty()) return {};
  const std::vector<End> ends = EndsOf(files, comparator);
  const std::vector<double> places = PlacesOf(ends);
  std::vector<size_t> first(files.size());
  std::vector<size_t> last(files.size());
  for (size_t i = 0; i < ends.size(); ++i) {
    (ends[i].is_largest ? last : first)[ends[i].file] = i;
  }
  std::vector<double> changes(ends.size());  // of the lookups per distance
  for (size_t i = 0; i < files.size(); ++i) {
    const double density =
        files[i].lookups / (places[last[i]] - places[first[i]]);
    changes[first[i]] += density;
    changes[last[i]] -= density;
  }
  std::vector<double> before = {0};  // lookups before each end
  double density = 0;
  for (size_t i = 1; i < ends.size(); ++i) {
    density += changes[i - 1];
    before.push_back(before.back() +
                     std::max(0.0, density) * (places[i] - places[i - 1]));
  }
  std::vector<double> shares;
  for (size_t i = 0; i < files.size(); ++i) {
    shares.push_back(before.back() > 0
                         ? (before[last[i]] - before[first[i]]) / before.back()
                         : 1);
  }
  return shares;
}

}  // namespace linebloom
