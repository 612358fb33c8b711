// What opening a database for writing would lose.
#pragma once

#include <string>

#include "absl/status/status.h"
#include "tools/database/databases.h"

namespace linebloom::tools {

// True if both are there and the same.
bool IsSameFolder(const std::string& a, const std::string& b);

// InvalidArgument, with the reason and what to do instead, if opening `folder`
// for writing with `options` would remove files or rows, or leave files that
// their owner can't read. `options.db.wal_dir` is the one to use, "" for
// `folder`; `stored_wal_dir` is that of the OPTIONS, and `is_told` says that
// the user named one.
absl::Status CheckWriting(const std::string& folder,
                          const StoredOptions& options,
                          const std::string& stored_wal_dir, bool is_told);

}  // namespace linebloom::tools
