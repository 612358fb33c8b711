#include "filter_policy/tree/tree_state.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>

namespace linebloom {

namespace {

// RocksDB's defaults for max_bytes_for_level_multiplier and
// level0_file_num_compaction_trigger.
constexpr double kSizeRatio = 10;
constexpr size_t kFilesOfLevel0 = 4;

// Files with and without a filter are of different classes.
int ClassOf(const FileTotals& file) {
  return 2 * std::ilogb(std::max(1.0, file.all_rows())) +
         (file.bits > 0 ? 1 : 0);
}

}  // namespace

void FileTotals::Add(const FileTotals& more, double times) {
  rows += times * more.rows;
  keys += times * more.keys;
  bits += times * more.bits;
  overhead += times * more.overhead;
  unfiltered += times * more.unfiltered;
  passed += times * more.passed;
  unknown += times * more.unknown;
  files += times * more.files;
  ambiguous += times * more.ambiguous;
  index_bytes += times * more.index_bytes;
  data_blocks += times * more.data_blocks;
  data_bytes += times * more.data_bytes;
}

FileTotals Scaled(const FileTotals& totals, double times) {
  FileTotals scaled;
  scaled.Add(totals, times);
  return scaled;
}

void TreeState::Add(double keys, int level) {
  if (level > 0) {
    OfLevel(level) += keys;
  } else {
    level0_files.push_back(keys);
  }
}

void TreeState::Add(const FileTotals& file, int level) {
  Add(file.all_rows(), level);
  filters.Add(file);
  if (level > 0) {
    alike[level][ClassOf(file)].Add(file);
  } else {
    level0.push_back(file);
  }
}

void TreeState::Remove(const FileTotals& file, int level) {
  const double keys = file.all_rows();
  filters.Add(file, -1);
  if (level > 0) {
    double& there = OfLevel(level);
    there = std::max(0.0, there - keys);
    std::map<int, FileTotals>& of_level = alike[level];
    FileTotals& of_size = of_level[ClassOf(file)];
    of_size.Add(file, -1);
    if (of_size.files < 0.5) of_level.erase(ClassOf(file));
    if (of_level.empty()) alike.erase(level);
    return;
  }
  const auto found = std::ranges::find(level0_files, keys);
  if (found != level0_files.end()) level0_files.erase(found);
  const auto same = std::ranges::find_if(level0, [&](const FileTotals& other) {
    return other.all_rows() == keys && other.bits == file.bits;
  });
  if (same != level0.end()) level0.erase(same);
}

std::vector<double> TreeState::Runs() const {
  std::vector<double> runs = level0_files;
  runs.insert(runs.end(), levels.begin(), levels.end());
  std::erase_if(runs, [](double keys) { return keys <= 0; });
  return runs;
}

TreeState TreeState::AtRest() const {
  TreeState tree = {.level0_files = level0_files, .levels = levels};
  const auto last = std::find_if(tree.levels.rbegin(), tree.levels.rend(),
                                 [](double keys) { return keys > 0; });
  if (last == tree.levels.rend()) return tree;
  std::vector<double>& files = tree.level0_files;
  std::ranges::sort(files);
  while (files.size() > kFilesOfLevel0) {
    *last += files.back();
    files.pop_back();
  }
  double limit = *last;
  for (auto level = std::next(last); level != tree.levels.rend(); ++level) {
    limit = std::max(limit / kSizeRatio, last_flush);
    const double excess = std::max(0.0, *level - limit);
    *level -= excess;
    *last += excess;
  }
  return tree;
}

double TreeState::Total() const { return SumOf(Runs()); }

double& TreeState::OfLevel(int level) {
  const auto index = static_cast<size_t>(level - 1);
  if (levels.size() <= index) levels.resize(index + 1);
  return levels[index];
}

double SumOf(const std::vector<double>& runs) {
  return std::accumulate(runs.begin(), runs.end(), 0.0);
}

}  // namespace linebloom
