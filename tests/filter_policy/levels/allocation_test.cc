#include "filter_policy/levels/allocation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "filter_policy/filter/sizing.h"
#include "filter_policy/line/line.h"

namespace linebloom {
namespace {

// For plain and for solved lines.
const double kSlopes[] = {LogRatePerBit(Line::kPlain),
                          LogRatePerBit(Line::kSolved)};

// A file of a tree of which only the runs are known.
NewFile FileOf(double run, const std::vector<double>& runs, double average,
               double slope) {
  return {.runs = runs,
          .largest = std::ranges::max(runs),
          .run = run,
          .average_bits = average,
          .log_rate_per_bit = slope};
}

double BitsOfRun(double keys, const std::vector<double>& runs, double average,
                 double slope) {
  return BitsOfFile(FileOf(keys, runs, average, slope));
}

double ReadsOf(const std::vector<double>& bits, double slope) {
  double reads = 0;
  for (const double of_run : bits) reads += std::exp(-of_run * slope);
  return reads;
}

double Uniform(double min, double max, std::mt19937_64* random) {
  return std::uniform_real_distribution<double>(min, max)(*random);
}

// 1 to 10 runs, each up to a million times as large as another.
std::vector<double> RandomTree(std::mt19937_64* random) {
  std::vector<double> runs(1 + (*random)() % 10);
  for (double& keys : runs) keys = std::pow(10.0, Uniform(3, 9, random));
  return runs;
}

TEST(AllocationTest, Slopes) {
  EXPECT_NEAR(0.4805, LogRatePerBit(Line::kPlain), 1e-4);
  EXPECT_NEAR(std::log(2) * 504 / 512, LogRatePerBit(Line::kSolved), 1e-12);
}

// Any tree keeps its memory and limits, and no shift of memory from one run to
// another lowers the reads.
TEST(AllocationTest, NothingIsBetter) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 2000; ++i) {
    const double slope = kSlopes[i % 2];
    const double average = Uniform(1, 25, &random);
    const std::vector<double> runs = RandomTree(&random);
    std::vector<double> best;
    double memory = 0;
    for (const double keys : runs) {
      best.push_back(BitsOfRun(keys, runs, average, slope));
      EXPECT_GE(best.back(), kMinBitsOfRun);
      EXPECT_LE(best.back(), kMaxBitsOfRun);
      memory += keys * best.back();
    }
    EXPECT_NEAR(average, memory / SumOf(runs), 1e-6);
    const double least = ReadsOf(best, slope);
    for (size_t from = 0; from < runs.size(); ++from) {
      for (size_t to = 0; to < runs.size(); ++to) {
        std::vector<double> other = best;
        other[from] -= 0.01;
        other[to] += 0.01 * runs[from] / runs[to];
        if (from == to || other[from] < kMinBitsOfRun ||
            other[to] > kMaxBitsOfRun) {
          continue;
        }
        EXPECT_GE(ReadsOf(other, slope), least * (1 - 1e-9));
      }
    }
  }
}

// Below the least bits the largest runs go without first.
TEST(AllocationTest, LessThanTheLeastBits) {
  const std::vector<double> runs = {10, 100, 1000};
  const double slope = LogRatePerBit(Line::kSolved);
  // 555 bits: none for the last run, 110 keys have them all.
  EXPECT_DOUBLE_EQ(kMinBitsOfRun, BitsOfRun(1000, runs, 0.5, slope));
  const std::vector<double> served = {10, 100};
  for (const double keys : served) {
    EXPECT_DOUBLE_EQ(BitsOfRun(keys, served, 555.0 / 110, slope),
                     BitsOfRun(keys, runs, 0.5, slope));
  }
  EXPECT_DOUBLE_EQ(kMinBitsOfRun, BitsOfRun(10, runs, 0.001, slope));
}

// A file and its tree, with filters of the others as a tree might have them.
NewFile RandomFile(double slope, std::mt19937_64* random) {
  const std::vector<double> runs = RandomTree(random);
  NewFile file = FileOf(runs[(*random)() % runs.size()], runs, 10, slope);
  file.job = file.run * Uniform(0.01, 1, random);
  file.other_keys = SumOf(runs);
  file.other_bits = file.other_keys * Uniform(8, 11, random);
  file.is_flush = (*random)() % 3 == 0;
  return file;
}

// Within the target; the more keys, the fewer bits; and only relations count.
TEST(FileBitsTest, AreWithinTheTargetMonotoneAndFreeOfScale) {
  std::mt19937_64 random(5);
  for (int i = 0; i < 4000; ++i) {
    SCOPED_TRACE(i);
    NewFile file = RandomFile(kSlopes[i % 2], &random);
    file.has_budget = i % 4 < 2;
    const double bits = BitsOfFile(file);
    if (file.has_budget) {
      EXPECT_GE(bits, file.is_flush ? 10 : 8);
      EXPECT_LE(bits, 12);
    } else {
      const double before = file.other_bits / file.other_keys;
      const double after =
          (file.other_bits + bits * file.job) / (file.other_keys + file.job);
      EXPECT_LE(after, std::max(before, 10.7) + 1e-9);
      // A file is never cut below the average because others have too much.
      if (before > 10.7) {
        EXPECT_GE(bits, 7 - 1e-9);
      }
    }
    NewFile scaled = file;
    for (double& keys : scaled.runs) keys *= 7;
    for (double* keys : {&scaled.largest, &scaled.run, &scaled.job,
                         &scaled.other_keys, &scaled.other_bits}) {
      *keys *= 7;
    }
    EXPECT_NEAR(bits, BitsOfFile(scaled), 1e-6);
    file.run *= 1.5;
    EXPECT_LE(BitsOfFile(file), bits + 1e-9);
  }
}

}  // namespace
}  // namespace linebloom
