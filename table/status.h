// absl::Status's and rocksdb::Status's: passing them on, and one from the
// other.
#pragma once

#include <utility>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "rocksdb/status.h"

// Returns the status from the function unless it is OK.
#define RETURN_IF_ERROR(...)                                      \
  do {                                                            \
    if (auto error_ = (__VA_ARGS__); !error_.ok()) return error_; \
  } while (false)

// ASSIGN_OR_RETURN(const Type name, expression): the value of a StatusOr; or
// returns its status from the function.
#define ASSIGN_OR_RETURN(variable, ...) \
  ASSIGN_OR_RETURN_BY(LINEBLOOM_JOIN(result_, __LINE__), variable, __VA_ARGS__)
#define ASSIGN_OR_RETURN_BY(result, variable, ...) \
  auto result = (__VA_ARGS__);                     \
  if (!result.ok()) return result.status();        \
  variable = *std::move(result)
#define LINEBLOOM_JOIN(a, b) LINEBLOOM_JOIN_NOW(a, b)
#define LINEBLOOM_JOIN_NOW(a, b) a##b

namespace linebloom {

// The same error, NotFound, DataLoss or Unknown, with "`what`: " before
// RocksDB's message. `what` says what was being done and where.
absl::Status FromRocksDb(const rocksdb::Status& status, absl::string_view what);

}  // namespace linebloom
