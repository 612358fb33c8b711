#include "tools/compare/workload.h"

#include <algorithm>
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
uint64_t MissingKeysNeeded(const CompareConfig& config) {
  return config.lookups * (config.caches_filters() ? 16 : 1);
}

void GenerateRows(const CompareConfig& config, Workload* workload) {
  // Leaves enough room between rows for all lookups to differ.
  const uint64_t stride = 2 + MissingKeysNeeded(config) / (config.rows - 1);
  workload->mix.existing = NumberedKeys(config.rows, stride);
  workload->mix.missing = KeysBetween(config.rows, stride);
  workload->rows = LayeredRows(workload->mix.existing, config.seed);
}

absl::Status UseDatabase(const CompareConfig& config,
                         const std::filesystem::path& scratch,
                         Workload* workload) {
  constexpr uint64_t kMaxSample = 20'000'000;  // they are kept in memory
  const uint64_t sample =
      std::max(config.lookups, std::min(kMaxSample, MissingKeysNeeded(config)));
  ASSIGN_OR_RETURN(SourceRows source,
                   ReadDatabase(config.database, scratch, sample, config.seed,
                                &workload->notes));
  workload->rows = std::move(source.rows);
  workload->facts["database"] = config.database;
  const Keys existing = KeysOf(std::move(source.sample));
  workload->mix.existing = existing;
  // Directly after a key, and so within the range of every file that has it.
  workload->mix.missing = {
      existing.size, [existing](uint64_t i) { return existing.at(i) + '\0'; }};
  return absl::OkStatus();
}

void DrawLookups(const CompareConfig& config, Workload* workload) {
  if (config.caches_filters()) {
    workload->lookups = RepeatedLookups(workload->mix, config.lookups);
    return;
  }
  workload->lookups = DistinctLookups(workload->mix, config.lookups);
  const uint64_t all = workload->lookups.keys.size;
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
  workload.mix.hit_ratio = config.hit_ratio;
  workload.mix.seed = config.seed;
  workload.facts = {{"hit_ratio", config.hit_ratio}, {"seed", config.seed}};
  if (config.caches_filters()) {
    workload.facts["memory"] = config.memory;
    workload.facts["layout"] = config.partitioned ? "partitioned" : "whole";
  } else if (config.rounds > 1) {
    workload.facts["rounds"] = config.rounds;
  }
  if (config.database.empty()) {
    GenerateRows(config, &workload);
  } else {
    RETURN_IF_ERROR(UseDatabase(config, scratch, &workload));
  }
  workload.facts["block_size"] = workload.rows.block_size;
  DrawLookups(config, &workload);
  workload.facts["lookups"] = workload.lookups.keys.size;
  return workload;
}

}  // namespace linebloom::tools
