#include "filter_policy/rebuild/judgement.h"

#include "filter_policy/sizing/expected_rate.h"
#include "filter_policy/sizing/sizing.h"
#include "linebloom/filter_policy.h"

namespace linebloom {
namespace {

// How much higher than a new filter's a rate may be, relative to it. The rates
// of small filters vary by chance, and rewriting a file should be worth it.
constexpr double kTolerance = 1.2;

// True if lookups need keys or prefixes that the filter lacks; RocksDB then
// reads the file. Prefixes that no lookup needs do no harm.
bool LacksKeysOrPrefixes(const Properties& properties,
                         const WantedFilter& wanted) {
  if (wanted.whole_key_filtering && !properties.whole_key_filtering) {
    return true;
  }
  return !wanted.prefix_extractor.empty() &&
         (wanted.prefix_extractor != properties.prefix_extractor_name ||
          !properties.prefix_filtering);
}

// True if the file holds nothing to put into a filter, so that it never gets
// one: only range deletions, or, in a filter of prefixes, only keys without a
// prefix.
bool HasNothingToFilter(const FileFacts& facts, const WantedFilter& wanted) {
  return facts.rows() == 0 ||
         (!facts.has_filter() && !facts.properties.whole_key_filtering &&
          facts.properties.filter_policy_name == wanted.policy_name &&
          !LacksKeysOrPrefixes(facts.properties, wanted));
}

bool IsOfLinebloom(const BlockFacts& block) {
  return block.kind == BlockKind::kLinebloom ||
         block.kind == BlockKind::kUnusable;
}

bool IsOfNewerVersion(const BlockFacts& block) {
  return block.kind == BlockKind::kUnusable &&
         block.info.version > kFilterBlockVersion;
}

// True if a new filter would have more bits or a lower rate. Building a filter
// again with the same request and the same kind of line can't improve it.
bool AskedForLess(const FilterBlockInfo& info, const WantedFilter& wanted) {
  if (info.request.false_positive_rate > 0 &&
      wanted.request.false_positive_rate > 0) {
    // The metadata stores a float.
    return info.request.false_positive_rate >
           static_cast<float>(wanted.request.false_positive_rate);
  }
  // A filter built for a rate has no requested bits.
  const double had = info.request.false_positive_rate > 0
                         ? MillibitsFor(info.lines, info.keys)
                         : info.request.millibits_per_key;
  return had < (wanted.min_millibits_per_key > 0
                    ? wanted.min_millibits_per_key
                    : wanted.request.millibits_per_key);
}

// If every file has its own seed, any seed is fine.
bool HasSeed(const FilterBlockInfo& info, uint64_t wanted) {
  return wanted == kRandomHashSeed ? info.request.hash_seed != 0
                                   : info.request.hash_seed == wanted;
}

std::optional<RebuildReason> ReasonOfLinebloom(const FileFacts& facts,
                                               const WantedFilter& wanted,
                                               double rate_after) {
  const FilterBlockInfo& info = facts.first.info;
  if (info.version < wanted.version) return RebuildReason::kOlderVersion;
  if (!HasSeed(info, wanted.request.hash_seed)) {
    return RebuildReason::kOtherHashSeed;
  }
  if (LacksKeysOrPrefixes(facts.properties, wanted)) {
    return RebuildReason::kOtherPrefixes;
  }
  if (info.request.line == Line::kPlain &&
      BuiltLine(wanted.request.line, wanted.request.millibits_per_key) ==
          Line::kSolved) {
    return RebuildReason::kPlainLines;
  }
  const double worst =
      wanted.worst_rate > 0 ? wanted.worst_rate : kTolerance * rate_after;
  if (facts.rate > worst && AskedForLess(info, wanted)) {
    return RebuildReason::kWorseRate;
  }
  return std::nullopt;
}

// RocksDB's policies read each other's filters, of any size.
std::optional<RebuildReason> ReasonOfBuiltIn(const FileFacts& facts,
                                             const WantedFilter& wanted) {
  if (!LacksKeysOrPrefixes(facts.properties, wanted)) return std::nullopt;
  return RebuildReason::kOtherPrefixes;
}

std::optional<RebuildReason> ReasonOf(const FileFacts& facts,
                                      const WantedFilter& wanted,
                                      double rate_after) {
  if (HasNothingToFilter(facts, wanted)) return std::nullopt;
  if (!facts.is_used()) {
    return facts.filter_kind == FilterKind::kNone ||
                   facts.filter_kind == FilterKind::kObsoleteBlockBased
               ? RebuildReason::kNoFilter
               : RebuildReason::kForeignFilter;
  }
  // To RocksDB's own policies, linebloom's filters are foreign, sound or not.
  if (wanted.built_in_rate.has_value() && IsOfLinebloom(facts.first)) {
    return RebuildReason::kForeignFilter;
  }
  // Leave the file for a newer linebloom.
  if (IsOfNewerVersion(facts.first)) return std::nullopt;
  if (!facts.problems.empty() || !facts.of_one_policy) {
    return RebuildReason::kDamagedFilter;
  }
  switch (facts.first.kind) {
    case BlockKind::kEmpty:
      if (LacksKeysOrPrefixes(facts.properties, wanted)) {
        return RebuildReason::kOtherPrefixes;
      }
      return std::nullopt;
    case BlockKind::kLinebloom:
      return ReasonOfLinebloom(facts, wanted, rate_after);
    case BlockKind::kBloom:
    case BlockKind::kRibbon:
    case BlockKind::kLegacyBloom:
      return wanted.built_in_rate.has_value() ? ReasonOfBuiltIn(facts, wanted)
                                              : RebuildReason::kForeignFilter;
    case BlockKind::kReserved:
      return RebuildReason::kForeignFilter;
    case BlockKind::kUnusable:
    case BlockKind::kInconsistent:
      return RebuildReason::kDamagedFilter;
  }
  return std::nullopt;
}

double RateAfter(const FileFacts& facts, const WantedFilter& wanted) {
  if (wanted.built_in_rate.has_value()) return *wanted.built_in_rate;
  // Without a filter, the properties say 0 keys.
  const uint64_t known = facts.keys.value_or(0);
  const uint64_t keys = known > 0 ? known : facts.rows();
  if (keys == 0) return 0;
  const uint32_t lines = LinesFor(keys, wanted.request.millibits_per_key);
  return ExpectedRate(wanted.request.line, wanted.request.millibits_per_key,
                      static_cast<double>(keys) / static_cast<double>(lines));
}

}  // namespace

Verdict Judge(const FileFacts& facts, const WantedFilter& wanted) {
  Verdict verdict;
  verdict.rate_after = RateAfter(facts, wanted);
  verdict.reason = ReasonOf(facts, wanted, verdict.rate_after);
  verdict.rate_now =
      wanted.built_in_rate.has_value() && IsOfLinebloom(facts.first)
          ? 1
          : facts.rate;
  // A damaged filter may deny rows, whatever its rate, and one with another
  // seed or other prefixes doesn't do its job.
  verdict.pays =
      verdict.reason == RebuildReason::kDamagedFilter ||
      verdict.reason == RebuildReason::kOtherHashSeed ||
      verdict.reason == RebuildReason::kOtherPrefixes ||
      (verdict.reason.has_value() && verdict.rate_after < verdict.rate_now);
  return verdict;
}

absl::string_view ToString(RebuildReason reason) {
  switch (reason) {
    case RebuildReason::kNoFilter:
      return "no filter";
    case RebuildReason::kForeignFilter:
      return "foreign filter";
    case RebuildReason::kDamagedFilter:
      return "damaged filter";
    case RebuildReason::kOlderVersion:
      return "older version";
    case RebuildReason::kOtherHashSeed:
      return "other hash seed";
    case RebuildReason::kOtherPrefixes:
      return "other prefixes";
    case RebuildReason::kPlainLines:
      return "plain lines";
    case RebuildReason::kWorseRate:
      return "worse rate";
    case RebuildReason::kOverBudget:
      return "over budget";
  }
  return "unknown";
}

}  // namespace linebloom
