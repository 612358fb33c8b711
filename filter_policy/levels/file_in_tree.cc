#include "filter_policy/levels/file_in_tree.h"

#include <utility>

namespace linebloom {
namespace {

thread_local std::optional<FileInTree> file_of_this_thread;

}  // namespace

void TreeSizes::Add(double keys, int level) {
  if (level > 0) {
    OfLevel(level) += keys;
  } else {
    level0_files.push_back(keys);
  }
}

double& TreeSizes::OfLevel(int level) {
  const auto index = static_cast<size_t>(level - 1);
  if (levels.size() <= index) levels.resize(index + 1);
  return levels[index];
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

bool FileInTree::Is(const rocksdb::FilterBuildingContext& context) const {
  return column_family == context.column_family_name &&
         reason == context.reason && context.level_at_creation >= 0 &&
         (info_log == nullptr || context.info_log == nullptr ||
          info_log == context.info_log);
}

void BeginFile(FileInTree file) { file_of_this_thread = std::move(file); }

void EndFile() { file_of_this_thread.reset(); }

std::optional<FileInTree> TakeFileInTree() {
  return std::exchange(file_of_this_thread, std::nullopt);
}

}  // namespace linebloom
