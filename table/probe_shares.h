// Which share of the lookups of missing rows probes each file.
#pragma once

#include <string>
#include <vector>

#include "rocksdb/comparator.h"

namespace linebloom {

// A file as lookups find it.
struct FileRange {
  std::string smallest;  // user keys
  std::string largest;
  // The file's weight among the lookups of its level, in any unit
  // (FileFacts::lookups).
  double lookups = 0;
};

// A key interval, given as quantiles of the missing keys looked up: the shares
// of them that come before its ends.
struct KeyInterval {
  double begin = 0;
  double end = 1;

  // The share of the lookups of missing rows that probe the filter of a file
  // with this range. Shares times false-positive rates add up to the data
  // blocks that are read, over any files.
  double share() const { return end - begin; }
};

// Where each of a column family's files lies.
//
// Lookups are taken to be spread like the rows of all files, and evenly over
// each file's range (KeyPositions()); over the ends of ranges if `comparator`
// orders keys neither like their bytes nor in reverse.
std::vector<KeyInterval> IntervalsOf(const std::vector<FileRange>& files,
                                     const rocksdb::Comparator& comparator);

}  // namespace linebloom
