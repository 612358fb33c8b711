#include "tools/io_compare/scratch_folder.h"

#include <stdlib.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"

namespace linebloom::tools {
namespace {

namespace fs = std::filesystem;

absl::Status Unusable(absl::string_view what, const std::string& path,
                      const std::error_code& error) {
  return absl::InvalidArgumentError(
      absl::StrCat(what, " '", path, "': ", error.message()));
}

}  // namespace

absl::StatusOr<ScratchFolder> ScratchFolder::MakeTemporary(
    absl::string_view name) {
  std::error_code error;
  const fs::path here = fs::current_path(error);
  if (error) return Unusable("cannot find the current folder", ".", error);
  std::string path = (here / absl::StrCat(name, ".XXXXXX")).string();
  if (mkdtemp(path.data()) == nullptr) {
    error.assign(errno, std::generic_category());
    return Unusable("cannot make a temporary folder in", here.string(), error);
  }
  return ScratchFolder(path, Owned::kFolder);
}

absl::StatusOr<ScratchFolder> ScratchFolder::Use(const std::string& path) {
  std::error_code error;
  const fs::path absolute = fs::absolute(path, error);
  if (error) return Unusable("cannot use folder", path, error);
  if (fs::create_directory(absolute, error)) {
    return ScratchFolder(absolute, Owned::kFolder);
  }
  if (error) return Unusable("cannot make folder", path, error);
  const bool empty = fs::is_empty(absolute, error);
  if (error) return Unusable("cannot read folder", path, error);
  if (!empty) {
    return absl::InvalidArgumentError(absl::StrCat(
        "folder '", path, "' is not empty; give an empty or a new one"));
  }
  if (access(absolute.c_str(), W_OK) != 0) {
    error.assign(errno, std::generic_category());
    return Unusable("cannot write to folder", path, error);
  }
  return ScratchFolder(absolute, Owned::kContents);
}

ScratchFolder::ScratchFolder(ScratchFolder&& other) noexcept
    : path_(std::move(other.path_)),
      owned_(std::exchange(other.owned_, Owned::kNothing)) {}

ScratchFolder& ScratchFolder::operator=(ScratchFolder&& other) noexcept {
  if (this != &other) {
    Remove();
    path_ = std::move(other.path_);
    owned_ = std::exchange(other.owned_, Owned::kNothing);
  }
  return *this;
}

ScratchFolder::~ScratchFolder() { Remove(); }

void ScratchFolder::Remove() {
  std::error_code ignored;  // nobody to report it to
  if (owned_ == Owned::kFolder) fs::remove_all(path_, ignored);
  if (owned_ == Owned::kContents) {
    for (const auto& entry : fs::directory_iterator(path_, ignored)) {
      fs::remove_all(entry.path(), ignored);
    }
  }
  owned_ = Owned::kNothing;
}

absl::StatusOr<uint64_t> FreeBytes(const fs::path& path) {
  std::error_code error;
  const fs::space_info space = fs::space(path, error);
  if (error) return Unusable("cannot determine the free space in", path, error);
  return space.available;
}

}  // namespace linebloom::tools
