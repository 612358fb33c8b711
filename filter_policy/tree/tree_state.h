// A column family's sorted runs, and what its files have.
#pragma once

#include <map>
#include <vector>

namespace linebloom {

// What some files have.
struct FileTotals {
  double rows = 0;  // of files whose filters are known
  double keys = 0;  // keys and prefixes in the filters
  double bits = 0;
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

struct TreeState {
  std::vector<FileTotals> level0 = {};    // each file is a run
  std::map<int, FileTotals> levels = {};  // from 1 on, if they have files
  // Of all files; empty if those that a job replaces are among them.
  FileTotals filters = {};
  // True if RocksDB moves flushed files down unchanged, as in a load in key
  // order: a flushed file then belongs to the largest run.
  bool in_order = false;

  void Add(const FileTotals& file, int level);
  void Remove(const FileTotals& file, int level);

  // The rows of a level below 0.
  double RowsOf(int level) const;

  // The last level with rows; 0 if only level 0 has some.
  int LastLevel() const;

  // The rows of the files of level 0 and of the levels that aren't empty.
  std::vector<double> Runs() const;

  // The tree when the compactions of a leveled one have caught up: level 0 has
  // a few files and each level above the last has at most a tenth of the next.
  // In a burst of writes they have several times as much; the excess, which is
  // on its way there, counts to the last level. What the tenth stands for,
  // max_bytes_for_level_multiplier, matters little: with 4 or 20 assumed in a
  // tree of 10, reads were within a tenth. Unchanged without a level below 0.
  TreeState AtRest() const;
};

double SumOf(const std::vector<double>& runs);

}  // namespace linebloom
