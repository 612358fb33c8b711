// A tool's working folder, which it leaves as it was.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace linebloom::tools {

// The destructor removes everything put into the folder, and the folder itself
// if this created it. Move-only; one thread.
class ScratchFolder {
 public:
  // Creates a folder `<name>.XXXXXX` in the current one.
  static absl::StatusOr<ScratchFolder> MakeTemporary(absl::string_view name);

  // Uses `path`, which must be an empty folder or not exist (its parent must).
  static absl::StatusOr<ScratchFolder> Use(const std::string& path);

  ScratchFolder(ScratchFolder&& other) noexcept;
  ScratchFolder& operator=(ScratchFolder&& other) noexcept;
  ~ScratchFolder();

  const std::filesystem::path& path() const { return path_; }

  // Keeps everything.
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
