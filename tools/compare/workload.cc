#include "tools/compare/workload.h"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "filter_policy/policy/policy_options.h"
#include "filter_policy/policy/printable.h"
#include "rocksdb/convenience.h"
#include "rocksdb/db.h"
#include "rocksdb/utilities/debug.h"
#include "table/status.h"
#include "tools/compare/trace.h"
#include "tools/shared/databases.h"
#include "tools/shared/run_tool.h"
#include "tools/shared/terminal_text.h"

namespace linebloom::tools {
namespace {

constexpr char kFlag[] = "--source_db";

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
  Source(const std::string& path, const std::filesystem::path& scratch)
      : path_(path),
        what_(absl::StrCat("cannot read ", kFlag, "='", path, "'")),
        scratch_(scratch) {}

  // Fills in the rows, except for reading them, and their shape.
  absl::Status Open(Workload* workload) {
    RETURN_IF_ERROR(CheckUnlockedDatabase(kFlag, path_));
    LoadOptions(&workload->rows);
    ASSIGN_OR_RETURN(
        auto opened,
        ReadOnlyDatabase::Open(
            kFlag, path_,
            {options_, {{rocksdb::kDefaultColumnFamilyName, options_}}},
            Logs::kRead));
    source_.emplace(std::move(opened));
    source_->db()->GetLiveFilesMetaData(&live_files_);
    if (live_files_.empty()) {
      return absl::InvalidArgumentError(
          absl::StrCat(kFlag, "='", path_,
                       "' has no SSTables in its default column family"));
    }
    RETURN_IF_ERROR(NoteOtherFamilies(workload));
    NoteOtherFolders(workload);
    return PlanFiles(workload);
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

  absl::StatusOr<Trace> ReadTrace(const std::string& path) {
    return tools::ReadTrace(path, source_->db());
  }

  // A uniform sample of the live rows' keys, or all if there are fewer. Reads
  // the whole database.
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
  void LoadOptions(RowSource* rows) {
    const StoredOptions stored = LoadStoredOptions(path_);
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
      options_.merge_operator = LastOperand();
    }
    options_.info_log = std::make_shared<QuietLogger>();
    options_.max_open_files = -1;
    options_.stats_dump_period_sec = 0;
    options_.stats_persist_period_sec = 0;
  }

  absl::Status NoteOtherFamilies(Workload* workload) {
    std::vector<std::string> names;
    RETURN_IF_ERROR(FromRocksDb(
        rocksdb::DB::ListColumnFamilies(options_, path_, &names), what_));
    std::erase(names, rocksdb::kDefaultColumnFamilyName);
    if (names.empty()) return absl::OkStatus();
    const size_t others = names.size();
    constexpr size_t kNamed = 3;
    names.resize(std::min(others, kNamed));
    for (std::string& name : names) {
      name = absl::StrCat("'", Printable(name), "'");
    }
    if (others > kNamed) names.emplace_back("...");
    workload->notes.push_back(absl::StrCat(
        "Only the default column family of --source_db is compared: ",
        WithThousands(others), others == 1 ? " other is" : " others are",
        " left out (", absl::StrJoin(names, ", "), ")."));
    return absl::OkStatus();
  }

  // A copy of a database has the OPTIONS of the original.
  void NoteOtherFolders(Workload* workload) const {
    const std::string& logs = options_.wal_dir;
    std::error_code ignored;
    if (logs.empty() || std::filesystem::equivalent(logs, path_, ignored)) {
      return;
    }
    workload->notes.push_back(absl::StrCat(
        "The write-ahead logs were read in '", Printable(logs),
        "', which the OPTIONS of --source_db name. If it is a copy, they are "
        "those of the original: edit wal_dir in its OPTIONS file."));
  }

