#include "filter_policy/rocksdb/policy_options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <set>
#include <utility>

#include "filter_policy/filter/filter_block.h"
#include "rocksdb/convenience.h"
#include "rocksdb/table.h"
#include "tests/filter_policy/rocksdb/filter_bits.h"

namespace linebloom {
namespace {

using rocksdb::ConfigOptions;
using rocksdb::FilterPolicy;
using rocksdb::Status;
using testing::HasSubstr;

// A filter built by the policy reveals its options.
FilterBlockInfo InfoOf(const FilterPolicy& policy) {
  const std::string block = BuildBlock(policy, NumberedKeys("key", 100));
  return ParseFilter(block.data(), block.size()).info;
}

class PolicyStringTest : public testing::Test {
 protected:
  void SetUp() override { RegisterFilterPolicy(); }

  static Status Create(const std::string& text,
                       std::shared_ptr<const FilterPolicy>* policy) {
    ConfigOptions config;
    config.ignore_unsupported_options = false;
    return FilterPolicy::CreateFromString(config, text, policy);
  }

  static std::shared_ptr<const FilterPolicy> MustCreate(
      const std::string& text) {
    std::shared_ptr<const FilterPolicy> policy;
    const Status status = Create(text, &policy);
    EXPECT_TRUE(status.ok()) << text << ": " << status.ToString();
    return policy;
  }

