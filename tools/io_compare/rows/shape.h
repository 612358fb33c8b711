// The shape of an LSM tree: its files and the rows in them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "rocksdb/db.h"

namespace linebloom::tools {

struct FileShape {
  int level;
  std::string smallest_key;
  std::string largest_key;
  uint64_t entries;
  uint64_t deletions;  // included in the entries

  friend bool operator==(const FileShape&, const FileShape&) = default;
};

struct LevelShape {
  uint64_t files = 0;
  uint64_t entries = 0;
};

struct Shape {
  std::vector<FileShape> files;  // in order

  // By level, down to the deepest with files.
  std::vector<LevelShape> Levels() const;

  // Files of level 0 plus non-empty lower levels: what a lookup of a missing
  // key has to go through.
  uint64_t SortedRuns() const;
};

Shape ReadShape(rocksdb::DB* db);

// "" if both are the same; otherwise the first difference in words, with
// `a_name` and `b_name` as the names of the two.
std::string DescribeDifference(const Shape& a, const std::string& a_name,
                               const Shape& b, const std::string& b_name);

}  // namespace linebloom::tools
