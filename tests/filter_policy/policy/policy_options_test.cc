// What the policy's options mean, and which are refused.
#include "filter_policy/policy/policy_options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <optional>
#include <random>
#include <regex>
#include <set>
#include <utility>

#include "filter_policy/filter/sizing.h"
#include "rocksdb/cache.h"
#include "rocksdb/convenience.h"
#include "tests/filter_policy/ignored_case.h"
#include "tests/filter_policy/policy/filter_bits.h"
#include "tests/filter_policy/tree/filtered_files.h"
#include "tests/temporary_folder.h"

namespace linebloom {
namespace {

using rocksdb::FilterPolicy;
using rocksdb::Status;
using testing::HasSubstr;

using PolicyPtr = std::shared_ptr<const FilterPolicy>;

// A filter built by the policy reveals its options.
FilterBlockInfo InfoOfFilter(const FilterPolicy& policy) {
  return InfoOf(BuildBlock(policy, NumberedKeys("key", 100)));
}

Status Create(const std::string& text, PolicyPtr* policy) {
  RegisterFilterPolicy();
  rocksdb::ConfigOptions config;
  config.ignore_unsupported_options = false;
  return FilterPolicy::CreateFromString(config, text, policy);
}

PolicyPtr MustCreate(const std::string& text) {
  PolicyPtr policy;
  const Status status = Create(text, &policy);
  EXPECT_TRUE(status.ok()) << text << ": " << status.ToString();
  return policy;
}

bool AreEquivalent(const FilterPolicy& a, const FilterPolicy& b) {
  std::string mismatch;
  return a.AreEquivalent(rocksdb::ConfigOptions(), &b, &mismatch);
}

TEST(PolicyStringTest, MeansTheseOptions) {
  struct Case {
    const char* text;
    const char* id;
    FilterPolicyOptions options;
  };
  const Case cases[] = {
      {"linebloom", "linebloom", {}},
      {"linebloom:auto", "linebloom", {}},
      {"linebloom:10", "linebloom:10", {10}},
      {"linebloom:7.25", "linebloom:7.25", {7.25}},
      {"linebloom:10.0006", "linebloom:10.001", {10.0006}},
      {"{id=linebloom}", "linebloom", {}},
      {"{id=linebloom:10;bits_per_key=auto}", "linebloom", {}},
      {"id=linebloom:3", "linebloom:3", {3}},
      {"{id=linebloom;bits_per_key=3;}", "linebloom:3", {3}},
      {"id=linebloom;bits_per_key=3;line=plain",
       "linebloom:plain:3",
       {3, LineKind::kPlain}},
      {"linebloom:plain", "linebloom:plain", PlainLines()},
      {"linebloom:plain:10", "linebloom:plain:10", {10, LineKind::kPlain}},
      {"linebloom:plain:rate:0.02",
       "linebloom:plain:rate:0.02",
       {.line = LineKind::kPlain, .false_positive_rate = 0.02}},
      {"{id=linebloom:plain;line=solved}", "linebloom", {}},
      {"{id=linebloom;line=solved;hash_seed=18446744073709551614}",
       "linebloom",
       {.hash_seed = ~uint64_t{1}}},
      {"{id=linebloom;hash_seed=0x10}", "linebloom", {.hash_seed = 16}},
      {"{id=linebloom;hash_seed=0XfF}", "linebloom", {.hash_seed = 255}},
      {"{id=linebloom;hash_seed=random}",
       "linebloom",
       {.hash_seed = kRandomHashSeed}},
      {"linebloom:rate:0.02",
       "linebloom:rate:0.02",
       {.false_positive_rate = 0.02}},
      {"{id=linebloom;false_positive_rate=0.02}",
       "linebloom:rate:0.02",
       {.false_positive_rate = 0.02}},
      {"{id=linebloom;level_aware=1}", "linebloom", {.level_aware = true}},
  };
  std::set<std::string> texts;
  for (const auto& [text, id, options] : cases) {
    SCOPED_TRACE(text);
    const PolicyPtr policy = MustCreate(text);
    const PolicyPtr same(NewFilterPolicy(options));
    EXPECT_STREQ(
        options.line == LineKind::kPlain ? "linebloom:plain" : "linebloom",
        policy->Name());
    EXPECT_EQ(id, policy->GetId());
    EXPECT_EQ(same->ToString({}), policy->ToString({}));
    EXPECT_TRUE(AreEquivalent(*same, *policy));
    texts.insert(policy->ToString({}));
    const FilterRequest request = InfoOfFilter(*policy).request;
    EXPECT_EQ(options.line, request.line);
    EXPECT_EQ(options.level_aware, request.level_aware);
    EXPECT_EQ(0, request.false_positive_rate);
    if (options.line == LineKind::kSolved) {
      EXPECT_EQ(RoundToMillibits(BitsPerKeyOf(options)),
                request.millibits_per_key);
    }
    if (options.hash_seed == kRandomHashSeed) continue;
    EXPECT_EQ(options.hash_seed, request.hash_seed);
  }
  EXPECT_EQ(15u, texts.size());  // and all others are different
  EXPECT_FALSE(
      AreEquivalent(*MustCreate("linebloom:9"), *MustCreate("linebloom:10")));
}

// Whatever parses can be printed, parsed again and built with.
TEST(PolicyStringTest, WhatParsesPrintsItselfAndBuilds) {
  const std::pair<const char*, std::vector<const char*>> options[] = {
      {"bits_per_key", {"unset", "auto", "0.5", "3.125", "20.5", "30", "31"}},
      {"false_positive_rate", {"unset", "0.02", "0.003", "0.1", "1e-300"}},
      {"level_aware", {"true", "false"}},
      {"line", {"plain", "solved"}},
      {"hash_seed", {"0", "1", "random", "0xfffffffffffffffe"}}};
  const std::vector<std::string> keys = NumberedKeys("key", 100);
  std::mt19937_64 random(1);
  int parsed = 0;
  for (int i = 0; i < 2000; ++i) {
    std::string text = "{id=linebloom;";
    for (const auto& [name, values] : options) {
      if (random() % 2 == 0) continue;
      text.append(name).append("=");
      text.append(values[random() % values.size()]).append(";");
    }
    SCOPED_TRACE(text += "}");
    PolicyPtr policy;
    if (const Status status = Create(text, &policy); !status.ok()) {
      EXPECT_TRUE(status.IsInvalidArgument()) << status.ToString();
      continue;
    }
    ++parsed;
    const PolicyPtr again = MustCreate(policy->ToString({}));
    ASSERT_NE(nullptr, again);
    EXPECT_TRUE(AreEquivalent(*policy, *again)) << policy->ToString({});
    EXPECT_EQ(policy->GetId(), again->GetId());
    EXPECT_EQ(policy->GetId(), MustCreate(policy->GetId())->GetId());
    const std::string block = BuildBlock(*policy, keys);
    const auto reader = NewReader(*again, block);
    for (const std::string& key : keys) ASSERT_TRUE(reader->MayMatch(key));
  }
  EXPECT_GT(parsed, 500);
}

TEST(ParseFilterPolicyOptionsTest, UnnamedOptionsKeepTheirValues) {
  FilterPolicyOptions options = {7};
  EXPECT_TRUE(ParseFilterPolicyOptions("linebloom", &options).ok());
  EXPECT_TRUE(
      ParseFilterPolicyOptions("{level_aware=true;hash_seed=3}", &options)
          .ok());
  EXPECT_TRUE(ParseFilterPolicyOptions("bits_per_key=2.25", &options).ok());
  // Nor does a text that is refused change anything.
  const std::pair<const char*, const char*> refused[] = {
      {"bits_per_key=3;line=huge", "line=huge"},
      {"bits_per_key=3;rubbish", "'=' expected"},
      {"", "must be linebloom, linebloom:BITS or linebloom:rate:RATE"},
      {"linebloomy", "'linebloomy': must be linebloom"},
      {"bloomfilter:10:false", "'bloomfilter:10:false'"},
      {"{id=ribbonfilter:10;bits_per_key=3}", "'ribbonfilter:10'"}};
  for (const auto& [text, error] : refused) {
    EXPECT_THAT(ParseFilterPolicyOptions(text, &options).ToString(),
                HasSubstr(error));
  }
  EXPECT_EQ(2.25, options.bits_per_key);
  EXPECT_TRUE(options.level_aware);
  EXPECT_EQ(3u, options.hash_seed);
}

TEST(ParseFilterPolicyOptionsTest, RefusesValuesOutOfRange) {
  const struct {
    const char* option;
    const char* range;
    std::vector<const char*> values;
  } all[] = {
      {"bits_per_key",
       "auto, or a number from 0 to 30",
       {"", "-1", "30.001", "1e99", "nan", "ten", "Auto", "0.1x", "10 bits"}},
      {"false_positive_rate",
       "a number more than 0 and less than 1",
       {"", "0", "1", "-0.1", "1%", "nan"}},
      {"level_aware", "true or false, 1 or 0", {"", "yes", "2"}},
      {"line", "solved or plain", {"", "slow", "PLAIN", "searched"}},
      {"hash_seed",
       "random, or a whole number from 0 to 2^64 - 2",
       {"", "-1", "ff", "0x", "0x-1", "0x7g", "1e3", "Random",
        "0xffffffffffffffff", "0x10000000000000000", "18446744073709551615",
        "18446744073709551616"}},
      {"false_positive_rate", "the rate of 30 bits per key", {"1e-12"}},
      {"level_aware=true;bits_per_key", "a number from 1 to 30", {"0.9"}},
      {"bits_per_key=12;false_positive_rate", "only one of the two", {"0.01"}},
      {"line=plain;hash_seed", "whose blocks have no room", {"3", "random"}},
      {"bits_per_key=2;hash_seed", "whose blocks have no room", {"3"}},
  };
  for (const auto& [option, range, values] : all) {
    for (const char* const value : values) {
      const std::string text = std::string(option) + "=" + value;
      FilterPolicyOptions options;
      const std::string error =
          ParseFilterPolicyOptions(text, &options).ToString();
      EXPECT_THAT(error, HasSubstr(range)) << text;
      EXPECT_THAT(error, HasSubstr(text.substr(text.rfind(';') + 1)));
    }
  }
}

// As the parser has them.
TEST(OptionsPageTest, HasNamesDefaultsAndRanges) {
  const std::string page = ReadFileBytes(LINEBLOOM_DOCS_DIR "/options.md");
  for (const auto& [name, option] : FilterPolicyOptionTypes()) {
    FilterPolicyOptions options;
    std::string value;
    EXPECT_TRUE(option.Serialize({}, name, &options, &value).ok());
    const std::string error = option.Parse({}, name, "?", &options).ToString();
    const std::string range = error.substr(error.rfind("must be ") + 8);
    EXPECT_THAT(page, HasSubstr("\n| `" + name + "` | `" + value + "` | " +
                                range + " | "));
  }
  // And no others.
  const std::regex row("\n\\| `\\w+` \\| `\\w+` \\| ");
  EXPECT_EQ(FilterPolicyOptionTypes().size(),
            std::distance(std::sregex_iterator(page.begin(), page.end(), row),
                          std::sregex_iterator()));
}

TEST(PolicyOptionsTest, FewBitsMeanNoFilterOrOneBit) {
  for (const auto& [bits, millibits] :
       {std::pair(0.0, 0u), std::pair(0.4999, 0u), std::pair(0.5, 1000u),
        std::pair(9.585, 9585u), std::pair(10.0006, 10'001u),
        // Those out of range.
        std::pair(-3.0, 10'000u), std::pair(std::nan(""), 10'000u),
        std::pair(31.0, 10'000u)}) {
    const auto policy = MakePolicy({bits});
    const bool builds = NewBuilder(*policy) != nullptr;
    EXPECT_EQ(millibits > 0, builds) << bits;
    // One bit per key makes a plain line, which doesn't say so.
    if (!builds || millibits < kMinSolvedMillibits) continue;
    EXPECT_EQ(millibits, InfoOfFilter(*policy).request.millibits_per_key)
        << bits;
  }
}

// The rate ends here: files of any size get the bits of a large filter, and
// those of 10,000 keys come within 3 % of it.
TEST(PolicyOptionsTest, ARateStandsForBits) {
  for (const double rate : {0.2, 0.01, 0.001}) {
    const auto policy = MakePolicy({.false_positive_rate = rate});
    const std::string block = BuildBlock(*policy, NumberedKeys("key", 10'000));
    EXPECT_NEAR(1, InfoOf(block).expected_false_positive_rate / rate, 0.03);
  }
  for (const LineKind line : {LineKind::kSolved, LineKind::kPlain}) {
    const FilterPolicyOptions options = {.line = line,
                                         .false_positive_rate = 0.01};
    EXPECT_TRUE(Validate(options).ok());
    const double bits = BitsPerKeyOf(options);
    EXPECT_NEAR(bits, line == LineKind::kSolved ? 7.0 : 9.9, 0.2);
    EXPECT_EQ(RequestFor({bits, line}, {}, {}), RequestFor(options, {}, {}));
  }
}

TEST(PolicyOptionsTest, InPlaceOfInvalidOptions) {
  const FilterPolicyOptions valid = InPlaceOf(
      {.bits_per_key = 31, .line = static_cast<LineKind>(77), .hash_seed = 3});
  EXPECT_TRUE(Validate(valid).ok());
  EXPECT_EQ(IdOf(valid), "linebloom:10");
  EXPECT_EQ(valid.hash_seed, 3u);
  const FilterPolicyOptions canonical = {
      .line = LineKind::kPlain, .canonical_key = std::make_shared<LowerCase>()};
  EXPECT_THAT(Validate(canonical).ToString(),
              HasSubstr("line=plain and canonical_key: plain lines are"));
  EXPECT_EQ(LineKind::kSolved, InPlaceOf(canonical).line);
  for (const char* name : {static_cast<const char*>(nullptr), ""}) {
    const auto unnamed = std::make_shared<OneCase>(name, nullptr);
    EXPECT_THAT(Validate({.canonical_key = unnamed}).ToString(),
                HasSubstr("canonical_key"));
  }
  EXPECT_THAT(Validate({-0.0001}).ToString(), HasSubstr("-1e-04"));
  EXPECT_TRUE(Validate({.bits_per_key = 0, .hash_seed = 3}).ok());
}

// Without facts of the tree, whatever the cache.
TEST(PolicyOptionsTest, AutoIsTenBitsByLevelOutsideTheBlockCache) {
  const auto tree = std::make_shared<TreeState>();
  tree->Add({.unknown = 1e5}, 1);
  tree->Add({.unknown = 1e6}, 2);
  const NewFile file = {.tree = tree, .level = 1};
  const auto request = RequestFor({}, {}, file);
  EXPECT_EQ(request,
            RequestFor({.bits_per_key = 10, .level_aware = true}, {}, file));
  EXPECT_GT(request->millibits_per_key, 11'000u);
  EXPECT_EQ(RequestFor({10}, {}, {}), RequestFor({}, {}, {}));
}

TEST(PolicyOptionsTest, AutoKnowsRunsAndFlushes) {
  rocksdb::BlockBasedTableOptions table;
  table.cache_index_and_filter_blocks = true;
  table.block_cache = rocksdb::NewLRUCache(1 << 20);
  const auto tree =
      std::make_shared<TreeState>(TreeOf({{FilteredFile(1e4), 1},
                                          {FilteredFile(1e5), 2},
                                          {FilteredFile(1e6), 3}}));
  NewFile file = {.tree = tree};
  file.users_of = [&](auto&&...) { return UsersOf(tree, {0.99, 1}); };
  double average = 0;
  const auto bits_of = [&](int level) {
    file.level = level;
    std::optional<AutoBits> chosen;
    const auto request = RequestFor({}, table, file, &chosen);
    average = chosen.value().average_bits;
    return request ? request->millibits_per_key / 1000.0 : 0;
  };
  const double first = bits_of(1);
  const double second = bits_of(2);
  const double third = bits_of(3);
  EXPECT_NEAR(3.9, first - second, 0.6);
  // The last run makes up for its old files.
  EXPECT_GT(second - third, 3.9);
  EXPECT_GT(average, third);
  EXPECT_GT(third, 0);
  // Whatever is unknown.
  file.tree = nullptr;
  EXPECT_GT(bits_of(3), 0);
  EXPECT_NEAR(average, bits_of(3), 0.01);
  file.tree = std::make_shared<TreeState>(TreeOf({{FilteredFile(1e5), 0}}));
  EXPECT_GT(bits_of(0), 0);
  // Nothing rewrites flushes while their tree grows: at most Bloom's bits.
  table.block_cache = rocksdb::NewLRUCache(1 << 20);
  file.users_of = [&](auto&&...) { return UsersOf(file.tree, {0, 0}); };
  EXPECT_LE(1.2e4, RequestFor({}, table, file)->millibits_per_key);
  file.reason = rocksdb::TableFileCreationReason::kFlush;
  EXPECT_NEAR(1e4, RequestFor({}, table, file)->millibits_per_key, 100);
}

}  // namespace
}  // namespace linebloom
