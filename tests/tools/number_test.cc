#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "tools/shared/run_tool.h"

namespace linebloom::tools {
namespace {

constexpr uint64_t kMax = std::numeric_limits<uint64_t>::max();

// `text` as a whole number up to the largest, or as a real one.
template <typename Number>
std::optional<Number> Parsed(const std::string& text, Unit unit, Number max) {
  Number parsed = 0;
  std::string error;
  if (!ParseNumber(text, unit, Number{0}, max, &parsed, &error)) return {};
  return parsed;
}

TEST(NumberTest, TakesNumbersAsPeopleWriteThem) {
  const std::tuple<Unit, const char*, uint64_t> numbers[] = {
      {Unit::kNone, "100,000,000", 100'000'000},
      {Unit::kNone, "100_000_000", 100'000'000},
      {Unit::kNone, "1e8", 100'000'000},
      {Unit::kNone, "100M", 100'000'000},
      {Unit::kNone, " 1.5k ", 1500},
      {Unit::kNone, "2g", 2'000'000'000},
      {Unit::kNone, "3T", 3'000'000'000'000},
      {Unit::kNone, "0", 0},
      {Unit::kNone, "18446744073709551615", kMax},
      {Unit::kBytes, "114MiB", 114u << 20},
      {Unit::kBytes, "114MB", 114'000'000},
      {Unit::kBytes, "114M", 114'000'000},
      {Unit::kBytes, "1.5GiB", 1536u << 20},
      {Unit::kBytes, "64kib", 64u << 10},
      {Unit::kBytes, "12B", 12},
      {Unit::kBytes, "4 KB", 4000}};
  for (const auto& [unit, text, value] : numbers) {
    EXPECT_EQ(Parsed(text, unit, kMax), value) << text;
  }
  for (const char* percent : {"0.01", "1e-2", "1%", "1 %"}) {
    EXPECT_DOUBLE_EQ(Parsed(percent, Unit::kShare, 1.0).value_or(-1), 0.01);
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
      EXPECT_FALSE(Parsed(text, unit, kMax)) << text;
      EXPECT_FALSE(Parsed(text, unit, 1e15)) << text;
    }
  }
}

// Values shown by --help can be passed as flags.
TEST(NumberTest, ReadsWhatItWrites) {
  for (const uint64_t number :
       {uint64_t{0}, uint64_t{999}, uint64_t{1000}, uint64_t{1'234'000},
        uint64_t{5'000'000'000}, uint64_t{7'000'000'000'000'000},
        uint64_t{3} << 50, kMax}) {
    for (const Unit unit : {Unit::kNone, Unit::kBytes}) {
      EXPECT_EQ(Parsed(NumberText(number, unit), unit, kMax), number);
    }
  }
  EXPECT_EQ(NumberText(uint64_t{2'000'000}, Unit::kNone), "2M");
  EXPECT_EQ(NumberText(uint64_t{1500}, Unit::kNone), "1,500");
  EXPECT_EQ(NumberText(uint64_t{2'000'000}, Unit::kBytes), "2MB");
  EXPECT_EQ(NumberText(uint64_t{65'536}, Unit::kBytes), "64KiB");
}

}  // namespace
}  // namespace linebloom::tools
