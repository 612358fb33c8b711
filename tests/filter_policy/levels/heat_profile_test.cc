#include "filter_policy/levels/heat_profile.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <random>
#include <string>
#include <vector>

namespace linebloom {
namespace {

std::string Key(uint64_t number) {
  char key[32];
  snprintf(key, sizeof(key), "user:%012llu",
           static_cast<unsigned long long>(number));
  return key;
}

// `files` files of 1,000 rows, of which file i has `reads(i)` reads.
template <typename Reads>
std::vector<RunFile> Files(uint64_t files, Reads reads) {
  std::vector<RunFile> run;
  for (uint64_t i = 0; i < files; ++i) {
    run.push_back({Key(1000 * i), Key(1000 * i + 999), 1000,
                   static_cast<double>(reads(i))});
  }
  return run;
}

std::shared_ptr<const HeatProfile> Profile(std::vector<RunFile> files) {
  return HeatProfile::Make(nullptr, 0, std::move(files));
}

// Many enough that the uniform lookups of the beginning don't count.
constexpr double kMany = 1e9;

// 80 % of the lookups in a fifth of the keys. A twentieth counts as uniform.
TEST(HeatProfileTest, HotAndColdKeys) {
  const auto profile = Profile(
      Files(10, [](uint64_t i) { return i < 2 ? 4 * kMany : kMany / 4; }));
  const double hot = (4 + 0.05) / 1.05;
  const double cold = (0.25 + 0.05) / 1.05;
  EXPECT_NEAR(hot, profile->HeatOf(Key(0), Key(1999)), 1e-3);
  EXPECT_NEAR(cold, profile->HeatOf(Key(2000), Key(9999)), 1e-3);
  EXPECT_NEAR((hot + cold) / 2, profile->HeatOf(Key(1500), Key(2500)), 1e-2);
  EXPECT_NEAR(1, profile->HeatOf(Key(0), Key(9999)), 1e-9);
  ASSERT_EQ(2, profile->classes().size());
  EXPECT_NEAR(0.8, profile->classes()[0].key_share, 1e-9);
  EXPECT_NEAR(cold, profile->classes()[0].heat, 1e-3);
  EXPECT_NEAR(hot, profile->classes()[1].heat, 1e-3);
}

TEST(HeatProfileTest, ClassesDifferByATenth) {
  const auto profile = Profile(Files(300, [](uint64_t i) {
    return kMany * std::exp(static_cast<double>(i) / 60);
  }));
  const auto& classes = profile->classes();
  const double range = std::log(classes.back().heat / classes.front().heat);
  EXPECT_NEAR(0.1, range / static_cast<double>(classes.size() - 1), 0.005);
}

// A few samples are no reason to starve the rest.
TEST(HeatProfileTest, FewMissesCountLittle) {
  const auto profile =
      Profile(Files(10, [](uint64_t i) { return i == 3 ? 1 : 0; }));
  EXPECT_LT(profile->HeatOf(Key(3000), Key(3999)), 1.1);
  EXPECT_GT(profile->HeatOf(Key(0), Key(2999)), 0.95);
}

// New files over the same keys, cut elsewhere, have the heat of the old ones.
TEST(HeatProfileTest, OutlivesTheFiles) {
  const auto before = Profile(
      Files(10, [](uint64_t i) { return i < 2 ? 4 * kMany : kMany / 4; }));
  std::vector<RunFile> files;
  for (uint64_t begin = 0; begin < 10'000; begin += 400) {
    files.push_back({Key(begin), Key(begin + 399), 400, 0});
  }
  const auto after = HeatProfile::Make(before.get(), 1, files);
  EXPECT_NEAR(before->misses(), after->misses(), 1);
  for (uint64_t key = 0; key < 10'000; key += 500) {
    EXPECT_NEAR(before->HeatOf(Key(key), Key(key + 499)),
                after->HeatOf(Key(key), Key(key + 499)), 0.35)
        << key;
  }
  EXPECT_NEAR(before->HeatOf(Key(0), Key(1999)),
              after->HeatOf(Key(0), Key(1999)), 0.01);
}

TEST(HeatProfileTest, OtherOrdersHaveNone) {
  std::vector<RunFile> descending = {{"b", "a", 10, 1}, {"d", "c", 10, 1}};
  EXPECT_EQ(nullptr, Profile(descending));
  std::vector<RunFile> overlapping = {{"a", "c", 10, 1}, {"b", "d", 10, 1}};
  EXPECT_EQ(nullptr, Profile(overlapping));
  EXPECT_EQ(nullptr, Profile({}));
}

// Ranges outside of all files, of a single key, and files of a single key.
TEST(HeatProfileTest, OddRanges) {
  std::vector<RunFile> files = {
      {"", "", 1, 0.005}, {"a", "a", 1, 0.007}, {"b", "z", 0, 0}};
  for (int round = 0; round < 2; ++round) {
    const auto profile = Profile(files);
    ASSERT_NE(nullptr, profile);
    for (const char* first : {"", "a", "b", "m", "zz"}) {
      for (const char* last : {"", "a", "b", "m", "zz"}) {
        if (std::string(last) < first) continue;
        const double heat = profile->HeatOf(first, last);
        EXPECT_GT(heat, 0) << first << " to " << last;
        EXPECT_LT(heat, 100) << first << " to " << last;
      }
    }
    files.push_back({"zzz", "zzzz", 1e6, 0});
  }
}

// Any files and reads: shares add up to 1, and so does heat weighted by them.
TEST(HeatProfileTest, PartsAddUp) {
  std::mt19937_64 random(1);
  std::shared_ptr<const HeatProfile> profile;
  for (int i = 0; i < 300; ++i) {
    const uint64_t scale = 1 + random() % 1000;
    std::vector<RunFile> files = Files(1 + random() % 3000, [&](uint64_t) {
      return static_cast<double>(1024 * (random() % scale));
    });
    profile = HeatProfile::Make(profile.get(), 0.9, files);
    for (const auto& parts :
         {profile->classes(), profile->PartsOf("", "zzz")}) {
      double keys = 0;
      double reads = 0;
      for (const HeatProfile::Part& part : parts) {
        EXPECT_GT(part.heat, 0);
        keys += part.key_share;
        reads += part.key_share * part.heat;
      }
      EXPECT_NEAR(1, keys, 1e-3);
      EXPECT_NEAR(1, reads, 1e-2);
    }
    EXPECT_LE(profile->classes().size(), 200);
  }
}

}  // namespace
}  // namespace linebloom
