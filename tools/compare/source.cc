#include "tools/compare/source.h"

#include <algorithm>
#include <memory>
#include <random>
#include <system_error>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "filter_policy/policy/policy_options.h"
#include "rocksdb/table.h"
#include "table/status.h"
#include "tools/compare/layered_rows.h"
#include "tools/database/caches.h"
#include "tools/database/databases.h"
#include "tools/report/run_tool.h"

namespace linebloom::tools {
namespace {

namespace fs = std::filesystem;

// As --help has it.
constexpr char kOperand[] = "DATABASE";

// How many missing keys there must be for all lookups to differ; if filters are
// in the cache, for few to be the same, since false positives of the same key
// find their data in the cache.
uint64_t MissingKeysNeeded(const CompareConfig& config) {
  return config.lookups * (config.caches_filters() ? 16 : 1);
}

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
  rocksdb::BlockBasedTableOptions table;
  table.pin_l0_filter_and_index_blocks_in_cache = true;  // as advise has it
  for (const LiveFile& file : facts.files) {
    options.num_levels = std::max(options.num_levels, file.level + 1);
  }
  for (const auto& [name, stored] : facts.stored.families) {
    if (name != family) continue;
    options.comparator = stored.comparator;
    options.merge_operator = stored.merge_operator;
    options.prefix_extractor = stored.prefix_extractor;
    options.num_levels = stored.num_levels;
    options.level_compaction_dynamic_level_bytes =
        stored.level_compaction_dynamic_level_bytes;
    options.compression = stored.compression;
    options.compression_opts = stored.compression_opts;
    options.compression_per_level = stored.compression_per_level;
    options.bottommost_compression = stored.bottommost_compression;
    options.bottommost_compression_opts = stored.bottommost_compression_opts;
    const auto* const stored_table = TableOptionsOf(stored);
    if (stored_table != nullptr) table = *stored_table;
  }
  if (options.merge_operator == nullptr) options.merge_operator = LastOperand();
  options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
  return options;
}

absl::StatusOr<Source> Read(const std::string& folder,
                            const ReadOnlyDatabase& open) {
  Source source;
  ASSIGN_OR_RETURN(source.facts, ReadDatabase(kOperand, folder, ""));
  for (const rocksdb::ColumnFamilyHandle* family : open.families()) {
    source.families.emplace_back(family->GetName(),
                                 OptionsOf(family->GetName(), source.facts));
  }
  for (const LiveFile& file : source.facts.files) {
    std::error_code error;
    source.bytes += fs::file_size(file.path, error);
    if (!error) continue;
    return absl::InvalidArgumentError(absl::StrCat(
        kOperand, "='", folder, "': '", file.path, "': ", error.message()));
  }
  return source;
}

// A uniform sample of the live rows' keys, so that column families are looked
// up by their rows. Reads the whole database.
absl::StatusOr<KeyList> SampleKeys(const ReadOnlyDatabase& open, uint64_t count,
                                   uint64_t seed) {
  rocksdb::ReadOptions options;
  options.fill_cache = false;
  options.total_order_seek = true;
  options.readahead_size = 1 << 20;
  // Reservoir sampling: at any time, the sample represents all rows seen so
  // far.
  KeyList sample;
  std::mt19937_64 random(seed);
  uint64_t seen = 0;
  for (size_t family = 0; family < open.families().size(); ++family) {
    const std::unique_ptr<rocksdb::Iterator> rows(
        open.db()->NewIterator(options, open.families()[family]));
    for (rows->SeekToFirst(); rows->Valid(); rows->Next(), ++seen) {
      const uint64_t place =
          seen < count
              ? seen
              : std::uniform_int_distribution<uint64_t>(0, seen)(random);
      if (place >= count) continue;
      if (place == sample.size()) sample.emplace_back();
      sample[place] = {rows->key().ToString(), /*exists=*/true, family};
      if (seen % 4096 == 0) RETURN_IF_ERROR(CheckInterrupt());
    }
    RETURN_IF_ERROR(FromRocksDb(rows->status(), "cannot read the rows"));
  }
  return sample;
}

// --memory is one cache for all column families.
absl::Status CheckCaches(const CompareConfig& config,
                         const DatabaseFacts& facts) {
  if (!config.caches_filters()) return absl::OkStatus();
  ASSIGN_OR_RETURN(const DatabaseCaches read, ReadCaches(facts, {}));
  if (read.caches.size() == 1) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("--memory is one block cache, and the column families of '",
                   config.database, "' have ", read.caches.size(),
                   " by its info log: compare them without --memory"));
}

absl::StatusOr<Source> UseDatabase(const CompareConfig& config,
                                   const fs::path& scratch, size_t copies) {
  const std::string& folder = config.database;
  RETURN_IF_ERROR(CheckUnlockedDatabase(kOperand, folder));
  ASSIGN_OR_RETURN(const auto open, ReadOnlyDatabase::Open(kOperand, folder));
  ASSIGN_OR_RETURN(Source source, Read(folder, open));
  RETURN_IF_ERROR(CheckFreeSpace(scratch, source.bytes, copies));
  RETURN_IF_ERROR(CheckCaches(config, source.facts));
  constexpr uint64_t kMaxSample = 20'000'000;  // they are kept in memory
  const uint64_t count =
      std::max(config.lookups, std::min(kMaxSample, MissingKeysNeeded(config)));
  ASSIGN_OR_RETURN(KeyList sample, SampleKeys(open, count, config.seed));
  if (sample.empty()) {
    return absl::InvalidArgumentError(absl::StrCat(
        kOperand, "='", folder, "' has no live rows in its SSTables"));
  }
  const Keys existing = KeysOf(std::move(sample));
  source.mix.existing = existing;
  // Directly after a key, and so within the range of every file that has it.
  source.mix.missing = {existing.size, [existing](uint64_t i) {
                          const Key key = existing.at(i);
                          return Key{key.text + '\0', false, key.family};
                        }};
  source.notes.emplace_back(
      "What only the database's write-ahead log has isn't copied.");
  return source;
}

absl::StatusOr<Source> GenerateRows(const CompareConfig& config,
                                    const fs::path& scratch, size_t copies,
                                    Progress* progress) {
  RETURN_IF_ERROR(
      CheckFreeSpace(scratch, BytesOfRows(config.rows), copies + 1));
  // Leaves enough room between rows for all lookups to differ.
  const uint64_t stride = 2 + MissingKeysNeeded(config) / (config.rows - 1);
  const Keys existing = NumberedKeys(config.rows, stride);
  const std::string folder = (scratch / "rows").string();
  progress->Begin("laying out rows", config.rows);
  RETURN_IF_ERROR(LayOutRows(existing, config.seed, folder, progress));
  ASSIGN_OR_RETURN(const auto open, ReadOnlyDatabase::Open(kOperand, folder));
  ASSIGN_OR_RETURN(Source source, Read(folder, open));
  source.mix.existing = existing;
  source.mix.missing = KeysBetween(config.rows, stride);
  return source;
}

}  // namespace

absl::StatusOr<Source> MakeSource(const CompareConfig& config,
                                  const fs::path& scratch, size_t copies,
                                  Progress* progress) {
  ASSIGN_OR_RETURN(Source source,
                   config.database.empty()
                       ? GenerateRows(config, scratch, copies, progress)
                       : UseDatabase(config, scratch, copies));
  source.mix.seed = config.seed;
  return source;
}

}  // namespace linebloom::tools
