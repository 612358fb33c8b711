#include "tools/io_compare/report/pictures.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "filter_policy/filter_facts/block_facts.h"
#include "filter_policy/line/line.h"
#include "filter_policy/sizing/expected_rate.h"
#include "nlohmann/json.hpp"
#include "tools/shared/numbers.h"
#include "tools/shared/ribbon.h"
#include "tools/shared/table_printer.h"
#include "tools/svg/line_chart.h"
#include "tools/svg/row_chart.h"

namespace linebloom::tools {
namespace {

struct RateCurve {
  struct Place {
    double bits_per_key;
    double rate;
  };

  std::string name;
  std::vector<Place> places;  // by bits per key
};

constexpr double kLeastBits = 2;
constexpr double kStep = 0.5;

template <typename Rate>
RateCurve Curve(const std::string& name, double least_bits, double most_bits,
                Rate rate) {
  RateCurve curve = {name, {}};
  for (double bits = least_bits; bits <= most_bits; bits += kStep) {
    curve.places.push_back({bits, rate(bits)});
  }
  return curve;
}

double BloomRate(double bits) {
  double best = 1;
  for (int k = 1; k <= 30; ++k) {
    best = std::min(best, std::pow(1 - std::exp(-k / bits), k));
  }
  return best;
}

double LinebloomRate(double bits) {
  return ExpectedRate(
      Line::kSolved,
      static_cast<uint32_t>(std::lround(bits * kMillibitsPerBit)),
      8.0 * kLineBytes / bits);
}

RateCurve RibbonCurve(double most_bits) {
  RateCurve curve = {"RocksDB's Ribbon", {}};
  // A Ribbon filter takes 0.7 times the memory that it is asked for by.
  for (double asked = kLeastBits / 0.7; asked < most_bits / 0.7; asked += 1.5) {
    const std::string block = BuildRibbonBlock(asked, kMaxRibbonKeys);
    const std::optional<double> rate =
        BuiltInFilterRate(block.data(), block.size(), kMaxRibbonKeys);
    if (!rate.has_value()) continue;
    curve.places.push_back({8.0 * static_cast<double>(block.size()) /
                                static_cast<double>(kMaxRibbonKeys),
                            *rate});
  }
  return curve;
}

// From 2 to `most_bits`:
//   a Bloom filter (1 - e^(-k/b))^k, with the best whole k, which is that of
//                  Bloom's paper and not cut into lines;
//   linebloom      as it is planned (ExpectedRate);
//   Ribbon         of filters that RocksDB builds, 50,000 keys each;
//   the bound      2^-b: no filter that says yes to all its keys can be better
//                  (Carter and others, 1978).
std::vector<RateCurve> MakeRateCurves(double most_bits) {
  // Smaller solved lines have no room for two probes of each key.
  const double least_solved = 2.5;
  return std::vector<RateCurve>{
      Curve("a Bloom filter", kLeastBits, most_bits, BloomRate),
      Curve("linebloom", least_solved, most_bits, LinebloomRate),
      RibbonCurve(most_bits),
      Curve("the bound, 2^-bits", kLeastBits, most_bits,
            [](double bits) { return std::exp2(-bits); })};
}

Interval InPercent(const Interval& interval) {
  return {100 * interval.low, 100 * interval.high};
}

RowChart::Row ReadsRow(const std::string& label, size_t series,
                       const Measurement& m) {
  RowChart::Row row;
  row.label = label;
  row.series = series;
  row.value = m.reads_per_lookup();
  row.interval = m.reads_interval();
  row.text = ThreeDigits(row.value);
  row.title = absl::StrCat(label, ": ", WithThousands(m.data_block_reads),
                           " reads in ", WithThousands(m.lookups), " lookups");
  return row;
}

Figure ReadsPicture(const Report& report) {
  RowChart chart;
  chart.axis_label = "data blocks read per lookup";
  chart.is_logarithmic = true;
  RowChart::Group& all = chart.groups.emplace_back();
  for (size_t i = 0; i < report.results.size(); ++i) {
    all.rows.push_back(
        ReadsRow(Label(report, i), i, report.results[i].measured));
  }
  std::string how_to_read =
      "Further left is better, each upright line is ten times the one before, "
      "and the bar through a sign is its 95 % interval.";
  if (!report.workload.skew.empty()) {
    absl::StrAppend(&how_to_read,
                    " The missing keys are skewed: ", report.workload.skew,
                    ".");
  }
  return {"Reads from the disk", how_to_read, DrawRows(chart)};
}

Figure RatePicture(const Report& report) {
  double most_bits = 15;
  for (const PolicyResult& result : report.results) {
    most_bits = std::max(most_bits, std::ceil(result.bits_per_key()) + 2);
  }
  const std::vector<RateCurve> curves = MakeRateCurves(most_bits);
  constexpr const char* kStyles[] = {"axis dashed", "axis", "axis dotdash",
                                     "bound"};
  LineChart chart;
  chart.x_label = "bits of filter per key";
  chart.y_label = "false positives, %";
  for (size_t i = 0; i < curves.size(); ++i) {
    LineChart::Curve& curve = chart.curves.emplace_back();
    curve.label = curves[i].name;
    curve.style_class = kStyles[i];
    for (const RateCurve::Place& place : curves[i].places) {
      curve.points.push_back({place.bits_per_key, 100 * place.rate});
    }
  }
  for (size_t i = 0; i < report.results.size(); ++i) {
    const PolicyResult& result = report.results[i];
    const auto rate = result.measured.answers.false_positive_rate();
    if (!rate.has_value() || *rate == 0) continue;
    chart.spots.push_back(
        {Label(report, i),
         i,
         {result.bits_per_key(), 100 * *rate},
         absl::StrFormat("%s: %.2f bits per key, %s %%", Label(report, i),
                         result.bits_per_key(), ThreeDigits(100 * *rate))});
  }
  return Figure{
      "What the memory buys",
      "Lower and further left is better: curves are what kinds of filters can "
      "do, signs what was measured over all levels, and a policy that gives "
      "small levels more bits may lie below the bound, which is one filter's.",
      DrawLines(chart)};
}

Figure LatencyPicture(const Report& report) {
  constexpr const char* kDashes[] = {"", " dashed", " dotdash"};
  LineChart chart;
  chart.x_label = "microseconds";
  chart.y_label = "% of lookups that took longer";
  chart.x_is_logarithmic = true;
  for (size_t i = 0; i < report.results.size(); ++i) {
    LineChart::Curve& curve = chart.curves.emplace_back();
    curve.label = Label(report, i);
    curve.style_class = absl::StrCat(SeriesClass(i), kDashes[i % 3]);
    for (const auto& [us, share] :
         report.results[i].measured.latencies.SlowerThan()) {
      curve.points.push_back({us, 100 * share});
    }
  }
  return {"How long a lookup takes",
          "Follow a curve down from 100 %: where it lies level, that share of "
          "the lookups went to the disk, and the lower it does the better.",
          DrawLines(chart)};
}

std::set<int> LevelsAsked(const Report& report) {
  std::set<int> levels;
  for (const PolicyResult& result : report.results) {
    for (const auto& [level, answers] :
         result.measured.answers_by_level.levels) {
      levels.insert(level);
    }
  }
  return levels;
}

Figure LevelsPicture(const Report& report, const std::set<int>& levels) {
  RowChart chart;
  chart.axis_label = "false positives, % of a level's answers";
  chart.is_logarithmic = true;
  for (const int level : levels) {
    RowChart::Group& group = chart.groups.emplace_back();
    group.label = absl::StrCat("L", level);
    for (size_t i = 0; i < report.results.size(); ++i) {
      const PolicyResult& result = report.results[i];
      const auto answers = result.measured.answers_by_level.levels.find(level);
      if (answers == result.measured.answers_by_level.levels.end()) continue;
      const auto rate = answers->second.false_positive_rate();
      if (!rate.has_value()) continue;
      RowChart::Row& row = group.rows.emplace_back();
      row.label = Label(report, i);
      row.series = i;
      row.value = 100 * *rate;
      row.interval =
          InPercent(WilsonInterval(answers->second.false_positives(),
                                   answers->second.probes_without_key()));
      row.text = ThreeDigits(row.value);
      row.title = absl::StrCat(row.label, ", ", group.label, ": ", row.text,
                               " % observed");
      const auto predicted = result.predicted.levels.find(level);
      if (predicted == result.predicted.levels.end()) continue;
      row.beside = 100 * predicted->second;
      absl::StrAppend(&row.title, ", ", ThreeDigits(*row.beside),
                      " % predicted");
    }
  }
  return {"False reads by level",
          "A sign is what was observed with its 95 % interval, the upright "
          "line beside it what the filter's own bits predict; further left is "
          "better.",
          DrawRows(chart)};
}

Figure MemoryPicture(const Report& report) {
  RowChart chart;
  chart.axis_label = "bits of filter per key";
  const std::vector<LevelTotals> levels = report.results.front().shape.Levels();
  for (size_t level = 0; level < levels.size(); ++level) {
    if (levels[level].entries == 0) continue;
    RowChart::Group& group = chart.groups.emplace_back();
    group.label = absl::StrCat("L", level, ": ",
                               WithThousands(levels[level].entries), " rows");
    for (size_t i = 0; i < report.results.size(); ++i) {
      const std::vector<uint64_t>& bytes =
          report.results[i].filter_bytes_by_level;
      if (level >= bytes.size() || bytes[level] == 0) continue;
      RowChart::Row& row = group.rows.emplace_back();
      row.label = Label(report, i);
      row.series = i;
      row.value = 8.0 * static_cast<double>(bytes[level]) /
                  static_cast<double>(levels[level].entries);
      row.text = absl::StrCat(
          ThreeDigits(static_cast<double>(bytes[level]) / 1e3), " kB");
      row.title =
          absl::StrFormat("%s, L%d: %.2f bits per key, %s bytes", row.label,
                          level, row.value, WithThousands(bytes[level]));
    }
    if (group.rows.empty()) chart.groups.pop_back();
  }
  return {"What the memory is spent on",
          "Bars are how many bits each key of a level has, and at the right is "
          "what the level's filters take together.",
          DrawRows(chart)};
}

}  // namespace

std::vector<Figure> MakePictures(const Report& report) {
  std::vector<Figure> pictures = {ReadsPicture(report), RatePicture(report),
                                  LatencyPicture(report)};
  const std::set<int> levels = LevelsAsked(report);
  if (!levels.empty()) {
    pictures.push_back(LevelsPicture(report, levels));
    pictures.push_back(MemoryPicture(report));
  }
  return pictures;
}

std::string ReportAsHtml(const Report& report,
                         const std::vector<Figure>& pictures,
                         const nlohmann::ordered_json& json) {
  const Machine& machine = report.machine;
  Page page;
  page.title = "What filters save on this disk";
  page.summary = ResultInWords(report);
  page.figures = pictures;
  for (size_t i = 0; i < report.results.size(); ++i) {
    const std::string& name = report.results[i].name;
    if (Label(report, i) == name) continue;
    page.notes.push_back(absl::StrCat(Label(report, i), " is ", name, "."));
  }
  page.notes.insert(page.notes.end(), report.notes.begin(), report.notes.end());
  page.notes.insert(page.notes.end(), report.problems.begin(),
                    report.problems.end());
  page.text = ReportAsText(report);
  page.foot = {
      report.config.typed,
      absl::StrCat(machine.cpu, ", ", machine.cores,
                   machine.cores == 1 ? " core, " : " cores, ", machine.kernel,
                   "; ", machine.device, " (", machine.file_system,
                   "); RocksDB ", machine.rocksdb_version)};
  return PageAsHtml(page, json);
}

}  // namespace linebloom::tools
