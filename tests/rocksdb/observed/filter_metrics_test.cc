// Compares the metrics with what is known about the databases.

#include "linebloom/filter_metrics.h"

#include <map>
#include <set>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "linebloom/filter_policy.h"
#include "linebloom/level_size_listener.h"
#include "tests/rocksdb/db_fixture.h"

namespace linebloom {
namespace {

// Samples by name and labels, as in the text.
using Samples = std::map<std::string, double>;

// Also checks what the format requires: a metric's samples follow its HELP and
// TYPE, and none is repeated.
Samples Parse(const std::string& text) {
  Samples samples;
  std::set<std::string> metrics;
  std::istringstream lines(text);
  std::string metric;
  for (std::string line; std::getline(lines, line);) {
    if (line.rfind("# HELP ", 0) == 0) {
      metric = line.substr(7, line.find(' ', 7) - 7);
      EXPECT_TRUE(metrics.insert(metric).second) << line;
    } else if (line.rfind("# TYPE ", 0) == 0) {
      const bool counts = metric.find("_total") != std::string::npos;
      EXPECT_EQ(line, "# TYPE " + metric + (counts ? " counter" : " gauge"));
    } else {
      EXPECT_EQ(line.substr(0, line.find('{')), metric);
      const size_t space = line.rfind(' ');
      EXPECT_TRUE(
          samples
              .emplace(line.substr(0, space), std::stod(line.substr(space + 1)))
              .second)
          << line;
    }
  }
  return samples;
}

class FilterMetricsTest : public PolicyTest {
 protected:
  Samples Read(const std::string& name = "db") {
    std::string text = "replaced";
    EXPECT_OK(FilterMetrics({{db_.get(), {}, name}}, &text));
    return Parse(text);
  }

