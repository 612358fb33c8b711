#include "filter_policy/levels/allocation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "filter_policy/line/line.h"
#include "filter_policy/sizing/expected_rate.h"

namespace linebloom {
namespace {

// For plain and for solved lines.
const double kSlopes[] = {LogRatePerBit(Line::kPlain),
                          LogRatePerBit(Line::kSolved)};

double RateOfBits(double bits, double slope) { return std::exp(-bits * slope); }

double BitsOfRun(double keys, const std::vector<double>& runs, double average,
                 double slope) {
  return BitsAllocation(WholeRuns(runs), average, slope).BitsOf(keys);
}

std::vector<double> BitsOfAll(const std::vector<double>& runs, double average,
                              double slope) {
  std::vector<double> bits;
  for (const double keys : runs) {
    bits.push_back(BitsOfRun(keys, runs, average, slope));
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

double SumOfRates(const std::vector<double>& bits, double slope) {
  double sum = 0;
  for (const double b : bits) sum += RateOfBits(b, slope);
  return sum;
}

// 1 to 10 runs, each up to a million times as large as another.
std::vector<double> RandomTree(std::mt19937_64* random) {
  std::vector<double> runs(1 + (*random)() % 10);
  std::uniform_real_distribution<double> magnitude(3, 9);
  for (double& keys : runs) keys = std::pow(10.0, magnitude(*random));
  return runs;
}

TEST(AllocationTest, Slopes) {
  EXPECT_NEAR(0.4805, LogRatePerBit(Line::kPlain), 1e-4);
  EXPECT_NEAR(std::log(2) * 504 / 512, LogRatePerBit(Line::kSolved), 1e-12);
}

TEST(AllocationTest, OneRunGetsTheAverage) {
  EXPECT_NEAR(10, BitsOfRun(5e6, std::vector<double>{5e6}, 10, 0.5), 1e-9);
  EXPECT_DOUBLE_EQ(0.01, RateOfRun(5e6, std::vector<double>{5e6}, 0.01));
}

TEST(AllocationTest, GivesTheAverageWithoutRuns) {
  EXPECT_EQ(10, BitsOfRun(1000, {}, 10, 0.5));
  EXPECT_EQ(0.01, RateOfRun(1000, {}, 0.01));
}

TEST(AllocationTest, TheClosedForm) {
  const std::vector<double> runs = {11e4, 136e4, 313e4};
  for (const double slope : kSlopes) {
    const std::vector<double> bits = BitsOfAll(runs, 10, slope);
    for (size_t i = 0; i < runs.size(); ++i) {
      EXPECT_NEAR(bits[2] + std::log(runs[2] / runs[i]) / slope, bits[i], 1e-9);
    }
    EXPECT_NEAR(10 * Sum(runs), Memory(runs, bits), 1e-3);
  }
}

// Plain: ln(10) / (ln 2)^2 = 4.79 bits per level, for which the last level
// gives up 0.53, slightly less because the smallest runs are at the upper
// limit. Solved: 3.37 bits per level, and 0.37.
TEST(AllocationTest, AFullTreeWithASizeRatioOf10) {
  const std::vector<double> runs = FullTree(10);
  for (const double slope : kSlopes) {
    const std::vector<double> bits = BitsOfAll(runs, 10, slope);
    const double step = std::log(10.0) / slope;
    EXPECT_NEAR(10 - step / 9, bits[0], 1e-4);
    EXPECT_NEAR(step, bits[1] - bits[0], 1e-4);
    EXPECT_NEAR(step, bits[2] - bits[1], 1e-4);
    EXPECT_EQ(kMaxBitsOfRun, bits[7]);
  }
  EXPECT_NEAR(9.4675, BitsOfAll(runs, 10, kSlopes[0])[0], 1e-4);
  EXPECT_NEAR(9.6251, BitsOfAll(runs, 10, kSlopes[1])[0], 1e-4);
}

TEST(AllocationTest, AnyTreeKeepsItsMemoryAndLimits) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 2000; ++i) {
    const std::vector<double> runs = RandomTree(&random);
    const double average =
        std::uniform_real_distribution<double>(1, 30)(random);
    const std::vector<double> bits = BitsOfAll(runs, average, kSlopes[i % 2]);
    EXPECT_NEAR(average, Memory(runs, bits) / Sum(runs), 1e-6);
    for (const double b : bits) {
      EXPECT_GE(b, kMinBitsOfRun);
      EXPECT_LE(b, kMaxBitsOfRun);
    }
  }
}

// Shifting memory from one run to another never lowers the sum of rates.
void ExpectNoBetterShift(const std::vector<double>& runs,
                         const std::vector<double>& best, double slope) {
  const double least = SumOfRates(best, slope);
  for (size_t from = 0; from < runs.size(); ++from) {
    for (size_t to = 0; to < runs.size(); ++to) {
      std::vector<double> other = best;
      other[from] -= 0.01;
      other[to] += 0.01 * runs[from] / runs[to];
      if (from == to || other[from] < kMinBitsOfRun ||
          other[to] > kMaxBitsOfRun) {
        continue;
      }
      EXPECT_GE(SumOfRates(other, slope), least * (1 - 1e-9));
    }
  }
}

TEST(AllocationTest, NothingIsBetter) {
  std::mt19937_64 random(2);
  for (int i = 0; i < 500; ++i) {
    const std::vector<double> runs = RandomTree(&random);
    const double slope = kSlopes[i % 2];
    const double average =
        std::uniform_real_distribution<double>(2, 20)(random);
    ExpectNoBetterShift(runs, BitsOfAll(runs, average, slope), slope);
  }
}

// All ways to distribute tenths of a bit among three runs within the memory.
TEST(AllocationTest, NoGridPointIsBetter) {
  const std::vector<double> runs = {1e4, 3e5, 2e6};
  for (const double slope : kSlopes) {
    for (const double average : {4.0, 10.0}) {
      const double least = SumOfRates(BitsOfAll(runs, average, slope), slope);
      double best = 3;
      for (double a = kMinBitsOfRun; a <= kMaxBitsOfRun; a += 0.1) {
        for (double b = kMinBitsOfRun; b <= kMaxBitsOfRun; b += 0.1) {
          const double c =
              (average * Sum(runs) - a * runs[0] - b * runs[1]) / runs[2];
          if (c < kMinBitsOfRun || c > kMaxBitsOfRun) continue;
          best = std::min(best, SumOfRates({a, b, c}, slope));
        }
      }
      EXPECT_GE(best, least * (1 - 1e-9));
      EXPECT_LE(best, least * 1.01);
    }
  }
}

TEST(AllocationTest, RatesAddUp) {
  std::mt19937_64 random(3);
  for (int i = 0; i < 100; ++i) {
    const std::vector<double> runs = RandomTree(&random);
    double sum = 0;
    for (const double keys : runs) sum += RateOfRun(keys, runs, 0.02);
    EXPECT_NEAR(0.02, sum, 1e-12);
  }
}

// Both forms give the same allocation.
TEST(AllocationTest, RatesAndBitsAgree) {
  const std::vector<double> runs = {2e5, 3e6, 4e7};
  for (const double slope : kSlopes) {
    const std::vector<double> bits = BitsOfAll(runs, 12, slope);
    const double sum = SumOfRates(bits, slope);
    for (size_t i = 0; i < runs.size(); ++i) {
      EXPECT_NEAR(RateOfBits(bits[i], slope), RateOfRun(runs[i], runs, sum),
                  1e-9);
    }
  }
}

// Below the least bits the largest runs go without first.
TEST(AllocationTest, LessThanTheLeastBits) {
  const std::vector<double> runs = {10, 100, 1000};
  const double step = LogRatePerBit(Line::kSolved);
  // 555 bits: none for the last run, 110 keys have them all.
  EXPECT_DOUBLE_EQ(kMinBitsOfRun, BitsOfRun(1000, runs, 0.5, step));
  const std::vector<double> served = {10, 100};
  for (const double keys : served) {
    EXPECT_DOUBLE_EQ(BitsOfRun(keys, served, 555.0 / 110, step),
                     BitsOfRun(keys, runs, 0.5, step));
  }
  EXPECT_DOUBLE_EQ(kMinBitsOfRun, BitsOfRun(10, runs, 0.001, step));
}

// 1 to 6 runs, each cut into parts that a random share of the lookups probes.
std::vector<RunPart> RandomParts(std::mt19937_64* random) {
  std::vector<RunPart> parts;
  std::uniform_real_distribution<double> magnitude(3, 9);
  std::uniform_real_distribution<double> share(0.001, 1);
  const size_t runs = 1 + (*random)() % 6;
  for (size_t run = 0; run < runs; ++run) {
    for (size_t count = 1 + (*random)() % 8; count > 0; --count) {
      parts.push_back({std::pow(10.0, magnitude(*random)), share(*random)});
    }
  }
  return parts;
}

double ReadsOf(const std::vector<RunPart>& parts,
               const std::vector<double>& bits, double slope) {
  double reads = 0;
  for (size_t i = 0; i < parts.size(); ++i) {
    reads += parts[i].probes * RateOfBits(bits[i], slope);
  }
  return reads;
}

// Parts keep the memory and the limits, and no shift of memory from one part to
// another lowers the reads.
TEST(AllocationTest, NothingIsBetterForPartsOfRuns) {
  std::mt19937_64 random(4);
  for (int i = 0; i < 500; ++i) {
    const std::vector<RunPart> parts = RandomParts(&random);
    const double slope = kSlopes[i % 2];
    const double average =
        std::uniform_real_distribution<double>(2, 20)(random);
    const BitsAllocation allocation(parts, average, slope);
    std::vector<double> best;
    double keys = 0;
    double memory = 0;
    for (const RunPart& part : parts) {
      best.push_back(allocation.BitsOf(part.keys_per_probe()));
      EXPECT_GE(best.back(), kMinBitsOfRun);
      EXPECT_LE(best.back(), kMaxBitsOfRun);
      keys += part.keys;
      memory += part.keys * best.back();
    }
    EXPECT_NEAR(average, memory / keys, 1e-6);
    const double least = ReadsOf(parts, best, slope);
    for (size_t from = 0; from < parts.size(); ++from) {
      const size_t to = (from + 1 + random() % parts.size()) % parts.size();
      std::vector<double> other = best;
      other[from] -= 0.01;
      other[to] += 0.01 * parts[from].keys / parts[to].keys;
      if (from == to || other[from] < kMinBitsOfRun ||
          other[to] > kMaxBitsOfRun) {
        continue;
      }
      EXPECT_GE(ReadsOf(parts, other, slope), least * (1 - 1e-9));
    }
  }
}

// 80 % of the lookups in 20 % of the keys: the hot part gets ln(16) / slope
// more bits per key than the rest.
TEST(AllocationTest, TheClosedFormForHeat) {
  for (const double slope : kSlopes) {
    const std::vector<RunPart> parts = {{2e6, 0.8}, {8e6, 0.2}};
    const BitsAllocation allocation(parts, 10, slope);
    EXPECT_NEAR(std::log(16) / slope,
                allocation.BitsOf(parts[0].keys_per_probe()) -
                    allocation.BitsOf(parts[1].keys_per_probe()),
                1e-9);
  }
}

// A file and its tree, with filters of the others as a tree might have them.
NewFile RandomFile(std::mt19937_64* random) {
  NewFile file;
  file.runs = RandomTree(random);
  file.largest = *std::max_element(file.runs.begin(), file.runs.end());
  file.run = file.runs[(*random)() % file.runs.size()];
  std::uniform_real_distribution<double> share(0.01, 1);
  file.job = file.run * share(*random);
  file.other_keys = Sum(file.runs);
  file.other_bits =
      file.other_keys * std::uniform_real_distribution<double>(8, 11)(*random);
  file.is_flush = (*random)() % 3 == 0;
  return file;
}

double MeanBits(const NewFile& file, const Target& target) {
  return FileBits(file, target, nullptr, std::nullopt).mean();
}

TEST(FileBitsTest, AnAverageIsKeptOrApproached) {
  std::mt19937_64 random(5);
  for (int i = 0; i < 2000; ++i) {
    SCOPED_TRACE(i);
    const NewFile file = RandomFile(&random);
    const Target target = {10, false, kSlopes[i % 2]};
    const double bits = MeanBits(file, target);
    const double before = file.other_bits / file.other_keys;
    const double after =
        (file.other_bits + bits * file.job) / (file.other_keys + file.job);
    EXPECT_LE(after, std::max(before, 10.7) + 1e-9);
    // A file is never cut below the average because others have too much.
    if (before > 10.7) {
      EXPECT_GE(bits, std::min(10.0, before) - 1e-9 - 3);
    }
  }
}

TEST(FileBitsTest, SharesOfABudgetAreNearEqual) {
  std::mt19937_64 random(6);
  for (int i = 0; i < 2000; ++i) {
    const NewFile file = RandomFile(&random);
    const double bits = MeanBits(file, {8, true, kSlopes[i % 2]});
    EXPECT_GE(bits, 6);
    EXPECT_LE(bits, 10);
    if (file.is_flush) {
      EXPECT_GE(bits, 8);
    }
  }
}

// The more keys per probe, the fewer bits; and only relations count.
TEST(FileBitsTest, MonotoneAndFreeOfScale) {
  std::mt19937_64 random(7);
  for (int i = 0; i < 2000; ++i) {
    SCOPED_TRACE(i);
    const Target target = {10, i % 4 == 0, kSlopes[i % 2]};
    NewFile file = RandomFile(&random);
    const double bits = MeanBits(file, target);
    NewFile scaled = file;
    for (double& keys : scaled.runs) keys *= 7;
    for (double* keys : {&scaled.largest, &scaled.run, &scaled.job,
                         &scaled.other_keys, &scaled.other_bits}) {
      *keys *= 7;
    }
    EXPECT_NEAR(bits, MeanBits(scaled, target), 1e-6);
    file.run *= 1.5;
    EXPECT_LE(MeanBits(file, target), bits + 1e-9);
  }
}

}  // namespace
}  // namespace linebloom
