#include "filter_policy/levels/file_in_tree.h"

#include <algorithm>
#include <utility>

namespace linebloom {
namespace {

thread_local std::optional<FileInTree> file_of_this_thread;

}  // namespace

bool FileInTree::Is(const rocksdb::FilterBuildingContext& context) const {
  return column_family == context.column_family_name &&
         reason == context.reason && context.level_at_creation >= 0 &&
         (info_log == nullptr || context.info_log == nullptr ||
          info_log == context.info_log);
}

double FileInTree::KeysOfFlush() const {
  if (tree == nullptr) return 0;
  return input_keys > 0 ? std::min(tree->last_flush, input_keys)
                        : tree->last_flush;
}

void BeginFile(FileInTree file) { file_of_this_thread = std::move(file); }

void EndFile() { file_of_this_thread.reset(); }

std::optional<FileInTree> TakeFileInTree() {
  return std::exchange(file_of_this_thread, std::nullopt);
}

}  // namespace linebloom