  static Status Refused(const std::string& text) {
    std::shared_ptr<const FilterPolicy> policy;
    const Status status = Create(text, &policy);
    EXPECT_TRUE(status.IsInvalidArgument())
        << text << ": " << status.ToString();
    return status;
  }
};

TEST_F(PolicyStringTest, ShortForms) {
  EXPECT_EQ(10000u, InfoOf(*MustCreate("linebloom")).request.millibits_per_key);
  EXPECT_EQ(12000u,
            InfoOf(*MustCreate("linebloom:12")).request.millibits_per_key);
  EXPECT_EQ(7250u,
            InfoOf(*MustCreate("linebloom:7.25")).request.millibits_per_key);
}

TEST_F(PolicyStringTest, LongForm) {
  const auto policy = MustCreate(
      "{id=linebloom;bits_per_key=16;line=plain;"
      "hash_seed=18446744073709551614}");
  EXPECT_STREQ("linebloom", policy->Name());
  EXPECT_EQ("linebloom:16", policy->GetId());
  const FilterBlockInfo info = InfoOf(*policy);
  EXPECT_EQ(16000u, info.request.millibits_per_key);
  EXPECT_EQ(Line::kPlain, info.request.line);
  EXPECT_EQ(~uint64_t{1}, info.request.hash_seed);
}

TEST_F(PolicyStringTest, ARateInsteadOfBits) {
  for (const char* text :
       {"linebloom:rate:0.02", "{id=linebloom;false_positive_rate=0.02}"}) {
    const auto policy = MustCreate(text);
    EXPECT_EQ("linebloom:rate:0.02", policy->GetId());
    EXPECT_EQ(0.02F, InfoOf(*policy).request.false_positive_rate);
  }
}

TEST_F(PolicyStringTest, EveryLine) {
  const std::pair<const char*, Line> all[] = {{"solved", Line::kSolved},
                                              {"plain", Line::kPlain}};
  for (const auto& [name, kind] : all) {
    const auto policy =
        MustCreate(std::string("{id=linebloom;line=") + name + "}");
    EXPECT_EQ(kind, InfoOf(*policy).request.line);
    EXPECT_THAT(policy->ToString(ConfigOptions()),
                HasSubstr(std::string("line=") + name + ";"));
  }
}

TEST_F(PolicyStringTest, BooleansAndSeedsInEveryForm) {
  const std::pair<const char*, bool> booleans[] = {
      {"1", true}, {"true", true}, {"0", false}, {"false", false}};
  for (const auto& [text, on] : booleans) {
    EXPECT_EQ(on, InfoOf(*MustCreate(std::string("{id=linebloom;level_aware=") +
                                     text + "}"))
                      .request.level_aware);
  }
  const std::pair<const char*, uint64_t> seeds[] = {
      {"0x10", 16}, {"0XfF", 255}, {"16", 16}, {"0xfffffffffffffffe", ~1ULL}};
  for (const auto& [text, seed] : seeds) {
    const auto policy =
        MustCreate(std::string("{id=linebloom;hash_seed=") + text + "}");
    EXPECT_EQ(seed, InfoOf(*policy).request.hash_seed);
    EXPECT_THAT(policy->ToString(ConfigOptions()),
                HasSubstr("hash_seed=" + std::to_string(seed) + ";"));
  }
}

TEST_F(PolicyStringTest, ARandomSeedIsAnotherOneForEachFilter) {
  const auto policy = MustCreate("{id=linebloom;hash_seed=random}");
  EXPECT_THAT(policy->ToString(ConfigOptions()),
              HasSubstr("hash_seed=random;"));
  std::set<uint64_t> seeds;
  for (int i = 0; i < 100; ++i) seeds.insert(InfoOf(*policy).request.hash_seed);
  EXPECT_EQ(100u, seeds.size());
  EXPECT_EQ(0u, seeds.count(0));
  EXPECT_EQ(0u, seeds.count(kRandomHashSeed));
  // As an OPTIONS file has it.
  const auto again = MustCreate(policy->ToString(ConfigOptions()));
  std::string mismatch;
  EXPECT_TRUE(policy->AreEquivalent(ConfigOptions(), again.get(), &mismatch));
  EXPECT_EQ(0u, seeds.count(InfoOf(*again).request.hash_seed));
  EXPECT_FALSE(policy->AreEquivalent(
      ConfigOptions(), MustCreate("linebloom:10").get(), &mismatch));
}

TEST_F(PolicyStringTest, SerializedOptionsRoundTrip) {
  for (const char* text :
       {"linebloom:10", "linebloom:3.125",
        "{id=linebloom;bits_per_key=20.5;line=plain;hash_seed=77}",
        "linebloom:rate:0.02", "{id=linebloom;false_positive_rate=0.003}",
        "{id=linebloom;level_aware=true;size_ratio=8}",
        "{id=linebloom;heat_aware=true;heat_half_life=3600}",
        "{id=linebloom;false_positive_rate=0.1;level_aware=true}"}) {
    const auto policy = MustCreate(text);
    const std::string serialized = policy->ToString(ConfigOptions());
    const auto again = MustCreate(serialized);
    EXPECT_EQ(InfoOf(*policy), InfoOf(*again)) << serialized;
    std::string mismatch;
    EXPECT_TRUE(policy->AreEquivalent(ConfigOptions(), again.get(), &mismatch))
        << mismatch;
  }
}

TEST_F(PolicyStringTest, DifferentOptionsAreNotEquivalent) {
  const auto policy = MustCreate("linebloom:10");
  for (const char* text :
       {"linebloom:11", "{id=linebloom;line=plain}",
        "{id=linebloom;hash_seed=1}", "linebloom:rate:0.01",
        "{id=linebloom;level_aware=true}", "{id=linebloom;size_ratio=4}"}) {
    std::string mismatch;
    EXPECT_FALSE(policy->AreEquivalent(ConfigOptions(), MustCreate(text).get(),
                                       &mismatch))
        << text;
  }
}

TEST_F(PolicyStringTest, BitsOutOfRange) {
  for (const char* bits : {"30.001", "-1", "1e9", "nan", "", "ten", "10x"}) {
    EXPECT_THAT(Refused(std::string("{id=linebloom;bits_per_key=") + bits + "}")
                    .ToString(),
                HasSubstr(std::string("bits_per_key=") + bits +
                          ": must be a number from 0 to 30"));
    EXPECT_THAT(Refused(std::string("linebloom:") + bits).ToString(),
                HasSubstr("must be a number from 0 to 30"));
  }
}

TEST_F(PolicyStringTest, UnknownLineAndBadSeed) {
  EXPECT_THAT(Refused("{id=linebloom;line=searched}").ToString(),
              HasSubstr("line=searched: must be solved or plain"));
  for (const char* seed :
       {"-1", "0x", "0x-1", "0x10000000000000000", "1e3", "ff", "", "Random",
        "0xffffffffffffffff", "18446744073709551615"}) {
    EXPECT_THAT(Refused(std::string("{id=linebloom;hash_seed=") + seed + "}")
                    .ToString(),
                HasSubstr(std::string("hash_seed=") + seed +
                          ": must be random, or a whole number from 0"));
  }
}

TEST_F(PolicyStringTest, UnknownOptionIsAnError) {
  std::shared_ptr<const FilterPolicy> policy;
  const Status status = Create("{id=linebloom;bits_per_kay=10}", &policy);
  EXPECT_FALSE(status.ok());
  EXPECT_THAT(status.ToString(), HasSubstr("bits_per_kay"));
}

TEST(ParseFilterPolicyOptionsTest, EveryForm) {
  for (const char* text :
       {"linebloom:12", "bits_per_key=12", "{bits_per_key=12}",
        "id=linebloom;bits_per_key=12", "{id=linebloom:12;hash_seed=0}"}) {
    FilterPolicyOptions options;
    const Status status = ParseFilterPolicyOptions(text, &options);
    EXPECT_TRUE(status.ok()) << text << ": " << status.ToString();
    EXPECT_EQ(12, options.bits_per_key) << text;
    EXPECT_EQ(Line::kSolved, options.line) << text;
  }
}

TEST(ParseFilterPolicyOptionsTest, UnnamedOptionsKeepTheirValues) {
  FilterPolicyOptions options;
  options.bits_per_key = 7;
  EXPECT_TRUE(ParseFilterPolicyOptions("linebloom", &options).ok());
  EXPECT_TRUE(
      ParseFilterPolicyOptions("{line=plain;hash_seed=3}", &options).ok());
  EXPECT_EQ(7, options.bits_per_key);
  EXPECT_EQ(Line::kPlain, options.line);
  EXPECT_EQ(3u, options.hash_seed);
}

TEST(ParseFilterPolicyOptionsTest, InvalidTextIsExplainedAndChangesNothing) {
  const std::pair<const char*, const char*> wrong[] = {
      {"",
       "must be linebloom, linebloom:BITS, linebloom:rate:RATE or "
       "linebloom:budget:BYTES"},
      {"linebloomy", "'linebloomy': must be linebloom"},
      {"linebloom:", "bits_per_key=: must be a number from 0 to 30"},
      {"linebloom:31", "bits_per_key=31: must be"},
      {"bloomfilter:10:false", "'bloomfilter:10:false': must be linebloom"},
      {"{id=ribbonfilter:10;bits_per_key=3}", "'ribbonfilter:10'"},
      {"bits_per_key=3;line=huge", "line=huge: must be solved or plain"},
      {"bits_per_key=3;bits_per_kay=10", "bits_per_kay"},
      {"bits_per_key=3;rubbish", "'=' expected"},
  };
  for (const auto& [text, message] : wrong) {
    FilterPolicyOptions options;
    const Status status = ParseFilterPolicyOptions(text, &options);
    EXPECT_THAT(status.ToString(), HasSubstr(message)) << text;
    EXPECT_FALSE(options.bits_per_key.has_value()) << text;
  }
}

TEST(PolicyOptionsTest, FewBitsMeanNoFilterOrOneBit) {
  const auto builder_for = [](double bits) {
    const std::unique_ptr<const FilterPolicy> policy(NewFilterPolicy(bits));
    return NewBuilder(*policy);
  };
  EXPECT_EQ(nullptr, builder_for(0));
  EXPECT_EQ(nullptr, builder_for(0.49));
  EXPECT_NE(nullptr, builder_for(0.5));
  const std::unique_ptr<const FilterPolicy> policy(NewFilterPolicy(0.5));
  EXPECT_EQ(1000u, InfoOf(*policy).request.millibits_per_key);
}

TEST(PolicyOptionsTest, ValidateNamesOptionValueAndRange) {
  FilterPolicyOptions options;
  EXPECT_TRUE(Validate(options).ok());
  options.bits_per_key = 30.5;
  EXPECT_THAT(Validate(options).ToString(),
              HasSubstr("bits_per_key=30.5: must be a number from 0 to 30"));
  options.bits_per_key = std::nan("");
  EXPECT_TRUE(Validate(options).IsInvalidArgument());
  options.bits_per_key = 10;
  options.line = static_cast<Line>(4);
  EXPECT_THAT(Validate(options).ToString(), HasSubstr("line=4"));
}

TEST(PolicyOptionsTest, InvalidOptionsBuildTheNearestFilter) {
  for (const auto& [bits, millibits] :
       {std::pair(-3.0, 10'000u), std::pair(std::nan(""), 10'000u),
        std::pair(31.0, 30'000u), std::pair(1e300, 30'000u)}) {
    const std::unique_ptr<const FilterPolicy> policy(NewFilterPolicy(bits));
    EXPECT_EQ(millibits, InfoOf(*policy).request.millibits_per_key) << bits;
  }
}

TEST(PolicyOptionsTest, NearestValidOptionsAreValid) {
  const double numbers[] = {-1,  0,   1e-300, 0.001, 0.3,   0.99999,     1,
                            1.5, 2.5, 30,     31,    1e300, std::nan("")};
  for (const double bits : numbers) {
    for (const double rate : numbers) {
      for (const bool level_aware : {false, true}) {
        FilterPolicyOptions options;
        options.level_aware = level_aware;
        options.size_ratio = bits;
        options.line = static_cast<Line>(rate > 0.1 ? 1 : 77);
        options.bits_per_key = bits;
        EXPECT_TRUE(Validate(NearestValid(options)).ok()) << bits;
        options.false_positive_rate = rate;
        EXPECT_TRUE(Validate(NearestValid(options)).ok()) << bits;
        options.bits_per_key.reset();
        EXPECT_TRUE(Validate(NearestValid(options)).ok()) << rate;
      }
    }
  }
  FilterPolicyOptions valid;
  valid.false_positive_rate = 0.0123;
  valid.line = Line::kPlain;
  valid.hash_seed = 3;
  EXPECT_EQ(IdOf(NearestValid(valid)), IdOf(valid));
  EXPECT_EQ(NearestValid(valid).hash_seed, 3u);
  EXPECT_EQ(NearestValid(valid).line, Line::kPlain);
}

TEST(PolicyOptionsTest, MillibitsRoundToTheNearest) {
  EXPECT_EQ(0u, MillibitsOf(0.4999));
  EXPECT_EQ(1000u, MillibitsOf(0.5));
  EXPECT_EQ(10000u, MillibitsOf(10));
  EXPECT_EQ(10001u, MillibitsOf(10.0006));
  EXPECT_EQ(9585u, MillibitsOf(9.585));
}

TEST(PolicyOptionsTest, BitsAsText) {
  EXPECT_EQ("10", BitsPerKeyText(10));
  EXPECT_EQ("9.585", BitsPerKeyText(9.585));
  EXPECT_EQ("0.1", BitsPerKeyText(0.1));
  EXPECT_EQ("10.001", BitsPerKeyText(10.0011));
}

}  // namespace
}  // namespace linebloom
