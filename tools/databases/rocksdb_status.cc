#include "tools/databases/rocksdb_status.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"

namespace linebloom::tools {
namespace {

absl::StatusCode CodeOf(const rocksdb::Status& status) {
  if (status.IsNoSpace()) return absl::StatusCode::kResourceExhausted;
  if (status.IsNotFound() || status.IsPathNotFound()) {
    return absl::StatusCode::kNotFound;
  }
  if (status.IsCorruption()) return absl::StatusCode::kDataLoss;
  if (status.IsInvalidArgument() || status.IsNotSupported()) {
    return absl::StatusCode::kInvalidArgument;
  }
  return absl::StatusCode::kUnavailable;
}

}  // namespace

absl::Status FromRocksDb(const rocksdb::Status& status,
                         absl::string_view what) {
  if (status.ok()) return absl::OkStatus();
  // An error is a single line, whatever its message contains.
  const std::string text =
      absl::StrReplaceAll(status.ToString(), {{"\n", " "}});
  return absl::Status(CodeOf(status), absl::StrCat(what, ": ", text));
}

}  // namespace linebloom::tools
