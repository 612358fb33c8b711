#include "tools/io_compare/rows/layered_rows.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "tools/shared/numbers.h"

namespace linebloom::tools {
namespace {

struct SortedRun {
  int level;
  uint64_t share;  // rows of LayeredRows::kSharesOfAllRuns
};

// In the order of creation.
constexpr std::array<SortedRun, 6> kRuns = {
    {{3, 400}, {2, 40}, {1, 4}, {0, 1}, {0, 1}, {0, 1}}};

// Rounds up.
uint64_t Divide(uint64_t a, uint64_t b) { return (a + b - 1) / b; }

}  // namespace

LayeredRows::LayeredRows(const KeyTable* keys, uint64_t value_size,
                         uint64_t seed, uint64_t file_bytes)
    : keys_(keys), value_size_(value_size), seed_(seed) {
  const uint64_t rows = keys_->size();
  constexpr uint64_t kEntryOverhead = 12;  // lengths, sequence number, index
  bytes_ = keys_->bytes() + rows * (value_size_ + kEntryOverhead);
  // A database of 2M small rows gets files of 8 MB, a large one of 64 MB,
  // RocksDB's default, and a very large one at most 4096 files per level.
  constexpr uint64_t kMiB = 1 << 20;
  if (file_bytes == 0) {
    file_bytes = std::clamp(bytes_ / 32, 4 * kMiB, 64 * kMiB);
  }
  file_bytes = std::max(file_bytes, bytes_ / 4096);
  for (size_t run = 0; run < kRuns.size(); ++run) {
    const uint64_t run_bytes = bytes_ / kSharesOfAllRuns * kRuns[run].share;
    const uint64_t files =
        kRuns[run].level == 0
            ? 1
            : std::max<uint64_t>(1, Divide(run_bytes, file_bytes));
    for (uint64_t f = 0; f < files; ++f) {
      parts_.push_back({run, rows * f / files, rows * (f + 1) / files});
      files_.push_back({kRuns[run].level, CountEntries(parts_.back()),
                        rocksdb::kNoCompression});
    }
  }
}

// Takes kSharesOfAllRuns rows at a time and deals them out, in an order that
// differs from group to group. (Chance alone would also do, but could leave a
// run without rows if there are few.)
size_t LayeredRows::RunOf(uint64_t row) const {
  constexpr uint64_t kStep = 173;  // no common factor with 447 = 3 * 149
  const uint64_t group = row / kSharesOfAllRuns;
  const uint64_t turn = Mix(seed_, group) % kSharesOfAllRuns;
  uint64_t slot = (row * kStep + turn) % kSharesOfAllRuns;
  size_t run = 0;
  while (slot >= kRuns[run].share) slot -= kRuns[run++].share;
  return run;
}

uint64_t LayeredRows::CountEntries(const Part& part) const {
  uint64_t entries = 0;
  uint64_t row = part.begin;
  while (row < part.end) {
    if (row % kSharesOfAllRuns == 0 && part.end - row >= kSharesOfAllRuns) {
      entries += kRuns[part.run].share;
      row += kSharesOfAllRuns;
    } else {
      entries += RunOf(row++) == part.run ? 1 : 0;
    }
  }
  return entries;
}

void LayeredRows::FillValue(uint64_t row, std::string* value) const {
  value->resize(value_size_);
  for (size_t at = 0; at < value->size(); at += sizeof(uint64_t)) {
    const uint64_t word = Mix(Mix(seed_, row) + at);
    std::memcpy(value->data() + at, &word,
                std::min(sizeof(word), value->size() - at));
  }
}

absl::Status LayeredRows::ReadFile(
    size_t file, absl::FunctionRef<absl::Status(const Entry&)> sink) {
  const Part& part = parts_[file];
  std::string key;
  std::string value;
  for (uint64_t row = part.begin; row < part.end; ++row) {
    if (RunOf(row) != part.run) continue;
    keys_->Get(row, &key);
    FillValue(row, &value);
    const absl::Status status = sink({EntryKind::kPut, key, value});
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

}  // namespace linebloom::tools
