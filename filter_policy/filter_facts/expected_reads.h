// How many files lookups of missing rows meet.
#pragma once

#include <string>
#include <vector>

#include "rocksdb/comparator.h"

namespace linebloom {

// A file as lookups find it.
struct FileRange {
  std::string smallest;  // keys of the user's
  std::string largest;
  // How many lookups fall on the file beside others of its level, in any unit:
  // its rows or, if heat is known, its rows times their heat.
  double lookups = 0;
};

// Returns for each of a column family's files the share of lookups of missing
// rows whose key is in the file's range, so that they probe its filter. Shares
// times false-positive rates are the data blocks that the lookups read, and add
// up over files that lie over one another (level 0, and levels) or next to
// each other (in a level, or where a moved file left a gap in the next).
//
// Lookups are taken to be spread like the rows of all files, and those of a
// file evenly over its range (KeyPosition); if `comparator` orders keys neither
// like their bytes nor in reverse, evenly over the ends of ranges in it.
std::vector<double> ProbeShares(const std::vector<FileRange>& files,
                                const rocksdb::Comparator& comparator);

}  // namespace linebloom
