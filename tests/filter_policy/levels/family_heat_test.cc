#include "filter_policy/levels/family_heat.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <string>
#include <vector>

namespace linebloom {
namespace {

using rocksdb::LiveFileMetaData;
using Clock = FamilyHeat::Clock;

constexpr std::chrono::duration<double> kHalfLife{3600};
constexpr uint64_t kReads = 1'000'000'000;

// Two files of the last level, of which the first gets all lookups.
class FamilyHeatTest : public testing::Test {
 protected:
  FamilyHeatTest() {
    for (LiveFileMetaData& file : files_) {
      const std::string letter(1, static_cast<char>('a' + (&file - files_)));
      file.name = "/" + letter + ".sst";
      file.level = 6;
      file.num_entries = 1000;
      file.smallestkey = letter + "1";
      file.largestkey = letter + "9";
    }
  }

  // The reads that count after `new_reads` more lookups in the first file.
  double Update(uint64_t new_reads, Clock::time_point now) {
    files_[0].num_reads_sampled += new_reads;
    heat_.Update({&files_[0], &files_[1]}, kHalfLife, now);
    return heat_.profile()->reads();
  }

  LiveFileMetaData files_[2];
  FamilyHeat heat_;
  const Clock::time_point start_ = Clock::time_point(std::chrono::hours(1000));
};

TEST_F(FamilyHeatTest, EarlierReadsCountHalfAfterEachHalfLife) {
  EXPECT_NEAR(kReads, Update(kReads, start_), 1);
  EXPECT_NEAR(kReads / 2.0, Update(0, start_ + std::chrono::hours(1)), 1);
  EXPECT_NEAR(kReads / 8.0, Update(0, start_ + std::chrono::hours(3)), 1);
}

// A steady clock doesn't, but that of a simulator or a restored machine might.
TEST_F(FamilyHeatTest, AClockThatJumpsBackLosesAndGainsNothing) {
  Update(kReads, start_);
  double reads = Update(0, start_ - std::chrono::hours(900));
  EXPECT_NEAR(kReads, reads, 1);
  for (int i = 0; i < 100; ++i) {
    reads = Update(0, start_ - std::chrono::hours(900 + i));
  }
  EXPECT_NEAR(kReads, reads, 1);
  // From then on time passes as usual.
  reads = Update(0, start_ - std::chrono::hours(998));
  EXPECT_NEAR(kReads / 2.0, reads, 1);
}

TEST_F(FamilyHeatTest, AClockThatJumpsAheadForgetsEarlierReads) {
  Update(kReads, start_);
  const Clock::time_point later = start_ + std::chrono::hours(1'000'000);
  EXPECT_EQ(0, Update(0, later));
  EXPECT_NEAR(1, heat_.profile()->HeatOf("a1", "a9"), 1e-9);
  EXPECT_NEAR(kReads, Update(kReads, later), 1);
  EXPECT_GT(heat_.profile()->HeatOf("a1", "a9"), 1.8);
}

TEST_F(FamilyHeatTest, AnyTimesGiveFiniteHeat) {
  for (const auto hours : {0L, 100'000L, -100'000L, 1L, 2'000'000L, -999L}) {
    const double reads = Update(1024, start_ + std::chrono::hours(hours));
    EXPECT_TRUE(std::isfinite(reads));
    EXPECT_GE(reads, 1024);
    EXPECT_LE(reads, 1024 * 6);
    const double heat = heat_.profile()->HeatOf("a1", "b9");
    EXPECT_NEAR(1, heat, 1e-9);
  }
}

// A file that RocksDB opens again counts its reads from 0.
TEST_F(FamilyHeatTest, CountsThatStartAgainAreNew) {
  Update(kReads, start_);
  files_[0].num_reads_sampled = 0;
  EXPECT_NEAR(kReads + 1024.0, Update(1024, start_), 1);
}

}  // namespace
}  // namespace linebloom
