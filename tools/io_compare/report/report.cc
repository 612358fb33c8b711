#include "tools/io_compare/report/report.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tools/shared/policies.h"
#include "tools/shared/terminal_text.h"

namespace linebloom::tools {
namespace {

void CheckShapes(const Shape& expected, Report* report) {
  const PolicyResult& first = report->results.front();
  for (const PolicyResult& result : report->results) {
    const std::string difference =
        DescribeDifference(first.shape, first.name, result.shape, result.name);
    if (!difference.empty()) {
      report->problems.push_back(absl::StrCat(
          "the databases differ in more than their filters: ", difference));
    }
  }
  if (expected.files.empty()) return;
  const std::string difference =
      DescribeDifference(expected, "--source_db", first.shape, "the copy");
  if (!difference.empty()) {
    report->notes.push_back(absl::StrCat(
        "The copies are alike, but not quite as --source_db: ", difference,
        "."));
  }
}

void CheckFound(Report* report) {
  const PolicyResult& first = report->results.front();
  for (const PolicyResult& result : report->results) {
    if (result.measured.found != first.measured.found) {
      report->problems.push_back(absl::StrCat(
          result.name, " found ", result.measured.found, " keys and ",
          first.name, " ", first.measured.found, ": one of them lost rows"));
    }
  }
  const uint64_t found = first.measured.found;
  const uint64_t asked = report->workload.asked_existing;
  if (found > asked) {
    report->notes.push_back(absl::StrCat(
        WithThousands(found - asked),
        " of the keys looked up as missing exist. They count as found, not as "
        "false positives."));
  } else if (found < asked && report->workload.source != "source_db") {
    // (Some rows of a database may be only in its write-ahead log.)
    report->problems.push_back(absl::StrCat(first.name, " found ", found,
                                            " of ", asked, " existing rows"));
  }
}

void NoteIoAgreement(Report* report) {
  std::map<std::string, std::vector<std::string>> policies;
  for (const PolicyResult& result : report->results) {
    policies[result.io_agreement].push_back(result.name);
  }
  for (const auto& [agreement, names] : policies) {
    if (agreement.empty()) continue;
    const bool all = names.size() == report->results.size();
    report->notes.push_back(absl::StrCat(
        "The kernel's count of bytes read from the device",
        all ? " " : absl::StrCat(", with ", absl::StrJoin(names, ", "), ", "),
        agreement, "."));
  }
}

// Compares the medians of the rounds' lookups: reads from the disk, which are
// few in a round with a good filter, hardly affect them.
void NoteNoise(Report* report) {
  constexpr double kNoisy = 1.25;
  std::vector<std::string> noisy;
  for (size_t i = 0; i < report->results.size(); ++i) {
    const Spread p50 = report->results[i].measured.OverRounds(&RoundTimes::p50);
    if (p50.most > kNoisy * p50.least) {
      noisy.push_back(absl::StrCat(Label(*report, i), " (",
                                   ThreeDigits(p50.least), " to ",
                                   ThreeDigits(p50.most), " us)"));
    }
  }
  if (noisy.empty()) return;
  report->notes.push_back(absl::StrCat(
      "Warning: a noisy machine. The p50 differs between rounds by more than a "
      "quarter with ",
      absl::StrJoin(noisy, ", "),
      ". Counts of reads are as good as ever; for times run it again on a "
      "quiet machine, or with more --lookups and --rounds."));
}

void NoteOtherBlockReads(Report* report) {
  for (const PolicyResult& result : report->results) {
    const Measurement& m = result.measured;
    if (m.index_block_reads + m.filter_block_reads == 0) continue;
    report->notes.push_back(absl::StrCat(
        result.name, " also read ", WithThousands(m.index_block_reads),
        " index and ", WithThousands(m.filter_block_reads), " filter blocks."));
  }
}

constexpr size_t kLongestLabel = 24;

size_t PolicyInFocus(const Report& report) {
  size_t least = 0;
  for (size_t i = 0; i < report.results.size(); ++i) {
    if (report.results[i].name == kLinebloom) return i;
    if (report.results[i].measured.data_block_reads <
        report.results[least].measured.data_block_reads) {
      least = i;
    }
  }
  return least;
}

// For example "2.2 × fewer reads than no filter". `what` is " reads", or "" if
// that was already said.
std::string CompareReads(uint64_t reads, uint64_t other,
                         const std::string& name, absl::string_view what) {
  if (reads == other) return absl::StrCat("as many", what, " as ", name);
  if (reads == 0) {
    return absl::StrCat("no", what, " where ", name, " has ",
                        WithThousands(other));
  }
  if (other == 0) {
    return absl::StrCat(WithThousands(reads), what, " where ", name,
                        " has none");
  }
  const double ratio = static_cast<double>(reads) / static_cast<double>(other);
  return absl::StrCat(ThreeDigits(std::max(ratio, 1 / ratio)), " × ",
                      ratio < 1 ? "fewer" : "more", what, " than ", name);
}

}  // namespace

uint64_t PolicyResult::filter_bytes() const {
  return std::accumulate(filter_bytes_by_level.begin(),
                         filter_bytes_by_level.end(), uint64_t{0});
}

double PolicyResult::bits_per_key() const {
  uint64_t entries = 0;
  for (const FileShape& file : shape.files) entries += file.entries;
  return entries == 0 ? 0
                      : 8.0 * static_cast<double>(filter_bytes()) /
                            static_cast<double>(entries);
}

std::string Label(const Report& report, size_t i) {
  const std::string& name = report.results[i].name;
  if (name.size() <= kLongestLabel) return name;
  std::string id = name;
  if (absl::StartsWith(id, "{id=")) id = id.substr(4);
  id = id.substr(0, std::min<size_t>(id.find_first_of(":;}"), 16));
  return absl::StrCat(id, " [", i + 1, "]");
}

std::string ResultInWords(const Report& report) {
  if (report.results.size() < 2) return "";
  const size_t focus = PolicyInFocus(report);
  const uint64_t reads = report.results[focus].measured.data_block_reads;
  std::vector<std::string> comparisons;
  for (size_t i = 0; i < report.results.size(); ++i) {
    if (i == focus) continue;
    const PolicyResult& other = report.results[i];
    comparisons.push_back(
        CompareReads(reads, other.measured.data_block_reads,
                     other.name == kNoPolicy ? "no filter" : Label(report, i),
                     comparisons.empty() ? " reads" : ""));
  }
  return absl::StrCat(Label(report, focus), ": ",
                      absl::StrJoin(comparisons, ", "), ".");
}

void AddFindings(const Shape& expected, Report* report) {
  if (report->results.empty()) return;
  CheckShapes(expected, report);
  CheckFound(report);
  NoteIoAgreement(report);
  NoteOtherBlockReads(report);
  NoteNoise(report);
}

}  // namespace linebloom::tools
