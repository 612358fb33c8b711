#include "tools/advise/cache_fit.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "table/status.h"
#include "tools/advise/info_log.h"
#include "tools/advise/lookup_costs.h"
#include "tools/advise/tree_facts.h"
#include "tools/shared/flags.h"
#include "tools/shared/terminal_text.h"

namespace linebloom::tools {

absl::StatusOr<std::string> NoteOnCacheFit(
    const std::string& folder, const rocksdb::BlockBasedTableOptions* table,
    std::optional<uint64_t> cache_bytes) {
  if (!cache_bytes) cache_bytes = ReadInfoLog(folder).cache_bytes;
  if (!cache_bytes) return "";
  ASSIGN_OR_RETURN(const FilterCurves curves, FilterCurves::Make());
  ASSIGN_OR_RETURN(const TreeFacts facts,
                   ReadTreeFacts("--db", folder, "", curves));
  CacheUse use = table == nullptr ? facts.use : CacheUse::Of(*table);
  use.capacity = *cache_bytes;
  if (!use.holds_filters || use.partitioned) return "";
  const ExpectedReads whole = ExpectReads(facts.trees, facts.filters, use, {});
  if (whole.filter_bytes + whole.index_bytes <= use.capacity) return "";
  use.partitioned = true;
  const ExpectedReads parts = ExpectReads(facts.trees, facts.filters, use, {});
  const double now = whole.per_missing.all();
  const double then = parts.per_missing.all();
  return absl::StrFormat(
      "whole filters (%s MB) and indexes (%s MB) don't fit the block cache of "
      "%s MB: a lookup of a missing row is expected to read %s blocks%s. "
      "'linebloom advise %s --memory=%s' says which filters read least",
      ThreeDigits(whole.filter_bytes / 1e6),
      ThreeDigits(whole.index_bytes / 1e6), ThreeDigits(use.capacity / 1e6),
      ThreeDigits(now),
      then < now ? absl::StrCat(", and ", ThreeDigits(then),
                                " with partition_filters=true")
                 : "",
      folder, NumberText(*cache_bytes, Unit::kBytes));
}

}  // namespace linebloom::tools
