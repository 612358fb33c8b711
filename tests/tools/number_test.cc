#include "tools/shared/number.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace linebloom::tools {
namespace {

constexpr uint64_t kMost = std::numeric_limits<uint64_t>::max();

TEST(NumberTest, TakesWholeNumbersAsPeopleWriteThem) {
  struct Case {
    std::string text;
    Unit unit;
    uint64_t value;
  };
  for (const auto& [text, unit, value] :
       std::vector<Case>{{"100000000", Unit::kNone, 100'000'000},
                         {"100,000,000", Unit::kNone, 100'000'000},
                         {"100_000_000", Unit::kNone, 100'000'000},
                         {"1e8", Unit::kNone, 100'000'000},
                         {"100M", Unit::kNone, 100'000'000},
                         {" 1.5k ", Unit::kNone, 1500},
                         {"2g", Unit::kNone, 2'000'000'000},
                         {"3T", Unit::kNone, 3'000'000'000'000},
                         {"0", Unit::kNone, 0},
                         {"18446744073709551615", Unit::kNone, kMost},
                         {"114MiB", Unit::kBytes, 114u << 20},
                         {"114MB", Unit::kBytes, 114'000'000},
                         {"114M", Unit::kBytes, 114'000'000},
                         {"1.5GiB", Unit::kBytes, 1536u << 20},
                         {"64kib", Unit::kBytes, 64u << 10},
                         {"12B", Unit::kBytes, 12},
                         {"4 KB", Unit::kBytes, 4000}}) {
    uint64_t parsed = 0;
    std::string error;
    EXPECT_TRUE(ParseNumber(text, unit, uint64_t{0}, kMost, &parsed, &error))
        << text;
    EXPECT_EQ(parsed, value) << text;
  }
}

TEST(NumberTest, TakesShares) {
  for (const auto& [text, value] : std::vector<std::pair<std::string, double>>{
           {"0.01", 0.01}, {"1e-2", 0.01}, {"1%", 0.01}, {"0.5 %", 0.005}}) {
    double parsed = 0;
    std::string error;
    EXPECT_TRUE(ParseNumber(text, Unit::kShare, 0.0, 1.0, &parsed, &error))
        << text;
    EXPECT_DOUBLE_EQ(parsed, value) << text;
  }
}

TEST(NumberTest, RefusesWhatIsNone) {
  const std::vector<std::pair<Unit, std::vector<std::string>>> cases = {
      {Unit::kNone,
       {"", "M", "ten", "-1", "1x", "1MM", "1MB", "nan", "inf", "1e30",
        "100000000T", "1 M x", "0x", "1,,000", ",1", "1_"}},
      {Unit::kBytes, {"", "B", "iB", "12iB", "MiB", "12MiBB", "-1MB"}},
      {Unit::kShare, {"", "%", "1%%", "one", "nan", "inf%", "1k"}}};
  for (const auto& [unit, texts] : cases) {
    for (const std::string& text : texts) {
      uint64_t whole = 0;
      double real = 0;
      std::string error;
      EXPECT_FALSE(ParseNumber(text, unit, uint64_t{0}, kMost, &whole, &error))
          << text;
      EXPECT_FALSE(ParseNumber(text, unit, 0.0, 1e15, &real, &error)) << text;
    }
  }
}

TEST(NumberTest, SaysWhatIsPossible) {
  uint64_t whole = 0;
  double real = 0;
  std::string error;
  EXPECT_FALSE(ParseNumber("999", Unit::kNone, uint64_t{1000},
                           uint64_t{1'000'000'000}, &whole, &error));
  EXPECT_EQ(error, "must be 1k to 1G");
  EXPECT_FALSE(ParseNumber("x", Unit::kBytes, uint64_t{128}, uint64_t{4096},
                           &whole, &error));
  EXPECT_EQ(error, "must be 128 to 4,096 bytes, such as 120MB or 114MiB");
  EXPECT_FALSE(ParseNumber("2", Unit::kShare, 1e-12, 0.5, &real, &error));
  EXPECT_EQ(error, "must be 1e-12 to 0.5, such as 0.01 or 1%");
}

// Values shown by --help can be passed as flags.
TEST(NumberTest, ReadsWhatItWrites) {
  for (const uint64_t number :
       {uint64_t{0}, uint64_t{999}, uint64_t{1000}, uint64_t{1'234'000},
        uint64_t{5'000'000'000}, uint64_t{7'000'000'000'000'000}, kMost}) {
    uint64_t parsed = 1;
    std::string error;
    EXPECT_TRUE(ParseNumber(NumberText(number), Unit::kNone, uint64_t{0}, kMost,
                            &parsed, &error));
    EXPECT_EQ(parsed, number);
  }
  EXPECT_EQ(NumberText(uint64_t{2'000'000}), "2M");
  EXPECT_EQ(NumberText(uint64_t{1500}), "1,500");
}

}  // namespace
}  // namespace linebloom::tools
