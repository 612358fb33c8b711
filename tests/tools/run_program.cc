#include "tests/tools/run_program.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "absl/strings/str_cat.h"

namespace linebloom::tools {
namespace fs = std::filesystem;

TemporaryFolder::TemporaryFolder()
    : path_(testing::TempDir() + "linebloom_test.XXXXXX") {
  EXPECT_NE(mkdtemp(path_.data()), nullptr);
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

std::string TemporaryFolder::Write(const std::string& name,
                                   const std::string& bytes) const {
  std::ofstream(File(name), std::ios::binary) << bytes;
  return File(name);
}

std::string ReadWholeFile(const std::string& path) {
  std::ostringstream bytes;
  bytes << std::ifstream(path, std::ios::binary).rdbuf();
  return bytes.str();
}

std::vector<std::string> Fingerprint(const std::string& folder) {
  std::vector<std::string> lines;
  const auto add = [&lines](const fs::path& path) {
    struct stat info = {};
    EXPECT_EQ(stat(path.c_str(), &info), 0) << path;
    std::string line =
        absl::StrCat(path.string(), " ", info.st_size, " ", info.st_mtim.tv_sec,
                     ".", info.st_mtim.tv_nsec, " ", info.st_ino);
    if (S_ISREG(info.st_mode)) absl::StrAppend(&line, " ", ReadWholeFile(path));
    lines.push_back(line);
  };
  add(folder);
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    add(entry.path());
  }
  std::sort(lines.begin(), lines.end());
  return lines;
}

}  // namespace linebloom::tools
