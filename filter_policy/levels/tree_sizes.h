// The sizes of a column family's sorted runs.
#pragma once

#include <optional>
#include <vector>

namespace linebloom {

// How much the filters of a column family's files take, as far as known.
struct FilterSums {
  // Files whose filters are known: their rows, the keys and prefixes in their
  // filters, and the filters' bits.
  double rows = 0;
  double keys = 0;
  double bits = 0;
  // Rows of all other files, which are older than the listener.
  double other_rows = 0;
};

// In keys.
struct TreeSizes {
  std::vector<double> level0_files;
  std::vector<double> levels;  // from level 1 on; 0 if a level is empty
  // The keys of the run that the next flushed file will belong to: those of the
  // last flush, or of the largest run if flushed files are moved down
  // unchanged. 0 if unknown.
  double flush = 0;
  // The keys of the last flush; 0 if unknown.
  double last_flush = 0;
  // True if flushed files may keep their filters for good, as in a load in key
  // order: RocksDB has only moved them so far, or a new database hasn't merged
  // any yet.
  bool may_be_in_order = false;
  // The filters of all files except the inputs of the compaction. Empty if
  // nothing is known about filters.
  std::optional<FilterSums> filters;

  // Adds a file.
  void Add(double keys, int level);

  // Takes a file away. Does nothing if level 0 has none with so many keys.
  void Remove(double keys, int level);

  // The files of level 0 and the levels that are not empty.
  std::vector<double> Runs() const;

  double Total() const;
  double LargestRun() const;  // 0 if there is none

 private:
  // The keys of `level`, 1 or higher.
  double& OfLevel(int level);
};

}  // namespace linebloom
