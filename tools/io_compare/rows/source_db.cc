#include "tools/io_compare/rows/source_db.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <random>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "filter_policy/rocksdb/policy_options.h"
#include "rocksdb/convenience.h"
#include "rocksdb/db.h"
#include "rocksdb/utilities/debug.h"
#include "table/status.h"
#include "tools/shared/databases.h"
#include "tools/shared/run_tool.h"

namespace linebloom::tools {
namespace {

constexpr char kFlag[] = "--source_db";

// The numbers in KeyVersion::type are private to RocksDB, but their names are
// public.
EntryKind KindOf(const rocksdb::KeyVersion& version) {
  const std::string name = version.GetTypeName();
  if (name == "TypeSingleDeletion") return EntryKind::kSingleDelete;
  if (absl::StrContains(name, "Deletion")) return EntryKind::kDelete;
  if (name == "TypeMerge") return EntryKind::kMerge;
  return EntryKind::kPut;
}

// Calls `sink` for every entry in `family`, one chunk of keys at a time.
absl::Status ReadAllVersions(rocksdb::DB* db,
                             rocksdb::ColumnFamilyHandle* family,
                             EntrySink sink) {
  size_t chunk = 1 << 16;
  std::string begin;  // "" for the first key
  while (true) {
    std::vector<rocksdb::KeyVersion> versions;
    const rocksdb::Status read =
        begin.empty()
            ? rocksdb::GetAllKeyVersions(db, family, {}, {}, chunk, &versions)
            : rocksdb::GetAllKeyVersions(db, family, begin, {}, chunk,
                                         &versions);
    if (!read.ok()) return FromRocksDb(read, "cannot read a copied file");
    // A full chunk may have cut off versions of its last key. That key starts
    // the next chunk, which has to be larger if all of it is that key.
    const bool is_last = versions.size() < chunk;
    size_t end = versions.size();
    if (!is_last) {
      const std::string& last = versions.back().user_key;
      while (end > 0 && versions[end - 1].user_key == last) --end;
      if (end == 0 || last.empty()) {
        chunk *= 2;
        continue;
      }
      begin = last;
    }
    for (size_t i = 0; i < end; ++i) {
      RETURN_IF_ERROR(
          sink({KindOf(versions[i]), versions[i].user_key, versions[i].value}));
    }
    if (is_last) return absl::OkStatus();
  }
}

// Files of format version 7, RocksDB 11's default, have "MANAGER;TYPES;", where
// TYPES is two hexadecimal digits for each compression used: "BuiltinV2;04;".
rocksdb::CompressionType FirstOf(absl::string_view types) {
  uint32_t type = rocksdb::kNoCompression;
  if (!absl::SimpleHexAtoi(types.substr(0, 2), &type)) {
    return rocksdb::kNoCompression;
  }
  return static_cast<rocksdb::CompressionType>(type);
}

rocksdb::CompressionType ParseCompression(absl::string_view name) {
  const std::vector<absl::string_view> fields = absl::StrSplit(name, ';');
  if (fields.size() > 1) return FirstOf(fields[1]);
  if (name == "Snappy") return rocksdb::kSnappyCompression;
  if (name == "Zlib") return rocksdb::kZlibCompression;
  if (name == "BZip2") return rocksdb::kBZip2Compression;
  if (name == "LZ4") return rocksdb::kLZ4Compression;
  if (name == "LZ4HC") return rocksdb::kLZ4HCCompression;
  if (name == "ZSTD") return rocksdb::kZSTD;
  return rocksdb::kNoCompression;
}

// The open source, and the database that its files are imported into.
class Source {
 public:
  Source(const std::string& path, const std::filesystem::path& scratch)
      : what_(absl::StrCat("cannot read ", kFlag, "='", path, "'")),
        scratch_(scratch) {}

  absl::Status Open(const std::string& path, SourceDatabase* result) {
    LoadOptions(path, &result->rows);
    ASSIGN_OR_RETURN(
        auto opened,
        ReadOnlyDatabase::Open(
            kFlag, path,
            {options_, {{rocksdb::kDefaultColumnFamilyName, options_}}},
            Logs::kRead));
    source_.emplace(std::move(opened));
    source_->db()->GetLiveFilesMetaData(&live_files_);
    if (live_files_.empty()) {
      return absl::InvalidArgumentError(
          absl::StrCat(kFlag, "='", path, "' has no SSTables"));
    }
    return PlanFiles(result);
  }

  // RocksDB's reader of single files hides deletions before 9.8, which filters
  // contain too. GetAllKeyVersions shows all, so the file becomes a database.
  absl::Status ReadFile(size_t file, EntrySink sink) {
    rocksdb::ColumnFamilyHandle* family = nullptr;
    absl::Status status = Import(live_files_[file], &family);
    if (!status.ok()) return status;
    status = ReadAllVersions(import_db_.get(), family, sink);
    status.Update(FromRocksDb(import_db_->DropColumnFamily(family),
                              "cannot remove a copied file"));
    status.Update(FromRocksDb(import_db_->DestroyColumnFamilyHandle(family),
                              "cannot remove a copied file"));
    return status;
  }

  absl::StatusOr<KeyList> SampleKeys(uint64_t count, uint64_t seed) {
    rocksdb::ReadOptions options;
    options.fill_cache = false;
    options.total_order_seek = true;
    options.readahead_size = 1 << 20;
    const std::unique_ptr<rocksdb::Iterator> rows(
        source_->db()->NewIterator(options));
    // Reservoir sampling: at any time, the sample represents all rows seen so
    // far.
    std::vector<std::string> sample;
    std::mt19937_64 random(seed);
    uint64_t seen = 0;
    for (rows->SeekToFirst(); rows->Valid(); rows->Next(), ++seen) {
      if (seen < count) {
        sample.push_back(rows->key().ToString());
      } else {
        const uint64_t place =
            std::uniform_int_distribution<uint64_t>(0, seen)(random);
        if (place < count) sample[place] = rows->key().ToString();
      }
      if (seen % 4096 == 0 && Interrupted()) return CheckInterrupt();
    }
    RETURN_IF_ERROR(FromRocksDb(rows->status(), what_));
    KeyList keys;
    for (const std::string& key : sample) keys.Add(key);
    return keys;
  }