  static constexpr Rows kRows{0, 20'000};
};
INSTANTIATE_POLICY_TEST(FilterMetricsTest);

std::string OfLevel(const std::string& metric, int level,
                    const std::string& policy) {
  return metric + "{database=\"db\",column_family=\"default\",level=\"" +
         std::to_string(level) + "\",policy=\"" + policy + "\"}";
}

TEST_P(FilterMetricsTest, TellLevelsAndPoliciesApart) {
  Reopen();
  WriteFile(kRows);
  CompactAll();
  const int last = Files().back().level;
  ASSERT_GT(last, 0);
  const auto lower = AllProperties(db_.get());
  ASSERT_EQ(lower.size(), 1u);
  UsePolicy(kNone);
  Reopen();
  WriteFile({0, 2000});
  WriteFile({0, 2000});

  const Samples samples = Read();
  const std::string policy = GetParam().file_name();
  const auto at = [&](const std::string& metric, int level,
                      const std::string& of_policy) {
    return samples.at(OfLevel(metric, level, of_policy));
  };
  EXPECT_EQ(at("linebloom_files", last, policy), 1);
  EXPECT_EQ(at("linebloom_rows", last, policy), kRows.present());
  EXPECT_EQ(at("linebloom_filter_keys", last, policy), kRows.present());
  EXPECT_EQ(at("linebloom_filter_bytes", last, policy),
            static_cast<double>(lower[0]->filter_size));
  EXPECT_EQ(at("linebloom_files", 0, "none"), 2);
  EXPECT_EQ(at("linebloom_rows", 0, "none"), 2000);
  EXPECT_EQ(at("linebloom_filter_keys", 0, "none"), 0);
  EXPECT_EQ(at("linebloom_filter_bytes", 0, "none"), 0);
  EXPECT_EQ(samples.size(), 3u + 2 * 4);
}

// A single byte that is not UTF-8 makes Prometheus drop all of the text.
TEST_P(FilterMetricsTest, EscapeTheName) {
  Reopen();
  const std::vector<std::pair<std::string, std::string>> names = {
      {"", db_->GetName()},  // its path
      {"a\"b\\c\nd", R"(a\"b\\c\nd)"},
      {"\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80", "="},  // UTF-8 stays
      {"\xed\x9f\xbf \xee\x80\x80 \xf4\x8f\xbf\xbf", "="},
      {"a\xff", R"(a\\xff)"},
      {"\xc3", R"(\\xc3)"},
      {"\xe2\x82", R"(\\xe2\\x82)"},
      {"\xc0\xaf", R"(\\xc0\\xaf)"},  // longer than needed
      {"\xe0\x9f\xbf", R"(\\xe0\\x9f\\xbf)"},
      {"\xed\xa0\x80", R"(\\xed\\xa0\\x80)"},           // half a surrogate pair
      {"\xf4\x90\x80\x80", R"(\\xf4\\x90\\x80\\x80)"},  // after U+10FFFF
      {"\x1b[31m\x7f", R"(\\x1b[31m\\x7f)"},            // reaches terminals
      {"\xc2\x9b", R"(\\xc2\\x9b)"}};
  for (const auto& [name, escaped] : names) {
    const Samples samples = Read(name);
    EXPECT_EQ(samples.count("linebloom_filter_probes_total{database=\"" +
                            (escaped == "=" ? name : escaped) + "\"}"),
              1u)
        << samples.begin()->first;
  }
}

TEST_P(FilterMetricsTest, LeaveOutStatisticsThatAreOff) {
  options_.statistics.reset();
  Reopen();
  PutRows({0, 2000});
  Flush();
  const Samples samples = Read();
  EXPECT_EQ(samples.size(), 4u);
  EXPECT_EQ(
      samples.count(OfLevel("linebloom_files", 0, GetParam().file_name())), 1u);
}

// Those of the families named, or of the default one, and several in one text.
TEST_P(FilterMetricsTest, AreOfTheDatabasesNamed) {
  Reopen();
  WriteFile({0, 2000});
  rocksdb::ColumnFamilyHandle* other = nullptr;
  ASSERT_OK(db_->CreateColumnFamily(OptionsWithTable(), "other", &other));
  ASSERT_OK(db_->Put({}, other, "key", ""));
  ASSERT_OK(db_->Flush({}, other));
  // Filled in place: GCC 14 takes a copy's vector of one handle for one of
  // none.
  std::vector<MeteredDatabase> metered(2);
  metered[0].db = metered[1].db = db_.get();
  metered[0].column_families = {other};
  metered[0].name = "first";
  std::string text;
  EXPECT_OK(FilterMetrics(metered, &text));
  EXPECT_EQ(Parse(text).size(), 2 * (3u + 4));
  const auto has = [&](const std::string& database, const std::string& family) {
    return text.find("{database=\"" + database + "\",column_family=\"" +
                     family + "\"") != std::string::npos;
  };
  EXPECT_TRUE(has("first", "other"));
  EXPECT_FALSE(has("first", "default"));
  EXPECT_TRUE(has(db_->GetName(), "default"));
  ASSERT_OK(db_->DestroyColumnFamilyHandle(other));
  EXPECT_OK(FilterMetrics({}, &text));
  EXPECT_EQ(text, "");
}

TEST_P(FilterMetricsTest, CanBeReadDuringCompactions) {
  Reopen();
  std::thread writer([this] {
    for (int file = 0; file < 20; ++file) {
      WriteFile({0, 2000});
      if (file % 4 == 3) CompactAll();
    }
  });
  double probes = 0;
  for (int reading = 0; reading < 200; ++reading) {
    const Samples samples = Read();
    const double now =
        samples.at("linebloom_filter_probes_total{database=\"db\"}");
    EXPECT_GE(now, probes);
    probes = now;
  }
  writer.join();
}

class FilterMetricsOfABudgetTest : public DbTest {};

TEST_F(FilterMetricsOfABudgetTest, ShowIt) {
  UseOptions({.memory_budget = 1 << 20});
  options_.listeners.push_back(NewLevelSizeListener());
  Reopen();
  std::string text;
  EXPECT_OK(FilterMetrics({{db_.get(), {}, "db"}}, &text));
  EXPECT_EQ(Parse(text).at("linebloom_memory_budget_bytes{database=\"db\","
                           "column_family=\"default\"}"),
            1 << 20);
}

}  // namespace
}  // namespace linebloom
