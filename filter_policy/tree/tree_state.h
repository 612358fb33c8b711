// A column family's sorted runs, and what its files have.
#pragma once

#include <cstddef>
#include <map>
#include <vector>

namespace linebloom {

// What some files have.
struct FileTotals {
  double rows = 0;  // of files whose filters are known
  double keys = 0;  // keys and prefixes in the filters
  double bits = 0;
  // Of the bits, those beyond what was requested for the keys: metadata, and
  // rounding up to whole lines.
  double overhead = 0;
  // Rows of files without a filter whose column family has a filter policy.
  double unfiltered = 0;
  // Rows times the share of missing keys that their filter lets pass; that is 1
  // without one.
  double passed = 0;
  // Rows of files whose filters aren't known. They count as average ones.
  double unknown = 0;
  double files = 0;
  // Rows of files that have prefixes in their filters, or operands of merges:
  // not each positive answer is a row that a lookup found.
  double ambiguous = 0;
  // In memory: uncompressed.
  double index_bytes = 0;
  double data_blocks = 0;
  double data_bytes = 0;

  double all_rows() const { return rows + unknown; }

  // Adds `more`, scaled by `times`; -1 subtracts.
  void Add(const FileTotals& more, double times = 1);
};

FileTotals Scaled(const FileTotals& totals, double times);

// Sizes in keys.
struct TreeState {
  std::vector<double> level0_files = {};
  std::vector<double> levels = {};  // from level 1 on; 0 if a level is empty
  double last_flush = 0;            // 0 if unknown
  // True if RocksDB moves flushed files down unchanged, as in a load in key
  // order: a flushed file then belongs to the largest run.
  bool in_order = false;
  // Without the inputs of the compaction that writes the file.
  FileTotals filters = {};
  // What the model calls alike: files by level, the logarithm of their rows and
  // whether they have a filter, in level 0 one by one.
  std::map<int, std::map<int, FileTotals>> alike = {};
  std::vector<FileTotals> level0 = {};

  // Adds a file, with or without its filters.
  void Add(double keys, int level);
  void Add(const FileTotals& file, int level);

  // Takes a file and its filters away.
  void Remove(const FileTotals& file, int level);

  // The files of level 0 and the levels that are not empty.
  std::vector<double> Runs() const;

  // The tree when the compactions of a leveled one have caught up: level 0 has
  // a few files and each level above the last has at most a tenth of the next.
  // In a burst of writes they have several times as much; the excess, which is
  // on its way there, counts to the last level. What the tenth stands for,
  // max_bytes_for_level_multiplier, matters little: with 4 or 20 assumed in a
  // tree of 10, reads were within a tenth. Unchanged without a level below 0.
  // The sizes alone.
  TreeState AtRest() const;

  double Total() const;

 private:
  // The keys of `level`, 1 or higher.
  double& OfLevel(int level);
};

double SumOf(const std::vector<double>& runs);

}  // namespace linebloom
