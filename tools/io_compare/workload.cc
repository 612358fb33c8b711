#include "tools/io_compare/workload.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/strings/str_cat.h"
#include "tools/io_compare/layered_rows.h"
#include "tools/io_compare/source_db.h"
#include "tools/table_printer.h"

namespace linebloom::tools {
namespace {

void SetLookups(const IoCompareConfig& config, const KeyTable& existing,
                const KeyTable& missing, Workload* workload) {
  Lookups lookups = ChooseLookups(existing, missing, config.lookups,
                                  config.hit_ratio, config.seed);
  workload->facts.asked_existing = lookups.existing;
  workload->facts.asked_missing = lookups.keys.size() - lookups.existing;
  workload->lookups = std::move(lookups.keys);
  if (workload->lookups.size() < config.lookups) {
    workload->notes.push_back(absl::StrCat(
        "There are keys for ", WithThousands(workload->lookups.size()),
        " lookups, not ", WithThousands(config.lookups),
        ": no key is looked up twice."));
  }
}

void UseLayeredRows(const IoCompareConfig& config,
                    std::unique_ptr<KeyTable> keys, Workload* workload) {
  workload->row_keys = std::move(keys);
  workload->rows = std::make_unique<LayeredRows>(
      workload->row_keys.get(), config.value_size, config.seed);
  workload->facts.entries = workload->row_keys->size();
  workload->largest_file_bytes = workload->rows->ApproximateBytes() / 16;
}

Workload GeneratedWorkload(const IoCompareConfig& config) {
  // Leaves enough places between rows for all lookups to differ.
  const uint64_t stride = 2 + config.lookups / (config.rows - 1);
  Workload workload;
  workload.facts.source = "generated";
  workload.facts.missing = "each between two rows";
  workload.facts.key_bytes = kNumberedKeyBytes;
  auto keys = std::make_unique<NumberedKeys>(config.rows, stride);
  SetLookups(config, *keys, KeysBetween(config.rows, stride), &workload);
  UseLayeredRows(config, std::move(keys), &workload);
  return workload;
}

// How many keys of a file to hold out as missing: every tenth, more if that
// gives fewer than are to be looked up, at most every other.
uint64_t HoldOutInterval(const IoCompareConfig& config, uint64_t keys) {
  const double wanted = std::max(
      1.0, static_cast<double>(config.lookups) * (1 - config.hit_ratio));
  return static_cast<uint64_t>(
      std::clamp(static_cast<double>(keys) / wanted, 2.0, 10.0));
}

absl::StatusOr<Workload> KeyFileWorkload(const IoCompareConfig& config) {
  absl::StatusOr<KeyList> read = ReadKeyFile("key_file", config.key_file);
  if (!read.ok()) return read.status();
  KeyList sorted = SortedAndUnique(*read);
  Workload workload;
  workload.facts.source = "key_file";
  workload.facts.source_path = config.key_file;
  if (sorted.size() < read->size()) {
    workload.notes.push_back(absl::StrCat(
        "--key_file has ", WithThousands(read->size() - sorted.size()),
        " lines with a key that another line has; each key is "
        "loaded once."));
  }
  KeyList missing;
  if (config.missing_file.empty()) {
    const uint64_t nth = HoldOutInterval(config, sorted.size());
    HeldOut split = HoldOut(sorted, nth);
    sorted = std::move(split.rows);
    missing = std::move(split.missing);
    workload.facts.missing =
        absl::StrCat("1 of every ", nth, " keys of the file, held out");
  } else {
    read = ReadKeyFile("missing_file", config.missing_file);
    if (!read.ok()) return read.status();
    missing = SortedAndUnique(*read);
    workload.facts.missing = absl::StrCat("of '", config.missing_file, "'");
  }
  constexpr uint64_t kFewest = 2 * LayeredRows::kSharesOfAllRuns;
  if (sorted.size() < kFewest) {
    return absl::InvalidArgumentError(absl::StrCat(
        "--key_file='", config.key_file, "' leaves ", sorted.size(),
        " different keys to load; at least ", kFewest, " are needed"));
  }
  workload.facts.key_bytes =
      static_cast<double>(sorted.bytes()) / static_cast<double>(sorted.size());
  SetLookups(config, sorted, missing, &workload);
  UseLayeredRows(config, std::make_unique<KeyList>(std::move(sorted)),
                 &workload);
  return workload;
}

// Each key with a zero byte behind it: what comes right after the key, and so
// lies inside the range of every file that has it.
KeyList Successors(const KeyList& keys) {
  KeyList successors;
  for (uint64_t i = 0; i < keys.size(); ++i) {
    successors.Add(absl::StrCat(keys[i], absl::string_view("\0", 1)));
  }
  return successors;
}

void NoteWhatIsNotCopied(const SourceDatabase& source, Workload* workload) {
  if (source.range_deletions() > 0) {
    workload->notes.push_back(
        absl::StrCat(WithThousands(source.range_deletions()),
                     " range deletions of --source_db are not copied."));
  }
  if (source.rows_in_log_only() > 0) {
    workload->notes.push_back(absl::StrCat(
        WithThousands(source.rows_in_log_only()),
        " entries of --source_db that are only in its write-ahead log are not "
        "copied: no file holds them."));
  }
}

absl::StatusOr<Workload> SourceDatabaseWorkload(
    const IoCompareConfig& config, const std::filesystem::path& scratch) {
  auto source = SourceDatabase::Open(config.source_db, scratch);
  if (!source.ok()) return source.status();
  const absl::StatusOr<KeyList> sample =
      (*source)->SampleKeys(config.lookups, config.seed);
  if (!sample.ok()) return sample.status();
  Workload workload;
  workload.facts.source = "source_db";
  workload.facts.source_path = config.source_db;
  workload.facts.entries = (*source)->TotalEntries();
  KeyList missing;
  if (config.missing_file.empty()) {
    missing = Successors(*sample);
    workload.facts.missing = "each an existing key and one zero byte";
  } else {
    const absl::StatusOr<KeyList> read =
        ReadKeyFile("missing_file", config.missing_file);
    if (!read.ok()) return read.status();
    missing = SortedAndUnique(*read);
    workload.facts.missing = absl::StrCat("of '", config.missing_file, "'");
  }
  SetLookups(config, *sample, missing, &workload);
  if (workload.lookups.size() == 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("--source_db='", config.source_db, "' has no live rows"));
  }
  NoteWhatIsNotCopied(**source, &workload);
  workload.expected_shape = (*source)->shape();
  workload.largest_file_bytes = (*source)->largest_file_bytes();
  workload.rows = *std::move(source);
  return workload;
}

}  // namespace

absl::StatusOr<Workload> MakeWorkload(const IoCompareConfig& config,
                                      const std::filesystem::path& scratch) {
  absl::StatusOr<Workload> workload =
      !config.source_db.empty() ? SourceDatabaseWorkload(config, scratch)
      : !config.key_file.empty()
          ? KeyFileWorkload(config)
          : absl::StatusOr<Workload>(GeneratedWorkload(config));
  if (workload.ok()) {
    workload->facts.block_bytes = workload->rows->block_size();
  }
  return workload;
}

}  // namespace linebloom::tools
