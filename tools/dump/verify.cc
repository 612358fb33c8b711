// linebloom verify: checks that a file's filter denies none of
// the file's rows, lets no more missing keys pass than expected, and that no
// block is damaged.
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <system_error>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "filter_policy/line/little_endian.h"
#include "filter_policy/policy/rocksdb_filter_bits.h"
#include "linebloom/filter_policy.h"
#include "nlohmann/json.hpp"
#include "rocksdb/comparator.h"
#include "rocksdb/convenience.h"
#include "rocksdb/filter_policy.h"
#include "rocksdb/iterator.h"
#include "rocksdb/options.h"
#include "rocksdb/slice.h"
#include "rocksdb/slice_transform.h"
#include "rocksdb/sst_file_reader.h"
#include "rocksdb/table.h"
#include "rocksdb/table_properties.h"
#include "rocksdb/version.h"
#include "table/file_facts.h"
#include "table/format.h"
#include "table/pace.h"
#include "table/sst_file.h"
#include "table/status.h"
#include "tools/commands.h"
#include "tools/dump/inputs.h"
#include "tools/shared/databases.h"
#include "tools/shared/intervals.h"
#include "tools/shared/run_tool.h"
#include "tools/shared/terminal_text.h"

#define LINEBLOOM_HAS_TABLE_ITERATOR \
  (ROCKSDB_MAJOR > 9 || (ROCKSDB_MAJOR == 9 && ROCKSDB_MINOR >= 8))

namespace linebloom::tools {
namespace {

// Lookups of missing keys.
struct MissingKeys {
  uint64_t probed = 0;
  uint64_t passed = 0;
  double expected = 0;  // how many should pass
  bool expected_is_exact = true;

  void Add(const MissingKeys& more) {
    probed += more.probed;
    passed += more.passed;
    expected += more.expected;
    expected_is_exact &= more.expected_is_exact;
  }

  // Compares rates; null if none were probed.
  Json AsJson() const {
    if (probed == 0) return nullptr;
    const Interval interval = WilsonInterval(passed, probed);
    const double rate = expected / probed;
    return {
        {"probed", probed},
        {"passed", passed},
        {"false_positive_rate", 1.0 * passed / probed},
        {"false_positive_rate_low", interval.low},
        {"false_positive_rate_high", interval.high},
        {"expected_false_positive_rate", rate},
        {"expected_is_exact", expected_is_exact},
        {"expected_is_inside", interval.low <= rate && rate <= interval.high}};
  }
};

struct FileCheck {
  std::optional<FileFacts> facts;  // nothing if damage hides them
  bool rows_were_read = false;
  uint64_t bytes_read = 0;
  uint64_t entries = 0;  // entries read: every version of every row
  uint64_t keys_probed = 0;
  uint64_t prefixes_probed = 0;
  uint64_t denied = 0;  // keys and prefixes of the file
  MissingKeys missing;
  // Sentences on what is wrong, and on what was not checked.
  std::vector<std::string> problems;
  std::vector<std::string> notes;
};

struct VerifyOptions {
  bool read_rows = true;      // or the filter alone
  uint64_t missing_keys = 0;  // how many to look up in this file
  // Called occasionally with the share of the rows read, 0 to 1. Waits if
  // reading is too fast.
  std::function<void(double)> progress;
};

// A key order for files whose own comparator may be unknown. RocksDB sorts
// range deletions when it opens a file, so all keys are equal then. Iterating
// only compares a key with the one before, to skip older versions; then each is
// greater, and none is skipped.
class OrderOfAnyFile : public rocksdb::Comparator {
 public:
  void PassEveryEntry() { every_entry_is_new_ = true; }

  const char* Name() const override { return "linebloom.OrderOfAnyFile"; }
  int Compare(const rocksdb::Slice& /*a*/,
              const rocksdb::Slice& /*b*/) const override {
    return every_entry_is_new_ ? 1 : 0;
  }
  void FindShortestSeparator(std::string* /*start*/,
                             const rocksdb::Slice& /*limit*/) const override {}
  void FindShortSuccessor(std::string* /*key*/) const override {}

