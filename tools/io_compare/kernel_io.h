// Controls how reads reach the device, and reads how the kernel counts them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

#include "absl/strings/string_view.h"

namespace linebloom::tools {

// The bytes that the kernel has fetched from devices for this process so far,
// all threads together (`read_bytes` of /proc/self/io); nothing if the kernel
// doesn't report it.
std::optional<uint64_t> DeviceBytesRead();

// True if files in `folder` can be read without the page cache (O_DIRECT).
// Tries it with a small file, which it removes.
bool SupportsDirectIo(const std::filesystem::path& folder);

// The size in bytes to which reads of `file` are rounded: the device's block
// for direct reads, otherwise a page of memory.
uint64_t ReadAlignment(const std::filesystem::path& file, bool direct_io);

// Keeps the SSTables of a folder open to drop their pages from the page cache
// repeatedly. Not copyable; one thread.
class PageDropper {
 public:
  explicit PageDropper(const std::filesystem::path& folder);
  ~PageDropper();
  PageDropper(const PageDropper&) = delete;
  PageDropper& operator=(const PageDropper&) = delete;

  void Drop() const;

 private:
  std::vector<int> files_;
};

enum class IoAgreement {
  kNothingAsked,  // RocksDB read no block
  kAgrees,
  kKernelSilent,  // the kernel doesn't report it
  kNothingRead,   // the kernel saw no reads: the file system has no device
  kKernelLess,    // some reads came from memory
  kKernelMore,    // more was read than rounding explains
};

// Compares the bytes of `reads` blocks that RocksDB requested with what the
// kernel fetched. Blocks start and end anywhere, so rounding adds less than
// twice `alignment` to each.
IoAgreement CompareIo(uint64_t asked_bytes, uint64_t reads, uint64_t alignment,
                      std::optional<uint64_t> device_bytes);

}  // namespace linebloom::tools
