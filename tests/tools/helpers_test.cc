// The small pieces that tools share.
#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <new>
#include <optional>
#include <string>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include "nlohmann/json.hpp"
#include "tests/temporary_folder.h"
#include "tools/shared/flags.h"
#include "tools/shared/info_log.h"
#include "tools/shared/intervals.h"
#include "tools/shared/policies.h"
#include "tools/shared/run_tool.h"
#include "tools/shared/terminal_text.h"

namespace linebloom::tools {
namespace {

constexpr uint64_t kMax = std::numeric_limits<uint64_t>::max();

// `text` as a whole number up to the largest, or as a real one.
template <typename Number>
std::optional<Number> Parsed(const std::string& text, Unit unit, Number max) {
  const auto parsed = ParseNumber(text, unit, Number{0}, max);
  return parsed.ok() ? std::optional(*parsed) : std::nullopt;
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
        "100000000T", "1 M x", "0x", "1,,000", ",1", "1_", "0,5", "1,5k",
        "12,34"}},
      {Unit::kBytes, {"", "B", "iB", "12iB", "MiB", "12MiBB", "-1MB"}},
      {Unit::kShare, {"", "%", "1%%", "one", "nan", "inf%", "1k", "0,5%"}}};
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

// The last statistics alone, of the lookups that reached files.
TEST(InfoLogTest, HitsAreThoseOfOneDump) {
  const TemporaryFolder folder;
  const auto ratio_of = [&folder](const std::string& lines) {
    folder.Write("LOG", lines);
    return ReadInfoLog(folder.path(), "")->hit_ratio;
  };
  const std::string first =
      "2026/11/27-08:00:00.000000 1 [a.cc:1] STATISTICS:\n"
      " rocksdb.number.multiget.keys.read COUNT : 1000\n"
      " rocksdb.l1.hit COUNT : 900\n";
  const std::string second =
      "2026/11/27-08:10:00.000000 1 [a.cc:1] STATISTICS:\n"
      " rocksdb.memtable.hit COUNT : 20\n"
      " rocksdb.number.keys.read COUNT : 120\n"
      " rocksdb.l0.hit COUNT : 50\n";
  EXPECT_EQ(ratio_of(""), std::nullopt);
  EXPECT_EQ(ratio_of(first), 0.9);
  EXPECT_EQ(ratio_of(first + second), 0.5);
  // Several counters are read one after another, and one may have been reset.
  EXPECT_EQ(ratio_of(second + " rocksdb.l0.hit COUNT : 101\n"), std::nullopt);
  // Without any the policy may have counted.
  std::string chosen = "linebloom: bits_per_key=auto: new files get 7.0 bits";
  chosen += ", and 12.5 % of the lookups ";
  EXPECT_EQ(ratio_of(chosen + "hit, by a sample of answers."), 0.125);
  EXPECT_EQ(ratio_of(chosen + "hit.\n" + first), 0.9);
  EXPECT_EQ(ratio_of(chosen + "are assumed to hit."), std::nullopt);
}

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

TEST(ShortPolicyNameTest, IsWhatPeopleSay) {
  for (const auto& [policy, name] : std::map<std::string, std::string>{
           {"none", "none"},
           {"linebloom:10", "linebloom:10"},
           {"{id=linebloom;bits_per_key=8;level_aware=true}",
            "linebloom:8 levels"},
           {"{level_aware=false;id=linebloom;bits_per_key=8;line=plain}",
            "linebloom:8 plain"},
           {"{id=linebloom;hash_seed=0;line=solved;level_aware=false;"
            "false_positive_rate=unset;bits_per_key=auto;}",
            "linebloom"},
           {"{id=linebloom;bits_per_key=9.5;hash_seed=0;}", "linebloom:9.5"},
           {"{id=linebloom}", "linebloom"}}) {
    EXPECT_EQ(ShortPolicyName(policy), name);
  }
}

TEST(TerminalTextTest, WritesNumbersForPeople) {
  for (const auto& [number, text] : std::map<uint64_t, std::string>{
           {0, "0"}, {999, "999"}, {1000, "1,000"}, {1234567, "1,234,567"}}) {
    EXPECT_EQ(WithThousands(number), text);
  }
  for (const auto& [number, text] :
       std::map<double, std::string>{{0, "0"},
                                     {1e-12, "0"},
                                     {0.0012345, "0.00123"},
                                     {1.2345, "1.23"},
                                     {12.345, "12.3"},
                                     {123.45, "123"},
                                     {12345.6, "12,346"}}) {
    EXPECT_EQ(ThreeDigits(number), text);
  }
  for (const auto& [number, text] :
       std::map<uint64_t, std::string>{{0, "0"},
                                       {99'999, "99,999"},
                                       {100'000, "100 k"},
                                       {999'499, "999 k"},
                                       {999'500, "1.00 M"},
                                       {12'345'678, "12.3 M"},
                                       {UINT64_MAX, "18,447 P"}}) {
    EXPECT_EQ(ShortCount(number), text);
  }
}

TEST(TerminalTextTest, FillsInNumbersByTheirFormat) {
  const nlohmann::ordered_json json = {{"rate", 0.0123456},
                                       {"bytes", 1234567},
                                       {"name", "a"},
                                       {"inner", {{"list", {7, 8}}}}};
  EXPECT_EQ(Fill("{/name}: {/rate:3} {/rate:%} {/rate:.2f} {/bytes:,}", json),
            "a: 0.0123 1.23 0.01 1,234,567");
  EXPECT_EQ(Fill("{/bytes:k} {/bytes:MB} {/inner/list/1:1000}", json),
            "1.23 M 1.23 8,000");
  EXPECT_EQ(Fill("{/inner/list/1}", json), "8");
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

// In a thread of RocksDB's nobody can catch it.
TEST(RunProgramDeathTest, ExceptionsInThreadsEndTheToolWithAMessage) {
  const Subcommand throws = {
      "throw", "", [](CLI::App*) -> std::function<absl::StatusOr<Outcome>()> {
        return []() -> absl::StatusOr<Outcome> {
          std::thread([] { throw std::bad_alloc(); }).join();
          return Outcome{};
        };
      }};
  char name[] = "tool";
  char subcommand[] = "throw";
  char* arguments[] = {name, subcommand, nullptr};
  EXPECT_EXIT(RunProgram(2, arguments, "description", {throws}),
              testing::ExitedWithCode(2),
              "tool throw: RocksDB ended with an exce");
}

}  // namespace
}  // namespace linebloom::tools
