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
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "nlohmann/json.hpp"
#include "tests/tools/run_program.h"

namespace linebloom::tools {

class ToolTest : public ::testing::Test {
 protected:
  explicit ToolTest(std::string program) : program_(std::move(program)) {}

  // Expects no line wider than a terminal, unless the program prints JSON.
  ProgramResult Run(std::vector<std::string> flags) {
    flags.insert(flags.begin(), program_);
    ProgramResult run = Program(flags, folder_.path()).Wait();
    if (absl::StartsWith(run.out, "{")) return run;
    for (const auto& line : absl::StrSplit(run.out, '\n')) {
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

  // Expects exit code 2, one line on stderr that says `what`, nothing on
  // stdout, and no changes in the folder.
  void ExpectRefused(const std::vector<std::string>& flags,
                     const std::string& what) {
    const std::vector<std::string> before = Fingerprint(folder_.path());
    const ProgramResult run = Run(flags);
    const std::string call =
        absl::StrCat(absl::StrJoin(flags, " "), ": ", run.err);
    EXPECT_EQ(run.exit_code, 2) << call;
    EXPECT_THAT(run.err, ::testing::HasSubstr(what)) << call;
    EXPECT_EQ(std::count(run.err.begin(), run.err.end(), '\n'), 1) << call;
    EXPECT_EQ(run.out, "") << call;
    EXPECT_EQ(Fingerprint(folder_.path()), before) << call;
  }

  TemporaryFolder folder_;

 private:
  std::string program_;
};

}  // namespace linebloom::tools
