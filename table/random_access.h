// Random access to bytes: a file, or memory in tests.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "rocksdb/file_system.h"

namespace linebloom {

// Immutable after construction; all functions may be called from many threads.
class RandomAccess {
 public:
  virtual ~RandomAccess() = default;
  RandomAccess(const RandomAccess&) = delete;
  RandomAccess& operator=(const RandomAccess&) = delete;

  // The name in messages: a file's path as the user gave it.
  const std::string& name() const { return name_; }
  uint64_t size() const { return size_; }  // in bytes

  // Returns exactly the bytes [offset, offset + length). OutOfRange if they
  // exceed the end, checked before memory is allocated; other errors are the
  // operating system's.
  absl::StatusOr<std::string> Read(uint64_t offset, uint64_t length) const;

 protected:
  RandomAccess(std::string name, uint64_t size)
      : name_(std::move(name)), size_(size) {}

 private:
  // The range is inside the bytes and not empty.
  virtual absl::Status ReadInto(uint64_t offset, size_t length,
                                char* out) const = 0;

  std::string name_;
  uint64_t size_;
};

// Opens a regular file for reading. Its size is taken now, because an SSTable
// never grows. NotFound, PermissionDenied and so on come from the operating
// system; InvalidArgument for a directory, a pipe or a device.
absl::StatusOr<std::unique_ptr<RandomAccess>> OpenFile(const std::string& path);

// Opens it through a database's own file system: files in memory or stored
// encrypted look as they do to the database. Errors as of FromRocksDb().
absl::StatusOr<std::unique_ptr<RandomAccess>> OpenFile(
    rocksdb::FileSystem* file_system, const std::string& path);

}  // namespace linebloom
