#include "filter_policy/tree/new_file.h"

#include <utility>

namespace linebloom {
namespace {

thread_local std::optional<NewFile> file_of_this_thread;
thread_local std::shared_ptr<const TreeState> tree_of_this_thread;
thread_local UsersOfCache users_of_this_thread;

// Since RocksDB 11.12. A remote compaction's worker may have a listener, but
// its cache and its tree aren't those of the database. A template, so that the
// member may be missing.
template <typename Context>
bool IsRemote(const Context& context) {
  if constexpr (requires { context.is_remote_compaction; }) {
    return context.is_remote_compaction;
  } else {
    return false;
  }
}

}  // namespace

void BeginFile(NewFile file) {
  if (tree_of_this_thread != nullptr) {
    file.tree = tree_of_this_thread;
    file.input_keys = 0;
    if (users_of_this_thread) file.users_of = users_of_this_thread;
  }
  file_of_this_thread = std::move(file);
}

void EndFile() { file_of_this_thread.reset(); }

void OverrideTree(std::shared_ptr<const TreeState> tree,
                  UsersOfCache users_of) {
  tree_of_this_thread = std::move(tree);
  users_of_this_thread = std::move(users_of);
}

std::optional<NewFile> TakeNewFile(
    const rocksdb::FilterBuildingContext& context) {
  std::optional<NewFile> file =
      std::exchange(file_of_this_thread, std::nullopt);
  if (!file || IsRemote(context) ||
      file->column_family != context.column_family_name ||
      file->reason != context.reason || context.level_at_creation < 0 ||
      (file->info_log != nullptr && context.info_log != nullptr &&
       file->info_log != context.info_log)) {
    return std::nullopt;
  }
  file->level = context.level_at_creation;
  file->style = context.compaction_style;
  return file;
}

}  // namespace linebloom
