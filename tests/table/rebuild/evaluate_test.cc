#include "table/rebuild/evaluate.h"

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "filter_policy/bits/auto_bits.h"
#include "filter_policy/filter/sizing.h"
#include "filter_policy/policy/policy_options.h"
#include "linebloom/filter_policy.h"
#include "linebloom/level_size_listener.h"
#include "rocksdb/cache.h"
#include "rocksdb/filter_policy.h"
#include "rocksdb/table.h"
#include "tests/filter_policy/tree/filtered_files.h"

namespace linebloom {
namespace {

constexpr uint64_t kRows = 100'000;

FileFacts WithoutFilter() {
  FileFacts facts;
  facts.properties.num_entries = kRows;
  facts.properties.num_filter_entries = 0;
  facts.keys = 0;
  return facts;
}

FileFacts WithFilter(BlockKind kind, double rate) {
  FileFacts facts;
  facts.properties.num_entries = kRows;
  facts.filter_kind = FilterKind::kFull;
  facts.compatibility_name = "rocksdb.BuiltinBloomFilter";
  facts.first.kind = kind;
  facts.keys = kRows;
  facts.rate = rate;
  return facts;
}

FileFacts Linebloom(uint32_t millibits, uint64_t bytes = 0) {
  FileFacts facts = WithFilter(
      BlockKind::kLinebloom,
      ExpectedRate(LineKind::kSolved, millibits, 512'000.0 / millibits));
  facts.bytes = bytes;
  facts.first.info.request.millibits_per_key = millibits;
  return facts;
}

FileFacts WithSeed(uint64_t seed) {
  FileFacts facts = Linebloom(20'000);
  facts.first.info.request.hash_seed = seed;
  return facts;
}

FileFacts WithPrefixes(const std::string& extractor, bool whole_keys = true) {
  FileFacts facts = Linebloom(10'000);
  facts.properties.prefix_extractor_name = extractor;
  facts.properties.prefix_filtering = !extractor.empty();
  facts.properties.whole_key_filtering = whole_keys;
  return facts;
}

FileFacts Damaged(BlockKind kind) {
  FileFacts facts = WithFilter(kind, 1);
  facts.problems.emplace_back("a problem");
  return facts;
}

// Of plain lines.
FileFacts Bloom(uint32_t millibits) {
  FileFacts facts = WithFilter(
      BlockKind::kBloom,
      ExpectedRate(LineKind::kPlain, millibits, 512'000.0 / millibits));
  facts.bytes = uint64_t{kRows} * millibits / 8000;
  return facts;
}

// Of a later release.
FileFacts Newer() {
  FileFacts facts = Damaged(BlockKind::kUnusable);
  facts.first.info.version = kFilterBlockVersion + 1;
  return facts;
}

// Blocks of 50 keys, which have one line, the fewest.
FileFacts OfSmallBlocks(uint64_t blocks, uint64_t index_bytes) {
  FileFacts facts =
      Linebloom(10'000, blocks * (65 + kFilterBlockOverhead) + index_bytes);
  facts.blocks = blocks;
  facts.index_bytes = index_bytes;
  facts.keys = 50 * blocks;
  return facts;
}

// 10 bits per key, 125,000 bytes.
const TargetFilter kTarget;
const TargetFilter kTargetPlain = {.policy_name = kPlainPolicyName,
                                   .request = {.line = LineKind::kPlain}};
// Of solved lines, for a run with few bits.
const TargetFilter kTargetOfFewBits = {.request = {.line = LineKind::kPlain}};
const TargetFilter kInCache = {.may_shrink = true};

TargetFilter TargetSeed(uint64_t seed) {
  return {.request = {.hash_seed = seed}};
}

TargetFilter TargetPrefixes(const char* extractor, bool whole_keys = true) {
  return {.whole_key_filtering = whole_keys, .prefix_extractor = extractor};
}

// One of RocksDB's policies.
TargetFilter TargetBloom(double rate = 0.01) {
  return {.policy_name = "bloomfilter", .built_in_rate = rate};
}

constexpr auto kStays = std::nullopt;
using enum RebuildReason;

struct Case {
  const char* what;
  FileFacts facts;
  TargetFilter target;
  std::optional<RebuildReason> reason;
  bool pays = true;  // if there is a reason
};

std::vector<Case> Cases() {
  const FileFacts none = WithoutFilter();
  const FileFacts solved = Linebloom(10'000);
  FileFacts obsolete = WithFilter(BlockKind::kEmpty, 1);
  obsolete.filter_kind = FilterKind::kObsoleteBlockBased;
  FileFacts only_ranges = none;
  only_ranges.properties.num_range_deletions = kRows;
  FileFacts of_no_policy = none;
  of_no_policy.properties.whole_key_filtering = false;
  FileFacts no_prefixes = of_no_policy;
  no_prefixes.properties.filter_policy_name = "linebloom";
  FileFacts unknown = WithFilter(BlockKind::kEmpty, 1);
  unknown.compatibility_name = "another.Policy";
  FileFacts odd_rate = Linebloom(20'000);
  odd_rate.problems.emplace_back("the rate is not that of the lines");
  FileFacts mixed = solved;
  mixed.of_one_policy = false;
  std::vector<Case> cases = {
      {"no filter", none, kTarget, kNoFilter},
      {"an obsolete one", obsolete, kTarget, kNoFilter},
      {"only range deletions", only_ranges, kTarget, kStays},
      {"no keys", WithFilter(BlockKind::kEmpty, 0), kTarget, kStays},
      {"no prefixes", no_prefixes, TargetPrefixes("", false), kStays},
      {"but other ones", no_prefixes, TargetPrefixes("two", false), kNoFilter},
      {"but whole keys", no_prefixes, kTarget, kNoFilter},
      {"of no policy", of_no_policy, kTarget, kNoFilter},
      {"for none", of_no_policy, TargetPrefixes("", false), kNoFilter},

      {"another policy's", unknown, kTarget, kForeignFilter},
      {"unusable", Damaged(BlockKind::kUnusable), kTarget, kDamagedFilter},
      {"inconsistent", Damaged(BlockKind::kInconsistent), kTarget,
       kDamagedFilter},
      {"a problem, whatever the rate", odd_rate, kTarget, kDamagedFilter},
      {"partitions of several policies", mixed, kTarget, kDamagedFilter},
      {"a newer version", Newer(), kTarget, kStays},

      {"the same seed", WithSeed(7), TargetSeed(7), kStays},
      {"a seed", WithSeed(0), TargetSeed(7), kOtherHashSeed},
      {"no seed", WithSeed(7), TargetSeed(0), kOtherHashSeed},
      {"another seed", WithSeed(8), TargetSeed(7), kOtherHashSeed},
      {"a random seed", WithSeed(0), TargetSeed(kRandomHashSeed),
       kOtherHashSeed},
      {"any is random", WithSeed(7), TargetSeed(kRandomHashSeed), kStays},

      {"the same prefixes", WithPrefixes("one"), TargetPrefixes("one"), kStays},
      {"other prefixes", WithPrefixes("one"), TargetPrefixes("two"),
       kOtherPrefixes},
      {"prefixes", WithPrefixes(""), TargetPrefixes("one"), kOtherPrefixes},
      {"that no lookup needs", WithPrefixes("one"), kTarget, kStays},
      {"whole keys", WithPrefixes("one", false), TargetPrefixes("one"),
       kOtherPrefixes},

      {"back to plain lines", solved, kTargetPlain, kForeignFilter},
      {"more bits", solved, kTargetOfFewBits, kStays},
      {"plain lines of fewer bits", Bloom(8'000), kTargetPlain, kWorseRate},
      {"of more bits", Bloom(12'000), kTargetPlain, kStays},
      {"fewer bits", Linebloom(8'000), kTarget, kWorseRate},
      {"hardly fewer bits", Linebloom(9'900), kTarget, kStays},

      {"too large", Linebloom(12'000, 150'000), kInCache, kTooLarge},
      {"hardly too large", Linebloom(10'400, 130'000), kInCache, kStays},
      {"one line", OfSmallBlocks(1, 0), kInCache, kStays},
      {"one in each block", OfSmallBlocks(9, 400), kInCache, kStays},
      {"large, not in a cache", Linebloom(12'000, 150'000), kTarget, kStays},
      {"worse, in a cache", Linebloom(8000, 100'000), kInCache, kWorseRate},

      // The way back: RocksDB's policies can't read linebloom's filters.
      {"back from solved", Linebloom(20'000), TargetBloom(), kForeignFilter},
      {"back from a newer version", Newer(), TargetBloom(), kForeignFilter},
      {"back to none", solved, TargetBloom(1), kForeignFilter, false},
      {"no filter of Bloom's", none, TargetBloom(), kNoFilter},
      {"damage of Bloom's", Damaged(BlockKind::kInconsistent), TargetBloom(),
       kDamagedFilter},
  };
  for (const BlockKind kind : {BlockKind::kBloom, BlockKind::kRibbon,
                               BlockKind::kLegacyBloom, BlockKind::kReserved}) {
    cases.push_back(
        {"foreign", WithFilter(kind, 0.0095), kTarget, kForeignFilter});
    cases.push_back({"foreign and better", WithFilter(kind, 0.0012), kTarget,
                     kForeignFilter, false});
    if (kind == BlockKind::kReserved) continue;
    // They read each other's, whatever the rate.
    const FileFacts built_in = WithFilter(kind, 0.2);
    cases.push_back({"of RocksDB's", built_in, TargetBloom(), kStays});
    TargetFilter of_others = TargetBloom();
    of_others.prefix_extractor = "another";
    cases.push_back({"of RocksDB's", built_in, of_others, kOtherPrefixes});
  }
  for (const LineKind line : {LineKind::kPlain, LineKind::kSolved}) {
    for (const uint32_t millibits : {1000u, 4500u, 10'000u, 30'000u}) {
      FileFacts today =
          line == LineKind::kPlain ? Bloom(millibits) : Linebloom(millibits);
      const TargetFilter target = {
          .request = {.millibits_per_key = millibits, .line = line}};
      cases.push_back({"today's", today, target, kStays});
      // By chance, a small filter may be far worse than expected, and
      // rebuilding wouldn't help.
      today.rate = 0.9;
      cases.push_back({"today's by chance", today, target, kStays});
    }
  }
  return cases;
}

TEST(EvaluateTest, HasTheReasonAndSaysWhetherItPays) {
  for (const Case& c : Cases()) {
    SCOPED_TRACE(c.what);
    const Evaluation evaluation = Evaluate(c.facts, c.target);
    EXPECT_EQ(evaluation.reason, c.reason);
    EXPECT_EQ(evaluation.pays, c.reason.has_value() && c.pays);
  }
}

TEST(EvaluateTest, TellsTheRatesBeforeAndAfter) {
  EXPECT_NEAR(Evaluate(WithoutFilter(), kTarget).rate_after,
              ExpectedRate(LineKind::kSolved, 10'000, 51.2), 1e-4);
  EXPECT_EQ(Evaluate(Linebloom(20'000), TargetBloom()).rate_now, 1);
  const Evaluation stays =
      Evaluate(WithFilter(BlockKind::kBloom, 0.2), TargetBloom());
  EXPECT_EQ(stays.rate_now, 0.2);
  EXPECT_EQ(stays.rate_after, 0.01);
}

// An application's policy, with another's filters.
class OwnPolicy final : public rocksdb::FilterPolicy {
 public:
  explicit OwnPolicy(const rocksdb::FilterPolicy* policy) : policy_(policy) {}
  const char* Name() const override { return "own.Policy"; }
  const char* CompatibilityName() const override { return Name(); }
  rocksdb::FilterBitsBuilder* GetBuilderWithContext(
      const rocksdb::FilterBuildingContext& context) const override {
    return policy_->GetBuilderWithContext(context);
  }
  rocksdb::FilterBitsReader* GetFilterBitsReader(
      const rocksdb::Slice& contents) const override {
    return policy_->GetFilterBitsReader(contents);
  }

 private:
  const std::unique_ptr<const rocksdb::FilterPolicy> policy_;
};

std::string ReadAs(const rocksdb::FilterPolicy* policy,
                   FamilyToRebuild* family) {
  rocksdb::BlockBasedTableOptions table;
  table.filter_policy.reset(policy);
  family->options.table_factory.reset(
      rocksdb::NewBlockBasedTableFactory(table));
  return ReadPolicy(family);
}

TEST(ReadPolicyTest, FiltersDecideNotTheName) {
  FamilyToRebuild family;
  EXPECT_EQ(ReadAs(new OwnPolicy(rocksdb::NewBloomFilterPolicy(10)), &family),
            "");
  EXPECT_EQ(ReadAs(new OwnPolicy(NewFilterPolicy(10)), &family)
                .find("its filter policy is own.Policy"),
            0);
  // RocksDB lets some invalid options pass; filters have 10 bits then.
  EXPECT_EQ(ReadAs(NewFilterPolicy(1e300), &family), "");
  EXPECT_EQ(BitsPerKeyOf(family.policy), 10);
}

// Some files get more bits than the average, others less, and the average
// moves.
TEST(TargetOfFileTest, AutoLeavesFiltersThatLackABit) {
  rocksdb::BlockBasedTableOptions table;
  table.cache_index_and_filter_blocks = true;
  table.block_cache = rocksdb::NewLRUCache(1 << 21);
  table.filter_policy.reset(NewFilterPolicy(FilterPolicyOptions()));
  FamilyToRebuild family;
  family.options.listeners = {NewLevelSizeListener()};
  family.options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
  ASSERT_EQ(ReadPolicy(&family), "");
  family.tree = std::make_shared<TreeState>(TreeOf({{{.unknown = kRows}, 1}}));
  const auto files = std::make_shared<TreeState>();
  files->Add(FilteredFile(1e6), 6);
  family.users_of = [&](auto&&...) { return UsersOf(files, {0.02, 0.02}); };
  const TargetFilter target = TargetOfFile(family, 1, kRows, true);
  const uint32_t millibits = target.request.millibits_per_key;
  EXPECT_GT(millibits, 3000u);
  EXPECT_LT(millibits, 9000u);
  for (const int more : {-1250, -500, -250, 250}) {
    EXPECT_EQ(Evaluate(Linebloom(millibits + more), target).reason, kStays)
        << more;
  }
  EXPECT_EQ(Evaluate(Linebloom(millibits - 1750), target).reason, kWorseRate);
  table.optimize_filters_for_memory = true;  // rounds plain lines down alone
  table.cache_index_and_filter_blocks = false;
  family.options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
  EXPECT_FALSE(TargetOfFile(family, 1, kRows, true).may_shrink);
  family.policy.bits_per_key = 10;
  EXPECT_EQ(TargetOfFile(family, 1, kRows, true).keep_from_millibits, 0u);
  family.policy.line = LineKind::kPlain;
  EXPECT_EQ(TargetOfFile(family, 1, kRows, true).keep_from_millibits, 7500u);
}

}  // namespace
}  // namespace linebloom