 private:
  bool every_entry_is_new_ = false;
};

constexpr size_t kReadahead = 2 << 20;

rocksdb::Options MakeOptions(const rocksdb::Comparator* comparator) {
  rocksdb::BlockBasedTableOptions table;
  table.no_block_cache = true;
  rocksdb::Options options;
  options.comparator = comparator;
  options.merge_operator = LastOperand();
  options.info_log = std::make_shared<QuietLogger>();
  options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
  return options;
}

size_t TimestampSize(const rocksdb::TableProperties& properties) {
  if (!absl::EndsWith(properties.comparator_name, ".u64ts")) return 0;
#if ROCKSDB_MAJOR > 8 || (ROCKSDB_MAJOR == 8 && ROCKSDB_MINOR >= 3)
  if (properties.user_defined_timestamps_persisted == 0) return 0;
#endif
  return sizeof(uint64_t);
}

// Reads files with RocksDB's public reader. Not thread-safe.
class EntryReader {
 public:
  explicit EntryReader(const std::string& path)
      : path_(path), reader_(MakeOptions(&order_)) {}

  // OK, or the reason why RocksDB can't open the file.
  absl::Status Open() {
    const absl::Status status =
        FromRocksDb(reader_.Open(path_), absl::StrCat("cannot read ", path_));
    order_.PassEveryEntry();
    if (!status.ok()) return status;
    const auto properties = reader_.GetTableProperties();
    has_merge_operands_ = properties->num_merge_operands > 0;
    timestamp_size_ = TimestampSize(*properties);
    return absl::OkStatus();
  }

  // Calls `sink` with the user key of every entry in file order except range
  // deletions, with timestamps at its end. Stops at the first error of `sink`.
  // DataLoss if the checksum of a data or index block is wrong.
  absl::Status ForEach(
      absl::FunctionRef<absl::Status(absl::string_view user_key)> sink) {
    rocksdb::ReadOptions options;
    options.readahead_size = kReadahead;
    options.total_order_seek = true;
    options.fill_cache = false;
#if LINEBLOOM_HAS_TABLE_ITERATOR
    const std::unique_ptr<rocksdb::Iterator> entry(reader_.NewTableIterator());
#else
    // Older iterators hide deletions unless asked for timestamps. If one hides
    // them nevertheless, the number of entries reveals it.
    const rocksdb::Slice any_timestamp;
    options.iter_start_ts = &any_timestamp;
    const std::unique_ptr<rocksdb::Iterator> entry(
        reader_.NewIterator(options));
#endif
    const bool comes_bare =
        !LINEBLOOM_HAS_TABLE_ITERATOR && has_merge_operands_;
    std::string bare_key;
    for (entry->SeekToFirst(); entry->Valid(); entry->Next()) {
      rocksdb::Slice key;
      // Merged entries come without the suffix, and key() must not be called.
      if (comes_bare) {
        const rocksdb::Status status =
            entry->GetProperty("rocksdb.iterator.internal-key", &bare_key);
        if (!status.ok()) return FromRocksDb(status, path_);
        key = bare_key;
      } else {
        key = entry->key();
        if (key.size() < kInternalKeySuffix) {
          return absl::DataLossError(
              absl::StrCat(path_, ": an entry has a key of ", key.size(),
                           " bytes, which is too short"));
        }
        key.remove_suffix(kInternalKeySuffix);
      }
      RETURN_IF_ERROR(sink({key.data(), key.size()}));
    }
    return FromRocksDb(entry->status(), absl::StrCat("cannot read ", path_));
  }

  // Bytes of timestamp at the end of each user key, which filters omit.
  size_t timestamp_size() const { return timestamp_size_; }

