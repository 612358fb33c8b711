#include "filter_policy/bits/tree_model.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace linebloom {
namespace {

// More files of level 0 count as alike: a model of each would take long, and
// levels have fewer at rest.
constexpr size_t kMostRunsOfLevel0 = 24;

// Of `totals`, what a part of its runs, rows or files has.
read_model::Files FilesOf(const FileTotals& totals) {
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
                                  totals.rows > 0 ? totals.passed / known : 1}};
}

void AddLevel0(std::vector<FileTotals> level0, read_model::Tree* tree) {
  std::ranges::sort(level0, {}, &FileTotals::all_rows);
  double met = 1;
  if (level0.size() > kMostRunsOfLevel0) {
    FileTotals all;
    for (const FileTotals& file : level0) all.Add(file);
    met = static_cast<double>(level0.size()) / kMostRunsOfLevel0;
    level0.assign(kMostRunsOfLevel0, Scaled(all, 1.0 / kMostRunsOfLevel0));
  }
  for (const FileTotals& file : level0) {
    if (file.all_rows() > 0) {
      tree->runs.push_back(
          {.files = {FilesOf(file)}, .covered = met, .level0 = true});
    }
  }
}

}  // namespace

read_model::Tree ModelOf(const TreeState& tree,
                         rocksdb::CompactionStyle style) {
  const TreeState rest =
      style == rocksdb::kCompactionStyleLevel ? tree.AtRest() : tree;
  const FileTotals& all = tree.filters;
  read_model::Tree model = {.renews =
                                all.keys + all.unfiltered + all.unknown > 0};
  AddLevel0(rest.level0, &model);
  for (const auto& [level, alike] : rest.levels) {
    read_model::Run run;
    for (const auto& [size_class, totals] : alike) {
      if (totals.all_rows() > 0) run.files.push_back(FilesOf(totals));
    }
    if (!run.files.empty()) model.runs.push_back(std::move(run));
  }
  return model;
}

}  // namespace linebloom
