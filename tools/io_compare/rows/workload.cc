#include "tools/io_compare/rows/workload.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/strings/str_cat.h"
#include "tools/io_compare/rows/layered_rows.h"
#include "tools/io_compare/rows/source_db.h"
#include "tools/shared/terminal_text.h"

namespace linebloom::tools {
namespace {

// --skew, which ValidateConfig() has parsed before.
Skew SkewOf(const IoCompareConfig& config) {
  return Skew::Parse(config.skew, config.seed).value_or(Skew());
}

// How many missing keys there must be for all lookups to differ.
double MissingKeysNeeded(const IoCompareConfig& config) {
  const Skew skew = SkewOf(config);
  const auto lookups = static_cast<double>(config.lookups);
  // Where there are most lookups there may by chance be even more.
  constexpr double kSlack = 1.5;
  constexpr double kFew = 100;
  return skew.is_uniform() ? lookups : kSlack * (lookups + kFew) * skew.Peak();
}

// `existing` must live as long as the workload; `missing` must be in order.
void SetLookups(const IoCompareConfig& config, const KeyTable* existing,
                std::unique_ptr<KeyTable> missing, Workload* workload) {
  const Skew skew = SkewOf(config);
  Lookups lookups = ChooseLookups(*existing, *missing, config.lookups,
                                  config.hit_ratio, skew, config.seed);
  workload->facts.asked_existing = lookups.existing;
  workload->facts.asked_missing = lookups.keys.size() - lookups.existing;
  workload->lookups = std::move(lookups.keys);
  if (workload->lookups.size() < config.lookups) {
    workload->notes.push_back(absl::StrCat(
        "There are keys for ", WithThousands(workload->lookups.size()),
        " lookups, not ", WithThousands(config.lookups),
        ": no key is looked up twice."));
  }
  workload->missing_keys = std::move(missing);
  workload->warm_lookups = {.existing = existing,
                            .missing = workload->missing_keys.get(),
                            .skew = skew,
                            .hit_ratio = config.hit_ratio,
                            .seed = config.seed,
                            .count = config.warm_lookups};
  workload->facts.skew = skew.InWords();
}

void UseLayeredRows(const IoCompareConfig& config,
                    std::unique_ptr<KeyTable> keys, Workload* workload) {
  workload->row_keys = std::move(keys);
  workload->rows =
      std::make_unique<LayeredRows>(workload->row_keys.get(), config.value_size,
                                    config.seed, config.file_size);
  workload->facts.entries = workload->row_keys->size();
  workload->largest_file_bytes = workload->rows->ApproximateBytes() / 16;
}

Workload GeneratedWorkload(const IoCompareConfig& config) {
  // Leaves enough room between rows for all lookups to differ.
  const uint64_t stride =
      2 + static_cast<uint64_t>(MissingKeysNeeded(config)) / (config.rows - 1);
  Workload workload;
  workload.facts.source = "generated";
  workload.facts.missing = "each between two rows";
  workload.facts.key_bytes = kNumberedKeyBytes;
  UseLayeredRows(config, std::make_unique<NumberedKeys>(config.rows, stride),
                 &workload);
  SetLookups(config, workload.row_keys.get(),
             std::make_unique<KeysBetween>(config.rows, stride), &workload);
  return workload;
}

// Every how many keys of a file to hold one out as missing: ten, or fewer if
// that gives too few for the lookups, but at least two.
uint64_t HoldOutInterval(const IoCompareConfig& config, uint64_t keys) {
  const double wanted =
      std::max(1.0, MissingKeysNeeded(config) * (1 - config.hit_ratio));
  return static_cast<uint64_t>(
      std::clamp(static_cast<double>(keys) / wanted, 2.0, 10.0));
}

absl::Status CheckEnoughKeys(const IoCompareConfig& config, uint64_t keys) {
  constexpr uint64_t kFewest = 2 * LayeredRows::kSharesOfAllRuns;
  if (keys >= kFewest) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "--key_file='", config.key_file, "' leaves ", keys,
      " different keys to load; at least ", kFewest, " are needed"));
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
  const absl::Status enough = CheckEnoughKeys(config, sorted.size());
  if (!enough.ok()) return enough;
  workload.facts.key_bytes =
      static_cast<double>(sorted.bytes()) / static_cast<double>(sorted.size());
  UseLayeredRows(config, std::make_unique<KeyList>(std::move(sorted)),
                 &workload);
  SetLookups(config, workload.row_keys.get(),
             std::make_unique<KeyList>(std::move(missing)), &workload);
  return workload;
}

// Each key followed by a zero byte: directly after the key, and so within the
// range of every file that contains it.
KeyList Successors(const KeyList& keys) {
  KeyList successors;
  for (uint64_t i = 0; i < keys.size(); ++i) {
    successors.Add(absl::StrCat(keys[i], absl::string_view("\0", 1)));
  }
  return successors;
}

KeyList InOrder(const KeyList& keys, const rocksdb::Comparator& comparator) {
  std::vector<rocksdb::Slice> slices;
  for (uint64_t i = 0; i < keys.size(); ++i) {
    slices.emplace_back(keys[i].data(), keys[i].size());
  }
  std::sort(slices.begin(), slices.end(),
            [&](const rocksdb::Slice& a, const rocksdb::Slice& b) {
              return comparator.Compare(a, b) < 0;
            });
  KeyList sorted;
  for (const rocksdb::Slice& slice : slices) {
    sorted.Add({slice.data(), slice.size()});
  }
  return sorted;
}

// Their keys are kept in memory.
uint64_t SampleSize(const IoCompareConfig& config) {
  constexpr uint64_t kMost = 20'000'000;
  return std::max(
      config.lookups,
      std::min(kMost, static_cast<uint64_t>(MissingKeysNeeded(config))));
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
      (*source)->SampleKeys(SampleSize(config), config.seed);
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
  const rocksdb::Comparator& comparator = *(*source)->comparator();
  workload.row_keys = std::make_unique<KeyList>(InOrder(*sample, comparator));
  SetLookups(config, workload.row_keys.get(),
             std::make_unique<KeyList>(InOrder(missing, comparator)),
             &workload);
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

absl::StatusOr<Workload> MakeByFlags(const IoCompareConfig& config,
                                     const std::filesystem::path& scratch) {
  if (!config.source_db.empty()) return SourceDatabaseWorkload(config, scratch);
  if (!config.key_file.empty()) return KeyFileWorkload(config);
  return GeneratedWorkload(config);
}

}  // namespace

absl::StatusOr<Workload> MakeWorkload(const IoCompareConfig& config,
                                      const std::filesystem::path& scratch) {
  absl::StatusOr<Workload> workload = MakeByFlags(config, scratch);
  if (workload.ok()) {
    workload->facts.block_bytes = workload->rows->block_size();
  }
  return workload;
}

}  // namespace linebloom::tools
