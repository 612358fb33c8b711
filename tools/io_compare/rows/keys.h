// Lists of keys.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace linebloom::tools {

// Keys by number. Immutable once filled; may be read from many threads.
class KeyTable {
 public:
  virtual ~KeyTable() = default;
  virtual uint64_t size() const = 0;
  virtual uint64_t bytes() const = 0;  // of all keys together
  // Sets `key` to key `i`, which is below size().
  virtual void Get(uint64_t i, std::string* key) const = 0;
};

// Keys in memory, back to back, with 8 bytes of overhead each.
class KeyList : public KeyTable {
 public:
  void Add(absl::string_view key);
  uint64_t size() const override { return ends_.size(); }
  void Get(uint64_t i, std::string* key) const override {
    *key = std::string((*this)[i]);
  }
  absl::string_view operator[](uint64_t i) const;
  uint64_t bytes() const override { return bytes_.size(); }

 private:
  std::string bytes_;
  std::vector<uint64_t> ends_;
};

inline constexpr uint64_t kNumberedKeyBytes = 16;

// Generated keys of 16 bytes, "user" plus a number of 12 digits, `stride` apart
// (at least 2), so that other keys fit between any two of them.
class NumberedKeys : public KeyTable {
 public:
  NumberedKeys(uint64_t rows, uint64_t stride) : rows_(rows), stride_(stride) {}
  uint64_t size() const override { return rows_; }
  uint64_t bytes() const override { return kNumberedKeyBytes * size(); }
  void Get(uint64_t i, std::string* key) const override;

 private:
  uint64_t rows_;
  uint64_t stride_;
};

// The keys between those of NumberedKeys, in order.
class KeysBetween : public KeyTable {
 public:
  KeysBetween(uint64_t rows, uint64_t stride) : rows_(rows), stride_(stride) {}
  uint64_t size() const override { return (rows_ - 1) * (stride_ - 1); }
  uint64_t bytes() const override { return kNumberedKeyBytes * size(); }
  void Get(uint64_t i, std::string* key) const override;

 private:
  uint64_t rows_;
  uint64_t stride_;
};

// Reads a file with one key per line. Lines end with \n or \r\n; empty lines
// are ignored; keys may contain any other byte. NotFound, PermissionDenied and
// so on name `flag` and path; InvalidArgument if there are no keys.
absl::StatusOr<KeyList> ReadKeyFile(absl::string_view flag,
                                    const std::string& path);

// The distinct keys in bytewise order.
KeyList SortedAndUnique(const KeyList& keys);

struct HeldOut {
  KeyList rows;     // to load
  KeyList missing;  // to look up as missing, between the first and last row
};

// Holds out every `nth` (at least 2) of the `sorted` keys.
HeldOut HoldOut(const KeyList& sorted, uint64_t nth);

}  // namespace linebloom::tools
