#include "table/random_access.h"

#include <cstring>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "table/status.h"

namespace linebloom {

absl::StatusOr<std::unique_ptr<RandomAccess>> RandomAccess::Open(
    const std::string& path, rocksdb::FileSystem* file_system) {
  uint64_t size = 0;
  RETURN_IF_ERROR(FromRocksDb(
      file_system->GetFileSize(path, rocksdb::IOOptions(), &size, nullptr),
      path));
  std::unique_ptr<rocksdb::FSRandomAccessFile> file;
  // Opening a pipe, which has no bytes, would wait for a writer.
  if (size > 0) {
    RETURN_IF_ERROR(
        FromRocksDb(file_system->NewRandomAccessFile(
                        path, rocksdb::FileOptions(), &file, nullptr),
                    path));
  }
  return std::make_unique<RandomAccess>(path, size, std::move(file));
}

absl::StatusOr<std::string> RandomAccess::Read(uint64_t offset,
                                               uint64_t length) const {
  std::string bytes(length, '\0');
  rocksdb::Slice got;
  RETURN_IF_ERROR(FromRocksDb(file_->Read(offset, length, rocksdb::IOOptions(),
                                          &got, bytes.data(), nullptr),
                              name_));
  if (got.size() != length) {
    return absl::DataLossError(absl::StrCat(
        name_, ": offset ", offset, ": the file was cut short meanwhile"));
  }
  // Files in memory need no copy.
  if (got.data() != bytes.data()) {
    std::memcpy(bytes.data(), got.data(), length);
  }
  return bytes;
}

}  // namespace linebloom
