#include "tools/compare/source_database.h"

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <random>
#include <system_error>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "filter_policy/policy/policy_options.h"
#include "filter_policy/policy/printable.h"
#include "rocksdb/convenience.h"
#include "rocksdb/db.h"
#include "rocksdb/utilities/debug.h"
#include "table/status.h"
#include "tools/database/databases.h"
#include "tools/database/out_ptr.h"
#include "tools/report/run_tool.h"
#include "tools/report/terminal_text.h"

namespace linebloom::tools {
namespace {

// As --help has it.
constexpr char kOperand[] = "DATABASE";

// The numbers in KeyVersion::type are private to RocksDB, but their names are
// public.
void PutInto(rocksdb::WriteBatch* batch, const rocksdb::KeyVersion& version) {
  const std::string name = version.GetTypeName();
  if (name == "TypeSingleDeletion") {
    (void)batch->SingleDelete(version.user_key);
  } else if (absl::StrContains(name, "Deletion")) {
    (void)batch->Delete(version.user_key);
  } else if (name == "TypeMerge") {
    (void)batch->Merge(version.user_key, version.value);
  } else {
    (void)batch->Put(version.user_key, version.value);
  }
}

// Puts every entry in `family` into `batch`, one chunk of keys at a time.
absl::Status ReadAllVersions(rocksdb::DB* db,
                             rocksdb::ColumnFamilyHandle* family,
                             rocksdb::WriteBatch* batch, AddedEntry added) {
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
    // A key's newest version comes first, but it has to be written last.
    for (size_t i = 0; i < end;) {
      size_t next = i;
      while (next < end && versions[next].user_key == versions[i].user_key) {
        ++next;
      }
      for (size_t at = next; at-- > i;) {
        PutInto(batch, versions[at]);
        RETURN_IF_ERROR(added());
      }
      i = next;
    }
    if (is_last) return absl::OkStatus();
  }
}

// The open source, and the database that its files are imported into.
class Source {
 public:
  Source(const std::string& path, const std::filesystem::path& scratch,
         std::vector<std::string>* notes)
      : path_(path),
        what_(absl::StrCat("cannot read ", kOperand, "='", path, "'")),
        scratch_(scratch),
        notes_(*notes) {}

  // Fills in the rows, except for reading them.
  absl::Status Open(RowSource* rows) {
    RETURN_IF_ERROR(CheckUnlockedDatabase(kOperand, path_));
    LoadOptions(rows);
    ASSIGN_OR_RETURN(
        auto opened,
        ReadOnlyDatabase::Open(
            kOperand, path_,
            {options_, {{rocksdb::kDefaultColumnFamilyName, options_}}},
            Logs::kEmpty));
    source_.emplace(std::move(opened));
    source_->db()->GetLiveFilesMetaData(&live_files_);
    if (live_files_.empty()) {
      return Unusable("has no SSTables in its default column family");
    }
    RETURN_IF_ERROR(NoteWhatIsLeftOut());
    return PlanFiles(rows);
  }

  // RocksDB's reader of single files hides deletions before 9.8, which filters
  // contain too. GetAllKeyVersions shows all, so the file becomes a database.
  absl::Status ReadFile(size_t file, rocksdb::WriteBatch* batch,
                        AddedEntry added) {
    rocksdb::ColumnFamilyHandle* family = nullptr;
    RETURN_IF_ERROR(Import(live_files_[file], &family));
    absl::Status status =
        ReadAllVersions(import_db_.get(), family, batch, added);
    status.Update(FromRocksDb(import_db_->DropColumnFamily(family),
                              "cannot remove a copied file"));
    status.Update(FromRocksDb(import_db_->DestroyColumnFamilyHandle(family),
                              "cannot remove a copied file"));
    return status;
  }

  // A uniform sample of the live rows' keys. Reads the whole database.
  absl::StatusOr<KeyList> SampleKeys(uint64_t count, uint64_t seed) {
    rocksdb::ReadOptions options;
    options.fill_cache = false;
    options.total_order_seek = true;
    options.readahead_size = 1 << 20;
    const std::unique_ptr<rocksdb::Iterator> rows(
        source_->db()->NewIterator(options));
    // Reservoir sampling: at any time, the sample represents all rows seen so
    // far.
    KeyList sample;
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
    if (sample.empty()) return Unusable("has no live rows");
    return sample;
  }

 private:
  absl::Status Unusable(absl::string_view why) const {
    return absl::InvalidArgumentError(
        absl::StrCat(kOperand, "='", path_, "' ", why));
  }

