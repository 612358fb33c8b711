#include <cmath>
#include <set>
#include <string>

#include "tests/rocksdb/oracle/oracle.h"

namespace linebloom {

Keys Decades(uint64_t decades) {
  Keys keys;
  for (uint64_t row = 0; row < 10 * decades; ++row) {
    const bool present = row % 2 == 0 && row / 10 % 2 == 0;
    (present ? keys.present : keys.missing).push_back(RowKey(row));
  }
  return keys;
}

std::vector<std::string> EveryNth(const std::vector<std::string>& keys,
                                  size_t n, size_t first) {
  std::vector<std::string> some;
  for (size_t i = first; i < keys.size(); i += n) some.push_back(keys[i]);
  return some;
}

Keys OfEveryLength() {
  std::set<std::string> present;
  for (size_t length = 0; length <= 1000; ++length) {
    for (const char first : {'\0', 'm', '\xff'}) {
      std::string key(length, '\0');
      for (size_t i = 0; i < length; ++i) {
        key[i] = static_cast<char>(first + i * length);
      }
      present.insert(key);
    }
  }
  Keys keys;
  keys.present.assign(present.begin(), present.end());
  for (std::string key : keys.present) {
    if (key.empty()) continue;
    key.back() = static_cast<char>(key.back() ^ 1);
    if (present.count(key) == 0) keys.missing.push_back(key);
  }
  return keys;
}

Keys InRuns(const std::string& runs) {
  Keys keys;
  std::set<std::string> missing;
  char letter = 'a';
  for (size_t at = 0; at < runs.size(); ++at, ++letter) {
    const bool is_short = runs[at] == '-';
    if (is_short) ++at;
    const auto count = static_cast<int>(std::pow(3, runs[at] - '0'));
    for (int i = 0; i < count; ++i) {
      std::string key = letter + std::to_string(100 + i);
      key = is_short ? letter + key.substr(2)
                     : letter + std::to_string(100 + i / 3) + key;
      keys.present.push_back(key);
      // Without a prefix, with that of a row, with that of none.
      missing.insert({key.substr(0, 2), key + "~", key.substr(0, 3) + "~~~"});
    }
  }
  keys.missing.assign(missing.begin(), missing.end());
  return keys;
}

}  // namespace linebloom