  absl::Status PlanFiles(Workload* workload) {
    std::ranges::sort(live_files_, [](const auto& a, const auto& b) {
      if (a.level != b.level) return a.level > b.level;
      return a.level == 0 ? a.largest_seqno < b.largest_seqno
                          : a.smallestkey < b.smallestkey;
    });
    rocksdb::TablePropertiesCollection properties;
    RETURN_IF_ERROR(FromRocksDb(
        source_->db()->GetPropertiesOfAllTables(&properties), what_));
    RowSource& rows = workload->rows;
    uint64_t range_deletions = 0;
    for (const rocksdb::LiveFileMetaData& file : live_files_) {
      rocksdb::CompressionType compression = rocksdb::kNoCompression;
      const auto found = properties.find(file.db_path + file.name);
      if (found != properties.end()) {
        compression = CompressionByName(found->second->compression_name);
        range_deletions += found->second->num_range_deletions;
      }
      rows.files.push_back({file.level, file.num_entries, compression});
      rows.bytes += file.size;
      rows.largest_file_bytes =
          std::max<uint64_t>(rows.largest_file_bytes, file.size);
    }
    workload->expected_shape = ReadShape(source_->db());
    if (range_deletions > 0) {
      workload->notes.push_back(
          absl::StrCat(WithThousands(range_deletions),
                       " range deletions of --source_db are not copied."));
    }
    uint64_t in_log_only = 0;
    (void)source_->db()->GetIntProperty(
        rocksdb::DB::Properties::kNumEntriesActiveMemTable, &in_log_only);
    if (in_log_only > 0) {
      workload->notes.push_back(absl::StrCat(
          WithThousands(in_log_only),
          " entries of --source_db that are only in its write-ahead log are "
          "not copied: no file holds them."));
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

  const std::string path_;
  const std::string what_;
  const std::filesystem::path scratch_;
  rocksdb::Options options_;  // required for reading
  std::optional<ReadOnlyDatabase> source_;
  std::unique_ptr<rocksdb::DB> import_db_;
  std::vector<rocksdb::LiveFileMetaData> live_files_;  // in the order of files
};

// How many missing keys there must be for all lookups to differ; with --memory,
// for few to be the same, since false positives of the same key find their data
// in the cache.
double MissingKeysNeeded(const CompareConfig& config, const Skew& skew) {
  const auto lookups = config.lookups * (config.memory.empty() ? 1 : 16);
  // Chance may put even more lookups where most of them fall.
  constexpr double kSlack = 1.5;
  constexpr double kFew = 100;
  return skew.is_uniform() ? lookups : kSlack * (lookups + kFew) * skew.Peak();
}

// The keys of `flag`'s file, in the order of `comparator`.
absl::StatusOr<KeyList> ReadSorted(absl::string_view flag,
                                   const std::string& path,
                                   const rocksdb::Comparator& comparator,
                                   Workload* workload) {
  ASSIGN_OR_RETURN(const KeyList read, ReadKeyFile(flag, path));
  KeyList sorted = SortedAndUnique(read, comparator);
  if (flag == "key_file" && sorted.size() < read.size()) {
    workload->notes.push_back(absl::StrCat(
        "--key_file has ", WithThousands(read.size() - sorted.size()),
        " lines with a key that another line has; each key is "
        "loaded once."));
  }
  return sorted;
}

absl::Status UseMissingFile(const CompareConfig& config,
                            const rocksdb::Comparator& comparator,
                            Workload* workload) {
  ASSIGN_OR_RETURN(
      KeyList missing,
      ReadSorted("missing_file", config.missing_file, comparator, workload));
  workload->mix.missing = KeysOf(std::move(missing));
  workload->facts["missing_keys"] =
      absl::StrCat("of '", config.missing_file, "'");
  return absl::OkStatus();
}

void UseLayeredRows(const CompareConfig& config, Keys keys,
                    Workload* workload) {
  workload->rows =
      LayeredRows(keys, config.value_size, config.seed, config.file_size);
  workload->facts["rows"] = keys.size;
  workload->facts["value_size"] = config.value_size;
  workload->facts["key_bytes"] = 1.0 * keys.bytes / keys.size;
  workload->mix.existing = std::move(keys);
}

void GenerateRows(const CompareConfig& config, double missing_needed,
                  Workload* workload) {
  // Leaves enough room between rows for all lookups to differ.
  const uint64_t stride =
      2 + static_cast<uint64_t>(missing_needed) / (config.rows - 1);
  workload->facts["rows_from"] = "generated";
  workload->facts["missing_keys"] = "each between two rows";
  UseLayeredRows(config, NumberedKeys(config.rows, stride), workload);
  workload->mix.missing = KeysBetween(config.rows, stride);
}

absl::Status UseKeyFile(const CompareConfig& config, double missing_needed,
                        Workload* workload) {
  ASSIGN_OR_RETURN(KeyList keys,
                   ReadSorted("key_file", config.key_file,
                              *rocksdb::BytewiseComparator(), workload));
  workload->facts["rows_from"] = "key_file";
  workload->facts["path"] = config.key_file;
  if (config.missing_file.empty()) {
    // Holds out a tenth, or more if that gives too few for the lookups, but at
    // most half.
    const double needed =
        std::max(1.0, missing_needed * (1 - config.hit_ratio));
    const auto nth =
        static_cast<uint64_t>(std::clamp(keys.size() / needed, 2.0, 10.0));
    HeldOut split = HoldOut(keys, nth);
    keys = std::move(split.rows);
    workload->mix.missing = KeysOf(std::move(split.missing));
    workload->facts["missing_keys"] =
        absl::StrCat("1 of every ", nth, " keys of the file, held out");
  } else {
    RETURN_IF_ERROR(
        UseMissingFile(config, *rocksdb::BytewiseComparator(), workload));
  }
  constexpr uint64_t kMinKeys = 2 * kSharesOfAllRuns;
  if (keys.size() < kMinKeys) {
    return absl::InvalidArgumentError(absl::StrCat(
        "--key_file='", config.key_file, "' leaves ", keys.size(),
        " different keys to load; at least ", kMinKeys, " are needed"));
  }
  UseLayeredRows(config, KeysOf(std::move(keys)), workload);
  return absl::OkStatus();
}

void NoteLookups(uint64_t all, uint64_t existing, Workload* workload) {
  workload->facts["lookups"] = all;
  workload->facts["lookups_of_existing_rows"] = existing;
  workload->facts["lookups_of_missing_keys"] = all - existing;
}

absl::Status UseDatabase(const CompareConfig& config, double missing_needed,
                         const std::filesystem::path& scratch,
                         Workload* workload) {
  const auto source = std::make_shared<Source>(config.source_db, scratch);
  RETURN_IF_ERROR(source->Open(workload));
  workload->rows.read = [source](size_t file, rocksdb::WriteBatch* batch,
                                 AddedEntry added) {
    return source->ReadFile(file, batch, added);
  };
  workload->facts["rows_from"] = "source_db";
  workload->facts["path"] = config.source_db;
  workload->facts["rows"] = workload->rows.TotalEntries();
  workload->facts["key_bytes"] = 0.0;  // unknown
  if (!config.trace.empty()) {
    ASSIGN_OR_RETURN(Trace trace, source->ReadTrace(config.trace));
    workload->notes.push_back(
        absl::StrCat("--trace has ", trace.InWords(), "."));
    workload->facts["missing_keys"] = absl::StrCat("of ", config.trace);
    workload->facts["operations"] = {{"gets", trace.gets},
                                     {"multigets", trace.multigets},
                                     {"writes", trace.writes},
                                     {"seeks", trace.seeks},
                                     {"other", trace.other}};
    NoteLookups(trace.keys.size(), trace.existing, workload);
    workload->lookups = std::move(trace.keys);
    return absl::OkStatus();
  }
  constexpr uint64_t kMaxSample = 20'000'000;  // they are kept in memory
  ASSIGN_OR_RETURN(
      const KeyList sample,
      source->SampleKeys(
          std::max(config.lookups,
                   std::min(kMaxSample, static_cast<uint64_t>(missing_needed))),
          config.seed));
  const rocksdb::Comparator& comparator = *workload->rows.comparator;
  if (config.missing_file.empty()) {
    // Each key followed by a zero byte: directly after the key, and so within
    // the range of every file that contains it.
    KeyList successors;
    for (uint64_t i = 0; i < sample.size(); ++i) {
      successors.Add(absl::StrCat(sample[i], absl::string_view("\0", 1)));
    }
    workload->mix.missing = KeysOf(SortedAndUnique(successors, comparator));
    workload->facts["missing_keys"] = "each an existing key and one zero byte";
  } else {
    RETURN_IF_ERROR(UseMissingFile(config, comparator, workload));
  }
  workload->mix.existing = KeysOf(SortedAndUnique(sample, comparator));
  return absl::OkStatus();
}

// Why the first lookup found no key left.
absl::Status NoLookups(const CompareConfig& config, const Workload& workload) {
  if (workload.mix.existing.size == 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("--source_db='", config.source_db, "' has no live rows"));
  }
  const uint64_t missing = workload.mix.missing.size;
  return absl::InvalidArgumentError(absl::StrCat(
      "--skew='", config.skew, "' needs more missing keys than ",
      config.missing_file.empty()
          ? absl::StrCat(missing, " (",
                         workload.facts["missing_keys"].get<std::string>(), ")")
          : absl::StrCat("--missing_file='", config.missing_file, "' has (",
                         missing, ")"),
      ": the first lookup falls into a range of the key space without any"));
}

absl::Status DrawLookups(const CompareConfig& config, Workload* workload) {
  Lookups lookups = ChooseLookups(workload->mix, config.lookups);
  const uint64_t all = lookups.keys.size();
  NoteLookups(all, lookups.existing, workload);
  workload->lookups = std::move(lookups.keys);
  if (all == 0) return NoLookups(config, *workload);
  if (all == config.lookups) return absl::OkStatus();
  workload->notes.push_back(absl::StrCat(
      "There are keys for ", WithThousands(all), " lookups, not ",
      WithThousands(config.lookups), ": no key is looked up twice."));
  return absl::OkStatus();
}

}  // namespace

rocksdb::CompressionType CompressionByName(absl::string_view name) {
  const std::map<absl::string_view, uint32_t> names = {
      {"Snappy", rocksdb::kSnappyCompression},
      {"Zlib", rocksdb::kZlibCompression},
      {"BZip2", rocksdb::kBZip2Compression},
      {"LZ4", rocksdb::kLZ4Compression},
      {"LZ4HC", rocksdb::kLZ4HCCompression},
      {"ZSTD", rocksdb::kZSTD}};
  const auto found = names.find(name);
  uint32_t type = rocksdb::kNoCompression;
  if (found != names.end()) type = found->second;
  // Files of format version 7, RocksDB 11's default, have "MANAGER;TYPES;",
  // where TYPES is two hexadecimal digits for each compression used:
  // "BuiltinV2;04;".
  const std::vector<absl::string_view> fields = absl::StrSplit(name, ';');
  if (fields.size() > 1 &&
      !absl::SimpleHexAtoi(fields[1].substr(0, 2), &type)) {
    type = rocksdb::kNoCompression;
  }
  const auto supported = rocksdb::GetSupportedCompressions();
  const auto compression = static_cast<rocksdb::CompressionType>(type);
  return std::ranges::count(supported, compression) > 0
             ? compression
             : rocksdb::kNoCompression;
}

absl::StatusOr<Workload> MakeWorkload(const CompareConfig& config,
                                      const std::filesystem::path& scratch) {
  Workload workload;
  ASSIGN_OR_RETURN(Skew skew, Skew::Parse(config.skew, config.seed));
  const double missing_needed = MissingKeysNeeded(config, skew);
  workload.mix.skew = std::move(skew);
  workload.mix.hit_ratio = config.hit_ratio;
  workload.mix.seed = config.seed;
  workload.facts = {{"path", ""},
                    {"skew", config.skew},
                    {"skew_in_words", workload.mix.skew.InWords()},
                    {"hit_ratio", config.hit_ratio},
                    {"rounds", config.rounds},
                    {"threads", config.threads},
                    {"bits_per_key", config.bits_per_key},
                    {"seed", config.seed},
                    {"block_cache_bytes", config.block_cache_size}};
  if (!config.source_db.empty()) {
    RETURN_IF_ERROR(UseDatabase(config, missing_needed, scratch, &workload));
  } else if (!config.key_file.empty()) {
    RETURN_IF_ERROR(UseKeyFile(config, missing_needed, &workload));
  } else {
    GenerateRows(config, missing_needed, &workload);
  }
  workload.facts["block_size"] = workload.rows.block_size;
  if (config.trace.empty()) RETURN_IF_ERROR(DrawLookups(config, &workload));
  return workload;
}

}  // namespace linebloom::tools
