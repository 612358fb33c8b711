#include "tools/policies/policy_string.h"

#include <cmath>
#include <optional>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "rocksdb/convenience.h"
#include "rocksdb/options.h"
#include "tools/databases/rocksdb_status.h"

namespace linebloom::tools {
namespace {

// The 10 of bloomfilter:10:false, with or without braces.
std::optional<double> BitsIn(absl::string_view id) {
  const size_t colon = id.find(':');
  if (colon == absl::string_view::npos) return std::nullopt;
  const absl::string_view rest = id.substr(colon + 1);
  double bits = 0;
  if (!absl::SimpleAtod(rest.substr(0, rest.find_first_of(":;}")), &bits)) {
    return std::nullopt;
  }
  return bits;
}

// The IDs of RocksDB's policies have the bits that they build with, in
// thousandths.
bool BitsWereMoved(const std::string& text, const std::string& id) {
  const std::optional<double> requested = BitsIn(text);
  const std::optional<double> used = BitsIn(id);
  return requested.has_value() && used.has_value() &&
         std::abs(*requested - *used) > 0.001;
}

}  // namespace

PolicyString ReadPolicyString(const std::string& text,
                              const rocksdb::DBOptions& db) {
  rocksdb::ConfigOptions strict;
  strict.ignore_unknown_options = false;
  strict.ignore_unsupported_options = false;
  PolicyString read;
  rocksdb::Status status =
      rocksdb::FilterPolicy::CreateFromString(strict, text, &read.policy);
  const std::string quoted = absl::StrCat("'", text, "'");
  if (status.IsNotSupported()) {
    read.policy = nullptr;
    read.problem = absl::StrCat(
        quoted,
        " names no filter policy, neither RocksDB's nor linebloom's; "
        "RocksDB takes it for no filter");
    return read;
  }
  if (status.ok() && read.policy != nullptr) {
    status = read.policy->ValidateOptions(db, rocksdb::ColumnFamilyOptions());
  }
  if (!status.ok()) {
    read.problem = std::string(FromRocksDb(status, quoted).message());
  } else if (read.policy != nullptr &&
             BitsWereMoved(text, read.policy->GetId())) {
    read.problem =
        absl::StrCat(quoted, ": RocksDB makes that ", read.policy->GetId(),
                     "; bits per key must be from 1 to 100");
  }
  return read;
}

}  // namespace linebloom::tools
