#include "table/probe_shares.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_format.h"

namespace linebloom {
namespace {

using ::testing::DoubleNear;
using ::testing::IsEmpty;
using ::testing::Pointwise;

std::vector<double> Shares(
    const std::vector<FileRange>& files,
    const rocksdb::Comparator& order = *rocksdb::BytewiseComparator()) {
  std::vector<double> shares;
  for (const KeyInterval& place : IntervalsOf(files, order)) {
    shares.push_back(place.share());
  }
  return shares;
}

// Rounded, because ends of ranges have a little room.
auto AreNearly(const std::vector<double>& shares) {
  return Pointwise(DoubleNear(1e-6), shares);
}

TEST(IntervalsOfTest, FilesOfFewKeysOrNone) {
  EXPECT_THAT(Shares({}), IsEmpty());
  EXPECT_THAT(Shares({{"00", "99", 7}}), AreNearly({1}));
  EXPECT_THAT(Shares({{"44", "44", 1}}), AreNearly({1}));
  // Only deleted ranges.
  EXPECT_THAT(Shares({{"00", "99", 0}, {"22", "33", 0}}), AreNearly({1, 1}));
  // A file without rows is met where others have them.
  EXPECT_THAT(Shares({{"00", "49", 300}, {"50", "99", 100}, {"50", "99", 0}}),
              AreNearly({0.75, 0.25, 0.25}));
}

TEST(IntervalsOfTest, FollowTheComparator) {
  const std::vector<double> shares =
      Shares({{"99", "50", 100}, {"49", "00", 300}, {"74", "25", 0}},
             *rocksdb::ReverseBytewiseComparator());
  EXPECT_NEAR(shares[0], 0.25, 1e-6);
  EXPECT_NEAR(shares[1], 0.75, 1e-6);
  EXPECT_NEAR(shares[2], 0.5, 0.02);
}

// Trees of random runs, each over a part of the key space, in files.
TEST(IntervalsOfTest, AreThoseOfTheRowsThatLieInTheRanges) {
  std::mt19937_64 random(1);
  for (int tree = 0; tree < 50; ++tree) {
    std::vector<std::string> rows;
    std::vector<FileRange> files;
    for (uint64_t runs = 1 + random() % 6; runs > 0; --runs) {
      std::vector<std::string> run;
      const uint64_t begin = random() >> 1;
      const uint64_t width = random() >> 1;
      for (int i = 0; i < 4000; ++i) {
        run.push_back(absl::StrFormat("%016x", begin + random() % width));
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
