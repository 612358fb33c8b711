#include "tools/report/terminal_text.h"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "filter_policy/policy/printable.h"
#include "nlohmann/json.hpp"

namespace linebloom::tools {
namespace {

std::optional<std::string> Format(const Json& value, const std::string& how) {
  if (value.is_string()) return Printable(value.get<std::string>());
  if (how == "3") return ThreeDigits(value.get<double>());
  if (how == ",") return WithThousands(std::llround(value.get<double>()));
  if (how == "1000") return ThreeDigits(1000 * value.get<double>());
  if (how == "%") return ThreeDigits(100 * value.get<double>());
  if (how == "MB") {
    if (value == 0) return std::nullopt;
    return ThreeDigits(value.get<double>() / 1e6);
  }
  if (how.empty()) return value.dump();
  const auto format =
      absl::ParsedFormat<absl::FormatConversionCharSet::kFloating>::New("%" +
                                                                        how);
  return format == nullptr
             ? std::nullopt
             : std::optional(absl::StrFormat(*format, value.get<double>()));
}

// Nothing if a value is missing.
std::optional<std::string> FillOne(absl::string_view text, const Json& json) {
  std::string filled;
  while (true) {
    const size_t open = text.find("{/");
    absl::StrAppend(&filled, text.substr(0, open));
    if (open == absl::string_view::npos) return filled;
    const size_t close = text.find('}', open);
    const std::pair<std::string, std::string> place = absl::StrSplit(
        text.substr(open + 1, close - open - 1), absl::MaxSplits(':', 1));
    const Json::json_pointer pointer(place.first);
    if (!json.contains(pointer) || json[pointer].is_null()) return std::nullopt;
    const auto value = Format(json[pointer], place.second);
    if (!value.has_value()) return std::nullopt;
    absl::StrAppend(&filled, *value);
    text.remove_prefix(close + 1);
  }
}

}  // namespace

std::string WithThousands(uint64_t number) {
  std::string digits = absl::StrCat(number);
  for (size_t left = digits.size(); left > 3;) {
    left -= 3;
    digits.insert(left, 1, ',');
  }
  return digits;
}

std::string FilesText(uint64_t count) {
  return absl::StrCat(WithThousands(count), count == 1 ? " file" : " files");
}

std::string ThreeDigits(double number) {
  if (!std::isfinite(number)) return absl::StrCat(number);
  if (number >= 99.95) return WithThousands(std::llround(number));
  if (number < 5e-10) return "0";  // below the last of nine decimals
  const int before_point = static_cast<int>(std::floor(std::log10(number))) + 1;
  return absl::StrFormat("%.*f", std::clamp(3 - before_point, 0, 9), number);
}

std::string NamedText(absl::string_view name, absl::string_view text,
                      size_t indent) {
  std::string named(name);
  named.resize(indent, ' ');
  size_t column = indent;
  bool is_first = true;
  for (const absl::string_view line : absl::StrSplit(text, '\n')) {
    if (!std::exchange(is_first, false)) {
      absl::StrAppend(&named, "\n", std::string(indent, ' '));
      column = indent;
    }
    absl::string_view between;
    for (const absl::string_view word : absl::StrSplit(line, ' ')) {
      if (column > indent && column + 1 + word.size() > kTextWidth) {
        absl::StrAppend(&named, "\n", std::string(indent, ' '), word);
        column = indent + word.size();
      } else {
        absl::StrAppend(&named, between, word);
        column += between.size() + word.size();
      }
      between = " ";
    }
  }
  return named + "\n";
}

std::string BulletText(absl::string_view sentence) {
  return NamedText("-", sentence, /*indent=*/2);
}

std::string BulletsText(const Json& sentences) {
  std::string text;
  for (const Json& sentence : sentences) {
    absl::StrAppend(&text, BulletText(sentence.get<std::string>()));
  }
  return text;
}

std::string Fill(absl::string_view text, const Json& json) {
  for (const absl::string_view alternative : absl::StrSplit(text, '|')) {
    const std::optional<std::string> filled = FillOne(alternative, json);
    if (filled.has_value()) return *filled;
  }
  return "-";
}

std::string TextTable(const std::vector<Column>& columns, const Json& rows) {
  std::vector<std::vector<std::string>> cells(1);
  for (const Column& column : columns) cells[0].push_back(column.heading);
  for (const Json& row : rows) {
    cells.emplace_back();
    for (const Column& column : columns) {
      cells.back().push_back(Fill(column.cell, row));
    }
  }
  std::vector<size_t> widths(columns.size(), 0);
  for (const auto& row : cells) {
    for (size_t c = 0; c < widths.size(); ++c) {
      widths[c] = std::max(widths[c], row[c].size());
    }
  }
  std::string text;
  for (const auto& row : cells) {
    std::string line = row[0] + std::string(widths[0] - row[0].size(), ' ');
    for (size_t c = 1; c < widths.size(); ++c) {
      absl::StrAppend(&line, std::string(2 + widths[c] - row[c].size(), ' '),
                      row[c]);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    absl::StrAppend(&text, line, "\n");
  }
  return text;
}

Progress::Progress() {
  const char* const terminal = std::getenv("TERM");
  enabled_ = isatty(STDERR_FILENO) != 0 &&
             (terminal == nullptr || std::strcmp(terminal, "dumb") != 0);
}

Progress::~Progress() {
  if (drawn_) std::fputs("\r\x1b[K", stderr);
}

void Progress::Begin(absl::string_view step, uint64_t total) {
  step_ = std::string(step);
  total_ = total;
  next_draw_ = {};
  Update(0);
}

void Progress::Update(uint64_t done) {
  const auto now = std::chrono::steady_clock::now();
  if (!enabled_ || now < next_draw_) return;
  next_draw_ = now + std::chrono::milliseconds(100);
  const double share = total_ == 0 ? 1.0 : std::min(1.0, 1.0 * done / total_);
  absl::FPrintF(stderr, "\r%.70s %3.0f %%\x1b[K", step_, 100 * share);
  drawn_ = true;
}

}  // namespace linebloom::tools
