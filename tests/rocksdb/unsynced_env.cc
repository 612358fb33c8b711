#include "tests/rocksdb/unsynced_env.h"

#include <memory>
#include <string>
#include <utility>

#include "rocksdb/file_system.h"

namespace linebloom {
namespace {

using rocksdb::DirFsyncOptions;
using rocksdb::FileOptions;
using rocksdb::IODebugContext;
using rocksdb::IOOptions;
using rocksdb::IOStatus;

class UnsyncedFile : public rocksdb::FSWritableFileOwnerWrapper {
 public:
  using FSWritableFileOwnerWrapper::FSWritableFileOwnerWrapper;
  IOStatus Sync(const IOOptions&, IODebugContext*) override {
    return IOStatus::OK();
  }
  IOStatus Fsync(const IOOptions&, IODebugContext*) override {
    return IOStatus::OK();
  }
};

class UnsyncedDirectory : public rocksdb::FSDirectoryWrapper {
 public:
  using FSDirectoryWrapper::FSDirectoryWrapper;
  IOStatus Fsync(const IOOptions&, IODebugContext*) override {
    return IOStatus::OK();
  }
  IOStatus FsyncWithDirOptions(const IOOptions&, IODebugContext*,
                               const DirFsyncOptions&) override {
    return IOStatus::OK();
  }
};

class UnsyncedFileSystem : public rocksdb::FileSystemWrapper {
 public:
  using FileSystemWrapper::FileSystemWrapper;
  const char* Name() const override { return "test.Unsynced"; }

  IOStatus NewWritableFile(const std::string& name, const FileOptions& options,
                           std::unique_ptr<rocksdb::FSWritableFile>* result,
                           IODebugContext* debug) override {
    IOStatus status = target()->NewWritableFile(name, options, result, debug);
    if (status.ok()) {
      *result = std::make_unique<UnsyncedFile>(std::move(*result));
    }
    return status;
  }

  IOStatus NewDirectory(const std::string& name, const IOOptions& options,
                        std::unique_ptr<rocksdb::FSDirectory>* result,
                        IODebugContext* debug) override {
    IOStatus status = target()->NewDirectory(name, options, result, debug);
    if (status.ok()) {
      *result = std::make_unique<UnsyncedDirectory>(std::move(*result));
    }
    return status;
  }
};

}  // namespace

rocksdb::Env* UnsyncedEnv() {
  static rocksdb::Env* const env =
      rocksdb::NewCompositeEnv(
          std::make_shared<UnsyncedFileSystem>(rocksdb::FileSystem::Default()))
          .release();
  return env;
}

}  // namespace linebloom
