#include "filter_policy/bits/tree_model.h"

#include <algorithm>

namespace linebloom {
namespace {

// More files of level 0 count as one run, which each lookup meets as often: a
// model of each would take long, and levels have fewer at rest.
constexpr size_t kMostRunsOfLevel0 = 24;

read_model::Run RunOf(const FileTotals& totals, double covered, bool level0) {
  const double rows = totals.all_rows();
  const double keys_per_row =
      totals.rows > totals.unfiltered && totals.keys > 0
          ? totals.keys / (totals.rows - totals.unfiltered)
          : 1;
  // Files that aren't known count as average ones.
  const double known = std::max(1.0, totals.rows);
  return {
      .count = totals.files,
      .rows = rows,
      .filter_keys = keys_per_row * rows,
      .index_bytes = totals.index_bytes,
      .data_blocks = totals.data_blocks,
      .data_bytes = totals.data_bytes,
      .kept = read_model::Filters{totals.bits / 8 * rows / known,
                                  totals.rows > 0 ? totals.passed / known : 1},
      .covered = covered,
      .level0 = level0};
}

}  // namespace

void TreeModel::Add(const TreeState& tree) {
  const double rows = tree.filters.all_rows();
  rows_ += rows;
  renews_ = renews_ || Renews(tree);
  auto level0 = tree.level0;
  std::ranges::sort(level0, {}, &FileTotals::all_rows);
  for (size_t i = 0; i < level0.size(); ++i) {
    Run& run = level0_[static_cast<int>(std::min(i, kMostRunsOfLevel0 - 1))];
    run.files.Add(level0[i]);
    run.rows_met += rows;
  }
  const int last = tree.LastLevel();
  for (const auto& [level, files] : tree.levels) {
    Run& run = levels_[level - last];
    run.files.Add(files);
    run.rows_met += rows;
  }
}

read_model::Tree TreeModel::Model() const {
  read_model::Tree model = {.renews = renews_};
  for (const auto* const runs : {&level0_, &levels_}) {
    for (const auto& [place, run] : *runs) {
      if (run.files.all_rows() <= 0) continue;
      model.runs.push_back(RunOf(run.files, run.rows_met / std::max(1.0, rows_),
                                 runs == &level0_));
    }
  }
  return model;
}

bool TreeModel::Renews(const TreeState& tree) {
  return tree.filters.keys + tree.filters.unfiltered + tree.filters.unknown > 0;
}

read_model::Tree ModelOf(const TreeState& tree) {
  TreeModel model;
  model.Add(tree);
  return model.Model();
}

}  // namespace linebloom