 private:
  const std::string path_;
  OrderOfAnyFile order_;
  rocksdb::SstFileReader reader_;
  bool has_merge_operands_ = false;
  size_t timestamp_size_ = 0;
};

// All filter blocks of a file in memory, probed by the readers that linebloom's
// policy gives RocksDB, also for RocksDB's filters. Not thread-safe.
class FilterProber {
 public:
  // `policy` must outlive this. `comparator` finds partitions, whose keys end
  // with `timestamp_size` bytes of timestamp; null without any.
  static absl::StatusOr<FilterProber> Make(
      const SstFile& file, const rocksdb::FilterPolicy& policy,
      const rocksdb::Comparator* comparator, size_t timestamp_size) {
    FilterProber prober;
    prober.comparator_ = comparator;
    for (const BlockHandle& handle : file.filter().blocks) {
      ASSIGN_OR_RETURN(Block block, file.ReadFilterBlock(handle));
      prober.blocks_.push_back(std::move(block.payload));
    }
    // Readers are views, so the strings must not move any more.
    for (const std::string& block : prober.blocks_) {
      prober.readers_.emplace_back(policy.GetFilterBitsReader(block));
    }
    ASSIGN_OR_RETURN(prober.last_keys_, file.ReadPartitionKeys());
    for (std::string& key : prober.last_keys_) {
      key.resize(key.size() - std::min(timestamp_size, key.size()));
    }
    return prober;
  }

  // Probes for `entry`, a key or a prefix, as a lookup of `user_key` does: a
  // key of the file or near one, without timestamp.
  bool MayMatch(absl::string_view entry, absl::string_view user_key) const {
    return readers_.empty() || readers_[FindPartition(user_key)]->MayMatch(
                                   {entry.data(), entry.size()});
  }

 private:
  FilterProber() = default;

  size_t FindPartition(absl::string_view user_key) const {
    const auto is_below = [this](const rocksdb::Slice& last_key,
                                 const rocksdb::Slice& key) {
      return comparator_->CompareWithoutTimestamp(last_key, /*a_has_ts=*/false,
                                                  key, /*b_has_ts=*/false) < 0;
    };
    const auto found = std::lower_bound(
        last_keys_.begin(), last_keys_.end(),
        rocksdb::Slice(user_key.data(), user_key.size()), is_below);
    // RocksDB probes the last partition for keys beyond all of them.
    return std::min<size_t>(found - last_keys_.begin(), readers_.size() - 1);
  }

  std::vector<std::string> blocks_;
  std::vector<std::unique_ptr<rocksdb::FilterBitsReader>> readers_;
  // For each partition a key that none of its keys is after; empty for a full
  // filter.
  std::vector<std::string> last_keys_;
  const rocksdb::Comparator* comparator_ = nullptr;
};

constexpr size_t kMaxDeniedNamed = 10;

// Of longer missing keys fewer are probed, so that the time depends on the file
// and on --missing. A million of 1 KB take a second; 20 rows with keys of 1 MB
// took a minute.
constexpr double kBytesPerMissingKey = 1000;

// Checks the keys and prefixes of one file against its filter.
class RowCheck {
 public:
  RowCheck(const SstFile& file, size_t timestamp_size,
           const VerifyOptions& options, FileCheck* check)
      : file_(file),
        timestamp_size_(timestamp_size),
        options_(options),
        check_(check) {}

  // Finds out what the filter can be probed for, and notes what it can't.
  // Returns errors from reading the filter.
  absl::Status Prepare() {
    if (!check_->facts->has_filter()) return absl::OkStatus();
    if (!check_->facts->is_used()) {
      Note("the filter was not checked: it is ", ToString(file_.filter().kind),
           " of '", file_.filter().compatibility_name,
           "', which RocksDB's own policies don't read");
      return absl::OkStatus();
    }
    if (check_->facts->first.info.request.canonical_key != 0) {
      Note(
          "the filter was not checked against the rows: it hashes them through "
          "a canonical key, a function that this program lacks");
      return absl::OkStatus();
    }
    const Properties& properties = file_.properties();
    const rocksdb::Comparator* comparator = nullptr;
    if (!ByName(properties.comparator_name, &comparator)) {
      const std::string lacks = absl::StrCat(
          "this program lacks the comparator '", properties.comparator_name);
      if (file_.filter().kind == FilterKind::kPartitioned) {
        Note("the filter was not checked: ", lacks,
             "', by which its partitions are found");
        return absl::OkStatus();
      }
      Note(lacks, "'; keys were taken to have no timestamps");
    }
    const std::string& extractor = properties.prefix_extractor_name;
    if (!extractor.empty() && properties.prefix_filtering &&
        !ByName(extractor, &extractor_)) {
      Note("prefixes were not checked: this program lacks the extractor '",
           extractor, "'");
    }
    ASSIGN_OR_RETURN(prober_, FilterProber::Make(file_, *policy_, comparator,
                                                 timestamp_size_));
    return absl::OkStatus();
  }

