// Keys spread over levels as in a live database.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "tools/io_compare/rows/keys.h"
#include "tools/io_compare/rows/row_source.h"

namespace linebloom::tools {

// Six sorted runs: three files in level 0, and levels 1 to 3, each ten times as
// large as the one above. Every run covers the whole range of keys, so a lookup
// of a missing key between two rows has to go through all of them.
class LayeredRows : public RowSource {
 public:
  // `keys` must outlive this, be sorted, and have at least 2 * kSharesOfAllRuns
  // keys. Values have `value_size` incompressible bytes. Files of level 1 and
  // below have about `file_bytes`, or as many as suits the number of rows if
  // that is 0; no level has more than 4096 files.
  LayeredRows(const KeyTable* keys, uint64_t value_size, uint64_t seed,
              uint64_t file_bytes = 0);

  absl::Status ReadFile(
      size_t file, absl::FunctionRef<absl::Status(const Entry&)> sink) override;
  uint64_t ApproximateBytes() const override { return bytes_; }

  // Each run gets exactly its share of this many consecutive rows.
  static constexpr uint64_t kSharesOfAllRuns = 447;

 private:
  // The rows of a file: those of `run` among rows [begin, end).
  struct Part {
    size_t run;
    uint64_t begin;
    uint64_t end;
  };

  size_t RunOf(uint64_t row) const;
  uint64_t CountEntries(const Part& part) const;
  void FillValue(uint64_t row, std::string* value) const;

  const KeyTable* keys_;
  const uint64_t value_size_;
  const uint64_t seed_;
  uint64_t bytes_ = 0;
  std::vector<Part> parts_;  // in the order of files_
};

}  // namespace linebloom::tools
