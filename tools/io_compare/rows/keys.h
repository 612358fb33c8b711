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

// The cells of rows: each key of `rows` followed by `cells` columns with the
// numbers `first`, `first` + 2 and so on, so that other columns fit between any
// two.
class CellKeys : public KeyTable {
 public:
  // `rows` must outlive this.
  CellKeys(const KeyTable* rows, uint64_t first, uint64_t cells)
      : rows_(rows), first_(first), cells_(cells) {}
  uint64_t size() const override { return rows_->size() * cells_; }
  uint64_t bytes() const override {
    return (rows_->bytes() + rows_->size() * kColumnBytes) * cells_;
  }
  void Get(uint64_t i, std::string* key) const override;

 private:
  static constexpr uint64_t kColumnBytes = 5;  // ":c012"

  const KeyTable* rows_;
  uint64_t first_;
  uint64_t cells_;
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

struct HeldOutCells {
  KeyList cells;          // to load
  KeyList missing_rows;   // one cell of each row that is held out completely
  KeyList missing_cells;  // of rows that have other cells
  uint64_t rows = 0;      // that are loaded
};

// Holds out all cells of every `nth` (at least 2) row of the `sorted` keys,
// whose first `row_bytes` bytes are their row, and one cell each of as many
// other rows that have several. No key may be shorter than `row_bytes`.
HeldOutCells HoldOutCells(const KeyList& sorted, size_t row_bytes,
                          uint64_t nth);

}  // namespace linebloom::tools
