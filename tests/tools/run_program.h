// Runs a program and takes what it prints.
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
  // Starts `arguments[0]` with the others in `folder`. At most `file_bytes` can
  // be written to any one file, 0 for no limit.
  Program(const std::vector<std::string>& arguments, const std::string& folder,
          size_t file_bytes = 0);

  void Signal(int signal) const;
  // Whether it has not ended yet.
  bool IsRunning() const;
  // Waits for the end. To be called once.
  ProgramResult Wait();

 private:
  pid_t pid_;
  std::string out_path_;
  std::string err_path_;
};

// A new empty folder, removed at the end.
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
  // Names of what is in it, in order.
  std::vector<std::string> Names() const;

 private:
  std::string path_;
};

std::string ReadWholeFile(const std::string& path);

// One line for each file and folder below `folder`: name, size, time of the
// last change, inode, and for files the bytes.
std::vector<std::string> Fingerprint(const std::string& folder);

}  // namespace linebloom::tools
