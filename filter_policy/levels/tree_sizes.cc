#include "filter_policy/levels/tree_sizes.h"

#include <algorithm>
#include <cstddef>
#include <numeric>

namespace linebloom {

void TreeSizes::Add(double keys, int level) {
  if (level > 0) {
    OfLevel(level) += keys;
  } else {
    level0_files.push_back(keys);
  }
}

void TreeSizes::Remove(double keys, int level) {
  if (level > 0) {
    double& there = OfLevel(level);
    there = std::max(0.0, there - keys);
    return;
  }
  const auto found = std::find(level0_files.begin(), level0_files.end(), keys);
  if (found != level0_files.end()) level0_files.erase(found);
}

std::vector<double> TreeSizes::Runs() const {
  std::vector<double> runs;
  for (const double keys : level0_files) {
    if (keys > 0) runs.push_back(keys);
  }
  for (const double keys : levels) {
    if (keys > 0) runs.push_back(keys);
  }
  return runs;
}

double TreeSizes::Total() const {
  const std::vector<double> runs = Runs();
  return std::accumulate(runs.begin(), runs.end(), 0.0);
}

double TreeSizes::LargestRun() const {
  const std::vector<double> runs = Runs();
  return runs.empty() ? 0 : *std::max_element(runs.begin(), runs.end());
}

double& TreeSizes::OfLevel(int level) {
  const auto index = static_cast<size_t>(level - 1);
  if (levels.size() <= index) levels.resize(index + 1);
  return levels[index];
}

}  // namespace linebloom
