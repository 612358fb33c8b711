// Folders for the files of a test.
#pragma once

#include <string>
#include <vector>

namespace linebloom::tools {

// A new empty folder, removed by the destructor.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::string& path() const { return path_; }
  std::string File(const std::string& name) const { return path_ + "/" + name; }
  // Writes `bytes` to a file in the folder and returns its path.
  std::string Write(const std::string& name, const std::string& bytes) const;

 private:
  std::string path_;
};

std::string ReadWholeFile(const std::string& path);

// One line per file and folder below `folder`: name, size, modification time,
// inode, and the contents of files.
std::vector<std::string> Fingerprint(const std::string& folder);

}  // namespace linebloom::tools
