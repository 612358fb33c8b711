#include "tests/tools/run_program.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "absl/strings/str_cat.h"

namespace linebloom::tools {
namespace {

namespace fs = std::filesystem;

std::string NewFile() {
  std::string path = testing::TempDir() + "linebloom_output.XXXXXX";
  const int file = mkstemp(path.data());
  EXPECT_GE(file, 0);
  close(file);
  return path;
}

// Runs in the new process, where only calls that are safe after fork() are
// allowed.
void BecomeProgram(std::vector<char*>* arguments, const std::string& folder,
                   const std::string& out, const std::string& err,
                   size_t file_bytes) {
  const int out_file = open(out.c_str(), O_WRONLY);
  const int err_file = open(err.c_str(), O_WRONLY);
  if (out_file < 0 || err_file < 0 || chdir(folder.c_str()) != 0) _exit(126);
  dup2(out_file, STDOUT_FILENO);
  dup2(err_file, STDERR_FILENO);
  if (file_bytes > 0) {
    const rlimit limit = {file_bytes, file_bytes};
    setrlimit(RLIMIT_FSIZE, &limit);
    signal(SIGXFSZ, SIG_IGN);  // writes fail instead
  }
  execv(arguments->front(), arguments->data());
  _exit(127);
}

}  // namespace

Program::Program(const std::vector<std::string>& arguments,
                 const std::string& folder, size_t file_bytes)
    : out_path_(NewFile()), err_path_(NewFile()) {
  std::vector<std::string> copies = arguments;
  std::vector<char*> pointers;
  for (std::string& argument : copies) pointers.push_back(argument.data());
  pointers.push_back(nullptr);
  pid_ = fork();
  if (pid_ == 0) {
    BecomeProgram(&pointers, folder, out_path_, err_path_, file_bytes);
  }
}

void Program::Signal(int signal) const { kill(pid_, signal); }

bool Program::IsRunning() const {
  siginfo_t ended = {};
  waitid(P_PID, static_cast<id_t>(pid_), &ended, WEXITED | WNOHANG | WNOWAIT);
  return ended.si_pid == 0;
}

ProgramResult Program::Wait() {
  int status = 0;
  EXPECT_EQ(waitpid(pid_, &status, 0), pid_);
  ProgramResult result;
  result.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  result.out = ReadWholeFile(out_path_);
  result.err = ReadWholeFile(err_path_);
  fs::remove(out_path_);
  fs::remove(err_path_);
  return result;
}

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

std::vector<std::string> TemporaryFolder::Names() const {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(path_)) {
    names.push_back(entry.path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
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
