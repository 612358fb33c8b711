#include "table/status.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"

namespace linebloom {

absl::Status FromRocksDb(const rocksdb::Status& status,
                         absl::string_view what) {
  if (status.ok()) return absl::OkStatus();
  // An error is a single line, whatever its message contains.
  const std::string text =
      absl::StrReplaceAll(status.ToString(), {{"\n", " "}});
  const bool is_missing = status.IsNotFound() || status.IsPathNotFound();
  return absl::Status(is_missing              ? absl::StatusCode::kNotFound
                      : status.IsCorruption() ? absl::StatusCode::kDataLoss
                                              : absl::StatusCode::kUnknown,
                      absl::StrCat(what, ": ", text));
}

}  // namespace linebloom
