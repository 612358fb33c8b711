#include "tools/filter_dump/tree.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "nlohmann/json.hpp"
#include "rocksdb/version.h"
#include "tools/filter_dump/text.h"
#include "tools/shared/table_printer.h"

namespace linebloom::tools {
namespace {

constexpr double kBarHeight = 30;
constexpr double kHeatHeight = 8;
constexpr double kLevelHeight = 86;
constexpr double kLegendColumn = 90;
constexpr double kLegendRow = 22;
// More rectangles than that have no room on a screen; neighbours share one.
constexpr size_t kMostTiles = 400;

// The false-positive rates, in percent, up to which a colour of the scale goes;
// the last colour has no end.
constexpr std::array<double, kScaleColors - 1> kColorEnds = {0.01, 0.03, 0.1,
                                                             0.3,  1,    3};

// The same for heat.
constexpr std::array<double, kScaleColors - 1> kHeatEnds = {0.25, 0.5, 0.8,
                                                            1.25, 2,   4};

std::string ColorOf(double number,
                    const std::array<double, kScaleColors - 1>& ends) {
  const auto end = std::lower_bound(ends.begin(), ends.end(), number);
  return ScaleClass(static_cast<size_t>(end - ends.begin()));
}

// Neighbouring files.
struct Tile {
  const TableEntry* first = nullptr;
  uint64_t files = 0;
  uint64_t rows = 0;
  double rate_times_rows = 0;
  uint64_t unfiltered = 0;  // files
  double heat_times_rows = 0;
  uint64_t rows_with_heat = 0;

