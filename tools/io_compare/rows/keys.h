// Lists of row keys.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace linebloom::tools {

// Keys by number. Immutable once filled; reads from many threads.
class KeyTable {
 public:
  virtual ~KeyTable() = default;
  virtual uint64_t size() const = 0;
  virtual uint64_t bytes() const = 0;  // of all keys together
  // Sets `key` to key `i`, which is below size().
  virtual void Get(uint64_t i, std::string* key) const = 0;
};

// Keys in memory, back to back: 8 bytes beside each key's own.
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

// Generated keys of 16 bytes, "user" and a number of 12 digits, `stride` apart
// (2 at least), so that there are keys between any two of them.
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

// The keys that lie between those of NumberedKeys.
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

// Cells of rows: each key of `rows` with `cells` columns behind it, the numbers
// `first`, `first` + 2 and so on, so that there are columns between any two.
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

// Reads a file of one key per line. A line ends with \n or \r\n; empty lines
// are no keys; every other byte may stand in a key. NotFound, PermissionDenied
// and so on name `flag` and path; InvalidArgument where there is no key at all.
absl::StatusOr<KeyList> ReadKeyFile(absl::string_view flag,
                                    const std::string& path);

// The keys in bytewise order, each once.
KeyList SortedAndUnique(const KeyList& keys);

struct HeldOut {
  KeyList rows;     // to load
  KeyList missing;  // to look up as missing, between the first and last row
};

// Holds every `nth` (2 at least) of `sorted` keys out.
HeldOut HoldOut(const KeyList& sorted, uint64_t nth);

struct HeldOutCells {
  KeyList cells;          // to load
  KeyList missing_rows;   // one cell of each row that is held out whole
  KeyList missing_cells;  // of rows that have other cells
  uint64_t rows = 0;      // that are loaded
};

// Of every `nth` (2 at least) row of `sorted` keys, whose first `row_bytes` are
// their row, holds all cells out, and of as many other rows one cell each, if
// they have several. No key is shorter than that.
HeldOutCells HoldOutCells(const KeyList& sorted, size_t row_bytes,
                          uint64_t nth);

// `lookups` keys to look up, of which the share `hit_ratio`, evenly spread, is
// from `existing` and the rest from `missing`. No key is taken twice, in an
// order that `seed` chooses: a key asked for again would give the same answer,
// and a rate measured so would look surer than it is. Where one of the tables
// is too small for that, there are fewer lookups, at the same ratio.
struct Lookups {
  KeyList keys;
  uint64_t existing = 0;  // how many of them are from `existing`
};
Lookups ChooseLookups(const KeyTable& existing, const KeyTable& missing,
                      uint64_t lookups, double hit_ratio, uint64_t seed);

}  // namespace linebloom::tools
