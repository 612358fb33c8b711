#include "tools/filter_dump/table/logged_answers.h"

#include <fstream>
#include <map>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"

namespace linebloom::tools {
namespace {

using Counts = std::map<std::string, uint64_t>;

// " rocksdb.bloom.filter.useful COUNT : 1234"
void TakeCount(absl::string_view line, Counts* counts) {
  const std::vector<absl::string_view> words =
      absl::StrSplit(line, ' ', absl::SkipEmpty());
  uint64_t count = 0;
  if (words.size() == 4 && words[1] == "COUNT" &&
      absl::SimpleAtoi(words[3], &count)) {
    (*counts)[std::string(words[0])] = count;
  }
}

uint64_t Count(const Counts& counts, absl::string_view what) {
  const auto found = counts.find(absl::StrCat("rocksdb.bloom.filter.", what));
  return found == counts.end() ? 0 : found->second;
}

// The same as ReadFilterAnswers() for RocksDB's statistics. Older releases lack
// prefix.true.positive and count the prefixes of scans in the other two.
FilterAnswers AnswersOf(const Counts& counts) {
  FilterAnswers answers;
  answers.negatives = Count(counts, "useful");
  answers.positives = Count(counts, "full.positive");
  answers.true_positives = Count(counts, "full.true.positive");
  if (counts.count("rocksdb.bloom.filter.prefix.true.positive") > 0) {
    const uint64_t useful = Count(counts, "prefix.useful");
    const uint64_t checked = Count(counts, "prefix.checked");
    answers.negatives += useful;
    answers.positives += checked > useful ? checked - useful : 0;
    answers.true_positives += Count(counts, "prefix.true.positive");
  }
  return answers;
}

}  // namespace

std::optional<LoggedAnswers> ReadLoggedAnswers(const std::string& folder) {
  std::ifstream log(absl::StrCat(folder, "/LOG"));
  std::string when;
  Counts counts;
  for (std::string line; std::getline(log, line);) {
    if (absl::EndsWith(line, "] STATISTICS:")) {
      when = line.substr(0, line.find(' '));
      counts.clear();
    } else if (absl::StartsWith(line, " rocksdb.") ||
               absl::StartsWith(line, "rocksdb.")) {
      TakeCount(line, &counts);
    }
  }
  if (when.empty()) return std::nullopt;
  return LoggedAnswers{when, AnswersOf(counts)};
}

}  // namespace linebloom::tools
