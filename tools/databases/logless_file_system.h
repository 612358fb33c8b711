// A read-only file system in which write-ahead logs appear empty.
#pragma once

#include <memory>
#include <string>

#include "absl/strings/match.h"
#include "rocksdb/file_system.h"
#include "tools/databases/read_only_file_system.h"

namespace linebloom::tools {

// For opening a database to find its SSTables: otherwise RocksDB reads all
// logs, however large. Rejected: omitting the logs from the folder's listing,
// because a manifest that tracks its logs then counts as damaged.
class LoglessFileSystem : public ReadOnlyFileSystem {
 public:
  const char* Name() const override { return "linebloom.LoglessFileSystem"; }

  rocksdb::IOStatus NewSequentialFile(
      const std::string& path, const rocksdb::FileOptions& options,
      std::unique_ptr<rocksdb::FSSequentialFile>* result,
      rocksdb::IODebugContext* debug) override {
    if (!absl::EndsWith(path, ".log")) {
      return ReadOnlyFileSystem::NewSequentialFile(path, options, result,
                                                   debug);
    }
    *result = std::make_unique<EmptyFile>();
    return rocksdb::IOStatus::OK();
  }

 private:
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
};

}  // namespace linebloom::tools
