#include "table/rebuild/evaluate.h"

#include <algorithm>
#include <iterator>

#include "filter_policy/filter/sizing.h"
#include "filter_policy/line/line.h"
#include "filter_policy/listener/level_size_listener.h"
#include "filter_policy/policy/policy_options.h"
#include "filter_policy/policy/rocksdb_filter_bits.h"
#include "filter_policy/policy/running_rocksdb.h"
#include "filter_policy/tree/new_file.h"
#include "rocksdb/slice_transform.h"
#include "rocksdb/table.h"
#include "table/block_facts.h"

namespace linebloom {
namespace {

// How much higher than a new filter's a rate may be, relative to it. The rates
// of small filters vary by chance, and rewriting a file should be worth it.
constexpr double kTolerance = 1.2;

// A filter that is less than a tenth larger than a new one stays: that is
// chance, or the file will be merged anyway.
constexpr double kWorthShrinking = 0.9;

// What the rules below are about.
struct Case {
  const FileFacts& facts;
  const TargetFilter& target;
  double rate_after;  // expected of a new filter

  BlockKind kind() const { return facts.first.kind; }
  const FilterBlockInfo& info() const { return facts.first.info; }
  bool is_for_rocksdb() const { return target.built_in_rate.has_value(); }
};

// Lookups need keys or prefixes that the filter lacks; RocksDB then reads the
// file. Prefixes that no lookup needs do no harm.
bool LacksKeysOrPrefixes(const Case& c) {
  const Properties& properties = c.facts.properties;
  const std::string& extractor = c.target.prefix_extractor;
  return (c.target.whole_key_filtering && !properties.whole_key_filtering) ||
         (!extractor.empty() &&
          (extractor != properties.prefix_extractor_name ||
           !properties.prefix_filtering));
}

// The file never gets a filter: by the policy, or because it has only range
// deletions, or, for a filter of prefixes, only keys without a prefix.
bool HasNothingToFilter(const Case& c) {
  const Properties& properties = c.facts.properties;
  return c.target.wants_none || c.facts.rows() == 0 ||
         (!c.facts.has_filter() && !properties.whole_key_filtering &&
          properties.filter_policy_name == c.target.policy_name &&
          !LacksKeysOrPrefixes(c));
}

bool HasNoFilter(const Case& c) {
  return c.facts.filter_kind == FilterKind::kNone ||
         c.facts.filter_kind == FilterKind::kObsoleteBlockBased;
}

// Nothing to RocksDB, or to its own policy: that can't read linebloom's, sound
// or not.
bool IsUnknownToPolicy(const Case& c) {
  return !c.facts.is_used() ||
         (c.is_for_rocksdb() && (c.kind() == BlockKind::kLinebloom ||
                                 c.kind() == BlockKind::kUnusable));
}

// For a newer linebloom to judge.
bool IsNewer(const Case& c) {
  return c.kind() == BlockKind::kUnusable &&
         c.info().version > kFilterBlockVersion;
}

// Every run would rewrite the file, and mend nothing.
bool HasGapsForEver(const Case& c) {
  return c.facts.has_gaps && c.target.leaves_gaps;
}

bool IsDamaged(const Case& c) {
  return !c.facts.problems.empty() || !c.facts.of_one_policy;
}

// If every file has its own seed, any seed is fine.
bool HasOtherSeed(const Case& c) {
  const uint64_t had = c.info().request.hash_seed;
  const uint64_t seed = c.target.request.hash_seed;
  return c.kind() == BlockKind::kLinebloom &&
         (seed == kRandomHashSeed ? had == 0 : had != seed);
}

// RocksDB without linebloom is to read the filters too, and can't.
bool LocksIn(const Case& c) {
  return c.kind() == BlockKind::kLinebloom &&
         c.target.policy_name == kPlainPolicyName;
}

// RocksDB's policies read each other's filters, of any size.
bool IsOfOtherKind(const Case& c) {
  const bool builds_its_kind =
      c.is_for_rocksdb() || c.target.request.line == LineKind::kPlain;
  return c.kind() == BlockKind::kReserved || LocksIn(c) ||
         (IsOfRocksDb(c.kind()) && !builds_its_kind);
}

// What the file's filter was requested with. A block that no builder wrote may
// state that it has no keys, and one of plain lines doesn't say: there it is
// what the lines have, apart from rounding to whole ones.
double RequestedMillibits(const Case& c) {
  if (c.kind() != BlockKind::kLinebloom) {
    return c.facts.bits_per_key().value_or(0) * kMillibitsPerBit;
  }
  return c.info().request.false_positive_rate > 0
             ? MillibitsPerKey(c.info().lines, std::max(c.info().keys, 1U))
             : c.info().request.millibits_per_key;
}

// A new filter would have a lower rate from more bits. Building a filter again
// with the same request and the same kind of line can't improve it.
bool IsWorse(const Case& c) {
  const TargetFilter& target = c.target;
  const uint32_t least = target.keep_from_millibits > 0
                             ? target.keep_from_millibits
                             : target.request.millibits_per_key;
  return !c.is_for_rocksdb() && c.facts.rate > kTolerance * c.rate_after &&
         RequestedMillibits(c) < least;
}

// The first that applies decides; without a reason, the filter stays.
struct Rule {
  bool (*applies)(const Case&);
  std::optional<RebuildReason> reason;
};
constexpr Rule kRules[] = {
    {HasNothingToFilter, std::nullopt},
    {HasNoFilter, RebuildReason::kNoFilter},
    {IsUnknownToPolicy, RebuildReason::kForeignFilter},
    {IsNewer, std::nullopt},
    {HasGapsForEver, std::nullopt},
    {IsDamaged, RebuildReason::kDamagedFilter},
    {HasOtherSeed, RebuildReason::kOtherHashSeed},
    {IsOfOtherKind, RebuildReason::kForeignFilter},
    {LacksKeysOrPrefixes, RebuildReason::kOtherPrefixes},
    {IsWorse, RebuildReason::kWorseRate},
};

// A filter with one of these reasons doesn't do its job, whatever its rate: it
// may deny rows, pass an attacker's keys, or lack some.
bool FailsItsJob(RebuildReason reason) {
  return reason == RebuildReason::kDamagedFilter ||
         reason == RebuildReason::kOtherHashSeed ||
         reason == RebuildReason::kOtherPrefixes;
}

// The most bytes of a new filter of `keys`. The bits that are asked for are
// those of whole blocks, but each has at least a line. Rejected: the bytes
// of the lines. They are 65 of the smallest filter's 96, so every run rewrote
// it.
double MostBytes(const FileFacts& facts, const FilterRequest& request,
                 uint64_t keys) {
  const double smallest =
      BytesOfLines(request.line, 1) + FilterBlockOverhead(request);
  const double blocks = std::max<uint64_t>(facts.blocks, 1);
  const double bits = 1.0 * keys * request.millibits_per_key / kMillibitsPerBit;
  return facts.index_bytes + std::max(bits / 8, blocks * smallest);
}

// What to expect of a new filter.
Evaluation Expect(const FileFacts& facts, const TargetFilter& target) {
  const FilterRequest& request = target.request;
  // Without a filter, the properties say 0 keys.
  const uint64_t known = facts.keys.value_or(0);
  const uint64_t keys = known > 0 ? known : facts.rows();
  const uint32_t lines = NumLinesForKeys(keys, request.millibits_per_key);
  Evaluation evaluation;
  evaluation.bytes_after = MostBytes(facts, request, keys);
  if (target.built_in_rate.has_value()) {
    evaluation.rate_after = *target.built_in_rate;
  } else if (keys > 0) {
    evaluation.rate_after = ExpectedRate(
        request.line, request.millibits_per_key, 1.0 * keys / lines);
  }
  return evaluation;
}

std::string ForeignPolicy(const rocksdb::FilterPolicy& policy) {
  return "its filter policy is " + policy.GetId() +
         "; open the database with linebloom's or one of RocksDB's own";
}

std::string ReadOwnPolicy(const rocksdb::FilterPolicy& policy,
                          FamilyToRebuild* family) {
  const FilterPolicyOptions* const options = OptionsOfLinebloom(&policy);
  // Another library's, or one that refuses to work in this RocksDB.
  if (options == nullptr) return ForeignPolicy(policy);
  // The options it builds with, valid or not.
  family->policy = Validate(*options).ok() ? *options : InPlaceOf(*options);
  if (BuildsNothing(family->policy)) {
    return "its policy builds no filters: bits_per_key=" +
           BitsPerKeyText(BitsPerKeyOf(family->policy));
  }
  return "";
}

// In the context of a file rewritten on `level`.
rocksdb::FilterBuildingContext ContextOf(const FamilyToRebuild& family,
                                         int level, bool nothing_below) {
  rocksdb::FilterBuildingContext context(*TableOptionsOf(family.options));
  context.compaction_style = family.options.compaction_style;
  context.num_levels = family.options.num_levels;
  context.column_family_name = family.name;
  context.level_at_creation = level;
  context.is_bottommost = nothing_below;
  context.reason = rocksdb::TableFileCreationReason::kCompaction;
  return context;
}

// The expected rate of the filters that `policy` builds in `context`: that of
// one with 10,000 generated keys; 1 if it builds none, nothing if they are not
// of RocksDB's kinds. RocksDbMismatch() must be empty. Rejected: a formula,
// which would have to know how each RocksDB chooses numbers of probes and
// columns.
std::optional<double> RateOfBuiltIn(
    const rocksdb::FilterPolicy& policy,
    const rocksdb::FilterBuildingContext& context) {
  const std::unique_ptr<rocksdb::FilterBitsBuilder> builder(
      policy.GetBuilderWithContext(context));
  if (builder == nullptr) return 1;
  // It builds Bloom filters for much fewer keys where Ribbon was requested.
  constexpr uint64_t kKeys = 10'000;
  for (uint64_t i = 0; i < kKeys; ++i) builder->AddKey(std::to_string(i));
  std::unique_ptr<const char[]> memory;
  const rocksdb::Slice block = builder->Finish(&memory);
  const BlockFacts facts =
      ReadBlockFacts(absl::string_view(block.data(), block.size()));
  if (!IsOfRocksDb(facts.kind) || facts.kind == BlockKind::kReserved) {
    return std::nullopt;
  }
  return facts.rate;
}

// Custom policies may pass RocksDB's filters on under a name of their own, so
// the filters decide, not the name.
std::string ReadBuiltInPolicy(const rocksdb::FilterPolicy& policy,
                              FamilyToRebuild* family) {
  if (!RocksDbMismatch().empty()) return RocksDbMismatch();
  const std::optional<double> rate =
      RateOfBuiltIn(policy, ContextOf(*family, 1, false));
  if (!rate.has_value()) return ForeignPolicy(policy);
  if (*rate == 1) return "its policy builds no filters: " + policy.GetId();
  family->has_built_in_policy = true;
  return "";
}

// True if `policy` writes partitions without keys as 0 bytes, and if there may
// be such partitions.
bool LeavesGaps(const rocksdb::FilterPolicy& policy,
                const rocksdb::FilterBuildingContext& context) {
  const rocksdb::BlockBasedTableOptions& table = context.table_options;
  if (!table.partition_filters || table.whole_key_filtering) return false;
#if LINEBLOOM_ROCKSDB_VERSION >= 906
  if (table.decouple_partitioned_filters) return false;
#endif
  const std::unique_ptr<rocksdb::FilterBitsBuilder> builder(
      policy.GetBuilderWithContext(context));
  std::unique_ptr<const char[]> memory;
  return builder != nullptr && builder->Finish(&memory).empty();
}

// Adds to `target` what only linebloom's policies can tell of a file of `rows`
// rewritten on `level`.
void AddRequest(const FamilyToRebuild& family,
                const rocksdb::BlockBasedTableOptions& table, int level,
                uint64_t rows, TargetFilter* target) {
  std::optional<NewFile> file;
  if (FindListener(family.options) != nullptr) {
    file = {.reason = rocksdb::TableFileCreationReason::kCompaction,
            .tree = family.tree,
            // In level 0 each file is a run of its own.
            .input_keys = level == 0 ? static_cast<double>(rows) : 0,
            .users_of = family.users_of,
            .level = level,
            .style = family.options.compaction_style};
  }
  const auto request = RequestFor(family.policy, table, file);
  target->wants_none = !request;
  if (!request) return;
  target->request = *request;
  const uint32_t millibits = target->request.millibits_per_key;
  target->may_shrink =
      file && IsAuto(family.policy) && CacheHoldsFilters(table);
  if (target->may_shrink) {
    // What makes up for other files moves by a bit, auto by half a bit.
    // Rejected: three quarters of the bits, which left files that read 2.3
    // times as much.
    target->keep_from_millibits = millibits - std::min(millibits, 1500u);
  } else if (file && IsLevelAware(family.policy)) {
    target->keep_from_millibits =
        std::min(millibits, RoundToMillibits(BitsPerKeyOf(family.policy)));
  } else if (target->request.line == LineKind::kPlain &&
             table.optimize_filters_for_memory) {
    target->keep_from_millibits = millibits * 3 / 4;  // rounded down
  }
}

}  // namespace

Evaluation Evaluate(const FileFacts& facts, const TargetFilter& target) {
  Evaluation evaluation = Expect(facts, target);
  const Case c = {facts, target, evaluation.rate_after};
  evaluation.rate_now = IsUnknownToPolicy(c) ? 1 : facts.rate;
  const auto* const rule = std::ranges::find_if(
      kRules, [&c](const Rule& each) { return each.applies(c); });
  if (rule != std::end(kRules)) evaluation.reason = rule->reason;
  evaluation.pays = evaluation.reason.has_value() &&
                    (FailsItsJob(*evaluation.reason) || LocksIn(c) ||
                     evaluation.rate_after < evaluation.rate_now);
  if (!evaluation.pays && target.may_shrink &&
      evaluation.bytes_after < kWorthShrinking * facts.bytes) {
    evaluation.reason = RebuildReason::kTooLarge;
    evaluation.pays = true;
  }
  return evaluation;
}

absl::string_view ToString(RebuildReason reason) {
  // In the order of RebuildReason.
  static constexpr absl::string_view kNames[] = {
      "no filter",      "other policy", "damaged filter", "other hash seed",
      "other prefixes", "worse rate",   "too large"};
  return kNames[static_cast<size_t>(reason)];
}

std::string ReadPolicy(FamilyToRebuild* family) {
  const rocksdb::BlockBasedTableOptions* const table =
      TableOptionsOf(family->options);
  if (table == nullptr) return "its tables have no filters";
  if (table->filter_policy == nullptr) {
    return "it has no filter policy; open the database with one";
  }
  if (!table->whole_key_filtering &&
      family->options.prefix_extractor == nullptr) {
    return "its filters hold nothing: whole_key_filtering is off and there is "
           "no prefix_extractor";
  }
  return IsLinebloom(table->filter_policy->Name())
             ? ReadOwnPolicy(*table->filter_policy, family)
             : ReadBuiltInPolicy(*table->filter_policy, family);
}

TargetFilter TargetOfFile(const FamilyToRebuild& family, int level,
                          uint64_t rows, bool nothing_below) {
  const rocksdb::BlockBasedTableOptions& table =
      *TableOptionsOf(family.options);
  const rocksdb::FilterBuildingContext context =
      ContextOf(family, level, nothing_below);
  TargetFilter target;
  target.policy_name = table.filter_policy->Name();
  target.whole_key_filtering = table.whole_key_filtering;
  if (family.options.prefix_extractor != nullptr) {
    target.prefix_extractor = family.options.prefix_extractor->AsString();
  }
  if (family.has_built_in_policy) {
    target.built_in_rate =
        RateOfBuiltIn(*table.filter_policy, context).value_or(1);
    target.leaves_gaps = LeavesGaps(*table.filter_policy, context);
  } else {
    AddRequest(family, table, level, rows, &target);
  }
  return target;
}

}  // namespace linebloom
