#include "table/probe_shares.h"

#include <algorithm>
#include <cstddef>
#include <string_view>

#include "table/key_position.h"

namespace linebloom {
namespace {

// The smallest distance between two ends of ranges, where all together are
// about 1 apart. A file with a single key gets some room by it.
constexpr double kMinDistance = 1e-9;

struct End {
  std::string_view key;
  bool is_largest;  // of its file
  size_t file;
  double place = 0;
};

// The ends of all ranges in order: files that share a key overlap.
std::vector<End> EndsOf(const std::vector<FileRange>& files,
                        const rocksdb::Comparator& comparator) {
  std::vector<End> ends;
  for (size_t i = 0; i < files.size(); ++i) {
    ends.push_back({files[i].smallest, /*is_largest=*/false, i});
    ends.push_back({files[i].largest, /*is_largest=*/true, i});
  }
  std::sort(ends.begin(), ends.end(), [&](const End& a, const End& b) {
    const int order = comparator.CompareWithoutTimestamp(
        rocksdb::Slice(a.key.data(), a.key.size()),
        rocksdb::Slice(b.key.data(), b.key.size()));
    return order != 0 ? order < 0 : a.is_largest < b.is_largest;
  });
  return ends;
}

// Fills in where the ends are, increasing.
void PlaceEnds(std::vector<End>* ends) {
  std::vector<std::string_view> keys;
  for (const End& end : *ends) keys.push_back(end.key);
  const std::vector<double> positions = KeyPositions(keys);
  for (size_t i = 0; i < ends->size(); ++i) {
    End& end = (*ends)[i];
    end.place = positions[i];
    if (i == 0) continue;
    const End& before = (*ends)[i - 1];
    const bool is_same =
        end.key == before.key && end.is_largest == before.is_largest;
    end.place =
        std::max(end.place, before.place + (is_same ? 0 : kMinDistance));
  }
}

}  // namespace

std::vector<KeyInterval> IntervalsOf(const std::vector<FileRange>& files,
                                     const rocksdb::Comparator& comparator) {
  if (files.empty()) return {};
  std::vector<End> ends = EndsOf(files, comparator);
  PlaceEnds(&ends);
  std::vector<double> widths(files.size());
  for (const End& end : ends) {
    double& width = widths[end.file];
    width = end.is_largest ? end.place - width : end.place;
  }
  std::vector<KeyInterval> intervals(files.size());
  double lookups = 0;  // before `place`
  double density = 0;  // after it
  double place = 0;
  for (const End& end : ends) {
    lookups += std::max(0.0, density) * (end.place - place);
    place = end.place;
    const double own = files[end.file].lookups / widths[end.file];
    density += end.is_largest ? -own : own;
    KeyInterval& of_file = intervals[end.file];
    (end.is_largest ? of_file.end : of_file.begin) = lookups;
  }
  for (KeyInterval& of_file : intervals) {
    of_file = lookups > 0
                  ? KeyInterval{of_file.begin / lookups, of_file.end / lookups}
                  : KeyInterval{};
  }
  return intervals;
}

}  // namespace linebloom
