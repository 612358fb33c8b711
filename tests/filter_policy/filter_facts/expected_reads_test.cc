#include "filter_policy/filter_facts/expected_reads.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <random>
#include <string>
#include <vector>

namespace linebloom {
namespace {

std::vector<double> Shares(const std::vector<FileRange>& files) {
  return ProbeShares(files, *rocksdb::BytewiseComparator());
}

// Rounded, because ends of ranges have a little room.
void ExpectShares(const std::vector<FileRange>& files,
                  const std::vector<double>& expected) {
  const std::vector<double> shares = Shares(files);
  ASSERT_EQ(shares.size(), expected.size());
  for (size_t i = 0; i < shares.size(); ++i) {
    EXPECT_NEAR(shares[i], expected[i], 1e-6) << i;
  }
}

TEST(ProbeSharesTest, FollowTheRanges) {
  EXPECT_TRUE(Shares({}).empty());
  // A single file; a single key; nothing but deleted ranges.
  ExpectShares({{"00", "99", 7}}, {1});
  ExpectShares({{"44", "44", 1}}, {1});
  ExpectShares({{"00", "99", 0}, {"22", "33", 0}}, {1, 1});
  // Runs that lie over one another are all met,
  ExpectShares({{"00", "99", 100}, {"00", "99", 10}, {"00", "99", 1}},
               {1, 1, 1});
  // and next to each other one of them, wherever their levels are.
  ExpectShares({{"00", "49", 300}, {"50", "99", 100}}, {0.75, 0.25});
  // Half over one another: that half has two of the four halves of rows.
  ExpectShares({{"00", "50", 100}, {"25", "75", 100}}, {0.75, 0.75});
  // A file without rows is met where others have them.
  ExpectShares({{"00", "49", 300}, {"50", "99", 100}, {"50", "99", 0}},
               {0.75, 0.25, 0.25});
}

TEST(ProbeSharesTest, FollowTheComparator) {
  const std::vector<double> shares =
      ProbeShares({{"99", "50", 100}, {"49", "00", 300}, {"74", "25", 0}},
                  *rocksdb::ReverseBytewiseComparator());
  EXPECT_NEAR(shares[0], 0.25, 1e-6);
  EXPECT_NEAR(shares[1], 0.75, 1e-6);
  EXPECT_NEAR(shares[2], 0.5, 0.02);
}

// Trees of random runs, each over a part of the key space, in files.
TEST(ProbeSharesTest, AreThoseOfTheRowsThatLieInTheRanges) {
  std::mt19937_64 random(1);
  const auto key_of = [](uint64_t number) {
    char key[17];
    std::snprintf(key, sizeof(key), "%016llx",
                  static_cast<unsigned long long>(number));
    return std::string(key);
  };
  for (int tree = 0; tree < 50; ++tree) {
    std::vector<std::string> rows;
    std::vector<FileRange> files;
    for (uint64_t runs = 1 + random() % 6; runs > 0; --runs) {
      std::vector<std::string> run;
      const uint64_t begin = random() >> 1;
      const uint64_t width = random() >> 1;
      for (int i = 0; i < 4000; ++i) {
        run.push_back(key_of(begin + random() % width));
      }
      std::sort(run.begin(), run.end());
      rows.insert(rows.end(), run.begin(), run.end());
      for (size_t first = 0; first < run.size();) {
        const size_t last =
            std::min(run.size(), first + 300 + random() % 3000) - 1;
        files.push_back(
            {run[first], run[last], static_cast<double>(last - first + 1)});
        first = last + 1;
      }
    }
    const std::vector<double> shares = Shares(files);
    for (size_t i = 0; i < files.size(); ++i) {
      const auto inside =
          std::count_if(rows.begin(), rows.end(), [&](const std::string& row) {
            return files[i].smallest <= row && row <= files[i].largest;
          });
      EXPECT_NEAR(
          shares[i],
          static_cast<double>(inside) / static_cast<double>(rows.size()), 0.03)
          << tree << " " << i;
    }
  }
}

}  // namespace
}  // namespace linebloom
