#include "filter_policy/levels/heat_profile.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <vector>

namespace linebloom {
namespace {

std::string Key(uint64_t number) {
  return "user:" + std::to_string(100'000'000'000 + number);
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

using Clock = FamilyHeat::Clock;

constexpr size_t kMisses = 1'000'000;

// Two files of the last level, of which the first gets all lookups.
class FamilyHeatTest : public testing::Test {
 protected:
  FamilyHeatTest() {
    user_->half_life_seconds = 3600;
    heat_.Use(user_);
    for (rocksdb::LiveFileMetaData& file : files_) {
      const std::string letter(1, static_cast<char>('a' + (&file - files_)));
      file.name = "/" + letter + ".sst";
      file.level = 6;
      file.num_entries = 1000;
      file.smallestkey = letter + "1";
      file.largestkey = letter + "9";
    }
  }

  // The misses that count after `misses` more of a key, one in the first file.
  double Update(size_t misses, Clock::time_point now,
                const std::string& key = "a5") {
    for (size_t i = 0; i < misses; ++i) user_->sampler->Add(key);
    heat_.Update({&files_[0], &files_[1]}, now);
    return heat_.profile()->misses();
  }

  rocksdb::LiveFileMetaData files_[2];
  const std::shared_ptr<HeatUser> user_ = std::make_shared<HeatUser>();
  FamilyHeat heat_;
  const Clock::time_point start_ = Clock::time_point(std::chrono::hours(1000));
};

TEST_F(FamilyHeatTest, EarlierMissesCountHalfAfterEachHalfLife) {
  EXPECT_NEAR(kMisses, Update(kMisses, start_), 1);
  EXPECT_NEAR(kMisses / 2.0, Update(0, start_ + std::chrono::hours(1)), 1);
  EXPECT_NEAR(kMisses / 8.0, Update(0, start_ + std::chrono::hours(3)), 1);
}

// A steady clock doesn't, but that of a simulator or a restored machine might.
TEST_F(FamilyHeatTest, AClockThatJumpsBackLosesAndGainsNothing) {
  Update(kMisses, start_);
  double misses = Update(0, start_ - std::chrono::hours(900));
  EXPECT_NEAR(kMisses, misses, 1);
  for (int i = 0; i < 100; ++i) {
    misses = Update(0, start_ - std::chrono::hours(900 + i));
  }
  EXPECT_NEAR(kMisses, misses, 1);
  // From then on time passes as usual.
  misses = Update(0, start_ - std::chrono::hours(998));
  EXPECT_NEAR(kMisses / 2.0, misses, 1);
}

TEST_F(FamilyHeatTest, AClockThatJumpsAheadForgetsEarlierMisses) {
  Update(kMisses, start_);
  const Clock::time_point later = start_ + std::chrono::hours(1'000'000);
  EXPECT_EQ(0, Update(0, later));
  EXPECT_NEAR(1, heat_.profile()->HeatOf("a1", "a9"), 1e-9);
  EXPECT_NEAR(kMisses, Update(kMisses, later), 1);
  EXPECT_GT(heat_.profile()->HeatOf("a1", "a9"), 1.8);
}

TEST_F(FamilyHeatTest, KeysOutsideOfFilesCountForTheNearestBefore) {
  double misses = 0;
  for (const char* key : {"", "a", "a99", "b1", "c"}) {
    misses = Update(1000, start_, key);
  }
  EXPECT_EQ(5000, misses);
  EXPECT_GT(heat_.profile()->HeatOf("a1", "a9"),
            1.1 * heat_.profile()->HeatOf("b1", "b9"));
}

}  // namespace
}  // namespace linebloom
