#include "tools/database/databases.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <regex>
#include <system_error>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "rocksdb/convenience.h"
#include "rocksdb/env.h"
#include "rocksdb/file_system.h"
#include "rocksdb/metadata.h"
#include "rocksdb/utilities/options_util.h"
#include "table/status.h"
#include "tools/database/out_ptr.h"

namespace linebloom::tools {
namespace {

absl::Status CheckLock(const std::string& folder) {
  const std::string path = folder + "/LOCK";
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  // A copied database may lack the file.
  if (file < 0 && errno == ENOENT) return absl::OkStatus();
  // RocksDB locks the whole file for writing; find out who would block the same
  // lock.
  struct flock lock = {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  const bool is_known = file >= 0 && fcntl(file, F_GETLK, &lock) == 0;
  const int error = errno;
  close(file);
  if (!is_known) {
    return absl::ErrnoToStatus(
        error, absl::StrCat("cannot check the lock on '", path, "'"));
  }
  if (lock.l_type == F_UNLCK) return absl::OkStatus();
  // If the owner is in another container's process namespace, the ID is 0.
  const std::string who =
      lock.l_pid > 0 ? absl::StrCat("process ", lock.l_pid) : "another process";
  return absl::InvalidArgumentError(
      absl::StrCat("database '", folder, "' is locked: ", who, " has it open"));
}

class EmptyFile : public rocksdb::FSSequentialFile {
 public:
  rocksdb::IOStatus Read(size_t /*n*/, const rocksdb::IOOptions& /*options*/,
                         rocksdb::Slice* result, char* /*scratch*/,
                         rocksdb::IODebugContext* /*debug*/) override {
    result->clear();
    return rocksdb::IOStatus::OK();
  }
  rocksdb::IOStatus Skip(uint64_t /*n*/) override {
    return rocksdb::IOStatus::OK();
  }
};

// Logs are empty, and no SSTable can be read while the database opens: RocksDB
// reads a few of any, and a damaged footer may make it throw in a thread of its
// own. Rejected: omitting the logs from the folder's listing, because a
// manifest that tracks its logs then counts as damaged. So it does if their
// folder isn't there, as after a move, and it has several that were synced.
class MetadataOnly : public rocksdb::FileSystemWrapper {
 public:
  MetadataOnly(const std::shared_ptr<rocksdb::FileSystem>& files,
               std::shared_ptr<const bool> is_open)
      : FileSystemWrapper(files), is_open_(std::move(is_open)) {}

  const char* Name() const override { return "linebloom.MetadataOnly"; }

  // RocksDB refuses a database without its wal_dir.
  rocksdb::IOStatus GetChildren(const std::string& folder,
                                const rocksdb::IOOptions& options,
                                std::vector<std::string>* names,
                                rocksdb::IODebugContext* debug) override {
    rocksdb::IOStatus listed =
        FileSystemWrapper::GetChildren(folder, options, names, debug);
    return listed.IsNotFound() ? rocksdb::IOStatus::OK() : listed;
  }

  rocksdb::IOStatus NewRandomAccessFile(
      const std::string& path, const rocksdb::FileOptions& options,
      std::unique_ptr<rocksdb::FSRandomAccessFile>* result,
      rocksdb::IODebugContext* debug) override {
    if (!*is_open_) return rocksdb::IOStatus::IOError("not opened yet", path);
    return FileSystemWrapper::NewRandomAccessFile(path, options, result, debug);
  }

  rocksdb::IOStatus NewSequentialFile(
      const std::string& path, const rocksdb::FileOptions& options,
      std::unique_ptr<rocksdb::FSSequentialFile>* result,
      rocksdb::IODebugContext* debug) override {
    if (!absl::EndsWith(path, ".log")) {
      return FileSystemWrapper::NewSequentialFile(path, options, result, debug);
    }
    *result = std::make_unique<EmptyFile>();
    return rocksdb::IOStatus::OK();
  }

 private:
  const std::shared_ptr<const bool> is_open_;
};

// An Env in which no file can be created, changed or removed.
// DB::OpenForReadOnly alone doesn't leave a folder unchanged: RocksDB removes
// files ending in ".trash", and some versions write IDENTITY or a LOG.
rocksdb::Status NewReadOnlyEnv(Logs logs,
                               const std::shared_ptr<const bool>& is_open,
                               std::unique_ptr<rocksdb::Env>* env) {
  std::shared_ptr<rocksdb::FileSystem> files;
  // RocksDB's own class is in no public header, but it can be created by name.
  RETURN_IF_ERROR(rocksdb::FileSystem::CreateFromString(
      rocksdb::ConfigOptions(), "ReadOnlyFileSystem", &files));
  if (logs == Logs::kEmpty) {
    files = std::make_shared<MetadataOnly>(files, is_open);
  }
  *env = rocksdb::NewCompositeEnv(files);
  return rocksdb::Status::OK();
}

// For a database without an OPTIONS file. Too many levels cost nothing; too few
// are an error.
constexpr int kMaxLevels = 64;

// The owner may be changing the manifest: read it this often.
constexpr int kAttempts = 5;

void DisableExpensiveOptions(rocksdb::DBOptions* options) {
  options->max_open_files = 1;
  options->skip_stats_update_on_db_open = true;
  options->stats_dump_period_sec = 0;
  options->stats_persist_period_sec = 0;
  // SSTables can't be read yet, and compactions may remove them meanwhile;
  // neither is an error.
  options->paranoid_checks = false;
  // Without this, RocksDB 7.8 crashes if the manifest tracks the logs.
  options->track_and_verify_wals_in_manifest = true;
}

// The OPTIONS needed to find the files, for all column families.
rocksdb::Status NeededOptions(const std::string& folder,
                              StoredOptions* needed) {
  const StoredOptions stored = LoadOptionsLeniently(folder);
  needed->db.db_paths = stored.db.db_paths;
  needed->db.wal_dir = stored.db.wal_dir;
  std::vector<std::string> names;
  RETURN_IF_ERROR(rocksdb::DB::ListColumnFamilies(needed->db, folder, &names));
  for (const std::string& name : names) {
    rocksdb::ColumnFamilyOptions options;
    options.num_levels = kMaxLevels;
    options.merge_operator = LastOperand();
    for (const rocksdb::ColumnFamilyDescriptor& known : stored.families) {
      if (known.name != name) continue;
      options.comparator = known.options.comparator;
      options.cf_paths = known.options.cf_paths;
      options.num_levels = known.options.num_levels;
    }
    needed->families.emplace_back(name, options);
  }
  return rocksdb::Status::OK();
}

absl::Status Explain(const rocksdb::Status& status, const std::string& folder) {
  const std::string what = absl::StrCat("cannot read database '", folder, "'");
  if (absl::StrContains(status.ToString(), "comparator")) {
    return absl::InvalidArgumentError(
        absl::StrCat(what, ": it has a comparator that this program lacks (",
                     status.ToString(), ")"));
  }
  return FromRocksDb(status, what);
}

// RocksDB writes OPTIONS under the application's locale, and reads 0,15 as 0.
// (Some locales have U+066B for the comma.)
absl::Status CheckNumbers(const std::string& folder) {
  static const std::regex comma(
      "\\w+\\s*=\\s*-?[0-9]+(,|\xd9\xab)[0-9]+(?=\\s*[;}\n])");
  std::string text;
  const absl::StatusOr<std::string> path = NewestOptions(folder);
  if (path.ok()) {
    (void)rocksdb::ReadFileToString(rocksdb::Env::Default(), *path, &text);
  }
  std::smatch found;
  if (!std::regex_search(text, found, comma)) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "'", folder, "': its OPTIONS have ", found.str(),
      ", written under a locale with a decimal comma, and RocksDB reads only "
      "what is before the comma. Open the database once with the application "
      "under LC_ALL=C, which writes them again"));
}

bool IsTransient(const rocksdb::Status& status) {
  return status.IsIOError() || status.IsCorruption();
}

}  // namespace

