// The base of the tools' tests, which run the program in a temporary folder.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "nlohmann/json.hpp"
#include "tests/tools/run_program.h"

namespace linebloom::tools {

class ToolTest : public ::testing::Test {
 protected:
  explicit ToolTest(std::string program) : program_(std::move(program)) {}

  // Expects no line wider than a terminal, unless it prints JSON, a metric or a
  // path of the machine's. At most `file_bytes` can be written to any file, 0
  // for no limit.
  ProgramResult Run(std::vector<std::string> flags, size_t file_bytes = 0) {
    flags.insert(flags.begin(), program_);
    ProgramResult run = Program(flags, folder_.path(), file_bytes).Wait();
    if (absl::StartsWith(run.out, "{")) return run;
    for (const auto& line : absl::StrSplit(run.out, '\n')) {
      if (absl::StrContains(line, folder_.path())) continue;
      if (absl::StartsWith(line, "linebloom_")) continue;
      EXPECT_LE(line.size(), 100u) << line;
    }
    return run;
  }

  // Runs with --json=- and expects `exit_code`.
  nlohmann::json RunForJson(std::vector<std::string> flags, int exit_code = 0) {
    flags.push_back("--json=-");
    const ProgramResult run = Run(flags);
    EXPECT_EQ(run.exit_code, exit_code) << run.err;
    nlohmann::json parsed = nlohmann::json::parse(run.out, nullptr, false);
    EXPECT_TRUE(parsed.is_object()) << run.out;
    return parsed;
  }

  // Expects, with these flags separated by blanks, exit code 2, one line on
  // stderr that says `what`, nothing on stdout, and no changes in the folder.
  void ExpectRefused(const std::string& flags, const std::string& what) {
    const std::vector<std::string> before = Contents();
    const ProgramResult run =
        Run(absl::StrSplit(flags, ' ', absl::SkipEmpty()));
    const std::string call = absl::StrCat(flags, ": ", run.err);
    EXPECT_EQ(run.exit_code, 2) << call;
    EXPECT_THAT(run.err, ::testing::HasSubstr(what)) << call;
    EXPECT_EQ(std::count(run.err.begin(), run.err.end(), '\n'), 1) << call;
    EXPECT_EQ(run.out, "") << call;
    EXPECT_TRUE(Contents() == before) << call;
  }

  void ExpectRefused(
      const std::vector<std::pair<std::string, std::string>>& calls) {
    for (const auto& [flags, what] : calls) ExpectRefused(flags, what);
  }

  TemporaryFolder folder_;

 private:
  // Excludes the folder itself, where temporary files come and go.
  std::vector<std::string> Contents() const {
    std::vector<std::string> lines = Fingerprint(folder_.path());
    lines.erase(lines.begin());
    return lines;
  }

  std::string program_;
};

}  // namespace linebloom::tools
