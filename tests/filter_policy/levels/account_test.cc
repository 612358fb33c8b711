#include "filter_policy/levels/account.h"

#include <set>
#include <string>
#include <utility>

#include "gtest/gtest.h"

namespace linebloom {
namespace {

FilterTotals Filters(double keys, double bits_per_key) {
  return {.keys = keys, .bits = keys * bits_per_key};
}

// Of a budget of 1,000 bits.
BudgetRequest Compacted(double keys, double bits_per_key, double least = 0) {
  return {.budget = 1000,
          .bits_per_key = bits_per_key,
          .least_bits = least,
          .keys = keys};
}

BudgetRequest Flushed(double keys, double bits_per_key, double least = 0) {
  BudgetRequest request = Compacted(keys, bits_per_key, least);
  request.is_flush = true;
  return request;
}

class FilterAccountTest : public testing::Test {
 protected:
  void SetLive(const FilterTotals& live,
               const std::set<std::string>& installed = {},
               const std::string& database = "db") {
    account_.SetLive(database, live, [&](const std::string& file) {
      return installed.contains(file);
    });
  }

  // Of file 1.sst for job 1, and so on.
  double Reserve(int job, const BudgetRequest& request) {
    return account_.Reserve({"db", job, std::to_string(job) + ".sst"}, request);
  }
  double Estimate(int job, BudgetRequest request) {
    request.keys = 0;
    return Reserve(job, request);
  }

  // What live filters and running jobs leave to flushes below 1.05 times the
  // budget.
  double LeftToFlushes() {
    const double bits = 4 * Estimate(1000, Flushed(1, 1000));
    account_.DropFile("db", "1000.sst");
    return bits;
  }

