// Varies table options, reads, caches and sizes, for one file and for
// overlapping files, as written and after reopening.

#include <memory>

#include "rocksdb/cache.h"
#include "rocksdb/compression_type.h"
#include "tests/rocksdb/oracle/cell.h"

namespace linebloom {
namespace {

const std::vector<Step> kCourse = {kWrite, kUpdate, kReopen, kCompact};

// Keeps filters in the block cache, with these options of the table.
Setting CachedFilters(const std::string& text = "") {
  return Table("block_cache=8M;cache_index_and_filter_blocks=true;" + text);
}

const Cell kCells[] = {
    {"Default", kCourse},
    {"KeysOfEveryLength", kCourse, [](auto* o) { o->keys_ = OfEveryLength(); }},
    {"WithoutReading", {kWrite, kLookWithoutReading}, {}, Filters::kWhole},
    // The builder keeps fewer in one bucket (hash_list.h).
    {"ManyKeys", {kWrite}, [](auto* o) { o->keys_ = Decades(14'000); }},
    {"BitsPerKey",
     {kWrite, kUpdate},
     [](auto* o) { o->keys_ = Decades(1500); },
     Filters::kWhole,
     {kHalfABit, kOneAndAHalfBits, kFiveBits, kSixteenBits, kThirtyBits}},
    // These build no filter, as with RocksDB's own policies.
    {.name = "LessThanHalfABit",
     .steps = {kWrite, kReopen},
     .policies = {kTooFewBits, kTooFewBloomBits}},

    // ---- Where filters are kept, and how they are read.
    {"FiltersInTheCache", kCourse, CachedFilters()},
    {"CacheTooSmall", kCourse,
     Table("block_cache=1K;cache_index_and_filter_blocks=true")},
    {"HyperClockCache", kCourse,
     [](auto* o) {
       o->table().cache_index_and_filter_blocks = true;
       o->table().block_cache =
           rocksdb::HyperClockCacheOptions(8 << 20, 4096).MakeSharedCache();
     }},
    {"Level0Pinned", kCourse,
     CachedFilters("pin_l0_filter_and_index_blocks_in_cache=true")},
    {"TopLevelNotPinned", kCourse,
     CachedFilters("pin_top_level_index_and_filter=false")},
    {"AllPinned", kCourse,
     CachedFilters("metadata_cache_options={unpartitioned_pinning=kAll;"
                   "partition_pinning=kAll}")},
    {"FlushFillsTheCache", kCourse,
     CachedFilters("prepopulate_block_cache=kFlushOnly")},
    {"NoCache", kCourse,
     [](auto* o) {
       o->table().no_block_cache = true;
       o->blocks_are_counted_ = false;
     }},
    {"RowCache", kCourse,
     [](auto* o) { o->options().row_cache = rocksdb::NewLRUCache(1 << 20); }},
    {"DirectReads", kCourse, Database("use_direct_reads=true")},
    {"MappedReads", kCourse, Database("allow_mmap_reads=true")},
    {"AsyncReads", kCourse, [](auto* o) { o->read_.async_io = true; }},
    {"FewFilesOpen",
     {kWrite, kCompactToManyFiles, kReopen},
     [](auto* o) {
       o->keys_ = Decades(300);
       o->UseDatabaseOptions("max_open_files=10;target_file_size_base=8K");
     }},

    // ---- How filters and tables are written.
    {"DetectCorruption", kCourse,
     Table("detect_filter_construct_corruption=true")},
    {"ConstructionCharged", kCourse,
     [](auto* o) {
       o->table().cache_usage_options.options_overrides.insert(
           {rocksdb::CacheEntryRole::kFilterConstruction,
            {rocksdb::CacheEntryRoleOptions::Decision::kEnabled}});
     }},
    {"OptimizedForMemory", kCourse, Table("optimize_filters_for_memory=true")},
    {"FirstKeysInTheIndex", kCourse,
     [](auto* o) {
       o->table().index_type =
           rocksdb::BlockBasedTableOptions::kBinarySearchWithFirstKey;
       o->blocks_are_counted_ = false;
     },
     Filters::kWhole},
    {"BlobFiles", kCourse, Database("enable_blob_files=true;min_blob_size=1")},
    {"PartitionsOfTheRequestedSize",
     {kWrite, kCountPartitions},
     [](auto* o) {
       o->keys_ = Decades(4000);
       o->partition_size_ = 1024;
     },
     Filters::kPartitioned},
#if ROCKSDB_IS_AT_LEAST(9, 6)
    {"DecoupledPartitions", kCourse, Table("decouple_partitioned_filters=true"),
     Filters::kPartitioned},
#endif
};
INSTANTIATE_CELLS(Options, kCells);

std::vector<Cell> SeriesOfCells() {
  std::vector<Cell> cells;
  for (uint32_t version = 2;; ++version) {  // to the newest of this RocksDB
    rocksdb::BlockBasedTableOptions table;
    table.format_version = version;
    const std::unique_ptr<rocksdb::TableFactory> factory(
        rocksdb::NewBlockBasedTableFactory(table));
    if (!factory->ValidateOptions({}, {}).ok()) break;
    const std::string number = std::to_string(version);
    cells.push_back(
        {"FormatVersion" + number, kCourse, Table("format_version=" + number)});
  }
  for (const auto type :
       {rocksdb::kNoChecksum, rocksdb::kCRC32c, rocksdb::kxxHash,
        rocksdb::kxxHash64, rocksdb::kXXH3}) {
    cells.push_back({"ChecksumType" + std::to_string(type),
                     {kWrite, kReopen, kVerifyChecksums},
                     [type](Oracle* o) { o->table().checksum = type; }});
  }
  for (const auto type : rocksdb::GetSupportedCompressions()) {
    cells.push_back({"CompressionType" + std::to_string(type), kCourse,
                     [type](Oracle* o) {
                       o->options().compression = type;
                       o->options().compression_opts.max_dict_bytes = 4096;
                     },
                     Filters::kWhole});
  }
  for (const uint64_t size : {1, 4096, 1 << 20}) {
    cells.push_back({"PartitionsOf" + std::to_string(size), kCourse,
                     [size](Oracle* o) { o->partition_size_ = size; },
                     Filters::kPartitioned});
  }
  // A line has about 51 keys.
  for (const size_t keys : {1, 2, 3, 7, 8, 9, 50, 51, 52, 53, 102, 103}) {
    cells.push_back({"FilesOf" + std::to_string(keys),
                     {kWrite, kReopen},
                     [keys](Oracle* o) { o->keys_.present.resize(keys); },
                     Filters::kWhole});
  }
  return cells;
}
INSTANTIATE_CELLS(Series, SeriesOfCells());

}  // namespace
}  // namespace linebloom
