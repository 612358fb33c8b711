#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "tools/filter_size/report.h"
#include "tools/shared/policies.h"
#include "tools/shared/ribbon.h"
#include "tools/shared/table_printer.h"

namespace linebloom::tools {
namespace {

constexpr size_t kWidth = 100;

// With three digits.
std::string Percent(double rate) {
  const double percent = 100 * rate;
  return percent < 1e-4 ? absl::StrFormat("%.2e", percent)
                        : absl::StrFormat("%#.3g", percent);
}

// "114.3 MiB"
std::string Memory(uint64_t bytes) {
  auto number = static_cast<double>(bytes);
  if (bytes < 10'000) return absl::StrCat(bytes, " B");
  const char* unit = "";
  for (const char* next : {"KiB", "MiB", "GiB", "TiB"}) {
    if (number < 9999.5) break;
    number /= 1024;
    unit = next;
  }
  return number < 10 || number >= 1000
             ? absl::StrCat(ThreeDigits(number), " ", unit)
             : absl::StrFormat("%.1f %s", number, unit);
}

std::string QuestionInWords(const Question& question) {
  std::vector<std::string> parts;
  if (question.keys.has_value()) {
    parts.push_back(absl::StrCat(WithThousands(*question.keys),
                                 *question.keys == 1 ? " key" : " keys"));
  }
  if (question.rate.has_value()) {
    parts.push_back(
        absl::StrCat("a false-positive rate of ", 100 * *question.rate, " %"));
  }
  if (question.bytes.has_value()) {
    parts.push_back(absl::StrCat(WithThousands(*question.bytes), " bytes"));
  }
  if (question.bits_per_key.has_value()) {
    parts.push_back(absl::StrCat(*question.bits_per_key, " bits per key"));
  }
  return absl::StrJoin(parts, ", ");
}

// The quantity to be computed, in which the filters differ.
struct Measure {
  const char* name;
  double (*of)(const FilterSize&);
};

Measure WhatDiffers(const Question& question) {
  if (!question.rate.has_value()) {
    return {"expected rate", [](const FilterSize& size) { return size.rate; }};
  }
  if (!question.keys.has_value()) {
    return {"number of keys", [](const FilterSize& size) {
              return static_cast<double>(size.keys);
            }};
  }
  return {"memory", [](const FilterSize& size) {
            return static_cast<double>(size.bits);
          }};
}

// RocksDB's Bloom filter, to which the others are compared.
const FilterSize* FindBloom(const std::vector<Answer>& answers) {
  for (const Answer& answer : answers) {
    if (answer.name == kRocksDbBloom && answer.size.has_value()) {
      return &*answer.size;
    }
  }
  return nullptr;
}

std::string Table(const Question& question,
                  const std::vector<Answer>& answers) {
  // The request need not be repeated exactly.
  const bool with_keys = !question.keys.has_value();
  const FilterSize* bloom = FindBloom(answers);
  TablePrinter table({"Filter", "k", "bits/key", "rate %",
                      with_keys ? "keys" : "bytes", "lines", "memory",
                      "x Bloom"});
  for (const Answer& answer : answers) {
    std::vector<std::string> row(8, "-");
    row[0] = answer.filter;
    if (answer.size.has_value()) {
      const FilterSize& size = *answer.size;
      if (size.probes.has_value()) row[1] = absl::StrCat(*size.probes);
      row[2] = absl::StrFormat("%.2f", size.bits_per_key());
      row[3] = Percent(size.rate);
      row[4] = WithThousands(with_keys ? size.keys : size.bytes());
      if (size.lines.has_value()) row[5] = WithThousands(*size.lines);
      row[6] = Memory(size.bytes());
      if (bloom != nullptr) {
        const auto of = WhatDiffers(question).of;
        row[7] = ThreeDigits(of(size) / of(*bloom));
      }
    }
    table.AddRow(row);
  }
  return table.Text();
}

// Names the filters that have no size.
std::string WhyMissing(const Question& question,
                       const std::vector<Answer>& answers) {
  std::vector<std::string> names;
  for (const Answer& answer : answers) {
    if (!answer.size.has_value()) names.push_back(answer.filter);
  }
  if (names.empty()) return "";
  return absl::StrCat(
      "Out of reach with ",
      question.rate.has_value() ? "30 bits per key: " : "1 bit per key: ",
      absl::StrJoin(names, ", "), ".");
}

std::vector<std::string> Notes(const Question& question,
                               const std::vector<Answer>& answers) {
  std::vector<std::string> notes = {
      "Rate: the share of missing keys that the filter is expected to let "
      "pass.",
      "Classic formula: a Bloom filter whose probes go anywhere, which costs a "
      "lookup k cache misses. The others are filters that files have."};
  if (answers.front().size.has_value()) {
    absl::StrAppend(&notes.back(), " Its ",
                    WithThousands(answers.front().size->bits),
                    " bits are -n ln(p) / ln(2)^2.");
  }
  notes.push_back(
      "linebloom: with solved lines, its default, each of which has a k of its "
      "own, and with line=plain.");
  if (question.keys.value_or(kMaxRibbonKeys + 1) > kMaxRibbonKeys) {
    notes.push_back(absl::StrCat(
        "Ribbon: from a filter of ", WithThousands(kMaxRibbonKeys),
        " keys that RocksDB built for this; larger ones take a little more for "
        "each key."));
  }
  notes.push_back(
      absl::StrCat("x Bloom: the ", WhatDiffers(question).name,
                   ", in multiples of that of RocksDB's Bloom filter."));
  const std::string missing = WhyMissing(question, answers);
  if (!missing.empty()) notes.push_back(missing);
  return notes;
}

}  // namespace

std::string AnswersAsText(const Question& question,
                          const std::vector<Answer>& answers) {
  std::string text = absl::StrCat(QuestionInWords(question), "\n\n",
                                  Table(question, answers), "\n");
  for (const std::string& note : Notes(question, answers)) {
    absl::StrAppend(&text, WrapText(absl::StrCat("- ", note), kWidth, 2), "\n");
  }
  return text;
}

}  // namespace linebloom::tools
