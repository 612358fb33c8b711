#include "tools/databases/read_only_env.h"

#include <string>

#include "absl/strings/match.h"
#include "rocksdb/convenience.h"
#include "rocksdb/file_system.h"

namespace linebloom::tools {
namespace {

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

// Rejected: omitting the logs from the folder's listing, because a manifest
// that tracks its logs then counts as damaged.
class EmptyLogs : public rocksdb::FileSystemWrapper {
 public:
  using FileSystemWrapper::FileSystemWrapper;

  const char* Name() const override { return "linebloom.EmptyLogs"; }

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
};

}  // namespace

rocksdb::Status NewReadOnlyEnv(Logs logs, std::unique_ptr<rocksdb::Env>* env) {
  std::shared_ptr<rocksdb::FileSystem> files;
  // RocksDB's own class is in no public header, but it can be created by name.
  const rocksdb::Status status = rocksdb::FileSystem::CreateFromString(
      rocksdb::ConfigOptions(), "ReadOnlyFileSystem", &files);
  if (!status.ok()) return status;
  if (logs == Logs::kEmpty) files = std::make_shared<EmptyLogs>(files);
  *env = rocksdb::NewCompositeEnv(files);
  return status;
}

}  // namespace linebloom::tools
