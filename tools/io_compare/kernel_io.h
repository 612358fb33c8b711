// How reads reach the device, and what the kernel counts of them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

#include "absl/strings/string_view.h"

namespace linebloom::tools {

// Bytes that this process has made the kernel fetch from devices so far, all
// threads together (`read_bytes` of /proc/self/io); nothing where the kernel
// does not tell.
std::optional<uint64_t> DeviceBytesRead();

// Whether files in `folder` can be read past the page cache (O_DIRECT). Tries
// it with a small file, which it removes.
bool SupportsDirectIo(const std::filesystem::path& folder);

// What reads of `file` are rounded to: the device's block for direct reads, a
// page of memory for others. In bytes.
uint64_t ReadAlignment(const std::filesystem::path& file, bool direct_io);

// The SSTables of a folder, kept open to take their pages out of the page
// cache again and again. Not copyable; one thread.
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
  kKernelSilent,  // it does not tell
  kNothingRead,   // the kernel saw no read: no device behind the file system
  kKernelLess,    // some reads came out of memory
  kKernelMore,    // more than rounding explains was read
};

// Compares the bytes of `reads` blocks that RocksDB asked for with what the
// kernel fetched. A block begins and ends anywhere, so rounding adds less than
// twice `alignment` to each.
IoAgreement CompareIo(uint64_t asked_bytes, uint64_t reads, uint64_t alignment,
                      std::optional<uint64_t> device_bytes);

}  // namespace linebloom::tools