  absl::Status OnEntry(absl::string_view key) {
    const uint64_t entry = check_->entries++;
    const double share_done =
        std::min(1.0, 1.0 * check_->entries / check_->facts->rows());
    if (entry % 256 == 0) {
      options_.progress(share_done);
      RETURN_IF_ERROR(CheckInterrupt());
    }
    if (!prober_.has_value()) return absl::OkStatus();
    key.remove_suffix(std::min(timestamp_size_, key.size()));
    if (file_.properties().whole_key_filtering) {
      ++check_->keys_probed;
      Probe("key", key, key);
    }
    const rocksdb::Slice slice(key.data(), key.size());
    if (extractor_ != nullptr && extractor_->InDomain(slice)) {
      const rocksdb::Slice prefix = extractor_->Transform(slice);
      ++check_->prefixes_probed;
      Probe("prefix", {prefix.data(), prefix.size()}, key);
    }
    // Spreads the missing keys evenly among the rows.
    const double due = options_.missing_keys * share_done;
    while (check_->missing.probed < due &&
           missing_bytes_ < due * kBytesPerMissingKey) {
      ProbeMissing(key);
    }
    return absl::OkStatus();
  }

  // Completes the check's problems and sums.
  void Finish() {
    check_->missing.expected = check_->missing.probed * check_->facts->rate;
    check_->missing.expected_is_exact = check_->facts->rate_is_exact;
    if (prober_.has_value() && check_->missing.probed < options_.missing_keys &&
        missing_bytes_ >= options_.missing_keys * kBytesPerMissingKey) {
      Note("only ", WithThousands(check_->missing.probed),
           " missing keys were probed, because keys are long");
    }
    if (check_->denied == 0) return;
    check_->problems.push_back(absl::StrCat(
        file_.name(), ": the filter denies ", WithThousands(check_->denied),
        " of its own keys",
        check_->denied > first_denied_.size() ? ", the first of them:" : ":"));
    std::ranges::move(first_denied_, std::back_inserter(check_->problems));
  }

 private:
  // Null, and false, if this program doesn't know the name.
  template <typename Pointer>
  static bool ByName(const std::string& name, Pointer* made) {
    using Class = std::remove_cvref_t<decltype(**made)>;
    if (Class::CreateFromString(rocksdb::ConfigOptions(), name, made).ok()) {
      return *made != nullptr;
    }
    *made = nullptr;
    return false;
  }

  template <typename... Words>
  void Note(const Words&... words) {
    check_->notes.push_back(absl::StrCat(file_.name(), ": ", words...));
  }

  // `entry` is the `key`, or a prefix of it.
  void Probe(absl::string_view what, absl::string_view entry,
             absl::string_view key) {
    if (prober_->MayMatch(entry, key)) return;
    if (++check_->denied > kMaxDeniedNamed) return;
    first_denied_.push_back(
        absl::StrCat(file_.name(), ": denied ", what, " ", KeyText(entry)));
  }

  // A key of the file followed by 8 random bytes is in no file (but with a
  // chance of 2^-64), and in the file's range, so in the same partition.
  void ProbeMissing(absl::string_view key) {
    missing_key_.assign(key.data(), key.size());
    missing_key_.resize(key.size() + sizeof(uint64_t));
    StoreLittleEndian(missing_key_.data() + key.size(), random_());
    ++check_->missing.probed;
    missing_bytes_ += missing_key_.size();
    if (prober_->MayMatch(missing_key_, missing_key_)) ++check_->missing.passed;
  }

