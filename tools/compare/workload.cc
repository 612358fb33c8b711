#include "tools/compare/workload.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "table/status.h"
#include "tools/compare/source_database.h"

namespace linebloom::tools {
namespace {

// How many missing keys there must be for all lookups to differ; if filters are
// in the cache, for few to be the same, since false positives of the same key
// find their data in the cache.
double MissingKeysNeeded(const CompareConfig& config,
                         const Popularity& popularity) {
  return popularity.peak * config.lookups * (config.caches_filters() ? 16 : 1);
}

// Each key followed by a zero byte: directly after the key, and so within the
// range of every file that contains it.
KeyList Successors(const KeyList& keys) {
  KeyList successors;
  for (const std::string& key : keys) successors.push_back(key + '\0');
  return successors;
}

// The keys of --missing_file, or else the successors of `existing`.
absl::Status UseMissingKeys(const CompareConfig& config,
                            const KeyList& existing, Workload* workload) {
  KeyList missing;
  if (config.missing_file.empty()) {
    missing = Successors(existing);
    workload->facts["missing_keys"] =
        "each missing key is an existing one and a zero byte";
  } else {
    ASSIGN_OR_RETURN(missing, ReadKeyFile("missing_file", config.missing_file));
    workload->facts["missing_keys"] =
        absl::StrCat("missing keys of '", config.missing_file, "'");
  }
  workload->mix.missing =
      KeysOf(SortedAndUnique(std::move(missing), *workload->rows.comparator));
  return absl::OkStatus();
}

void UseLayeredRows(const CompareConfig& config, Keys keys,
                    Workload* workload) {
  workload->rows =
      LayeredRows(keys, config.value_size, config.seed, config.file_size);
  workload->facts["value_size"] = config.value_size;
  workload->facts["key_bytes"] = 1.0 * keys.bytes / keys.size;
  workload->mix.existing = std::move(keys);
}

void GenerateRows(const CompareConfig& config, double missing_needed,
                  Workload* workload) {
  // Leaves enough room between rows for all lookups to differ.
  const uint64_t stride =
      2 + static_cast<uint64_t>(missing_needed) / (config.rows - 1);
  workload->facts["missing_keys"] = "each missing key lies between two rows";
  UseLayeredRows(config, NumberedKeys(config.rows, stride), workload);
  workload->mix.missing = KeysBetween(config.rows, stride);
}

absl::Status UseKeyFile(const CompareConfig& config, Workload* workload) {
  ASSIGN_OR_RETURN(KeyList keys, ReadKeyFile("key_file", config.key_file));
  keys = SortedAndUnique(std::move(keys));
  constexpr uint64_t kMinKeys = 2 * kSharesOfAllRuns;
  if (keys.size() < kMinKeys) {
    return absl::InvalidArgumentError(
        absl::StrCat("--key_file='", config.key_file, "' has ", keys.size(),
                     " different keys; at least ", kMinKeys, " are needed"));
  }
  workload->facts["key_file"] = config.key_file;
  RETURN_IF_ERROR(UseMissingKeys(config, keys, workload));
  UseLayeredRows(config, KeysOf(std::move(keys)), workload);
  return absl::OkStatus();
}

absl::Status UseDatabase(const CompareConfig& config, double missing_needed,
                         const std::filesystem::path& scratch,
                         Workload* workload) {
  constexpr double kMaxSample = 20'000'000;  // they are kept in memory
  const auto sample =
      std::max(config.lookups,
               static_cast<uint64_t>(std::min(kMaxSample, missing_needed)));
  ASSIGN_OR_RETURN(SourceRows source,
                   ReadDatabase(config.database, scratch, sample, config.seed,
                                &workload->notes));
  workload->rows = std::move(source.rows);
  workload->facts["database"] = config.database;
  RETURN_IF_ERROR(UseMissingKeys(config, source.sample, workload));
  workload->mix.existing = KeysOf(
      SortedAndUnique(std::move(source.sample), *workload->rows.comparator));
  return absl::OkStatus();
}

void DrawLookups(const CompareConfig& config, Workload* workload) {
  const LookupMix& mix = workload->mix;
  if (config.caches_filters()) {
    workload->lookups = RepeatedLookups(mix, config.lookups);
    return;
  }
  workload->lookups = DistinctLookups(mix, config.lookups);
  const uint64_t all = workload->lookups.size;
  workload->existing =
      static_cast<uint64_t>(std::floor(all * config.hit_ratio + 1e-9));
  if (all < config.lookups) {
    workload->notes.push_back(absl::StrCat(
        "There are keys for ", WithThousands(all), " lookups, not ",
        WithThousands(config.lookups), ": no key is looked up twice."));
  }
}

}  // namespace

absl::StatusOr<Workload> MakeWorkload(const CompareConfig& config,
                                      const std::filesystem::path& scratch) {
  Workload workload;
  if (config.zipf > 0) {
    workload.mix.popularity = Popularity(config.zipf, config.seed);
  }
  const double missing_needed =
      MissingKeysNeeded(config, workload.mix.popularity);
  workload.mix.hit_ratio = config.hit_ratio;
  workload.mix.seed = config.seed;
  workload.facts = {{"hit_ratio", config.hit_ratio}, {"seed", config.seed}};
  if (config.zipf > 0) workload.facts["zipf"] = config.zipf;
  if (config.caches_filters()) {
    workload.facts["shards"] = config.cache_shards;
    workload.facts["layout"] = config.partitioned ? "partitioned" : "whole";
  } else if (config.rounds > 1) {
    workload.facts["rounds"] = config.rounds;
  }
  if (!config.database.empty()) {
    RETURN_IF_ERROR(UseDatabase(config, missing_needed, scratch, &workload));
  } else if (!config.key_file.empty()) {
    RETURN_IF_ERROR(UseKeyFile(config, &workload));
  } else {
    GenerateRows(config, missing_needed, &workload);
  }
  workload.facts["block_size"] = workload.rows.block_size;
  DrawLookups(config, &workload);
  workload.facts["lookups"] = workload.lookups.size;
  return workload;
}

}  // namespace linebloom::tools
