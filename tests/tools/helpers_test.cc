// The small pieces that tools share.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "nlohmann/json.hpp"
#include "tools/shared/numbers.h"
#include "tools/shared/policies.h"
#include "tools/shared/terminal_text.h"

namespace linebloom::tools {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// Values from R: binom::binom.wilson(x, n).
TEST(WilsonIntervalTest, MatchesKnownValues) {
  const Interval tenth = WilsonInterval(10, 100);
  EXPECT_NEAR(tenth.low, 0.0552291, 1e-6);
  EXPECT_NEAR(tenth.high, 0.1743657, 1e-6);
  const Interval none = WilsonInterval(0, 100);
  EXPECT_DOUBLE_EQ(none.low, 0);
  EXPECT_NEAR(none.high, 0.0369935, 1e-6);
  const Interval all = WilsonInterval(100, 100);
  EXPECT_NEAR(all.low, 1 - 0.0369935, 1e-6);
  EXPECT_DOUBLE_EQ(all.high, 1);
}

TEST(PoissonIntervalTest, IsWilsonsWithoutLimit) {
  EXPECT_DOUBLE_EQ(PoissonInterval(0).low, 0);
  EXPECT_NEAR(PoissonInterval(0).high, 3.8415, 1e-4);
  constexpr uint64_t kTrials = uint64_t{1} << 40;
  for (const uint64_t count : {1u, 7u, 1000u}) {
    const Interval wilson = WilsonInterval(count, kTrials);
    EXPECT_NEAR(PoissonInterval(count).low, wilson.low * kTrials, 1e-4);
    EXPECT_NEAR(PoissonInterval(count).high, wilson.high * kTrials, 1e-4);
  }
}

TEST(SpreadTest, HasTheMiddleAndTheEnds) {
  EXPECT_EQ(SpreadOf({}).median, 0);
  EXPECT_EQ(SpreadOf({7}).least, 7);
  const Spread odd = SpreadOf({3, 1, 2});
  EXPECT_EQ(odd.least, 1);
  EXPECT_EQ(odd.median, 2);
  EXPECT_EQ(odd.most, 3);
  EXPECT_EQ(SpreadOf({4, 1, 3, 2}).median, 2.5);
}

TEST(TerminalTextTest, WritesNumbersForPeople) {
  EXPECT_EQ(WithThousands(0), "0");
  EXPECT_EQ(WithThousands(999), "999");
  EXPECT_EQ(WithThousands(1000), "1,000");
  EXPECT_EQ(WithThousands(1234567), "1,234,567");
  EXPECT_EQ(ThreeDigits(0), "0");
  EXPECT_EQ(ThreeDigits(0.0012345), "0.00123");
  EXPECT_EQ(ThreeDigits(1.2345), "1.23");
  EXPECT_EQ(ThreeDigits(12.345), "12.3");
  EXPECT_EQ(ThreeDigits(123.45), "123");
  EXPECT_EQ(ThreeDigits(12345.6), "12,346");
}

TEST(TerminalTextTest, ShortCount) {
  EXPECT_EQ(ShortCount(0), "0");
  EXPECT_EQ(ShortCount(99'999), "99,999");
  EXPECT_EQ(ShortCount(100'000), "100 k");
  EXPECT_EQ(ShortCount(999'499), "999 k");
  EXPECT_EQ(ShortCount(999'500), "1.00 M");
  EXPECT_EQ(ShortCount(12'345'678), "12.3 M");
  EXPECT_EQ(ShortCount(UINT64_MAX), "18,447 P");
}

TEST(TerminalTextTest, FillsInNumbersByTheirFormat) {
  const nlohmann::ordered_json json = {{"rate", 0.0123456},
                                       {"bytes", 1234567},
                                       {"name", "a"},
                                       {"inner", {{"list", {7, 8}}}}};
  EXPECT_EQ(Fill("{/name}: {/rate:3} {/rate:%} {/rate:.2f} {/bytes:,}", json),
            "a: 0.0123 1.23 0.01 1,234,567");
  EXPECT_EQ(Fill("{/bytes:k} {/bytes:MB} {/inner/list/1}", json),
            "1.23 M 1.23 8");
  EXPECT_EQ(Fill("no value", json), "no value");
  EXPECT_EQ(Fill("{/exact:~}{/rate:rate} {/none:rate} {/few:rate} {/all:rate}",
                 {{"exact", false},
                  {"rate", 0.0123456},
                  {"none", 0},
                  {"few", 4e-7},
                  {"all", 1}}),
            "~1.2346 0.0000 <1e-4 100");
}

TEST(TerminalTextTest, TakesTheFirstAlternativeThatIsThere) {
  const nlohmann::ordered_json json = {
      {"a", 1}, {"none", nullptr}, {"zero", 0}};
  EXPECT_EQ(Fill("{/none} of {/a}|{/a}", json), "1");
  EXPECT_EQ(Fill("{/none}", json), "-");
  EXPECT_EQ(Fill("{/no/such}", json), "-");
  EXPECT_EQ(Fill("{/zero:MB}", json), "-");
}

TEST(FillTest, EscapesControlCharactersInStrings) {
  EXPECT_EQ(Fill("{/a}", {{"a", "x\x1b[31m\n\x7f\tz\xc2\x9b \xc3\x9b"}}),
            R"(x\x1b[31m\x0a\x7f\x09z\xc2\x9b )"
            "\xc3\x9b");
}

}  // namespace
}  // namespace linebloom::tools