 private:
  void LoadOptions(const std::string& path, RowSource* rows) {
    const StoredOptions stored = LoadStoredOptions(path);
    for (const rocksdb::ColumnFamilyDescriptor& family : stored.families) {
      if (family.name != rocksdb::kDefaultColumnFamilyName) continue;
      options_.comparator = family.options.comparator;
      options_.merge_operator = family.options.merge_operator;
      options_.cf_paths = family.options.cf_paths;
      options_.num_levels = family.options.num_levels;
      const auto* const table = TableOptionsOf(family.options);
      if (table != nullptr) rows->block_size = table->block_size;
    }
    rows->comparator = options_.comparator;
    options_.db_paths = stored.db.db_paths;
    options_.wal_dir = stored.db.wal_dir;
    if (options_.merge_operator == nullptr) {
      options_.merge_operator = std::make_shared<LastOperand>();
    }
    options_.info_log = std::make_shared<QuietLogger>();
    options_.max_open_files = -1;
    options_.stats_dump_period_sec = 0;
    options_.stats_persist_period_sec = 0;
  }

  absl::Status PlanFiles(SourceDatabase* result) {
    std::sort(live_files_.begin(), live_files_.end(),
              [](const auto& a, const auto& b) {
                if (a.level != b.level) return a.level > b.level;
                return a.level == 0 ? a.largest_seqno < b.largest_seqno
                                    : a.smallestkey < b.smallestkey;
              });
    rocksdb::TablePropertiesCollection properties;
    RETURN_IF_ERROR(FromRocksDb(
        source_->db()->GetPropertiesOfAllTables(&properties), what_));
    RowSource& rows = result->rows;
    for (const rocksdb::LiveFileMetaData& file : live_files_) {
      rocksdb::CompressionType compression = rocksdb::kNoCompression;
      const auto found = properties.find(file.db_path + file.name);
      if (found != properties.end()) {
        compression = CompressionByName(found->second->compression_name);
        result->range_deletions += found->second->num_range_deletions;
      }
      rows.files.push_back({file.level, file.num_entries, compression});
      rows.bytes += file.size;
      rows.largest_file_bytes =
          std::max<uint64_t>(rows.largest_file_bytes, file.size);
    }
    result->shape = ReadShape(source_->db());
    (void)source_->db()->GetIntProperty(
        rocksdb::DB::Properties::kNumEntriesActiveMemTable,
        &result->rows_in_log_only);
    return absl::OkStatus();
  }

  // Imports one of the source's files, alone, into `family`, a new column
  // family of the database in the scratch folder, which is opened on first use.
  absl::Status Import(const rocksdb::LiveFileMetaData& file,
                      rocksdb::ColumnFamilyHandle** family) {
    const std::string what =
        absl::StrCat("cannot read '", file.db_path, file.name, "'");
    rocksdb::Options options = options_;
    options.create_if_missing = true;
    options.disable_auto_compactions = true;
    options.cf_paths.clear();
    options.db_paths.clear();
    options.wal_dir.clear();
    if (import_db_ == nullptr) {
      rocksdb::DB* opened = nullptr;
      const rocksdb::Status status = rocksdb::DB::Open(
          options, (scratch_ / "source_file").string(), &opened);
      if (!status.ok()) return FromRocksDb(status, what);
      import_db_.reset(opened);
    }
    rocksdb::ExportImportFilesMetaData metadata;
    metadata.db_comparator_name = options.comparator->Name();
    metadata.files = {file};
    // The copy is alone in its family, so any level is valid; 0 always exists.
    metadata.files.front().level = 0;
    return FromRocksDb(
        import_db_->CreateColumnFamilyWithImport(
            options, "file", rocksdb::ImportColumnFamilyOptions(), metadata,
            family),
        what);
  }

  const std::string what_;
  const std::filesystem::path scratch_;
  rocksdb::Options options_;  // required for reading
  std::optional<ReadOnlyDatabase> source_;
  std::unique_ptr<rocksdb::DB> import_db_;
  std::vector<rocksdb::LiveFileMetaData> live_files_;  // in the order of files
};

}  // namespace

absl::StatusOr<SourceDatabase> OpenSourceDatabase(
    const std::string& path, const std::filesystem::path& scratch) {
  RETURN_IF_ERROR(CheckUnlockedDatabase(kFlag, path));
  const auto source = std::make_shared<Source>(path, scratch);
  SourceDatabase result;
  RETURN_IF_ERROR(source->Open(path, &result));
  result.rows.read = [source](size_t file, EntrySink sink) {
    return source->ReadFile(file, sink);
  };
  result.sample = [source](uint64_t count, uint64_t seed) {
    return source->SampleKeys(count, seed);
  };
  return result;
}

rocksdb::CompressionType CompressionByName(absl::string_view name) {
  const rocksdb::CompressionType type = ParseCompression(name);
  const std::vector<rocksdb::CompressionType> supported =
      rocksdb::GetSupportedCompressions();
  const bool can_write =
      std::find(supported.begin(), supported.end(), type) != supported.end();
  return can_write ? type : rocksdb::kNoCompression;
}

}  // namespace linebloom::tools
