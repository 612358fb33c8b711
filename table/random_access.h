// Random access to the bytes of a file.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "rocksdb/file_system.h"

namespace linebloom {

// Immutable after construction; all functions may be called from many threads.
class RandomAccess {
 public:
  // Opens a file for reading. Its size is taken now, because an SSTable never
  // grows. Errors as of FromRocksDb().
  static absl::StatusOr<std::unique_ptr<RandomAccess>> Open(
      const std::string& path, rocksdb::FileSystem* file_system);

  RandomAccess(std::string name, uint64_t size,
               std::unique_ptr<rocksdb::FSRandomAccessFile> file)
      : name_(std::move(name)), size_(size), file_(std::move(file)) {}

  // The name in messages: a file's path as the user gave it.
  const std::string& name() const { return name_; }
  uint64_t size() const { return size_; }  // in bytes

  // Returns exactly the bytes [offset, offset + length), which must not exceed
  // the end.
  absl::StatusOr<std::string> Read(uint64_t offset, uint64_t length) const;

 private:
  std::string name_;
  uint64_t size_;
  std::unique_ptr<rocksdb::FSRandomAccessFile> file_;
};

}  // namespace linebloom
