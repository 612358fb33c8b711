#include "tools/shared/info_log.h"

#include <fstream>
#include <map>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace linebloom::tools {
namespace {

using Counts = std::map<std::string, uint64_t>;

std::optional<double> HitRatio(Counts counts) {
  const uint64_t found = counts["rocksdb.l0.hit"] + counts["rocksdb.l1.hit"] +
                         counts["rocksdb.l2andup.hit"];
  const uint64_t read = counts["rocksdb.number.keys.read"] +
                        counts["rocksdb.number.multiget.keys.read"];
  const uint64_t in_memory = counts["rocksdb.memtable.hit"];
  if (read <= in_memory || found > read - in_memory) return std::nullopt;
  return 1.0 * found / (read - in_memory);
}

// The same as GetFilterStats() for RocksDB's statistics. Older releases lack
// prefix.true.positive and count the prefixes of scans in the other two.
FilterStats FiltersOf(Counts counts) {
  const auto count = [&counts](const std::string& what) {
    return counts["rocksdb.bloom.filter." + what];
  };
  FilterStats stats = {count("useful"), count("full.positive"),
                       count("full.true.positive")};
  if (counts.contains("rocksdb.bloom.filter.prefix.true.positive")) {
    const uint64_t useful = count("prefix.useful");
    const uint64_t checked = count("prefix.checked");
    stats.negatives += useful;
    stats.positives += checked > useful ? checked - useful : 0;
    stats.true_positives += count("prefix.true.positive");
  }
  return stats;
}

}  // namespace

InfoLogFacts ReadInfoLog(const std::string& folder) {
  std::ifstream log(absl::StrCat(folder, "/LOG"));
  InfoLogFacts facts;
  Counts counts;
  for (std::string line; std::getline(log, line);) {
    if (absl::EndsWith(line, "] STATISTICS:")) {
      facts.until = line.substr(0, line.find(' '));
      counts.clear();
      continue;
    }
    // "    capacity : 8388608", " rocksdb.l0.hit COUNT : 1234"
    const std::vector<std::string> words =
        absl::StrSplit(line, ' ', absl::SkipEmpty());
    uint64_t number = 0;
    if (words.size() < 3 || !absl::SimpleAtoi(words.back(), &number)) continue;
    if (words.size() == 4 && words[1] == "COUNT") counts[words[0]] = number;
    if (!facts.cache_bytes && words[0] == "capacity" && words[1] == ":") {
      facts.cache_bytes = number;
    }
  }
  facts.hit_ratio = HitRatio(counts);
  facts.filters = FiltersOf(counts);
  return facts;
}

}  // namespace linebloom::tools
