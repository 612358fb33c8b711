// The folder that a tool works in, and that it leaves as it found it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace linebloom::tools {

// Removes what was put into the folder, and the folder itself if it made it,
// when it is destroyed. Move-only; one thread.
class ScratchFolder {
 public:
  // A new folder `<name>.XXXXXX` in the current one.
  static absl::StatusOr<ScratchFolder> MakeTemporary(absl::string_view name);

  // Uses `path`, which must be an empty folder or not exist (its parent must).
  static absl::StatusOr<ScratchFolder> Use(const std::string& path);

  ScratchFolder(ScratchFolder&& other) noexcept;
  ScratchFolder& operator=(ScratchFolder&& other) noexcept;
  ~ScratchFolder();

  const std::filesystem::path& path() const { return path_; }

  // Leaves everything in place.
  void Keep() { owned_ = Owned::kNothing; }

 private:
  enum class Owned { kNothing, kContents, kFolder };

  ScratchFolder(std::filesystem::path path, Owned owned)
      : path_(std::move(path)), owned_(owned) {}
  void Remove();

  std::filesystem::path path_;  // absolute
  Owned owned_;
};

// Bytes that an unprivileged process may still write below `path`.
absl::StatusOr<uint64_t> FreeBytes(const std::filesystem::path& path);

}  // namespace linebloom::tools