  void Add(const TableEntry& entry) {
    if (files == 0) first = &entry;
    ++files;
    rows += entry.facts->rows();
    rate_times_rows +=
        entry.facts->rate * static_cast<double>(entry.facts->rows());
    unfiltered += entry.facts->is_used() ? 0 : 1;
    if (entry.facts->heat.has_value()) {
      heat_times_rows += entry.facts->lookups();
      rows_with_heat += entry.facts->rows();
    }
  }
  std::optional<double> heat() const {
    if (rows_with_heat == 0) return std::nullopt;
    return heat_times_rows / static_cast<double>(rows_with_heat);
  }
  double rate() const {
    return rows == 0 ? first->facts->rate
                     : rate_times_rows / static_cast<double>(rows);
  }
  std::string style_class() const {
    return absl::StrCat(
        unfiltered == files ? "none" : ColorOf(100 * rate(), kColorEnds),
        " tile");
  }
};

std::string Percent(double rate) {
  return absl::StrCat(ThreeDigits(100 * rate), " %");
}

std::string HeatInWords(const Tile& tile) {
  const std::optional<double> heat = tile.heat();
  return heat.has_value() ? absl::StrCat(", built for ", ThreeDigits(*heat),
                                         " times the average lookups per key")
                          : "";
}

std::string TitleOf(const Tile& tile) {
  const std::string name =
      std::filesystem::path(tile.first->file.path).filename().string();
  const std::string rows = absl::StrCat(WithThousands(tile.rows), " rows, ");
  if (tile.files > 1) {
    return absl::StrCat(
        name, " and the next ", tile.files - 1, ": ", rows,
        Percent(tile.rate()), " of missing keys pass",
        tile.unfiltered > 0
            ? absl::StrCat(", ", tile.unfiltered, " without a filter")
            : "",
        HeatInWords(tile));
  }
  const FileFacts& facts = *tile.first->facts;
  if (!facts.is_used()) {
    return absl::StrCat(
        name, ": ", rows,
        facts.has_filter() ? "a filter that is not used" : "no filter");
  }
  const auto bits = facts.bits_per_key();
  return absl::StrCat(
      name, ": ", rows, ToString(facts.first.kind),
      bits.has_value() ? absl::StrFormat(" of %.2f bits per key, ", *bits)
                       : ", ",
      Percent(facts.rate), " of missing keys pass", HeatInWords(tile));
}

std::vector<Tile> TilesOf(const std::vector<const TableEntry*>& files) {
  const size_t each = (files.size() + kMostTiles - 1) / kMostTiles;
  std::vector<Tile> tiles;
  for (size_t i = 0; i < files.size(); ++i) {
    if (i % each == 0) tiles.emplace_back();
    tiles.back().Add(*files[i]);
  }
  return tiles;
}

std::string LevelInWords(int level, const Totals& totals) {
  return absl::StrCat(level == kNoLevel ? "" : absl::StrCat("L", level, ": "),
                      WithThousands(totals.files),
                      totals.files == 1 ? " file, " : " files, ",
                      WithThousands(totals.rows), " rows");
}

std::string FiltersInWords(const Totals& totals) {
  if (totals.files_without_filter == totals.files) return "no filters";
  const auto bits = totals.bits_per_key();
  return absl::StrCat(
      bits.has_value() ? absl::StrFormat("%.2f bits per key, ", *bits) : "",
      Percent(totals.rate), " of missing keys pass");
}

// Two rows, as high as `height` tells each colour's box to be; `none` is said
// of the rectangles without a colour.
void DrawLegend(double y, double height,
                const std::array<double, kScaleColors - 1>& ends,
                absl::string_view unit, const std::string& none,
                Drawing* drawing) {
  for (size_t i = 0; i <= kScaleColors; ++i) {
    const size_t row_number = i / 4;
    const double x = kLegendColumn * static_cast<double>(i % 4);
    const double row = y + kLegendRow * static_cast<double>(row_number);
    const bool is_none = i == kScaleColors;
    drawing->Rect({x, row + 14 - height}, 14, height,
                  is_none ? "none" : ScaleClass(i));
    drawing->Text({x + 20, row + 12},
                  is_none           ? none
                  : i < ends.size() ? absl::StrFormat("to %g%s", ends[i], unit)
                                    : std::string("more"),
                  "faint");
  }
}

Drawing DrawTree(const FamilyTable& family) {
  std::map<int, std::vector<const TableEntry*>> levels;
  for (const TableEntry& entry : family.entries) {
    if (entry.facts.has_value()) levels[entry.file.level].push_back(&entry);
  }
  const bool any_heat = AnyHeat(family);
  Drawing drawing(0);
  double y = 0;
  for (const auto& [level, files] : levels) {
    const auto known = std::find_if(
        family.levels.begin(), family.levels.end(),
        [level = level](const LevelTotals& l) { return l.level == level; });
    const Totals& totals =
        known == family.levels.end() ? family.all : known->totals;
    drawing.Text({0, y + 16}, LevelInWords(level, totals), "bold");
    drawing.Text({0, y + 34}, FiltersInWords(totals), "faint");
    double rows = 0;
    for (const Tile& tile : TilesOf(files)) {
      const double all = std::max(1.0, static_cast<double>(totals.rows));
      const auto width = static_cast<double>(tile.rows);
      drawing.RectAcross(100 * rows / all, 100 * width / all, y + 42,
                         kBarHeight, tile.style_class(), TitleOf(tile));
      if (any_heat) {
        const std::optional<double> heat = tile.heat();
        drawing.RectAcross(
            100 * rows / all, 100 * width / all, y + 42 + kBarHeight + 2,
            kHeatHeight,
            absl::StrCat(heat.has_value() ? ColorOf(*heat, kHeatEnds) : "none",
                         " tile"),
            TitleOf(tile));
      }
      rows += width;
    }
    y += any_heat ? kLevelHeight + kHeatHeight : kLevelHeight;
  }
  y += 4;
  DrawLegend(y, 14, kColorEnds, " %", "no filter", &drawing);
  y += 2 * kLegendRow;
  if (any_heat) {
    DrawLegend(y, kHeatHeight, kHeatEnds, "", "no heat", &drawing);
    y += 2 * kLegendRow;
  }
  drawing.set_height(y);
  return drawing;
}

std::string NameOf(const TableReport& report, const FamilyTable& family) {
  if (report.database.empty()) return "files";
  return report.families.size() == 1
             ? report.database
             : absl::StrCat(report.database, ", column family ", family.name);
}

}  // namespace

std::vector<Figure> DrawTrees(const std::vector<TableReport>& reports) {
  std::vector<Figure> figures;
  for (const TableReport& report : reports) {
    for (const FamilyTable& family : report.families) {
      const std::optional<double>& reads = family.all.reads;
      figures.push_back(
          {absl::StrCat(NameOf(report, family),
                        reads.has_value()
                            ? absl::StrCat(": ", ThreeDigits(*reads),
                                           " reads for a missing row")
                            : ""),
           absl::StrCat(
               "Each rectangle is a file, as wide as its share of the level's "
               "rows; the stronger its colour, the more missing keys its "
               "filter "
               "lets pass.",
               AnyHeat(family)
                   ? " The strip below it: the stronger its colour, the more "
                     "lookups for each key, relative to the average, its "
                     "filter was built for."
                   : ""),
           DrawTree(family)});
    }
  }
  return figures;
}

std::string TreesAsHtml(const std::vector<TableReport>& reports,
                        const nlohmann::ordered_json& json,
                        const std::string& command) {
  Page page;
  page.title = "Filters, file by file";
  page.figures = DrawTrees(reports);
  if (reports.size() == 2 && reports[0].families.size() == 1 &&
      reports[1].families.size() == 1 &&
      reports[0].families[0].all.reads.has_value() &&
      reports[1].families[0].all.reads.has_value()) {
    page.summary =
        absl::StrCat("A lookup of a missing row is expected to read ",
                     ThreeDigits(*reports[1].families[0].all.reads),
                     " data blocks, and before ",
                     ThreeDigits(*reports[0].families[0].all.reads), ".");
  }
  for (const TableReport& report : reports) {
    absl::StrAppend(&page.text, page.text.empty() ? "" : "\n",
                    TableAsText(report));
    page.notes.insert(page.notes.end(), report.notes.begin(),
                      report.notes.end());
    page.notes.insert(page.notes.end(), report.problems.begin(),
                      report.problems.end());
  }
  page.foot = {command,
               absl::StrCat("RocksDB ", rocksdb::GetRocksVersionAsString())};
  return PageAsHtml(page, json);
}

}  // namespace linebloom::tools
