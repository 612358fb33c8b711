// The shape of an LSM tree: which files there are and which rows they hold.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "rocksdb/db.h"

namespace linebloom::tools {

struct FileShape {
  int level;
  std::string smallest_key;
  std::string largest_key;
  uint64_t entries;
  uint64_t deletions;  // among the entries

  friend bool operator==(const FileShape&, const FileShape&) = default;
};

struct LevelTotals {
  uint64_t files = 0;
  uint64_t entries = 0;
};

struct Shape {
  std::vector<FileShape> files;  // in order

  // By level, up to the deepest that has files.
  std::vector<LevelTotals> Levels() const;

  // Files of level 0 and non-empty levels below it: what a lookup of a missing
  // key has to go through.
  uint64_t SortedRuns() const;
};

Shape ReadShape(rocksdb::DB* db);

// "" where both are the same; otherwise the first difference in words, with
// `a_name` and `b_name` for whose shape is which.
std::string DescribeDifference(const Shape& a, const std::string& a_name,
                               const Shape& b, const std::string& b_name);

}  // namespace linebloom::tools
