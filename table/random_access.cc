#include "table/random_access.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "table/status.h"

namespace linebloom {
namespace {

class FileBytes final : public RandomAccess {
 public:
  FileBytes(std::string path, uint64_t size, int fd)
      : RandomAccess(std::move(path), size), fd_(fd) {}
  ~FileBytes() override { close(fd_); }

 private:
  absl::Status ReadInto(uint64_t offset, size_t length,
                        char* out) const override {
    while (length > 0) {
      const ssize_t got = pread(fd_, out, length, static_cast<off_t>(offset));
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) {
        return absl::ErrnoToStatus(
            errno, absl::StrCat(name(), ": offset ", offset, ": cannot read"));
      }
      if (got == 0) {
        return absl::DataLossError(
            absl::StrCat(name(), ": offset ", offset, ": the file of ", size(),
                         " bytes was cut short while it was read"));
      }
      offset += static_cast<uint64_t>(got);
      out += got;
      length -= static_cast<size_t>(got);
    }
    return absl::OkStatus();
  }

  int fd_;
};

class FileSystemBytes final : public RandomAccess {
 public:
  FileSystemBytes(std::string path, uint64_t size,
                  std::unique_ptr<rocksdb::FSRandomAccessFile> file)
      : RandomAccess(std::move(path), size), file_(std::move(file)) {}

 private:
  absl::Status ReadInto(uint64_t offset, size_t length,
                        char* out) const override {
    rocksdb::Slice got;
    RETURN_IF_ERROR(FromRocksDb(
        file_->Read(offset, length, rocksdb::IOOptions(), &got, out, nullptr),
        name()));
    if (got.size() != length) {
      return absl::DataLossError(absl::StrCat(name(), ": offset ", offset,
                                              ": expected ", length,
                                              " bytes, found ", got.size()));
    }
    // Files in memory need no copy.
    if (got.data() != out) std::memcpy(out, got.data(), length);
    return absl::OkStatus();
  }

  std::unique_ptr<rocksdb::FSRandomAccessFile> file_;
};

}  // namespace

absl::StatusOr<std::string> RandomAccess::Read(uint64_t offset,
                                               uint64_t length) const {
  if (offset > size_ || length > size_ - offset) {
    return absl::OutOfRangeError(
        absl::StrCat(name_, ": offset ", offset, ": expected ", length,
                     " bytes, but the file ends at byte ", size_));
  }
  std::string bytes(length, '\0');
  if (length > 0) RETURN_IF_ERROR(ReadInto(offset, length, bytes.data()));
  return bytes;
}

absl::StatusOr<std::unique_ptr<RandomAccess>> OpenFile(
    const std::string& path) {
  // O_NONBLOCK, so that opening a pipe by mistake doesn't wait for a writer.
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) {
    return absl::ErrnoToStatus(errno, absl::StrCat(path, ": cannot open"));
  }
  struct stat info = {};
  if (fstat(fd, &info) != 0) {
    absl::Status s =
        absl::ErrnoToStatus(errno, absl::StrCat(path, ": cannot stat"));
    close(fd);
    return s;
  }
  if (!S_ISREG(info.st_mode)) {
    close(fd);
    return absl::InvalidArgumentError(
        absl::StrCat(path, ": expected a regular file"));
  }
  return std::make_unique<FileBytes>(path, static_cast<uint64_t>(info.st_size),
                                     fd);
}

absl::StatusOr<std::unique_ptr<RandomAccess>> OpenFile(
    rocksdb::FileSystem* file_system, const std::string& path) {
  uint64_t size = 0;
  RETURN_IF_ERROR(FromRocksDb(
      file_system->GetFileSize(path, rocksdb::IOOptions(), &size, nullptr),
      path));
  std::unique_ptr<rocksdb::FSRandomAccessFile> file;
  RETURN_IF_ERROR(FromRocksDb(file_system->NewRandomAccessFile(
                                  path, rocksdb::FileOptions(), &file, nullptr),
                              path));
  return std::make_unique<FileSystemBytes>(path, size, std::move(file));
}

}  // namespace linebloom
