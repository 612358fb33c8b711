// filter_size as a user runs it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "nlohmann/json.hpp"
#include "tests/tools/tool_test.h"

namespace linebloom::tools {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::StartsWith;

class FilterSizeTest : public ToolTest {
 protected:
  FilterSizeTest() : ToolTest(LINEBLOOM_FILTER_SIZE) {}
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
  EXPECT_EQ(RunForJson({"--keys=100_000_000", "--rate=0.01"}), one);
  const json bytes = RunForJson({"--keys=200,000,000", "--bytes=228MiB"});
  EXPECT_EQ(bytes["asked"]["bytes"], 228 << 20);
  EXPECT_NEAR(bytes["filters"][0]["expected_false_positive_rate"], 0.01, 2e-4);
  EXPECT_EQ(
      RunForJson({"--bits_per_key=10", "--keys=100"})["filters"][1]["lines"],
      2);
}

TEST_F(FilterSizeTest, RefusesBadFlags) {
  ExpectRefused(
      {{"", "0 of --keys, --rate, --bytes and --bits_per_key"},
       {"--keys=10M", "two are needed"},
       {"--keys=1 --rate=1% --bytes=1k", "3 of --keys"},
       {"--rate=1% --bits_per_key=10", "--keys or --bytes"},
       {"--keys=many --rate=1%", "'keys'; must be 1 to 10T"},
       {"--keys=0 --rate=1%", "must be 1 to 10T"},
       {"--keys=1 --rate=0", "must be 1e-12 to 0.5"},
       {"--keys=1 --rate=100%", "'100%' specified for flag 'rate'; must be"},
       {"--keys=1 --rate=nan", "'nan'"},
       {"--rate=1% --bytes=5", "must be 128 to 40T bytes"},
       {"--keys=1 --bits_per_key=31", "must be 1 to 30"},
       {"--keys=1G --bytes=1MB", "0.008 bits for each of"},
       {"argument", "argument"}});
}

}  // namespace
}  // namespace linebloom::tools
