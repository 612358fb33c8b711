#include "tools/io_compare/rows/workload.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "table/status.h"
#include "tools/io_compare/rows/source_db.h"
#include "tools/shared/terminal_text.h"

namespace linebloom::tools {
namespace {

// How many missing keys there must be for all lookups to differ.
double MissingKeysNeeded(const IoCompareConfig& config, const Skew& skew) {
  const auto lookups = static_cast<double>(config.lookups);
  // Where there are most lookups there may by chance be even more.
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

absl::Status UseMissingFile(const IoCompareConfig& config,
                            const rocksdb::Comparator& comparator,
                            Workload* workload) {
  ASSIGN_OR_RETURN(
      KeyList missing,
      ReadSorted("missing_file", config.missing_file, comparator, workload));
  workload->mix.missing = KeysOf(std::move(missing));
  workload->facts.missing = absl::StrCat("of '", config.missing_file, "'");
  return absl::OkStatus();
}

void UseLayeredRows(const IoCompareConfig& config, Keys keys,
                    Workload* workload) {
  workload->rows =
      LayeredRows(keys, config.value_size, config.seed, config.file_size);
  workload->facts.entries = keys.size;
  workload->facts.key_bytes =
      static_cast<double>(keys.bytes) / static_cast<double>(keys.size);
  workload->mix.existing = std::move(keys);
}

void GenerateRows(const IoCompareConfig& config, double missing_needed,
                  Workload* workload) {
  // Leaves enough room between rows for all lookups to differ.
  const uint64_t stride =
      2 + static_cast<uint64_t>(missing_needed) / (config.rows - 1);
  workload->facts.source = "generated";
  workload->facts.missing = "each between two rows";
  UseLayeredRows(config, NumberedKeys(config.rows, stride), workload);
  workload->mix.missing = KeysBetween(config.rows, stride);
}

absl::Status UseKeyFile(const IoCompareConfig& config, double missing_needed,
                        Workload* workload) {
  ASSIGN_OR_RETURN(KeyList keys,
                   ReadSorted("key_file", config.key_file,
                              *rocksdb::BytewiseComparator(), workload));
  workload->facts.source = "key_file";
  workload->facts.source_path = config.key_file;
  if (config.missing_file.empty()) {
    // Holds out a tenth, or more if that gives too few for the lookups, but at
    // most half.
    const double needed =
        std::max(1.0, missing_needed * (1 - config.hit_ratio));
    const auto nth = static_cast<uint64_t>(
        std::clamp(static_cast<double>(keys.size()) / needed, 2.0, 10.0));
    HeldOut split = HoldOut(keys, nth);
    keys = std::move(split.rows);
    workload->mix.missing = KeysOf(std::move(split.missing));
    workload->facts.missing =
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

void NoteWhatIsNotCopied(const SourceDatabase& source, Workload* workload) {
  if (source.range_deletions > 0) {
    workload->notes.push_back(
        absl::StrCat(WithThousands(source.range_deletions),
                     " range deletions of --source_db are not copied."));
  }
  if (source.rows_in_log_only > 0) {
    workload->notes.push_back(absl::StrCat(
        WithThousands(source.rows_in_log_only),
        " entries of --source_db that are only in its write-ahead log are not "
        "copied: no file holds them."));
  }
}

absl::Status UseDatabase(const IoCompareConfig& config, double missing_needed,
                         const std::filesystem::path& scratch,
                         Workload* workload) {
  ASSIGN_OR_RETURN(SourceDatabase source,
                   OpenSourceDatabase(config.source_db, scratch));
  constexpr uint64_t kMaxSample = 20'000'000;  // they are kept in memory
  ASSIGN_OR_RETURN(
      const KeyList sample,
      source.sample(
          std::max(config.lookups,
                   std::min(kMaxSample, static_cast<uint64_t>(missing_needed))),
          config.seed));
  workload->rows = std::move(source.rows);
  workload->expected_shape = source.shape;
  workload->facts.source = "source_db";
  workload->facts.source_path = config.source_db;
  workload->facts.entries = workload->rows.TotalEntries();
  const rocksdb::Comparator& comparator = *workload->rows.comparator;
  if (config.missing_file.empty()) {
    // Each key followed by a zero byte: directly after the key, and so within
    // the range of every file that contains it.
    KeyList successors;
    for (uint64_t i = 0; i < sample.size(); ++i) {
      successors.Add(absl::StrCat(sample[i], absl::string_view("\0", 1)));
    }
    workload->mix.missing = KeysOf(SortedAndUnique(successors, comparator));
    workload->facts.missing = "each an existing key and one zero byte";
  } else {
    RETURN_IF_ERROR(UseMissingFile(config, comparator, workload));
  }
  workload->mix.existing = KeysOf(SortedAndUnique(sample, comparator));
  NoteWhatIsNotCopied(source, workload);
  return absl::OkStatus();
}

void DrawLookups(const IoCompareConfig& config, Workload* workload) {
  Lookups lookups = ChooseLookups(workload->mix, config.lookups);
  workload->facts.asked_existing = lookups.existing;
  workload->facts.asked_missing = lookups.keys.size() - lookups.existing;
  workload->facts.skew = workload->mix.skew.InWords();
  workload->lookups = std::move(lookups.keys);
  if (workload->lookups.size() == config.lookups) return;
  workload->notes.push_back(absl::StrCat(
      "There are keys for ", WithThousands(workload->lookups.size()),
      " lookups, not ", WithThousands(config.lookups),
      ": no key is looked up twice."));
}

}  // namespace

absl::StatusOr<Workload> MakeWorkload(const IoCompareConfig& config,
                                      const std::filesystem::path& scratch) {
  Workload workload;
  ASSIGN_OR_RETURN(Skew skew, Skew::Parse(config.skew, config.seed));
  const double missing_needed = MissingKeysNeeded(config, skew);
  workload.mix.skew = std::move(skew);
  workload.mix.hit_ratio = config.hit_ratio;
  workload.mix.seed = config.seed;
  absl::Status status;
  if (!config.source_db.empty()) {
    status = UseDatabase(config, missing_needed, scratch, &workload);
  } else if (!config.key_file.empty()) {
    status = UseKeyFile(config, missing_needed, &workload);
  } else {
    GenerateRows(config, missing_needed, &workload);
  }
  if (!status.ok()) return status;
  workload.facts.block_bytes = workload.rows.block_size;
  DrawLookups(config, &workload);
  if (workload.lookups.size() == 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("--source_db='", config.source_db, "' has no live rows"));
  }
  return workload;
}

}  // namespace linebloom::tools
