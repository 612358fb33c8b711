#include "tools/compare/row_source.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace linebloom::tools {
namespace {

struct SortedRun {
  int level;
  uint64_t share;  // rows of kSharesOfAllRuns
};

// In the order of creation.
constexpr std::array<SortedRun, 6> kRuns = {
    {{3, 400}, {2, 40}, {1, 4}, {0, 1}, {0, 1}, {0, 1}}};

// The rows of a file: those of `run` among rows [begin, end).
struct Part {
  size_t run;
  uint64_t begin;
  uint64_t end;
};

// Rounds up.
uint64_t Divide(uint64_t a, uint64_t b) { return (a + b - 1) / b; }

// Deals kSharesOfAllRuns rows at a time out, in an order that differs from
// group to group. Chance alone could leave a run without rows.
size_t RunOf(uint64_t row, uint64_t seed) {
  constexpr uint64_t kStep = 173;  // no common factor with 447 = 3 * 149
  const uint64_t group = row / kSharesOfAllRuns;
  const uint64_t turn = Mix(seed, group) % kSharesOfAllRuns;
  uint64_t slot = (row * kStep + turn) % kSharesOfAllRuns;
  size_t run = 0;
  while (slot >= kRuns[run].share) slot -= kRuns[run++].share;
  return run;
}

void FillValue(uint64_t seed, std::string* value) {
  for (size_t at = 0; at < value->size(); at += sizeof(uint64_t)) {
    const uint64_t word = Mix(seed + at);
    std::memcpy(value->data() + at, &word,
                std::min(sizeof(word), value->size() - at));
  }
}

}  // namespace

uint64_t RowSource::TotalEntries() const {
  uint64_t sum = 0;
  for (const FileToWrite& file : files) sum += file.entries;
  return sum;
}

RowSource LayeredRows(const Keys& keys, uint64_t seed) {
  RowSource source;
  constexpr uint64_t kEntryOverhead = 12;  // lengths, sequence number, index
  source.bytes = keys.size * (kNumberedKeyBytes + kValueBytes + kEntryOverhead);
  source.largest_file_bytes = source.bytes / 16;
  // A database of 2M small rows gets files of 8 MB, a large one of 64 MB,
  // RocksDB's default, and a very large one at most 4096 files per level.
  constexpr uint64_t kMiB = 1 << 20;
  const uint64_t file_bytes = std::max(
      std::clamp(source.bytes / 32, 4 * kMiB, 64 * kMiB), source.bytes / 4096);
  std::vector<Part> parts;  // in the order of files
  for (size_t run = 0; run < kRuns.size(); ++run) {
    const uint64_t bytes = source.bytes / kSharesOfAllRuns * kRuns[run].share;
    const uint64_t files =
        kRuns[run].level == 0
            ? 1
            : std::max<uint64_t>(1, Divide(bytes, file_bytes));
    for (uint64_t f = 0; f < files; ++f) {
      const Part& part = parts.emplace_back(
          Part{run, keys.size * f / files, keys.size * (f + 1) / files});
      const uint64_t entries =
          (part.end - part.begin) * kRuns[run].share / kSharesOfAllRuns;
      source.files.push_back(
          {kRuns[run].level, entries, rocksdb::kNoCompression});
    }
  }
  source.read = [keys, parts, seed](size_t file, rocksdb::WriteBatch* batch,
                                    AddedEntry added) {
    const Part& part = parts[file];
    std::string value(kValueBytes, '\0');
    absl::Status status;
    for (uint64_t row = part.begin; row < part.end && status.ok(); ++row) {
      if (RunOf(row, seed) != part.run) continue;
      FillValue(Mix(seed, row), &value);
      (void)batch->Put(keys.at(row), value);
      status = added();
    }
    return status;
  };
  return source;
}

Shape ReadShape(rocksdb::DB* db) {
  std::vector<rocksdb::LiveFileMetaData> live;
  db->GetLiveFilesMetaData(&live);
  // (The metadata's own counts are 0 in a database opened without statistics.)
  rocksdb::TablePropertiesCollection properties;
  (void)db->GetPropertiesOfAllTables(&properties);
  Shape shape;
  for (const rocksdb::LiveFileMetaData& file : live) {
    const auto counts = properties[file.db_path + file.name];
    shape.push_back({file.level, file.smallestkey, file.largestkey,
                     counts == nullptr ? 0 : counts->num_entries,
                     counts == nullptr ? 0 : counts->num_deletions});
  }
  std::ranges::sort(shape);
  return shape;
}

}  // namespace linebloom::tools
