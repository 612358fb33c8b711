#include "filter_policy/sizing/level_allocation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

namespace linebloom {
namespace {

const double kLn2Squared = std::pow(std::log(2.0), 2);

double RateOfBits(double bits) { return std::exp(-bits * kLn2Squared); }

std::vector<double> BitsOfAll(const std::vector<double>& runs, double average) {
  std::vector<double> bits;
  for (const double keys : runs) {
    bits.push_back(BitsOfRun(keys, runs, average));
  }
  return bits;
}

double Memory(const std::vector<double>& runs,
              const std::vector<double>& bits) {
  double memory = 0;
  for (size_t i = 0; i < runs.size(); ++i) memory += runs[i] * bits[i];
  return memory;
}

double Sum(const std::vector<double>& numbers) {
  double sum = 0;
  for (const double number : numbers) sum += number;
  return sum;
}

double SumOfRates(const std::vector<double>& bits) {
  double sum = 0;
  for (const double b : bits) sum += RateOfBits(b);
  return sum;
}

// Of 1 to 10 runs, each up to a million times as large as another.
std::vector<double> RandomTree(std::mt19937_64* random) {
  std::vector<double> runs(1 + (*random)() % 10);
  std::uniform_real_distribution<double> magnitude(3, 9);
  for (double& keys : runs) keys = std::pow(10.0, magnitude(*random));
  return runs;
}

TEST(LevelAllocationTest, OneRunGetsTheAverage) {
  EXPECT_NEAR(10, BitsOfRun(5e6, std::vector<double>{5e6}, 10), 1e-9);
  EXPECT_DOUBLE_EQ(0.01, RateOfRun(5e6, std::vector<double>{5e6}, 0.01));
}

TEST(LevelAllocationTest, WithoutRunsTheAverage) {
  EXPECT_EQ(10, BitsOfRun(1000, {}, 10));
  EXPECT_EQ(0.01, RateOfRun(1000, {}, 0.01));
}

TEST(LevelAllocationTest, TheClosedForm) {
  const std::vector<double> runs = {11e4, 136e4, 313e4};
  const std::vector<double> bits = BitsOfAll(runs, 10);
  for (size_t i = 0; i < runs.size(); ++i) {
    EXPECT_NEAR(bits[2] + std::log(runs[2] / runs[i]) / kLn2Squared, bits[i],
                1e-9);
  }
  EXPECT_NEAR(10 * Sum(runs), Memory(runs, bits), 1e-3);
}

// ln(10) / (ln 2)^2 = 4.79 bits a level; the last one gives up 0.53 for it, a
// little less because the smallest runs are at the upper limit.
TEST(LevelAllocationTest, AFullTreeWithASizeRatioOf10) {
  const std::vector<double> runs = FullTree(10);
  const std::vector<double> bits = BitsOfAll(runs, 10);
  EXPECT_NEAR(10 - std::log(10.0) / kLn2Squared / 9, bits[0], 1e-4);
  EXPECT_NEAR(9.4675, bits[0], 1e-4);
  EXPECT_NEAR(4.7925, bits[1] - bits[0], 1e-4);
  EXPECT_NEAR(4.7925, bits[2] - bits[1], 1e-4);
  EXPECT_EQ(kMostBitsOfRun, bits[5]);
}

TEST(LevelAllocationTest, AnyTreeKeepsToItsMemoryAndLimits) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 2000; ++i) {
    const std::vector<double> runs = RandomTree(&random);
    const double average =
        std::uniform_real_distribution<double>(1, 30)(random);
    const std::vector<double> bits = BitsOfAll(runs, average);
    EXPECT_NEAR(average, Memory(runs, bits) / Sum(runs), 1e-6);
    for (const double b : bits) {
      EXPECT_GE(b, kLeastBitsOfRun);
      EXPECT_LE(b, kMostBitsOfRun);
    }
  }
}

// No shift of memory from one run to another lowers the sum of the rates.
TEST(LevelAllocationTest, NothingIsBetter) {
  std::mt19937_64 random(2);
  for (int i = 0; i < 500; ++i) {
    const std::vector<double> runs = RandomTree(&random);
    const std::vector<double> best =
        BitsOfAll(runs, std::uniform_real_distribution<double>(2, 20)(random));
    const double least = SumOfRates(best);
    for (size_t from = 0; from < runs.size(); ++from) {
      for (size_t to = 0; to < runs.size(); ++to) {
        std::vector<double> other = best;
        other[from] -= 0.01;
        other[to] += 0.01 * runs[from] / runs[to];
        if (from == to || other[from] < kLeastBitsOfRun ||
            other[to] > kMostBitsOfRun) {
          continue;
        }
        EXPECT_GE(SumOfRates(other), least * (1 - 1e-9));
      }
    }
  }
}

TEST(LevelAllocationTest, RatesSumUp) {
  std::mt19937_64 random(3);
  for (int i = 0; i < 100; ++i) {
    const std::vector<double> runs = RandomTree(&random);
    double sum = 0;
    for (const double keys : runs) sum += RateOfRun(keys, runs, 0.02);
    EXPECT_NEAR(0.02, sum, 1e-12);
  }
}

// Both forms are the same allocation.
TEST(LevelAllocationTest, RatesAndBitsAgree) {
  const std::vector<double> runs = {2e5, 3e6, 4e7};
  const std::vector<double> bits = BitsOfAll(runs, 12);
  const double sum = SumOfRates(bits);
  for (size_t i = 0; i < runs.size(); ++i) {
    EXPECT_NEAR(RateOfBits(bits[i]), RateOfRun(runs[i], runs, sum), 1e-9);
  }
}

}  // namespace
}  // namespace linebloom
