// filter_size as a user runs it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "nlohmann/json.hpp"
#include "tests/tools/run_program.h"

namespace linebloom::tools {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

class FilterSizeTest : public testing::Test {
 protected:
  ProgramResult Run(std::vector<std::string> flags) {
    flags.insert(flags.begin(), LINEBLOOM_FILTER_SIZE);
    return Program(flags, folder_.path()).Wait();
  }

  json RunForJson(std::vector<std::string> flags) {
    flags.emplace_back("--json=-");
    const ProgramResult run = Run(flags);
    EXPECT_EQ(run.exit_code, 0) << run.err;
    EXPECT_EQ(run.err, "");
    return json::parse(run.out, nullptr, false);
  }

  // Exit code 2, one line that says `what`, nothing on stdout.
  void ExpectRefused(const std::vector<std::string>& flags,
                     const std::string& what) {
    const ProgramResult run = Run(flags);
    EXPECT_EQ(run.exit_code, 2) << run.err;
    EXPECT_THAT(run.err, HasSubstr(what));
    EXPECT_EQ(std::count(run.err.begin(), run.err.end(), '\n'), 1) << run.err;
    EXPECT_EQ(run.out, "");
    EXPECT_THAT(folder_.Names(), IsEmpty());
  }

  TemporaryFolder folder_;
};

TEST_F(FilterSizeTest, PrintsATable) {
  const ProgramResult run = Run({"--keys=100M", "--rate=1%"});
  EXPECT_EQ(run.exit_code, 0);
  EXPECT_EQ(run.err, "");
  EXPECT_THAT(run.out, StartsWith("100,000,000 keys, a false-positive rate of "
                                  "1 %\n"));
  EXPECT_THAT(run.out, HasSubstr("classic formula   7      9.59"));
  EXPECT_THAT(run.out, HasSubstr("114.3 MiB"));
  EXPECT_THAT(run.out, HasSubstr("958,505,838 bits"));
}

TEST_F(FilterSizeTest, TakesRatesAndSizesInEveryForm) {
  const json one = RunForJson({"--keys=100M", "--rate=1%"});
  EXPECT_EQ(one["filters"].size(), 5u);
  EXPECT_EQ(one["filters"][0]["bits"], 958'505'838);
  EXPECT_EQ(RunForJson({"--keys=1e8", "--rate=0.01"}), one);
  const json bytes = RunForJson({"--keys=200,000,000", "--bytes=228MiB"});
  EXPECT_EQ(bytes["asked"]["bytes"], 228 << 20);
  EXPECT_NEAR(bytes["filters"][0]["expected_false_positive_rate"], 0.01, 2e-4);
  EXPECT_EQ(
      RunForJson({"--bits_per_key=10", "--keys=100"})["filters"][1]["lines"],
      2);
}

TEST_F(FilterSizeTest, WritesJsonIntoAFile) {
  const ProgramResult run =
      Run({"--keys=1000", "--rate=1%", "--json=sizes.json"});
  EXPECT_EQ(run.exit_code, 0);
  EXPECT_THAT(run.out, StartsWith("1,000 keys"));
  EXPECT_TRUE(
      json::parse(ReadWholeFile(folder_.File("sizes.json")), nullptr, false)
          .is_object());
}

TEST_F(FilterSizeTest, RefusesBadFlags) {
  ExpectRefused({}, "0 of --keys, --rate, --bytes and --bits_per_key");
  ExpectRefused({"--keys=10M"}, "two are needed");
  ExpectRefused({"--keys=1", "--rate=1%", "--bytes=1k"}, "3 of --keys");
  ExpectRefused({"--rate=1%", "--bits_per_key=10"}, "--keys or --bytes");
  ExpectRefused({"--keys=many", "--rate=1%"}, "--keys=many: 1 to 10T");
  ExpectRefused({"--keys=0", "--rate=1%"}, "--keys=0: 1 to");
  ExpectRefused({"--keys=1", "--rate=0"}, "--rate=0: 1e-12 to 0.5");
  ExpectRefused({"--keys=1", "--rate=100%"}, "--rate=100%: 1e-12 to 0.5");
  ExpectRefused({"--keys=1", "--rate=nan"}, "--rate=nan");
  ExpectRefused({"--rate=1%", "--bytes=5"}, "--bytes=5: 128 to 40TB");
  ExpectRefused({"--keys=1", "--bits_per_key=31"}, "1 to 30 bits");
  ExpectRefused({"--keys=1G", "--bytes=1MB"}, "0.008 bits for each of");
  ExpectRefused({"--keys=1", "--rate=1%", "--json=no/such"}, "no/such");
  ExpectRefused({"--no_such_flag"}, "no_such_flag");
  ExpectRefused({"argument"}, "argument");
}

// Every tool prints its report by the same function.
TEST_F(FilterSizeTest, AFullDeviceIsAnError) {
  const std::string program = LINEBLOOM_FILTER_SIZE;
  for (const std::string flag : {"", " --json=-"}) {
    const ProgramResult run =
        Program({"/bin/sh", "-c",
                 program + " --keys=1M --rate=1%" + flag + " > /dev/full"},
                folder_.path())
            .Wait();
    EXPECT_EQ(run.exit_code, 2);
    EXPECT_THAT(run.err,
                HasSubstr("cannot write to standard output: No space"));
  }
}

}  // namespace
}  // namespace linebloom::tools
