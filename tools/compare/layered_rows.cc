#include "tools/compare/layered_rows.h"

#include <algorithm>
#include <array>
#include <memory>

#include "absl/strings/str_cat.h"
#include "rocksdb/db.h"
#include "rocksdb/sst_file_writer.h"
#include "rocksdb/table.h"
#include "table/status.h"
#include "tools/compare/keys.h"
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
  options.level_compaction_dynamic_level_bytes = false;  // or all go to level 0
  options.disable_auto_compactions = true;
  options.info_log = std::make_shared<QuietLogger>();
  options.create_if_missing = true;
  options.error_if_exists = true;
  return options;
}

}  // namespace

uint64_t BytesOfRows(uint64_t rows) {
  constexpr uint64_t kKeyBytes = 16 + 12;  // lengths, sequence number, index
  return rows * (kKeyBytes + kValueBytes);
}

absl::Status LayOutRows(uint64_t rows, uint64_t seed, const std::string& folder,
                        Progress* progress) {
  const auto explained = [&folder](const rocksdb::Status& status) {
    return FromRocksDb(status, absl::StrCat("cannot write to '", folder, "'"));
  };
  const rocksdb::Options options = OptionsOfRows();
  std::unique_ptr<rocksdb::DB> db;
  RETURN_IF_ERROR(explained(rocksdb::DB::Open(options, folder, OutPtr(&db))));
  const Keys keys = NumberedKeys(rows);
  const std::string value(kValueBytes, '\0');  // isn't compressed
  const std::string path = folder + "/new_file";
  rocksdb::IngestExternalFileOptions ingestion;
  ingestion.move_files = true;
  uint64_t written = 0;
  progress->Begin("laying out rows", rows);
  for (size_t run = 0; run < kRuns.size(); ++run) {
    const uint64_t files = FilesOf(kRuns[run], BytesOfRows(rows));
    for (uint64_t f = 0; f < files; ++f) {
      rocksdb::SstFileWriter file(rocksdb::EnvOptions(), options);
      RETURN_IF_ERROR(explained(file.Open(path)));
      for (uint64_t row = rows * f / files; row < rows * (f + 1) / files;
           ++row) {
        if (RunOf(row, seed) != run) continue;
        RETURN_IF_ERROR(
            explained(file.Put(keys.at(row, /*gap=*/0).text, value)));
        progress->Update(++written);
        RETURN_IF_ERROR(CheckInterrupt());
      }
      RETURN_IF_ERROR(explained(file.Finish()));
      RETURN_IF_ERROR(explained(db->IngestExternalFile({path}, ingestion)));
    }
  }
  return explained(db->Close());
}

}  // namespace linebloom::tools
