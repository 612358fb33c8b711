#include "tools/migrate/guards.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <initializer_list>
#include <system_error>
#include <tuple>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "filter_policy/policy/printable.h"
#include "rocksdb/options.h"
#include "table/status.h"

namespace linebloom::tools {
namespace {

// True if the folder has a file that isn't empty and has one of these endings.
bool HasFiles(const std::string& folder,
              std::initializer_list<absl::string_view> endings) {
  std::error_code error;
  std::filesystem::directory_iterator file(folder, error);
  for (; !error && file != std::filesystem::directory_iterator();
       file.increment(error)) {
    const std::string ending = file->path().extension();
    if (std::ranges::find(endings, ending) != endings.end() &&
        file->file_size(error) > 0) {
      return true;
    }
  }
  return false;
}

// Open for writing, RocksDB removes what its manifest doesn't have: in wal_dir
// and db_log_dir not only logs but SSTables too. The OPTIONS of a copy name
// those of the original, which may be in use. (They hold neither db_paths nor
// cf_paths.) Rejected: checking the original's LOCK, because nothing says where
// that is.
absl::Status CheckOtherFolders(const std::string& folder,
                               const rocksdb::DBOptions& options) {
  for (const auto& [option, other, advice] :
       {std::tuple("wal_dir", options.wal_dir, "name another --wal_dir"),
        std::tuple("db_log_dir", options.db_log_dir,
                   "remove that option from the newest OPTIONS file")}) {
    if (IsSameFolder(other, folder) || !HasFiles(other, {".sst", ".blob"})) {
      continue;
    }
    return absl::InvalidArgumentError(
        absl::StrCat("'", folder, "': ", option, "='", other,
                     "' has SSTables, which RocksDB would remove, because "
                     "they are not this database's; ",
                     advice));
  }
  return absl::OkStatus();
}

// When it opens for writing, RocksDB removes the logs that it has recovered,
// and never reads the others.
absl::Status CheckLogs(const std::string& folder, const std::string& wal_dir,
                       const std::string& stored_wal_dir, bool is_told) {
  if (!wal_dir.empty() && !is_told) {
    return absl::InvalidArgumentError(absl::StrCat(
        "'", folder, "' has wal_dir='", wal_dir,
        "' in its OPTIONS. If it is a copy, those may be the logs of the "
        "original, which would be removed; its own are in --wal_dir='",
        folder, "' then. If they are its own, say --wal_dir='", wal_dir, "'"));
  }
  const std::string& chosen = wal_dir.empty() ? folder : wal_dir;
  if (!IsSameFolder(chosen, stored_wal_dir) && !HasFiles(chosen, {".log"}) &&
      HasFiles(stored_wal_dir, {".log"})) {
    return absl::InvalidArgumentError(absl::StrCat(
        "--wal_dir='", chosen, "' has no logs, '", stored_wal_dir,
        "', which the OPTIONS name, has: rows that only the logs have would be "
        "lost. If '",
        folder,
        "' is a copy that needs none, as a checkpoint may be, remove wal_dir "
        "from its newest OPTIONS file"));
  }
  return absl::OkStatus();
}

// The owner couldn't open a database with files of root's.
absl::Status CheckOwner(const std::string& folder) {
  struct stat current = {};
  if (stat((folder + "/CURRENT").c_str(), &current) != 0 ||
      current.st_uid == geteuid()) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "'", folder, "' belongs to the user with the ID ", current.st_uid,
      ", and new files would belong to ", geteuid(),
      ": run this as that user, with sudo --user='#", current.st_uid, "'"));
}

// Compactions can't be paused before the database is open.
absl::Status CheckFamilies(const std::string& folder,
                           const StoredOptions& options) {
  for (const rocksdb::ColumnFamilyDescriptor& family : options.families) {
    if (family.options.compaction_style != rocksdb::kCompactionStyleFIFO) {
      continue;
    }
    return absl::InvalidArgumentError(absl::StrCat(
        "'", folder, "': column family '", Printable(family.name),
        "' has FIFO compaction, which deletes its old files as soon as it is "
        "opened; call linebloom::RebuildFilters() in the application"));
  }
  return absl::OkStatus();
}

}  // namespace

bool IsSameFolder(const std::string& a, const std::string& b) {
  std::error_code error;  // one is missing, so they differ
  return std::filesystem::equivalent(a, b, error);
}

absl::Status CheckWriting(const std::string& folder,
                          const StoredOptions& options,
                          const std::string& stored_wal_dir, bool is_told) {
  RETURN_IF_ERROR(CheckOtherFolders(folder, options.db));
  RETURN_IF_ERROR(
      CheckLogs(folder, options.db.wal_dir, stored_wal_dir, is_told));
  RETURN_IF_ERROR(CheckOwner(folder));
  return CheckFamilies(folder, options);
}

}  // namespace linebloom::tools
