// Runs a program and captures its output.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace linebloom::tools {

struct ProgramResult {
  int exit_code;  // -1 if a signal ended it
  std::string out;
  std::string err;
};

// A running program. Its output goes to files outside its folder.
class Program {
 public:
  // Starts `arguments[0]` with the other arguments in `folder`. Limits each
  // file that it writes to `file_bytes`; 0: no limit.
  Program(const std::vector<std::string>& arguments, const std::string& folder,
          size_t file_bytes = 0);

  void Signal(int signal) const;
  // True if it is still running.
  bool IsRunning() const;
  // Waits until it ends. Call this once.
  ProgramResult Wait();

 private:
  pid_t pid_;
  std::string out_path_;
  std::string err_path_;
};

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
  // The sorted names of its contents.
  std::vector<std::string> Names() const;

 private:
  std::string path_;
};

std::string ReadWholeFile(const std::string& path);

// One line per file and folder below `folder`: name, size, modification time,
// inode, and the contents of files.
std::vector<std::string> Fingerprint(const std::string& folder);

}  // namespace linebloom::tools
