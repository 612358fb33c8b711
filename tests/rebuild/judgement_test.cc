#include "filter_policy/rebuild/judgement.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "filter_policy/sizing/sizing.h"
#include "linebloom/filter_policy.h"

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
  facts.family = "rocksdb.BuiltinBloomFilter";
  facts.first.kind = kind;
  facts.keys = kRows;
  facts.rate = rate;
  return facts;
}

FileFacts Linebloom(Line line, uint32_t millibits) {
  FileFacts facts =
      WithFilter(BlockKind::kLinebloom,
                 ExpectedRate(line, millibits, 512'000.0 / millibits));
  facts.first.info.request.line = line;
  facts.first.info.request.millibits_per_key = millibits;
  return facts;
}

WantedFilter Wanted(Line line = Line::kSolved, uint32_t millibits = 10'000,
                    double worst_rate = 0) {
  WantedFilter wanted;
  wanted.request.line = line;
  wanted.request.millibits_per_key = millibits;
  wanted.worst_rate = worst_rate;
  return wanted;
}

FileFacts WithSeed(uint64_t seed) {
  FileFacts facts = Linebloom(Line::kSolved, 20'000);
  facts.first.info.request.hash_seed = seed;
  return facts;
}

WantedFilter WantedSeed(uint64_t seed) {
  WantedFilter wanted = Wanted();
  wanted.request.hash_seed = seed;
  return wanted;
}

FileFacts WithPrefixes(const std::string& extractor, bool whole_keys = true) {
  FileFacts facts = Linebloom(Line::kSolved, 10'000);
  facts.properties.prefix_extractor_name = extractor;
  facts.properties.prefix_filtering = !extractor.empty();
  facts.properties.whole_key_filtering = whole_keys;
  return facts;
}

WantedFilter WantedPrefixes(const std::string& extractor,
                            bool whole_keys = true) {
  WantedFilter wanted = Wanted();
  wanted.prefix_extractor = extractor;
  wanted.whole_key_filtering = whole_keys;
  return wanted;
}

FileFacts Damaged(BlockKind kind) {
  FileFacts facts = WithFilter(kind, 1);
  facts.problems.emplace_back("a problem");
  return facts;
}

// Of a later release.
FileFacts Newer() {
  FileFacts facts = Damaged(BlockKind::kUnusable);
  facts.first.info.version = kFilterBlockVersion + 1;
  return facts;
}

FileFacts OfBytes(uint64_t bytes, uint32_t millibits) {
  FileFacts facts = Linebloom(Line::kSolved, millibits);
  facts.bytes = bytes;
  return facts;
}

// 10 bits per key, 125,000 bytes.
WantedFilter WithinBudget() {
  WantedFilter wanted = Wanted();
  wanted.has_budget = true;
  return wanted;
}

// One of RocksDB's policies.
WantedFilter WantedBloom(double rate = 0.01) {
  WantedFilter wanted;
  wanted.policy_name = "bloomfilter";
  wanted.built_in_rate = rate;
  return wanted;
}

constexpr auto kStays = std::nullopt;
constexpr auto kNoFilter = RebuildReason::kNoFilter;
constexpr auto kForeign = RebuildReason::kForeignFilter;
constexpr auto kDamaged = RebuildReason::kDamagedFilter;
constexpr auto kOtherSeed = RebuildReason::kOtherHashSeed;
constexpr auto kOtherPrefixes = RebuildReason::kOtherPrefixes;
constexpr auto kPlainLines = RebuildReason::kPlainLines;
constexpr auto kWorseRate = RebuildReason::kWorseRate;
constexpr auto kOverBudget = RebuildReason::kOverBudget;

struct Case {
  const char* what;
  FileFacts facts;
  WantedFilter wanted;
  std::optional<RebuildReason> reason;
  bool pays = true;  // if there is a reason
};

std::vector<Case> Cases() {
  const FileFacts none = WithoutFilter();
  const FileFacts solved = Linebloom(Line::kSolved, 10'000);
  FileFacts obsolete = WithFilter(BlockKind::kEmpty, 1);
  obsolete.filter_kind = FilterKind::kObsoleteBlockBased;
  FileFacts only_ranges = none;
  only_ranges.properties.num_range_deletions = kRows;
  FileFacts of_no_policy = none;
  of_no_policy.properties.whole_key_filtering = false;
  FileFacts no_prefixes = of_no_policy;
  no_prefixes.properties.filter_policy_name = "linebloom";
  FileFacts unknown = WithFilter(BlockKind::kEmpty, 1);
  unknown.family = "another.Policy";
  FileFacts odd_rate = Linebloom(Line::kSolved, 20'000);
  odd_rate.problems.emplace_back("the rate is not that of the lines");
  FileFacts mixed = solved;
  mixed.of_one_policy = false;
  FileFacts older = solved;
  older.rate *= 1.1;
  older.first.info.version = kFilterBlockVersion - 1;
  WantedFilter bloom_of_others = WantedBloom();
  bloom_of_others.prefix_extractor = "another";
  std::vector<Case> cases = {
      {"no filter", none, Wanted(), kNoFilter},
      {"an obsolete one", obsolete, Wanted(), kNoFilter},
      {"only range deletions", only_ranges, Wanted(), kStays},
      {"no keys", WithFilter(BlockKind::kEmpty, 0), Wanted(), kStays},
      {"no prefixes", no_prefixes, WantedPrefixes("", false), kStays},
      {"but other ones", no_prefixes, WantedPrefixes("two", false), kNoFilter},
      {"but whole keys", no_prefixes, Wanted(), kNoFilter},
      {"of no policy", of_no_policy, Wanted(), kNoFilter},

      {"another policy's", unknown, Wanted(), kForeign},
      {"unusable", Damaged(BlockKind::kUnusable), Wanted(), kDamaged},
      {"inconsistent", Damaged(BlockKind::kInconsistent), Wanted(), kDamaged},
      {"a problem, whatever the rate", odd_rate, Wanted(), kDamaged},
      {"partitions of several policies", mixed, Wanted(), kDamaged},
      {"a newer version", Newer(), Wanted(), kStays},
      {"an older version", older, Wanted(), RebuildReason::kOlderVersion},

      {"the same seed", WithSeed(7), WantedSeed(7), kStays},
      {"a seed", WithSeed(0), WantedSeed(7), kOtherSeed},
      {"no seed", WithSeed(7), WantedSeed(0), kOtherSeed},
      {"another seed", WithSeed(8), WantedSeed(7), kOtherSeed},
      {"a random seed", WithSeed(0), WantedSeed(kRandomHashSeed), kOtherSeed},
      {"any is random", WithSeed(7), WantedSeed(kRandomHashSeed), kStays},

      {"the same prefixes", WithPrefixes("one"), WantedPrefixes("one"), kStays},
      {"other prefixes", WithPrefixes("one"), WantedPrefixes("two"),
       kOtherPrefixes},
      {"prefixes", WithPrefixes(""), WantedPrefixes("one"), kOtherPrefixes},
      {"that no lookup needs", WithPrefixes("one"), Wanted(), kStays},
      {"whole keys", WithPrefixes("one", false), WantedPrefixes("one"),
       kOtherPrefixes},

      {"plain lines", Linebloom(Line::kPlain, 10'000), Wanted(), kPlainLines},
      {"of more bits", Linebloom(Line::kPlain, 20'000), Wanted(), kPlainLines,
       false},
      {"solved lines", solved, Wanted(Line::kPlain), kStays},
      {"fewer bits", Linebloom(Line::kSolved, 8'000), Wanted(), kWorseRate},
      {"within the rate", Linebloom(Line::kSolved, 8'000),
       Wanted(Line::kSolved, 10'000, 0.5), kStays},
      {"hardly fewer bits", Linebloom(Line::kSolved, 9'900), Wanted(), kStays},
      {"above the rate", Linebloom(Line::kSolved, 9'900),
       Wanted(Line::kSolved, 10'000, 1e-9), kWorseRate},
      {"more bits", Linebloom(Line::kSolved, 12'000),
       Wanted(Line::kSolved, 10'000, 1e-9), kStays},

      {"over budget", OfBytes(150'000, 12'000), WithinBudget(), kOverBudget},
      {"hardly over it", OfBytes(130'000, 10'400), WithinBudget(), kStays},
      {"without a budget", OfBytes(150'000, 12'000), Wanted(), kStays},
      {"worse, within a budget", OfBytes(100'000, 8000), WithinBudget(),
       kWorseRate},

      // The way back: RocksDB's policies can't read linebloom's filters.
      {"back from solved", Linebloom(Line::kSolved, 20'000), WantedBloom(),
       kForeign},
      {"back from plain", Linebloom(Line::kPlain, 8000), WantedBloom(),
       kForeign},
      {"back from a newer version", Newer(), WantedBloom(), kForeign},
      {"back to none", solved, WantedBloom(1), kForeign, false},
      {"no filter of Bloom's", none, WantedBloom(), kNoFilter},
      {"damage of Bloom's", Damaged(BlockKind::kInconsistent), WantedBloom(),
       kDamaged},
  };
  for (const BlockKind kind : {BlockKind::kBloom, BlockKind::kRibbon,
                               BlockKind::kLegacyBloom, BlockKind::kReserved}) {
    cases.push_back({"foreign", WithFilter(kind, 0.0095), Wanted(), kForeign});
    cases.push_back({"foreign and better", WithFilter(kind, 0.0012), Wanted(),
                     kForeign, false});
    if (kind == BlockKind::kReserved) continue;
    // They read each other's, whatever the rate.
    const FileFacts built_in = WithFilter(kind, 0.2);
    cases.push_back({"of RocksDB's", built_in, WantedBloom(), kStays});
    cases.push_back(
        {"of RocksDB's", built_in, bloom_of_others, kOtherPrefixes});
  }
  for (const Line line : {Line::kPlain, Line::kSolved}) {
    for (const uint32_t millibits : {1000u, 4500u, 10'000u, 30'000u}) {
      FileFacts today = Linebloom(line, millibits);
      cases.push_back({"today's", today, Wanted(line, millibits), kStays});
      // By chance, a small filter may be far worse than expected, and
      // rebuilding wouldn't help.
      today.rate = 0.9;
      cases.push_back(
          {"today's by chance", today, Wanted(line, millibits, 1e-9), kStays});
    }
  }
  return cases;
}

TEST(JudgeTest, HasTheReasonAndSaysWhetherItPays) {
  for (const Case& c : Cases()) {
    SCOPED_TRACE(c.what);
    const Verdict verdict = Judge(c.facts, c.wanted);
    EXPECT_EQ(verdict.reason, c.reason);
    EXPECT_EQ(verdict.pays, c.reason.has_value() && c.pays);
  }
}

TEST(JudgeTest, TellsTheRatesBeforeAndAfter) {
  EXPECT_NEAR(Judge(WithoutFilter(), Wanted()).rate_after,
              ExpectedRate(Line::kSolved, 10'000, 51.2), 1e-4);
  const Verdict back = Judge(Linebloom(Line::kSolved, 20'000), WantedBloom());
  EXPECT_EQ(back.rate_now, 1);
  EXPECT_EQ(back.rate_after, 0.01);
  EXPECT_EQ(Judge(WithFilter(BlockKind::kBloom, 0.2), WantedBloom()).rate_now,
            0.2);
}

}  // namespace
}  // namespace linebloom
