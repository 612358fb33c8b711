#include "tools/advise/info_log.h"

#include <fstream>
#include <map>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace linebloom::tools {

InfoLogFacts ReadInfoLog(const std::string& folder) {
  std::ifstream log(absl::StrCat(folder, "/LOG"));
  InfoLogFacts facts;
  std::map<std::string, double> counts;
  for (std::string line; std::getline(log, line);) {
    // "    capacity : 8388608", " rocksdb.l0.hit COUNT : 1234"
    const std::vector<std::string> words =
        absl::StrSplit(line, ' ', absl::SkipEmpty());
    const bool is_count = words.size() == 4 && words[1] == "COUNT";
    uint64_t number = 0;
    if (words.size() < 3 || !absl::SimpleAtoi(words.back(), &number)) continue;
    if (is_count) counts[words[0]] = static_cast<double>(number);
    if (!facts.cache_bytes && words[0] == "capacity" && words[1] == ":") {
      facts.cache_bytes = number;
    }
  }
  const double found = counts["rocksdb.l0.hit"] + counts["rocksdb.l1.hit"] +
                       counts["rocksdb.l2andup.hit"];
  const double lookups = counts["rocksdb.number.keys.read"] +
                         counts["rocksdb.number.multiget.keys.read"] -
                         counts["rocksdb.memtable.hit"];
  if (lookups >= 1 && found <= lookups) facts.hit_ratio = found / lookups;
  return facts;
}

}  // namespace linebloom::tools
