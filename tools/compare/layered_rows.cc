#include "tools/compare/layered_rows.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>

#include "absl/strings/str_cat.h"
#include "rocksdb/db.h"
#include "rocksdb/sst_file_writer.h"
#include "rocksdb/table.h"
#include "table/status.h"
#include "tools/database/databases.h"
#include "tools/database/out_ptr.h"
#include "tools/report/run_tool.h"

namespace linebloom::tools {
namespace {

struct SortedRun {
  int level;
  uint64_t share;  // rows of kSharesOfAllRuns
};

// In the order of creation.
constexpr std::array<SortedRun, 6> kRuns = {
    {{3, 400}, {2, 40}, {1, 4}, {0, 1}, {0, 1}, {0, 1}}};

constexpr uint64_t kValueBytes = 100;

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

// How many files a run has.
uint64_t FilesOf(const SortedRun& run, uint64_t all_bytes) {
  if (run.level == 0) return 1;
  // A database of 2M small rows gets files of 8 MB, a large one of 64 MB,
  // RocksDB's default, and a very large one at most 4096 files per level.
  constexpr uint64_t kMiB = 1 << 20;
  const uint64_t file_bytes = std::max(
      std::clamp(all_bytes / 32, 4 * kMiB, 64 * kMiB), all_bytes / 4096);
  const uint64_t bytes = all_bytes / kSharesOfAllRuns * run.share;
  return std::max<uint64_t>(1, (bytes + file_bytes - 1) / file_bytes);
}

rocksdb::Options OptionsOfRows() {
  rocksdb::BlockBasedTableOptions table;
  table.cache_index_and_filter_blocks = true;
  table.pin_l0_filter_and_index_blocks_in_cache = true;
  rocksdb::Options options;
  options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
  options.compression = rocksdb::kNoCompression;
  // A file goes to the deepest level where no other has keys of its range.
  options.num_levels = kRuns[0].level + 1;
  options.disable_auto_compactions = true;
  options.info_log = std::make_shared<QuietLogger>();
  options.create_if_missing = true;
  options.error_if_exists = true;
  return options;
}

class Writer {
 public:
  Writer(const Keys& keys, uint64_t seed, std::string folder,
         Progress* progress)
      : keys_(keys),
        seed_(seed),
        folder_(std::move(folder)),
        options_(OptionsOfRows()),
        progress_(progress) {}

  absl::Status Write() {
    RETURN_IF_ERROR(
        Explained(rocksdb::DB::Open(options_, folder_, OutPtr(&db_))));
    for (size_t run = 0; run < kRuns.size(); ++run) {
      const uint64_t files = FilesOf(kRuns[run], BytesOfRows(keys_.size));
      for (uint64_t f = 0; f < files; ++f) {
        RETURN_IF_ERROR(WriteFile(run, keys_.size * f / files,
                                  keys_.size * (f + 1) / files));
      }
    }
    return Explained(db_->Close());
  }

 private:
  absl::Status Explained(const rocksdb::Status& status) const {
    return FromRocksDb(status, absl::StrCat("cannot write to '", folder_, "'"));
  }

  // The rows of the run among rows [begin, end).
  absl::Status WriteFile(size_t run, uint64_t begin, uint64_t end) {
    const std::string path = folder_ + "/new_file";
    rocksdb::SstFileWriter file(rocksdb::EnvOptions(), options_);
    RETURN_IF_ERROR(Explained(file.Open(path)));
    std::string value(kValueBytes, '\0');
    for (uint64_t row = begin; row < end; ++row) {
      if (RunOf(row, seed_) != run) continue;
      FillValue(Mix(seed_, row), &value);
      RETURN_IF_ERROR(Explained(file.Put(keys_.at(row).text, value)));
      progress_->Update(++written_);
      if (written_ % 1024 == 0) RETURN_IF_ERROR(CheckInterrupt());
    }
    RETURN_IF_ERROR(Explained(file.Finish()));
    rocksdb::IngestExternalFileOptions ingestion;
    ingestion.move_files = true;
    return Explained(db_->IngestExternalFile({path}, ingestion));
  }

  const Keys& keys_;
  const uint64_t seed_;
  const std::string folder_;
  const rocksdb::Options options_;
  Progress* const progress_;
  std::unique_ptr<rocksdb::DB> db_;
  uint64_t written_ = 0;  // rows
};

}  // namespace

uint64_t BytesOfRows(uint64_t rows) {
  constexpr uint64_t kEntryOverhead = 12;  // lengths, sequence number, index
  return rows * (kNumberedKeyBytes + kValueBytes + kEntryOverhead);
}

absl::Status LayOutRows(const Keys& keys, uint64_t seed,
                        const std::string& folder, Progress* progress) {
  return Writer(keys, seed, folder, progress).Write();
}

}  // namespace linebloom::tools
