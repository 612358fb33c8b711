#include "tools/io_compare/report/report.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tools/shared/policies.h"
#include "tools/shared/terminal_text.h"

namespace linebloom::tools {
namespace {

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

}  // namespace linebloom::tools
