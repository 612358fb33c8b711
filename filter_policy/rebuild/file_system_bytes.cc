#include "filter_policy/rebuild/file_system_bytes.h"

#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"

namespace linebloom {
namespace {

absl::Status FromIo(const rocksdb::IOStatus& status, const std::string& path) {
  const std::string text = absl::StrCat(path, ": ", status.ToString());
  if (status.IsNotFound() || status.IsPathNotFound()) {
    return absl::NotFoundError(text);
  }
  if (status.IsCorruption()) return absl::DataLossError(text);
  return absl::UnavailableError(text);
}

class FileSystemBytes final : public RandomAccess {
 public:
  FileSystemBytes(std::string path, uint64_t size,
                  std::unique_ptr<rocksdb::FSRandomAccessFile> file)
      : RandomAccess(std::move(path), size), file_(std::move(file)) {}

 private:
  absl::Status ReadInto(uint64_t offset, size_t length,
                        char* out) const override {
    rocksdb::Slice got;
    const rocksdb::IOStatus status =
        file_->Read(offset, length, rocksdb::IOOptions(), &got, out, nullptr);
    if (!status.ok()) return FromIo(status, name());
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

absl::StatusOr<std::unique_ptr<RandomAccess>> OpenFile(
    rocksdb::FileSystem* file_system, const std::string& path) {
  uint64_t size = 0;
  rocksdb::IOStatus status =
      file_system->GetFileSize(path, rocksdb::IOOptions(), &size, nullptr);
  if (!status.ok()) return FromIo(status, path);
  std::unique_ptr<rocksdb::FSRandomAccessFile> file;
  status = file_system->NewRandomAccessFile(path, rocksdb::FileOptions(), &file,
                                            nullptr);
  if (!status.ok()) return FromIo(status, path);
  return std::make_unique<FileSystemBytes>(path, size, std::move(file));
}

}  // namespace linebloom
