#include "table/pace.h"

#include <gtest/gtest.h>

namespace linebloom {
namespace {

using Seconds = std::chrono::duration<double>;

TEST(PauseAfterTest, MakesUpForWorkThatWasTooFast) {
  EXPECT_DOUBLE_EQ(PauseAfter(1000, Seconds(2), 100).count(), 8);
  EXPECT_DOUBLE_EQ(PauseAfter(1000, Seconds(10), 100).count(), 0);
  EXPECT_DOUBLE_EQ(PauseAfter(1000, Seconds(20), 100).count(), 0);
  EXPECT_DOUBLE_EQ(PauseAfter(0, Seconds(0), 100).count(), 0);
  EXPECT_DOUBLE_EQ(PauseAfter(1'000'000'000'000, Seconds(0), 0).count(), 0);
}

TEST(SleepWhileTest, AsksOncePerTurnAndStopsWhenTold) {
  int asked = 0;
  SleepWhile(Seconds(0.25), [&asked] { return ++asked > 0; });
  EXPECT_EQ(asked, 3);
  asked = 0;
  SleepWhile(Seconds(1e9), [&asked] { return ++asked < 2; });
  EXPECT_EQ(asked, 2);
  SleepWhile(Seconds(0), [&asked] { return ++asked < 2; });
  EXPECT_EQ(asked, 2);
}

}  // namespace
}  // namespace linebloom
