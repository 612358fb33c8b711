// The machine that a measurement runs on: how reads reach the device and how
// the kernel counts them, a folder to work in.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "tools/shared/terminal_text.h"

namespace linebloom::tools {

// The bytes that the kernel has fetched from devices for this process so far;
// nothing if it doesn't report them (`read_bytes` of /proc/self/io).
std::optional<uint64_t> DeviceBytesRead();

// The bytes to which reads through the page cache are rounded.
inline constexpr uint64_t kPageBytes = 4096;

// Those to which direct reads (O_DIRECT) in `folder` are rounded; nothing if
// it has none. Tries it with a small file, which it removes.
std::optional<uint64_t> DirectIoAlignment(const std::filesystem::path& folder);

// Compares the bytes of `reads` blocks that RocksDB requested with the
// kernel's. Rounding adds less than twice `alignment` to each. Returns what the
// kernel's count does, in words: "agrees with ..."; "" without reads.
std::string CompareIo(uint64_t asked_bytes, uint64_t reads, uint64_t alignment,
                      std::optional<uint64_t> device_bytes);

// `cpu`, `cores` that this process may use, `kernel`, `rocksdb_version`, and of
// the folder `device` and `file_system`; "unknown" if the system doesn't reveal
// them.
Json DescribeMachine(const std::filesystem::path& folder);

// The destructor removes everything put into the folder, unless it is to be
// kept, and the folder itself if it was made for this.
struct ScratchFolder {
  ~ScratchFolder();

  std::filesystem::path path;  // absolute
  bool was_made;
  bool keep = false;
};

// The folder `path`, which must be empty or not exist (its parent must); for ""
// a new one in the current folder, `<name>.XXXXXX`.
absl::StatusOr<std::unique_ptr<ScratchFolder>> UseScratchFolder(
    const std::string& path, absl::string_view name);

}  // namespace linebloom::tools
