#include "tools/databases/stored_options.h"

#include "absl/strings/str_cat.h"
#include "rocksdb/convenience.h"
#include "rocksdb/utilities/options_util.h"
#include "tools/databases/rocksdb_status.h"

namespace linebloom::tools {

StoredOptions LoadStoredOptions(const std::string& folder) {
  rocksdb::ConfigOptions lenient;  // unknown plug-ins don't matter for reading
  lenient.ignore_unknown_options = true;
  lenient.ignore_unsupported_options = true;
  StoredOptions stored;
  if (!rocksdb::LoadLatestOptions(lenient, folder, &stored.db, &stored.families)
           .ok()) {
    return {};
  }
  return stored;
}

absl::StatusOr<StoredOptions> LoadAllStoredOptions(const std::string& folder) {
  rocksdb::ConfigOptions strict;
  strict.ignore_unknown_options = false;
  strict.ignore_unsupported_options = false;
  StoredOptions stored;
  const rocksdb::Status status =
      rocksdb::LoadLatestOptions(strict, folder, &stored.db, &stored.families);
  if (status.ok()) return stored;
  return absl::InvalidArgumentError(absl::StrCat(
      "'", folder, "': this program can't use all of the database's OPTIONS (",
      FromRocksDb(status, "RocksDB says").message(), ")"));
}

}  // namespace linebloom::tools