absl::Status CheckIsDatabase(const std::string& folder) {
  std::error_code error;
  const bool is_folder = std::filesystem::is_directory(folder, error);
  if (is_folder && std::filesystem::exists(folder + "/CURRENT", error)) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      absl::StrCat("'", folder, "' is not a RocksDB database: ",
                   error       ? error.message()
                   : is_folder ? "it has no file CURRENT"
                               : "not a folder"));
}

absl::Status CheckUnlockedDatabase(const std::string& folder) {
  RETURN_IF_ERROR(CheckIsDatabase(folder));
  return CheckLock(folder);
}

absl::StatusOr<std::string> NewestOptions(const std::string& folder) {
  std::string name;
  const rocksdb::Status found =
      rocksdb::GetLatestOptionsFileName(folder, rocksdb::Env::Default(), &name);
  if (found.ok()) return absl::StrCat(folder, "/", name);
  return FromRocksDb(found, absl::StrCat("'", folder, "' has no OPTIONS"));
}

StoredOptions LoadOptionsLeniently(const std::string& folder) {
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

absl::StatusOr<StoredOptions> LoadOptionsOrFail(const std::string& folder) {
  RETURN_IF_ERROR(CheckNumbers(folder));
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

std::shared_ptr<rocksdb::MergeOperator> LastOperand() {
  std::shared_ptr<rocksdb::MergeOperator> made;
  (void)rocksdb::MergeOperator::CreateFromString(rocksdb::ConfigOptions(),
                                                 "put", &made);
  return made;
}

ReadOnlyDatabase::~ReadOnlyDatabase() {
  if (db_ == nullptr) return;
  for (auto* family : families_) (void)db_->DestroyColumnFamilyHandle(family);
}

rocksdb::Status ReadOnlyDatabase::OpenOnce(const std::string& folder,
                                           const StoredOptions& stored,
                                           Logs logs) {
  const auto is_open = std::make_shared<bool>(false);
  RETURN_IF_ERROR(NewReadOnlyEnv(logs, is_open, &env_));
  rocksdb::DBOptions options = stored.db;
  options.env = env_.get();
  options.info_log = std::make_shared<QuietLogger>();
  options.create_if_missing = false;  // or RocksDB tries to make the folder
  if (logs == Logs::kEmpty) DisableExpensiveOptions(&options);
  const rocksdb::Status status = rocksdb::DB::OpenForReadOnly(
      options, folder, stored.families, &families_, OutPtr(&db_));
  *is_open = true;
  return status;
}

absl::StatusOr<ReadOnlyDatabase> ReadOnlyDatabase::Open(
    const std::string& folder, const StoredOptions& options, Logs logs) {
  rocksdb::Status status;
  for (int i = 0; i < kAttempts; ++i) {
    ReadOnlyDatabase database;
    status = database.OpenOnce(folder, options, logs);
    if (status.ok()) return database;
    if (logs == Logs::kRead || !IsTransient(status)) break;
  }
  return Explain(status, folder);
}

absl::StatusOr<ReadOnlyDatabase> ReadOnlyDatabase::Open(
    const std::string& folder) {
  RETURN_IF_ERROR(CheckIsDatabase(folder));
  StoredOptions options;
  rocksdb::Status status;
  for (int i = 0; i < kAttempts; ++i) {
    status = NeededOptions(folder, &options);
    if (!IsTransient(status)) break;
  }
  if (!status.ok()) return Explain(status, folder);
  return Open(folder, options, Logs::kEmpty);
}

absl::StatusOr<std::vector<LiveFile>> ListLiveFiles(const std::string& folder) {
  ASSIGN_OR_RETURN(const ReadOnlyDatabase database,
                   ReadOnlyDatabase::Open(folder));
  std::vector<LiveFile> files;
  for (rocksdb::ColumnFamilyHandle* family : database.families()) {
    rocksdb::ColumnFamilyMetaData metadata;
    database.db()->GetColumnFamilyMetaData(family, &metadata);
    for (const rocksdb::LevelMetaData& level : metadata.levels) {
      for (const rocksdb::SstFileMetaData& file : level.files) {
        files.push_back(
            {absl::StrCat(file.directory, "/", file.relative_filename),
             metadata.name, level.level, file.size});
      }
    }
  }
  return files;
}

}  // namespace linebloom::tools