  const SstFile& file_;
  const size_t timestamp_size_;
  const VerifyOptions& options_;
  FileCheck* check_;
  const std::unique_ptr<const rocksdb::FilterPolicy> policy_{
      NewFilterPolicy(10)};
  std::shared_ptr<const rocksdb::SliceTransform> extractor_;
  std::optional<FilterProber> prober_;
  std::vector<std::string> first_denied_;
  std::string missing_key_;
  uint64_t missing_bytes_ = 0;  // of all missing keys
  std::mt19937_64 random_;
};

// Damage becomes a problem of the file; other errors are returned.
absl::Status TakeDamage(const absl::Status& status, FileCheck* check) {
  if (!absl::IsDataLoss(status)) return status;
  check->problems.emplace_back(status.message());
  return absl::OkStatus();
}

// Reads the rows in a child process, and returns an error if that crashes.
absl::Status TryToReadRows(const std::string& path) {
  const pid_t child = fork();
  if (child < 0) return absl::ErrnoToStatus(errno, "cannot fork");
  if (child == 0) {
    (void)close(STDERR_FILENO);
    std::set_terminate(std::abort);  // a signal, as for failed assertions
    EntryReader reader(path);
    if (reader.Open().ok()) {
      (void)reader.ForEach([](absl::string_view) { return CheckInterrupt(); });
    }
    _exit(0);
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFEXITED(status)) return absl::OkStatus();
  return absl::DataLossError(
      absl::StrCat(path, ": RocksDB crashes when it reads the rows (signal ",
                   WTERMSIG(status), "): the file is damaged"));
}

// Asks RocksDB, whose list of versions is in no public header.
bool RocksDbReads(uint32_t format_version) {
  rocksdb::BlockBasedTableOptions table;
  table.format_version = format_version;
  const std::unique_ptr<rocksdb::TableFactory> factory(
      rocksdb::NewBlockBasedTableFactory(table));
  return factory
      ->ValidateOptions(rocksdb::DBOptions(), rocksdb::ColumnFamilyOptions())
      .ok();
}

absl::Status CheckEntries(const SstFile& file, const VerifyOptions& options,
                          FileCheck* check) {
  const uint32_t format_version = file.footer().format_version;
  // RocksDB 11 reads versions 0 and 1, though it doesn't write them.
  if (format_version > 1 && !RocksDbReads(format_version)) {
    check->rows_were_read = false;
    check->notes.push_back(absl::StrCat(
        file.name(), ": the rows were not read: RocksDB ", ROCKSDB_MAJOR, ".",
        ROCKSDB_MINOR, " of this program can't read format_version ",
        format_version, ". The filter's blocks are checked."));
    return absl::OkStatus();
  }
  // RocksDB trusts blocks that have passed their checksums, or have none.
  if (file.footer().checksum_type == ChecksumType::kNone) {
    RETURN_IF_ERROR(TryToReadRows(file.name()));
  }
  EntryReader reader(file.name());
  RETURN_IF_ERROR(reader.Open());
  RowCheck rows(file, reader.timestamp_size(), options, check);
  RETURN_IF_ERROR(rows.Prepare());
  const absl::Status status = reader.ForEach(
      [&rows](absl::string_view key) { return rows.OnEntry(key); });
  if (status.ok() && check->entries != check->facts->rows()) {
    check->problems.push_back(absl::StrCat(
        file.name(), ": expected ", check->facts->rows(),
        " entries, as the properties say, found ", check->entries));
  }
  rows.Finish();
  return status;
}

// Returns errors for files that are not SSTables or can't be read. Damage is
// one of the problems, as is anything that ends the check early.
absl::StatusOr<FileCheck> CheckFile(const std::string& path,
                                    const VerifyOptions& options) {
  FileCheck check;
  const absl::StatusOr<SstFile> file = SstFile::Open(path);
  absl::StatusOr<FileFacts> facts =
      file.ok() ? ReadFileFacts(*file) : file.status();
  RETURN_IF_ERROR(TakeDamage(facts.status(), &check));
  if (!facts.ok()) return check;
  check.facts = *std::move(facts);
  for (const std::string& problem : check.facts->problems) {
    check.problems.push_back(absl::StrCat(path, ": ", problem));
  }
  check.bytes_read = check.facts->bytes;
  if (options.read_rows) {
    check.rows_were_read = true;
    check.bytes_read = file->size();
    RETURN_IF_ERROR(TakeDamage(CheckEntries(*file, options, &check), &check));
  }
  return check;
}

uint64_t SizeOf(const std::string& path) {
  std::error_code error;
  const auto size = std::filesystem::file_size(path, error);
  return error ? 0 : size;
}

// Hints to the system to read the file into its cache, so that the disk works
// while this program computes.
void ReadAhead(const std::string& path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) return;
  (void)posix_fadvise(file, 0, 0, POSIX_FADV_WILLNEED);
  close(file);
}

Json CheckAsJson(const FileCheck& check) {
  Json json = check.facts ? FactsAsJson(*check.facts) : Json::object();
  json.update({{"rows_were_read", check.rows_were_read},
               {"bytes_read", check.bytes_read},
               {"entries", check.entries},
               {"keys_probed", check.keys_probed},
               {"prefixes_probed", check.prefixes_probed},
               {"denied", check.denied},
               {"missing_keys", check.missing.AsJson()},
               {"sound", check.problems.empty()}});
  return json;
}

// The file with the cells that are put together of several values.
Json VerifiedRow(Json file) {
  file["label"] = FileLabel(file);
  file["state"] = "unreadable";
  if (!file.contains("sound")) return file;
  const bool rows_were_read = file["rows_were_read"];
  file["state"] = file["sound"] == false     ? "DAMAGED"
                  : !rows_were_read          ? "not read"
                  : file["filter"].is_null() ? "no filter"
                                             : "sound";
  if (rows_were_read) return file;
  file["entries"] = file["prefixes_probed"] = file["denied"] = nullptr;
  return file;
}

std::string MissingInWords(const Json& missing) {
  return absl::StrCat(
      Fill("{/passed:,} of {/probed:,} missing keys passed: "
           "{/false_positive_rate:rate} %, 95 % interval "
           "{/false_positive_rate_low:rate} to "
           "{/false_positive_rate_high:rate} %. Expected: "
           "{/expected_is_exact:~}{/expected_false_positive_rate:rate} %, ",
           missing),
      missing["expected_is_inside"] == true
          ? "inside that interval."
          : "outside that interval. Chance alone does that once in 20 times; a "
            "run with ten times the --missing keys tells.");
}

// Extrapolates from the files whose rows were read to all files.
std::string SampleInWords(const Json& report) {
  const uint64_t denying = report["files_with_denied_rows"];
  const Interval interval = WilsonInterval(denying, report["sampled_files"]);
  const std::string sample =
      absl::StrCat(Fill("Sample: the rows of {/sampled_files:,} of ", report),
                   WithThousands(report["files"].size()),
                   " files were read, chosen at random");
  if (denying == 0) {
    return absl::StrCat(
        sample,
        ", and no filter denied one. That bounds the share of files whose "
        "filter does by ",
        ThreeDigits(100 * interval.high),
        " %, with 95 % confidence; a larger --sample bounds it more closely.");
  }
  return absl::StrCat(sample, "; the filters of ", WithThousands(denying),
                      " denied rows. 95 % interval over all files: ",
                      ThreeDigits(100 * interval.low), " to ",
                      ThreeDigits(100 * interval.high), " %.");
}

std::string SumsInWords(const Json& report) {
  const double megabytes = report["sums"]["bytes_read"].get<double>() / 1e6;
  return absl::StrCat(
      Fill(report["sampled_files"] == 1 ? "1 file" : "{/sampled_files:,} files",
           report),
      Fill(" of {/entries:,} entries: {/keys_probed:,} keys and "
           "{/prefixes_probed:,} prefixes probed, {/denied:,} denied; ",
           report["sums"]),
      ThreeDigits(megabytes), " MB in ", Fill("{/seconds:.1f} s, ", report),
      ThreeDigits(megabytes / report["seconds"].get<double>()), " MB/s.");
}

// The JSON of RunVerify() for people.
std::string VerifyAsText(const Json& report) {
  const Json& files = report["files"];
  if (files.empty()) return "The database has no SSTables.\n";
  Json rows = Json::array();
  for (const Json& file : files) rows.push_back(VerifiedRow(file));
  if (std::ranges::none_of(
          files, [](const Json& file) { return file.contains("sound"); })) {
    return "";  // stderr has said everything
  }
  std::string text = absl::StrCat(
      TextTable({{"File", "{/label}"},
                 {"entries", "{/entries:k}"},
                 {"denied", "{/denied:,}"},
                 {"passed %", "{/missing_keys/false_positive_rate:rate}"},
                 {"95 % interval",
                  "{/missing_keys/false_positive_rate_low:rate}-"
                  "{/missing_keys/false_positive_rate_high:rate}"},
                 {"expected %",
                  "{/missing_keys/expected_is_exact:~}{/missing_keys/"
                  "expected_false_positive_rate:rate}"},
                 {"state", "{/state}"}},
                rows),
      "\n");
  absl::StrAppend(&text, BulletsText(report["notes"]));
  const Json& missing = report["missing_keys"];
  for (const std::string& sentence :
       {missing.is_null() ? "" : MissingInWords(missing),
        report["is_sample"] == true ? SampleInWords(report) : "",
        SumsInWords(report)}) {
    if (!sentence.empty()) absl::StrAppend(&text, NamedText("", sentence, 0));
  }
  return text;
}

struct VerifyConfig {
  Inputs inputs;
  uint64_t missing = 1'000'000;
  double sample = 1;              // of the files
  uint64_t bytes_per_second = 0;  // no limit
};

// Checks the files one after another and distributes the missing keys.
class Verifier {
 public:
  // Reads the rows of the files in `sampled`.
  Verifier(const VerifyConfig& config, const std::vector<LiveFile>& files,
           const std::vector<bool>& sampled)
      : config_(config), sampled_(sampled), failures_(config.inputs.db) {
    for (size_t i = 0; i < files.size(); ++i) {
      sizes_.push_back(sampled[i] ? SizeOf(files[i].path) : 0);
      total_ += sizes_.back();
    }
    progress_.Begin("verifying", total_);
  }

