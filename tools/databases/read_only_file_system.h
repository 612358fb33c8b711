// A file system that allows no changes.
#pragma once

#include <memory>
#include <string>

#include "rocksdb/file_system.h"

namespace linebloom::tools {

// Forwards reads to the default file system and rejects everything that
// creates, changes or removes a file. DB::OpenForReadOnly alone doesn't leave a
// folder unchanged: RocksDB removes files ending in ".trash" from any database
// it opens, and some versions write IDENTITY or a LOG.
class ReadOnlyFileSystem : public rocksdb::FileSystemWrapper {
 public:
  ReadOnlyFileSystem() : FileSystemWrapper(rocksdb::FileSystem::Default()) {}

  const char* Name() const override { return "linebloom.ReadOnlyFileSystem"; }

  rocksdb::IOStatus NewWritableFile(
      const std::string& path, const rocksdb::FileOptions& /*options*/,
      std::unique_ptr<rocksdb::FSWritableFile>* /*result*/,
      rocksdb::IODebugContext* /*debug*/) override {
    return Refuse(path);
  }
  rocksdb::IOStatus ReopenWritableFile(
      const std::string& path, const rocksdb::FileOptions& /*options*/,
      std::unique_ptr<rocksdb::FSWritableFile>* /*result*/,
      rocksdb::IODebugContext* /*debug*/) override {
    return Refuse(path);
  }
  rocksdb::IOStatus ReuseWritableFile(
      const std::string& path, const std::string& /*old_path*/,
      const rocksdb::FileOptions& /*options*/,
      std::unique_ptr<rocksdb::FSWritableFile>* /*result*/,
      rocksdb::IODebugContext* /*debug*/) override {
    return Refuse(path);
  }
  rocksdb::IOStatus NewRandomRWFile(
      const std::string& path, const rocksdb::FileOptions& /*options*/,
      std::unique_ptr<rocksdb::FSRandomRWFile>* /*result*/,
      rocksdb::IODebugContext* /*debug*/) override {
    return Refuse(path);
  }
  rocksdb::IOStatus DeleteFile(const std::string& path,
                               const rocksdb::IOOptions& /*options*/,
                               rocksdb::IODebugContext* /*debug*/) override {
    return Refuse(path);
  }
  rocksdb::IOStatus Truncate(const std::string& path, size_t /*size*/,
                             const rocksdb::IOOptions& /*options*/,
                             rocksdb::IODebugContext* /*debug*/) override {
    return Refuse(path);
  }
  rocksdb::IOStatus CreateDir(const std::string& path,
                              const rocksdb::IOOptions& /*options*/,
                              rocksdb::IODebugContext* /*debug*/) override {
    return Refuse(path);
  }
  rocksdb::IOStatus CreateDirIfMissing(
      const std::string& path, const rocksdb::IOOptions& /*options*/,
      rocksdb::IODebugContext* /*debug*/) override {
    return Refuse(path);
  }
  rocksdb::IOStatus DeleteDir(const std::string& path,
                              const rocksdb::IOOptions& /*options*/,
                              rocksdb::IODebugContext* /*debug*/) override {
    return Refuse(path);
  }
  rocksdb::IOStatus RenameFile(const std::string& path,
                               const std::string& /*to*/,
                               const rocksdb::IOOptions& /*options*/,
                               rocksdb::IODebugContext* /*debug*/) override {
    return Refuse(path);
  }
  rocksdb::IOStatus LinkFile(const std::string& path, const std::string& /*to*/,
                             const rocksdb::IOOptions& /*options*/,
                             rocksdb::IODebugContext* /*debug*/) override {
    return Refuse(path);
  }
  rocksdb::IOStatus LockFile(const std::string& path,
                             const rocksdb::IOOptions& /*options*/,
                             rocksdb::FileLock** /*lock*/,
                             rocksdb::IODebugContext* /*debug*/) override {
    return Refuse(path);
  }
  rocksdb::IOStatus NewLogger(const std::string& path,
                              const rocksdb::IOOptions& /*options*/,
                              std::shared_ptr<rocksdb::Logger>* /*result*/,
                              rocksdb::IODebugContext* /*debug*/) override {
    return Refuse(path);
  }

 private:
  static rocksdb::IOStatus Refuse(const std::string& path) {
    return rocksdb::IOStatus::NotSupported("read-only file system", path);
  }
};

}  // namespace linebloom::tools
