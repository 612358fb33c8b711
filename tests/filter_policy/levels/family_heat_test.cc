#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "filter_policy/levels/heat_profile.h"

namespace linebloom {
namespace {

using rocksdb::LiveFileMetaData;
using Clock = FamilyHeat::Clock;

constexpr size_t kMisses = 1'000'000;

// Two files of the last level, of which the first gets all lookups.
class FamilyHeatTest : public testing::Test {
 protected:
  FamilyHeatTest() {
    user_->half_life_seconds = 3600;
    heat_.Use(user_);
    for (LiveFileMetaData& file : files_) {
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

  LiveFileMetaData files_[2];
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
