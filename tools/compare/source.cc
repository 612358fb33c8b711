#include "tools/compare/source.h"

#include <algorithm>
#include <memory>
#include <random>
#include <system_error>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "rocksdb/table.h"
#include "table/status.h"
#include "tools/compare/layered_rows.h"
#include "tools/database/caches.h"
#include "tools/database/databases.h"
#include "tools/report/run_tool.h"

namespace linebloom::tools {
namespace {

namespace fs = std::filesystem;

absl::Status CheckFreeSpace(const fs::path& folder, uint64_t bytes,
                            size_t copies) {
  std::error_code error;
  const uint64_t available = fs::space(folder, error).available;
  // 11/10 covers filters and rounding, and a file is there twice while it is
  // rewritten. (An unknown space is -1.)
  const uint64_t needed = (copies + 1) * bytes * 11 / 10 + (4 << 20);
  if (available >= needed) return absl::OkStatus();
  return absl::ResourceExhaustedError(absl::StrFormat(
      "not enough space in '%s': about %d MB are needed, %d MB are free%s",
      folder.string(), needed / 1'000'000, available / 1'000'000,
      copies > 1 ? "; with --rounds=1 there is one copy at a time" : ""));
}

// What decides on files and filters. Plug-ins that this program lacks are left
// out.
rocksdb::ColumnFamilyOptions OptionsOf(const std::string& family,
                                       const DatabaseFacts& facts) {
  rocksdb::ColumnFamilyOptions options;
  for (const LiveFile& file : facts.files) {
    options.num_levels = std::max(options.num_levels, file.level + 1);
  }
  if (const auto* const stored = facts.OptionsOf(family); stored != nullptr) {
    options.comparator = stored->comparator;
    options.merge_operator = stored->merge_operator;
    options.prefix_extractor = stored->prefix_extractor;
    options.num_levels = stored->num_levels;
    options.level_compaction_dynamic_level_bytes =
        stored->level_compaction_dynamic_level_bytes;
    options.compression = stored->compression;
    options.compression_per_level = stored->compression_per_level;
    options.bottommost_compression = stored->bottommost_compression;
  }
  if (options.merge_operator == nullptr) options.merge_operator = LastOperand();
  options.table_factory.reset(
      rocksdb::NewBlockBasedTableFactory(TableOf(facts.OptionsOf(family))));
  return options;
}

// A uniform sample of the live rows' keys, so that column families are looked
// up by their rows. Reads the whole database.
absl::StatusOr<Keys> SampleKeys(const std::string& folder,
                                const ReadOnlyDatabase& open, uint64_t seed) {
  constexpr uint64_t kMaxSample = 1'000'000;  // they are kept in memory
  rocksdb::ReadOptions options;
  options.fill_cache = false;
  options.total_order_seek = true;
  options.readahead_size = 1 << 20;
  // Reservoir sampling: at any time, the sample represents all rows seen so
  // far.
  std::vector<Key> sample;
  std::mt19937_64 random(seed);
  uint64_t seen = 0;
  for (size_t family = 0; family < open.families().size(); ++family) {
    const std::unique_ptr<rocksdb::Iterator> rows(
        open.db()->NewIterator(options, open.families()[family]));
    for (rows->SeekToFirst(); rows->Valid(); rows->Next(), ++seen) {
      if (seen % 4096 == 0) RETURN_IF_ERROR(CheckInterrupt());
      const uint64_t place =
          seen < kMaxSample
              ? seen
              : std::uniform_int_distribution<uint64_t>(0, seen)(random);
      if (place >= kMaxSample) continue;
      if (place == sample.size()) sample.emplace_back();
      sample[place] = {rows->key().ToString(), family};
    }
    RETURN_IF_ERROR(FromRocksDb(
        rows->status(), absl::StrCat("cannot read database '", folder, "'")));
  }
  return KeysOf(std::move(sample));
}

}  // namespace

absl::StatusOr<Source> MakeSource(const CompareConfig& config,
                                  const fs::path& scratch, size_t copies,
                                  Progress* progress) {
  const bool is_generated = config.database.empty();
  const std::string folder =
      is_generated ? (scratch / "rows").string() : config.database;
  if (is_generated) {
    RETURN_IF_ERROR(
        CheckFreeSpace(scratch, BytesOfRows(config.rows), copies + 1));
    RETURN_IF_ERROR(LayOutRows(config.rows, config.seed, folder, progress));
  }
  RETURN_IF_ERROR(CheckUnlockedDatabase(folder));
  ASSIGN_OR_RETURN(const auto open, ReadOnlyDatabase::Open(folder));
  Source source;
  ASSIGN_OR_RETURN(source.facts, ReadDatabase(folder));
  for (const rocksdb::ColumnFamilyHandle* family : open.families()) {
    source.families.emplace_back(family->GetName(),
                                 OptionsOf(family->GetName(), source.facts));
  }
  source.mix = {.keys = NumberedKeys(config.rows), .seed = config.seed};
  if (is_generated) return source;
  uint64_t bytes = 0;
  for (const LiveFile& file : source.facts.files) bytes += file.bytes;
  RETURN_IF_ERROR(CheckFreeSpace(scratch, bytes, copies));
  ASSIGN_OR_RETURN(source.mix.keys, SampleKeys(folder, open, config.seed));
  if (source.mix.keys.size == 0) {
    return absl::InvalidArgumentError(absl::StrCat(
        "database '", folder, "' has no live rows in its SSTables"));
  }
  source.notes = {"What only the database's write-ahead log has isn't copied."};
  return source;
}

}  // namespace linebloom::tools