  absl::Status Check(const LiveFile& file) {
    const size_t index = files_.size();
    const uint64_t size = sizes_[index];
    VerifyOptions options;
    options.read_rows = sampled_[index];
    options.missing_keys =
        MissingKeysUpTo(done_ + size) - MissingKeysUpTo(done_);
    options.progress = [this, size](double share) {
      ReadSoFar(done_ + static_cast<uint64_t>(share * size));
    };
    Json json = FileAsJson(file);
    const absl::StatusOr<FileCheck> check = CheckFile(file.path, options);
    if (absl::IsCancelled(check.status())) return check.status();
    if (check.ok()) {
      for (const auto& problem : check->problems) failures_.AddProblem(problem);
      for (const auto& note : check->notes) failures_.AddNote(note);
      missing_.Add(check->missing);
      json.update(CheckAsJson(*check));
    } else {
      failures_.Add(file, check.status());
    }
    files_.push_back(json);
    done_ += size;
    ReadSoFar(done_);
    return CheckInterrupt();
  }

  Outcome Finish() {
    uint64_t files_read = 0;
    uint64_t files_denying = 0;
    Json sums = {{"entries", 0},
                 {"keys_probed", 0},
                 {"prefixes_probed", 0},
                 {"denied", 0},
                 {"bytes_read", 0}};
    for (const Json& file : files_) {
      if (!file.contains("sound")) continue;
      files_read += file["rows_were_read"] == true ? 1 : 0;
      files_denying += file["denied"] > 0 ? 1 : 0;
      for (const auto& [name, sum] : sums.items()) {
        sum = sum.get<uint64_t>() + file[name].get<uint64_t>();
      }
    }
    const std::chrono::duration<double> took =
        std::chrono::steady_clock::now() - start_;
    Json json = NewReport("verify", config_.inputs);
    json.update({{"files", files_},
                 {"is_sample", std::ranges::count(sampled_, false) > 0},
                 {"sampled_files", files_read},
                 {"files_with_denied_rows", files_denying},
                 {"sums", sums},
                 {"missing_keys", missing_.AsJson()},
                 {"seconds", took.count()}});
    failures_.AddTo(&json);
    return {VerifyAsText(json), json, failures_.exit_code()};
  }

