// Converts RocksDB's statuses to Abseil's.
#pragma once

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "rocksdb/status.h"

namespace linebloom::tools {

// The same error, with "`what`: " before RocksDB's message. `what` says what
// was being done and where.
absl::Status FromRocksDb(const rocksdb::Status& status, absl::string_view what);

}  // namespace linebloom::tools
