#include "filter_policy/tree/tree_state.h"

#include <algorithm>
#include <numeric>

namespace linebloom {

namespace {

// RocksDB's defaults for max_bytes_for_level_multiplier and
// level0_file_num_compaction_trigger.
constexpr double kSizeRatio = 10;
constexpr size_t kFilesOfLevel0 = 4;

}  // namespace

void FileTotals::Add(const FileTotals& more, double times) {
  rows += times * more.rows;
  keys += times * more.keys;
  bits += times * more.bits;
  unfiltered += times * more.unfiltered;
  passed += times * more.passed;
  unknown += times * more.unknown;
  files += times * more.files;
  ambiguous += times * more.ambiguous;
  index_bytes += times * more.index_bytes;
  data_blocks += times * more.data_blocks;
  data_bytes += times * more.data_bytes;
}

void TreeState::Add(const FileTotals& file, int level) {
  filters.Add(file);
  if (level > 0) {
    levels[level].Add(file);
  } else {
    level0.push_back(file);
  }
}

void TreeState::Remove(const FileTotals& file, int level) {
  filters.Add(file, -1);
  if (level > 0) {
    levels[level].Add(file, -1);
    if (levels[level].files < 0.5) levels.erase(level);
    return;
  }
  const auto same = std::ranges::find_if(level0, [&](const FileTotals& other) {
    return other.all_rows() == file.all_rows() && other.bits == file.bits;
  });
  if (same != level0.end()) level0.erase(same);
}

double TreeState::RowsOf(int level) const {
  const auto found = levels.find(level);
  return found == levels.end() ? 0 : found->second.all_rows();
}

int TreeState::LastLevel() const {
  const auto last = std::find_if(
      levels.rbegin(), levels.rend(),
      [](const auto& level) { return level.second.all_rows() > 0; });
  return last == levels.rend() ? 0 : last->first;
}

std::vector<double> TreeState::Runs() const {
  std::vector<double> runs;
  for (const FileTotals& file : level0) runs.push_back(file.all_rows());
  for (const auto& [level, run] : levels) runs.push_back(run.all_rows());
  std::erase_if(runs, [](double rows) { return rows <= 0; });
  return runs;
}

TreeState TreeState::AtRest() const {
  TreeState tree = *this;
  const int last = LastLevel();
  if (last == 0) return tree;
  double excess = 0;
  std::ranges::sort(tree.level0, {}, &FileTotals::all_rows);
  while (tree.level0.size() > kFilesOfLevel0) {
    excess += tree.level0.back().all_rows();
    tree.level0.pop_back();
  }
  double limit = RowsOf(last) + excess;
  for (int level = last - 1; level > 0; --level) {
    limit /= kSizeRatio;
    const double rows = RowsOf(level);
    if (rows <= limit) continue;
    excess += rows - limit;
    tree.levels[level].Add(levels.at(level), limit / rows - 1);
  }
  tree.levels[last].Add(levels.at(last), excess / RowsOf(last));
  return tree;
}

double SumOf(const std::vector<double>& runs) {
  return std::accumulate(runs.begin(), runs.end(), 0.0);
}

}  // namespace linebloom
