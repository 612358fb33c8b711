// Lists of keys.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "rocksdb/comparator.h"

namespace linebloom::tools {

// Keys by number. May be read from many threads.
struct Keys {
  uint64_t size = 0;
  uint64_t bytes = 0;                       // of all keys together
  std::function<std::string(uint64_t)> at;  // takes numbers below `size`
};

// Keys in memory, back to back, with 8 bytes of overhead each.
class KeyList {
 public:
  void Add(absl::string_view key);
  uint64_t size() const { return ends_.size(); }
  absl::string_view operator[](uint64_t i) const;

 private:
  std::string bytes_;
  std::vector<uint64_t> ends_;
};

Keys KeysOf(KeyList list);

// Generated keys of 16 bytes, "user" plus a number of 12 digits, `stride` apart
// (at least 2), so that other keys fit between any two of them.
Keys NumberedKeys(uint64_t rows, uint64_t stride);

// The keys between those of NumberedKeys, in order.
Keys KeysBetween(uint64_t rows, uint64_t stride);

// Reads a file with one key per line, ended by \n or \r\n; ignores empty ones.
// Errors name `flag` and path; InvalidArgument if there are no keys.
absl::StatusOr<KeyList> ReadKeyFile(absl::string_view flag,
                                    const std::string& path);

// The distinct keys in the order of `comparator`.
KeyList SortedAndUnique(
    const KeyList& keys,
    const rocksdb::Comparator& comparator = *rocksdb::BytewiseComparator());

struct HeldOut {
  KeyList rows;     // to load
  KeyList missing;  // to look up as missing, between the first and last row
};

// Holds out every `nth` (at least 2) of the `sorted` keys.
HeldOut HoldOut(const KeyList& sorted, uint64_t nth);

}  // namespace linebloom::tools
