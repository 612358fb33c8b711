#include "filter_policy/rebuild/judgement.h"

#include <gtest/gtest.h>

#include "filter_policy/sizing/expected_rate.h"
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

TEST(JudgeTest, FiltersOfTodaysPolicyStay) {
  for (const Line line : {Line::kPlain, Line::kSolved}) {
    for (const uint32_t millibits : {1000u, 4500u, 10'000u, 30'000u}) {
      FileFacts facts = Linebloom(line, millibits);
      EXPECT_FALSE(Judge(facts, Wanted(line, millibits)).reason.has_value());
      // By chance, a small filter may be far worse than expected, and
      // rebuilding wouldn't help.
      facts.rate = 0.9;
      EXPECT_FALSE(
          Judge(facts, Wanted(line, millibits, 1e-9)).reason.has_value());
    }
  }
}

TEST(JudgeTest, AFileWithoutAFilterIsPoor) {
  const Verdict verdict = Judge(WithoutFilter(), Wanted());
  EXPECT_EQ(verdict.reason, RebuildReason::kNoFilter);
  EXPECT_TRUE(verdict.pays);
  EXPECT_NEAR(verdict.rate_after, ExpectedRate(Line::kSolved, 10'000, 51.2),
              1e-4);

  FileFacts obsolete = WithFilter(BlockKind::kEmpty, 1);
  obsolete.filter_kind = FilterKind::kObsoleteBlockBased;
  EXPECT_EQ(Judge(obsolete, Wanted()).reason, RebuildReason::kNoFilter);
}

TEST(JudgeTest, AFileWithNothingToFilterStays) {
  FileFacts ranges = WithoutFilter();
  ranges.properties.num_range_deletions = kRows;
  EXPECT_FALSE(Judge(ranges, Wanted()).reason.has_value());

  FileFacts prefixes = WithoutFilter();
  prefixes.properties.whole_key_filtering = false;
  EXPECT_EQ(Judge(prefixes, Wanted()).reason, RebuildReason::kNoFilter);
  prefixes.properties.filter_policy_name = "linebloom";
  WantedFilter of_prefixes = Wanted();
  of_prefixes.whole_key_filtering = false;
  EXPECT_FALSE(Judge(prefixes, of_prefixes).reason.has_value());
  // Its keys have no prefix, but they may have one under another extractor, and
  // they are whole keys.
  of_prefixes.prefix_extractor = "another";
  EXPECT_EQ(Judge(prefixes, of_prefixes).reason, RebuildReason::kNoFilter);
  EXPECT_EQ(Judge(prefixes, Wanted()).reason, RebuildReason::kNoFilter);

  EXPECT_FALSE(
      Judge(WithFilter(BlockKind::kEmpty, 0), Wanted()).reason.has_value());
}

TEST(JudgeTest, ForeignFilterIsPoorIfOursIsBetter) {
  for (const BlockKind kind : {BlockKind::kBloom, BlockKind::kRibbon,
                               BlockKind::kLegacyBloom, BlockKind::kReserved}) {
    const Verdict worse = Judge(WithFilter(kind, 0.0095), Wanted());
    EXPECT_EQ(worse.reason, RebuildReason::kForeignFilter);
    EXPECT_TRUE(worse.pays);
    const Verdict better = Judge(WithFilter(kind, 0.0012), Wanted());
    EXPECT_EQ(better.reason, RebuildReason::kForeignFilter);
    EXPECT_FALSE(better.pays);
  }
  FileFacts unknown = WithFilter(BlockKind::kEmpty, 1);
  unknown.family = "another.Policy";
  EXPECT_EQ(Judge(unknown, Wanted()).reason, RebuildReason::kForeignFilter);
}

TEST(JudgeTest, DamageIsPoorWhateverTheRate) {
  for (const BlockKind kind :
       {BlockKind::kUnusable, BlockKind::kInconsistent}) {
    EXPECT_EQ(Judge(WithFilter(kind, 1), Wanted()).reason,
              RebuildReason::kDamagedFilter);
  }
  FileFacts odd_rate = Linebloom(Line::kSolved, 20'000);
  odd_rate.problems.emplace_back("the rate is not that of the lines");
  EXPECT_EQ(Judge(odd_rate, Wanted()).reason, RebuildReason::kDamagedFilter);
  EXPECT_TRUE(Judge(odd_rate, Wanted()).pays);
  FileFacts mixed = Linebloom(Line::kSolved, 10'000);
  mixed.of_one_policy = false;  // one of several partitions
  EXPECT_EQ(Judge(mixed, Wanted()).reason, RebuildReason::kDamagedFilter);
}

TEST(JudgeTest, AnotherSeedIsPoorWhateverTheRate) {
  struct Case {
    uint64_t has;
    uint64_t wanted;
    bool poor;
  };
  for (const auto& [has, wanted, poor] :
       {Case{0, 0, false}, Case{7, 7, false}, Case{0, 7, true},
        Case{7, 0, true}, Case{8, 7, true}, Case{0, kRandomHashSeed, true},
        Case{7, kRandomHashSeed, false}}) {
    FileFacts facts = Linebloom(Line::kSolved, 20'000);
    facts.first.info.request.hash_seed = has;
    WantedFilter filter = Wanted();
    filter.request.hash_seed = wanted;
    const Verdict verdict = Judge(facts, filter);
    EXPECT_EQ(poor, verdict.reason == RebuildReason::kOtherHashSeed)
        << has << " " << wanted;
    EXPECT_EQ(poor, verdict.pays);
  }
}

TEST(JudgeTest, OnlyOlderVersionsArePoor) {
  FileFacts newer = WithFilter(BlockKind::kUnusable, 1);
  newer.first.info.version = kFilterBlockVersion + 1;
  newer.problems.emplace_back("the version is unknown");
  EXPECT_FALSE(Judge(newer, Wanted()).reason.has_value());

  FileFacts older = Linebloom(Line::kSolved, 10'000);
  older.rate *= 1.1;
  WantedFilter wanted = Wanted();
  wanted.version = kFilterBlockVersion + 1;
  EXPECT_EQ(Judge(older, wanted).reason, RebuildReason::kOlderVersion);
  EXPECT_TRUE(Judge(older, wanted).pays);
}

TEST(JudgeTest, PlainLinesArePoorIfThePolicySolves) {
  const FileFacts plain = Linebloom(Line::kPlain, 10'000);
  const Verdict verdict = Judge(plain, Wanted(Line::kSolved));
  EXPECT_EQ(verdict.reason, RebuildReason::kPlainLines);
  EXPECT_TRUE(verdict.pays);
  EXPECT_FALSE(Judge(Linebloom(Line::kSolved, 10'000), Wanted(Line::kPlain))
                   .reason.has_value());
  // With more bits than the policy has now, it is better left alone.
  EXPECT_FALSE(
      Judge(Linebloom(Line::kPlain, 20'000), Wanted(Line::kSolved)).pays);
}

// The way back: RocksDB's policies can't read linebloom's filters.
TEST(JudgeTest, LinebloomsFiltersArePoorUnderRocksDbsPolicies) {
  WantedFilter bloom;
  bloom.policy_name = "bloomfilter";
  bloom.built_in_rate = 0.01;
  FileFacts newer = WithFilter(BlockKind::kUnusable, 1);
  newer.first.info.version = kFilterBlockVersion + 1;
  newer.problems.emplace_back("the version is unknown");
  for (const FileFacts& facts : {Linebloom(Line::kSolved, 20'000),
                                 Linebloom(Line::kPlain, 8000), newer}) {
    const Verdict verdict = Judge(facts, bloom);
    EXPECT_EQ(verdict.reason, RebuildReason::kForeignFilter);
    EXPECT_EQ(verdict.rate_now, 1);
    EXPECT_EQ(verdict.rate_after, 0.01);
    EXPECT_TRUE(verdict.pays);
  }
  EXPECT_EQ(Judge(WithoutFilter(), bloom).reason, RebuildReason::kNoFilter);
  EXPECT_EQ(Judge(WithFilter(BlockKind::kInconsistent, 1), bloom).reason,
            RebuildReason::kDamagedFilter);
  // They read each other's, whatever the rate.
  for (const BlockKind kind :
       {BlockKind::kBloom, BlockKind::kRibbon, BlockKind::kLegacyBloom}) {
    const FileFacts facts = WithFilter(kind, 0.2);
    EXPECT_FALSE(Judge(facts, bloom).reason.has_value());
    EXPECT_EQ(Judge(facts, bloom).rate_now, 0.2);
    WantedFilter prefixes = bloom;
    prefixes.prefix_extractor = "another";
    EXPECT_EQ(Judge(facts, prefixes).reason, RebuildReason::kOtherPrefixes);
  }
  // A policy that builds no filter there improves nothing.
  bloom.built_in_rate = 1;
  EXPECT_FALSE(Judge(Linebloom(Line::kSolved, 10'000), bloom).pays);
}

TEST(JudgeTest, FewerBitsArePoorAboveTheWorstRate) {
  const FileFacts eight = Linebloom(Line::kSolved, 8'000);
  EXPECT_EQ(Judge(eight, Wanted()).reason, RebuildReason::kWorseRate);
  EXPECT_FALSE(
      Judge(eight, Wanted(Line::kSolved, 10'000, 0.5)).reason.has_value());
  // Hardly better: by default not worth rewriting.
  const FileFacts nearly = Linebloom(Line::kSolved, 9'900);
  EXPECT_FALSE(Judge(nearly, Wanted()).reason.has_value());
  EXPECT_EQ(Judge(nearly, Wanted(Line::kSolved, 10'000, 1e-9)).reason,
            RebuildReason::kWorseRate);
  // More bits than the policy has now.
  EXPECT_FALSE(Judge(Linebloom(Line::kSolved, 12'000),
                     Wanted(Line::kSolved, 10'000, 1e-9))
                   .reason.has_value());
}

}  // namespace
}  // namespace linebloom