  FilterAccount account_;
};

// Beyond what they get in any case.
TEST_F(FilterAccountTest, FlushesTakeAPartOfWhatIsLeft) {
  // 1050 / 4 for 10 keys.
  EXPECT_DOUBLE_EQ(20, Estimate(1, Flushed(10, 20)));
  EXPECT_DOUBLE_EQ(20, Reserve(1, Flushed(10, 20)));
  EXPECT_DOUBLE_EQ(20, Reserve(2, Flushed(10, 20)));
  EXPECT_DOUBLE_EQ(650.0 / 40, Reserve(3, Flushed(10, 20)));
  account_.EndJob("db", 1, Filters(10, 20));
  account_.EndJob("db", 2, Filters(20, 20));
  account_.EndJob("db", 3, Filters(30, 18.75));
  EXPECT_DOUBLE_EQ(1050 - 562.5, LeftToFlushes());
  EXPECT_DOUBLE_EQ(5, Reserve(4, Flushed(30, 20, 5)));
  EXPECT_DOUBLE_EQ((1350 - 562.5 - 150) / 3 / 100,
                   Reserve(5, Flushed(100, 20, 10)));
}

TEST_F(FilterAccountTest, PartitionsOfAFlushedFileShareWhatItMayTake) {
  BudgetRequest request = Flushed(25, 30);
  request.expected_keys = 100;
  EXPECT_DOUBLE_EQ(1050 / 4.0 / 100, Reserve(1, request));
  EXPECT_DOUBLE_EQ((1050 - 1050 / 16.0) / 4 / 75, Reserve(1, request));
}

TEST_F(FilterAccountTest, FiltersOfOneBitPerKeyCount) {
  EXPECT_DOUBLE_EQ(1, Reserve(1, Flushed(10, 1)));
  EXPECT_DOUBLE_EQ(0.9, Reserve(2, Flushed(10, 0.9)));
  EXPECT_DOUBLE_EQ(1050 - 10, LeftToFlushes());
}

TEST_F(FilterAccountTest, AJobThatFailsTakesNothing) {
  Reserve(1, Flushed(10, 10));
  account_.DropFile("db", "1.sst");
  Reserve(2, Flushed(10, 10));
  account_.EndJob("db", 2, {});
  EXPECT_DOUBLE_EQ(1050, LeftToFlushes());
}

TEST_F(FilterAccountTest, ACompactionGivesBackWhatItsInputsHave) {
  SetLive(Filters(200, 6));  // 1,200 of 1,000 bits
  EXPECT_EQ(0, LeftToFlushes());
  account_.BeginCompaction("db", 2, Filters(100, 6));
  EXPECT_DOUBLE_EQ(4, Reserve(2, Compacted(50, 5)));
  EXPECT_DOUBLE_EQ(4.5,
                   account_.Reserve({"db", 2, "3.sst"}, Compacted(50, 5, 4.5)));
  // Until it ends the inputs count, which are larger.
  EXPECT_DOUBLE_EQ(1200, account_.Live().bits);
  EXPECT_EQ(0, LeftToFlushes());
  account_.EndJob("db", 2, Filters(200, 5.125));
  EXPECT_DOUBLE_EQ(1050 - 1025, LeftToFlushes());
}

// In a backlog of flushes that have taken more than compactions may.
TEST_F(FilterAccountTest, ACompactionMaySpendWhatItsInputsHad) {
  SetLive(Filters(220, 6));  // 1,320 of 1,000 bits
  account_.BeginCompaction("db", 1, Filters(20, 6));
  EXPECT_EQ(0, Estimate(1, Compacted(10, 5)));
  EXPECT_DOUBLE_EQ(4, Reserve(1, Compacted(10, 5, 4)));
  for (const double bits : {8, 0}) {
    EXPECT_DOUBLE_EQ(bits, Reserve(1, Compacted(10, 5, 10)));
  }
}

// Keys that are about to go explain what exceeds the budget by a tenth.
TEST_F(FilterAccountTest, FilesOfTheLargestRunGetLessExceptInABurst) {
  BudgetRequest request = Compacted(10, 5, 5);
  request.is_of_largest_run = true;
  for (const auto& [bits, least] : {std::pair(1090, 4), {1100, 5}}) {
    SetLive(Filters(100, bits / 100.0));
    account_.BeginCompaction("db", bits, Filters(1, 1));
    EXPECT_DOUBLE_EQ(least, Estimate(bits, request)) << bits;
  }
}

TEST_F(FilterAccountTest, OutputsAndOtherCompactionsShareWhatTheyMayTake) {
  SetLive(Filters(200, 2));
  account_.BeginCompaction("db", 1, Filters(100, 2));
  account_.BeginCompaction("db", 2, Filters(100, 2));
  for (int i = 0; i < 4; ++i) {
    EXPECT_DOUBLE_EQ(8, Reserve(1, Compacted(25, 30)));
  }
  EXPECT_DOUBLE_EQ(2, Reserve(2, Compacted(100, 30)));
}

// Whatever is live, and however many files and databases there are.
TEST_F(FilterAccountTest, RecoveriesShareALittle) {
  SetLive(Filters(105, 10), {}, "other");
  BudgetRequest request = Flushed(1, 5);
  request.is_recovery = true;
  EXPECT_DOUBLE_EQ(5, Estimate(1, request));
  EXPECT_DOUBLE_EQ(5, Reserve(1, request));
  request.bits_per_key = 1000;
  EXPECT_DOUBLE_EQ(35.0 / 4, Reserve(1, request));
  double taken = 5 + 35.0 / 4;
  for (int i = 0; i < 50; ++i) {
    const double bits =
        account_.Reserve({"db" + std::to_string(i), 1, ""}, request);
    if (bits >= 1) taken += bits;
  }
  EXPECT_LE(taken, 40);
  EXPECT_GT(taken, 35);
  // The files of a database are listed once it is open.
  account_.Forget("db");
  EXPECT_GT(Estimate(1, request), 13.75 / 4);
}

TEST_F(FilterAccountTest, InstalledFilesCountOnce) {
  Reserve(1, Flushed(10, 10));
  SetLive(Filters(10, 10), {"1.sst"});
  EXPECT_DOUBLE_EQ(1050 - 100, LeftToFlushes());
}

TEST_F(FilterAccountTest, FilesOfAJobThatNobodyToldOfReplaceOthers) {
  SetLive(Filters(100, 8));
  EXPECT_DOUBLE_EQ(12, Reserve(1, Compacted(100, 12)));
  EXPECT_DOUBLE_EQ(1050 - 800, LeftToFlushes());
}

// A compaction is over once its files are seen to be live, even if it had no
// room for any filter. Its inputs are forgotten then.
TEST_F(FilterAccountTest, ACompactionThatIsSeenBeforeItEnds) {
  for (const double bits : {4.0, 0.5}) {
    SetLive(Filters(300, 5));
    account_.BeginCompaction("db", 1, Filters(100, 5));
    Estimate(1, Compacted(100, bits));
    SetLive(Filters(200, 5), {"2.sst"});
    EXPECT_LT(Estimate(1, Compacted(1, 1000)), 1000);
    SetLive(Filters(200, 5), {"1.sst"});
    EXPECT_EQ(1000, Estimate(1, Compacted(1, 1000)));
    account_.EndJob("db", 1, Filters(200, 5));
    EXPECT_DOUBLE_EQ(50, LeftToFlushes());
  }
}

TEST_F(FilterAccountTest, UnknownFiltersHaveTheirShare) {
  FilterTotals half_known = Filters(50, 4);
  half_known.unknown = 50;
  SetLive(half_known);
  // 200 bits, and 50 of 100 keys have half of the budget.
  EXPECT_DOUBLE_EQ(1050 - 700, LeftToFlushes());
}

}  // namespace
}  // namespace linebloom