  void LoadOptions(RowSource* rows) {
    const StoredOptions stored = LoadOptionsLeniently(path_);
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
    // For RocksDB, which lists it.
    options_.wal_dir = stored.db.wal_dir;
    if (options_.merge_operator == nullptr) {
      options_.merge_operator = LastOperand();
    }
    options_.info_log = std::make_shared<QuietLogger>();
  }

  absl::Status NoteWhatIsLeftOut() {
    std::vector<std::string> names;
    RETURN_IF_ERROR(FromRocksDb(
        rocksdb::DB::ListColumnFamilies(options_, path_, &names), what_));
    if (names.size() > 1) {
      notes_.push_back(
          absl::StrCat("Only the default column family is compared, one of ",
                       names.size(), "."));
    }
    notes_.push_back(
        "What only the database's write-ahead log has isn't copied.");
    return absl::OkStatus();
  }

  absl::Status PlanFiles(RowSource* rows) {
    std::ranges::sort(live_files_, [](const auto& a, const auto& b) {
      if (a.level != b.level) return a.level > b.level;
      return a.level == 0 ? a.largest_seqno < b.largest_seqno
                          : a.smallestkey < b.smallestkey;
    });
    rocksdb::TablePropertiesCollection properties;
    RETURN_IF_ERROR(FromRocksDb(
        source_->db()->GetPropertiesOfAllTables(&properties), what_));
    uint64_t range_deletions = 0;
    for (const rocksdb::LiveFileMetaData& file : live_files_) {
      const auto found = properties[file.db_path + file.name];
      if (found == nullptr) {
        return Unusable(
            absl::StrCat("has a table without properties, ", file.name));
      }
      range_deletions += found->num_range_deletions;
      rows->files.push_back({file.level, found->num_entries,
                             CompressionByName(found->compression_name)});
      rows->bytes += file.size;
      rows->largest_file_bytes =
          std::max<uint64_t>(rows->largest_file_bytes, file.size);
    }
    rows->shape = ReadShape(source_->db());
    if (range_deletions > 0) {
      notes_.push_back(
          absl::StrCat(WithThousands(range_deletions),
                       " range deletions of the database are not copied."));
    }
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
      const rocksdb::Status status = rocksdb::DB::Open(
          options, (scratch_ / "source_file").string(), OutPtr(&import_db_));
      if (!status.ok()) return FromRocksDb(status, what);
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

  const std::string path_;
  const std::string what_;
  const std::filesystem::path scratch_;
  std::vector<std::string>& notes_;  // while opening
  rocksdb::Options options_;         // required for reading
  std::optional<ReadOnlyDatabase> source_;
  std::unique_ptr<rocksdb::DB> import_db_;
  std::vector<rocksdb::LiveFileMetaData> live_files_;  // in the order of files
};

}  // namespace

rocksdb::CompressionType CompressionByName(absl::string_view name) {
  static constexpr std::array<const char*, 8> kNames = {
      "NoCompression", "Snappy", "Zlib",   "BZip2",
      "LZ4",           "LZ4HC",  "Xpress", "ZSTD"};
  auto type =
      static_cast<uint32_t>(std::ranges::find(kNames, name) - kNames.begin());
  // Files of format version 7, RocksDB 11's default, have "MANAGER;TYPES;",
  // where TYPES is two hexadecimal digits for each compression used:
  // "BuiltinV2;04;".
  const std::vector<absl::string_view> fields = absl::StrSplit(name, ';');
  if (fields.size() > 1) {
    (void)absl::SimpleHexAtoi(fields[1].substr(0, 2), &type);
  }
  const auto compression = static_cast<rocksdb::CompressionType>(type);
  const auto supported = rocksdb::GetSupportedCompressions();
  return std::ranges::count(supported, compression) > 0
             ? compression
             : rocksdb::kNoCompression;
}

absl::StatusOr<SourceRows> ReadDatabase(const std::string& path,
                                        const std::filesystem::path& scratch,
                                        uint64_t sample, uint64_t seed,
                                        std::vector<std::string>* notes) {
  const auto source = std::make_shared<Source>(path, scratch, notes);
  SourceRows read;
  RETURN_IF_ERROR(source->Open(&read.rows));
  read.rows.read = [source](size_t file, rocksdb::WriteBatch* batch,
                            AddedEntry added) {
    return source->ReadFile(file, batch, added);
  };
  ASSIGN_OR_RETURN(read.sample, source->SampleKeys(sample, seed));
  return read;
}

}  // namespace linebloom::tools
