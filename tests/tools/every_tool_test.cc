// Behaviour that all tools share.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <ostream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "nlohmann/json.hpp"
#include "rocksdb/db.h"
#include "tests/tools/run_program.h"
#include "tests/tools/tool_test.h"

namespace linebloom::tools {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

struct Tool {
  std::string program;
  std::string call;  // which works in a folder with a database "db"
  std::vector<std::string> flags;
};

std::string NameOf(const Tool& tool) {
  return std::filesystem::path(tool.program).filename();
}

void PrintTo(const Tool& tool, std::ostream* out) { *out << NameOf(tool); }

class EveryToolTest : public ToolTest,
                      public ::testing::WithParamInterface<Tool> {
 protected:
  EveryToolTest() : ToolTest(GetParam().program) {
    rocksdb::Options options;
    options.create_if_missing = true;
    rocksdb::DB* db = nullptr;
    EXPECT_TRUE(rocksdb::DB::Open(options, folder_.File("db"), &db).ok());
    EXPECT_TRUE(db->Put({}, "key", "value").ok());
    EXPECT_TRUE(db->Flush({}).ok());
    delete db;
  }

  ProgramResult RunInShell(const std::string& rest) {
    return Program({"/bin/sh", "-c",
                    absl::StrCat(GetParam().program, " ", GetParam().call, " ",
                                 rest)},
                   folder_.path())
        .Wait();
  }
};

TEST_P(EveryToolTest, HelpNamesEveryFlag) {
  const ProgramResult help = Run({"--help"});
  EXPECT_EQ(help.exit_code, 0);
  EXPECT_EQ(help.err, "");
  EXPECT_THAT(help.out, StartsWith(absl::StrCat(NameOf(GetParam()), ": ")));
  EXPECT_THAT(help.out, HasSubstr("Exits with 0"));
  EXPECT_THAT(help.out, HasSubstr("--json "));
  for (const std::string& flag : GetParam().flags) {
    EXPECT_THAT(help.out, HasSubstr(absl::StrCat("    --", flag, " (")));
  }
  EXPECT_EQ(Run({"-h"}).out, help.out);
}

TEST_P(EveryToolTest, SaysItsVersionAndRocksDbs) {
  const ProgramResult run = Run({"--version"});
  EXPECT_EQ(run.exit_code, 0);
  EXPECT_EQ(run.out, absl::StrCat("linebloom ", LINEBLOOM_VERSION, ", RocksDB ",
                                  rocksdb::GetRocksVersionAsString(), "\n"));
}

TEST_P(EveryToolTest, WritesItsReportAsTextAndAsJson) {
  const ProgramResult text = RunInShell("--json=report.json");
  EXPECT_EQ(text.exit_code, 0) << text.err;
  EXPECT_EQ(text.err, "");
  EXPECT_NE(text.out, "");
  const ProgramResult json = RunInShell("--json=-");
  EXPECT_EQ(json.exit_code, 0) << json.err;
  for (const std::string& written :
       {ReadWholeFile(folder_.File("report.json")), json.out}) {
    EXPECT_TRUE(nlohmann::json::parse(written, nullptr, false).is_object())
        << written;
  }
}

TEST_P(EveryToolTest, AFullDeviceIsAnError) {
  for (const std::string rest : {"> /dev/full", "--json=- > /dev/full"}) {
    const ProgramResult run = RunInShell(rest);
    EXPECT_EQ(run.exit_code, 2);
    EXPECT_THAT(run.err,
                HasSubstr("cannot write to standard output: No space"));
  }
  EXPECT_EQ(RunInShell("--json=/dev/full").exit_code, 2);
}

TEST_P(EveryToolTest, RefusesWhatItDoesNotKnow) {
  ExpectRefused({{"--no_such_flag", "no_such_flag"},
                 {absl::StrCat(GetParam().call, " --json=no/such"),
                  "cannot write --json='no/such': No such file or directory"}});
}

INSTANTIATE_TEST_SUITE_P(
    All, EveryToolTest,
    ::testing::Values(
        Tool{LINEBLOOM_FILTER_DUMP,
             "--db=db",
             {"file", "db", "column_family", "command", "svg", "out",
              "partition", "missing", "sample", "bytes_per_second", "worst"}},
        Tool{LINEBLOOM_FILTER_MIGRATE,
             "--db=db --dry_run",
             {"db", "column_family", "policy", "line", "worst_rate",
              "bytes_per_second", "dry_run"}},
        Tool{LINEBLOOM_FILTER_SIZE,
             "--keys=1M --rate=1%",
             {"keys", "rate", "bytes", "bits_per_key"}},
        Tool{LINEBLOOM_IO_COMPARE,
             "--rows=1000 --lookups=10 --policies=none",
             {"db", "keep", "rows", "value_size", "lookups", "hit_ratio",
              "threads", "bits_per_key", "policies", "key_file", "missing_file",
              "source_db", "seed", "direct_io"}}),
    [](const auto& tool) { return NameOf(tool.param); });

}  // namespace
}  // namespace linebloom::tools
