// Keys that differ in the case of their letters and are the same to a database.
#pragma once

#include <strings.h>

#include <algorithm>
#include <cctype>
#include <string>

#include "linebloom/filter_policy.h"
#include "rocksdb/comparator.h"

namespace linebloom {

// The canonical bytes of a key or a prefix are in one case.
class OneCase : public CanonicalKey {
 public:
  OneCase(const char* name, int (*convert)(int))
      : name_(name), convert_(convert) {}
  const char* Name() const noexcept override { return name_; }
  void Append(const rocksdb::Slice& key,
              std::string* canonical) const noexcept override {
    for (size_t i = 0; i < key.size(); ++i) {
      *canonical +=
          static_cast<char>(convert_(static_cast<unsigned char>(key[i])));
    }
  }

 private:
  const char* const name_;
  int (*const convert_)(int);
};

class LowerCase final : public OneCase {
 public:
  LowerCase() : OneCase("ascii_lower_case", std::tolower) {}
};

class IgnoreCase final : public rocksdb::Comparator {
 public:
  const char* Name() const override { return "test.IgnoreCase"; }
  int Compare(const rocksdb::Slice& a, const rocksdb::Slice& b) const override {
    const int order =
        strncasecmp(a.data(), b.data(), std::min(a.size(), b.size()));
    if (order != 0 || a.size() == b.size()) return order;
    return a.size() < b.size() ? -1 : 1;
  }
  void FindShortestSeparator(std::string* /*start*/,
                             const rocksdb::Slice& /*limit*/) const override {}
  void FindShortSuccessor(std::string* /*key*/) const override {}
};

}  // namespace linebloom
