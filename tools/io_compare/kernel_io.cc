#include "tools/io_compare/kernel_io.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <memory>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "rocksdb/file_system.h"

namespace linebloom::tools {
namespace {

constexpr uint64_t kPageBytes = 4096;

// Some file systems accept O_DIRECT when opening a file and then fail to read
// it.
bool CanReadDirectly(const std::string& path) {
  const int file = open(path.c_str(), O_RDONLY | O_DIRECT | O_CLOEXEC);
  if (file < 0) return false;
  void* buffer = nullptr;
  bool can = false;
  if (posix_memalign(&buffer, kPageBytes, kPageBytes) == 0) {
    can =
        pread(file, buffer, kPageBytes, 0) == static_cast<ssize_t>(kPageBytes);
    std::free(buffer);
  }
  close(file);
  return can;
}

}  // namespace

std::optional<uint64_t> DeviceBytesRead() {
  std::ifstream file("/proc/self/io");
  std::string line;
  constexpr absl::string_view kField = "read_bytes: ";
  while (std::getline(file, line)) {
    uint64_t bytes = 0;
    if (absl::StartsWith(line, kField) &&
        absl::SimpleAtoi(line.substr(kField.size()), &bytes)) {
      return bytes;
    }
  }
  return std::nullopt;
}

bool SupportsDirectIo(const std::filesystem::path& folder) {
  const std::filesystem::path path = folder / "direct_io_test";
  {
    std::ofstream file(path, std::ios::binary);
    file << std::string(kPageBytes, 'x');
  }
  const bool can = CanReadDirectly(path.string());
  std::error_code ignored;
  std::filesystem::remove(path, ignored);
  return can;
}

uint64_t ReadAlignment(const std::filesystem::path& file, bool direct_io) {
  if (!direct_io) return kPageBytes;
  rocksdb::FileOptions options;
  options.use_direct_reads = true;
  std::unique_ptr<rocksdb::FSRandomAccessFile> opened;
  const rocksdb::IOStatus status =
      rocksdb::FileSystem::Default()->NewRandomAccessFile(
          file.string(), options, &opened, nullptr);
  return status.ok() ? opened->GetRequiredBufferAlignment() : kPageBytes;
}

PageDropper::PageDropper(const std::filesystem::path& folder) {
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".sst") continue;
    const int file = open(entry.path().c_str(), O_RDONLY | O_CLOEXEC);
    if (file >= 0) files_.push_back(file);
  }
}

PageDropper::~PageDropper() {
  for (const int file : files_) close(file);
}

void PageDropper::Drop() const {
  for (const int file : files_) posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED);
}

IoAgreement CompareIo(uint64_t asked_bytes, uint64_t reads, uint64_t alignment,
                      std::optional<uint64_t> device_bytes) {
  if (!device_bytes.has_value()) return IoAgreement::kKernelSilent;
  if (reads == 0) return IoAgreement::kNothingAsked;
  if (*device_bytes == 0) return IoAgreement::kNothingRead;
  if (*device_bytes < asked_bytes) return IoAgreement::kKernelLess;
  const uint64_t rounding = reads * 2 * (alignment - 1);
  return *device_bytes > asked_bytes + rounding ? IoAgreement::kKernelMore
                                                : IoAgreement::kAgrees;
}

}  // namespace linebloom::tools