 private:
  uint64_t MissingKeysUpTo(uint64_t bytes) const {
    return total_ == 0 ? 0
                       : static_cast<uint64_t>(config_.missing *
                                               (1.0 * bytes / total_));
  }

  // Shows the progress, and waits if it is ahead of the limit.
  void ReadSoFar(uint64_t bytes) {
    progress_.Update(bytes);
    SleepWhile(PauseAfter(bytes, std::chrono::steady_clock::now() - start_,
                          config_.bytes_per_second),
               [] { return !Interrupted(); });
  }

  const VerifyConfig& config_;
  const std::vector<bool>& sampled_;
  Failures failures_;
  Progress progress_;
  Json files_ = Json::array();
  MissingKeys missing_;
  std::vector<uint64_t> sizes_;
  uint64_t total_ = 0;  // bytes of all files whose rows are read
  uint64_t done_ = 0;   // bytes of those that are checked
  const std::chrono::steady_clock::time_point start_ =
      std::chrono::steady_clock::now();
};

// Chooses the share --sample of the files, at least one, each with equal
// probability.
std::vector<bool> Sample(size_t files, double share) {
  std::vector<bool> sampled(files, false);
  const auto count = static_cast<size_t>(std::ceil(share * files - 1e-9));
  std::fill_n(sampled.begin(), std::min(std::max<size_t>(count, 1), files),
              true);
  std::shuffle(sampled.begin(), sampled.end(),
               std::mt19937_64(std::random_device()()));
  return sampled;
}

absl::StatusOr<Outcome> RunVerify(const VerifyConfig& config) {
  ASSIGN_OR_RETURN(const DatabaseFacts database, ReadInputs(config.inputs));
  const std::vector<LiveFile>& files = database.files;
  const std::vector<bool> sampled = Sample(files.size(), config.sample);
  Verifier verifier(config, files, sampled);
  for (size_t i = 0; i < files.size(); ++i) {
    // With a limit, don't make the disk read ahead.
    if (i + 1 < files.size() && sampled[i + 1] &&
        config.bytes_per_second == 0) {
      ReadAhead(files[i + 1].path);
    }
    RETURN_IF_ERROR(verifier.Check(files[i]));
  }
  return verifier.Finish();
}

Runner DeclareVerify(CLI::App* app) {
  const auto config = std::make_shared<VerifyConfig>();
  AddInputs(app, &config->inputs);
  AddNumber(app, "--missing", &config->missing, Unit::kNone, 0, 1'000'000'000,
            "how many missing keys to probe, "
            "shared among the files by their size");
  AddNumber(app, "--sample", &config->sample, Unit::kShare, 0, 1,
            "read the rows of this share of the files, such as 1%, at least of "
            "one, and of all others the filter alone");
  AddNumber(app, "--bytes_per_second", &config->bytes_per_second, Unit::kBytes,
            0, 1'000'000'000'000,
            "how many bytes of files to read each second, on average, such as "
            "50MB; 0 for no limit");
  return [config] { return RunVerify(*config); };
}

}  // namespace

const Subcommand kVerify = {
    "verify",
    R"(checks SSTables: all blocks, and that no filter rejects its own rows.

Reads the files, and measures the rate of their filters too.

  linebloom verify 000123.sst
  linebloom verify /var/lib/my_database --sample=1%

Files are only read, and another process may have the database open. Exits with
0; with 1 if something is wrong with a file, and stderr says what; with 2 for
bad usage or files that are not SSTables; with 130 after Ctrl-C.)",
    DeclareVerify};

}  // namespace linebloom::tools
