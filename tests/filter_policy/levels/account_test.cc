#include "filter_policy/levels/account.h"

#include <set>
#include <string>

#include "gtest/gtest.h"

namespace linebloom {
namespace {

FilterTotals Filters(double keys, double bits_per_key) {
  FilterTotals totals;
  totals.keys = keys;
  totals.bits = keys * bits_per_key;
  return totals;
}

BudgetRequest Compacted(double keys, double bits_per_key) {
  BudgetRequest request;
  request.budget = 1000;
  request.keys = keys;
  request.bits_per_key = bits_per_key;
  return request;
}

BudgetRequest Flushed(double keys, double bits_per_key) {
  BudgetRequest request = Compacted(keys, bits_per_key);
  request.is_flush = true;
  return request;
}

class FilterAccountTest : public testing::Test {
 protected:
  // As a look does to which nothing happens meanwhile.
  void SetLive(const FilterTotals& live,
               const std::set<std::string>& installed = {},
               const std::string& database = "db") {
    account_.SetLive(database, account_.VersionOf(database), live, installed);
  }

  // Of file 1.sst for job 1, and so on.
  double Reserve(int job, const BudgetRequest& request) {
    return account_.ReserveBits({"db", job, FileOf(job)}, request);
  }
  double Estimate(int job, const BudgetRequest& request) {
    return account_.EstimateBits({"db", job, FileOf(job)}, request);
  }
  static std::string FileOf(int job) { return std::to_string(job) + ".sst"; }

  FilterAccount account_;
};

// Beyond what they get in any case.
TEST_F(FilterAccountTest, FlushesTakeAPartOfWhatIsLeft) {
  // 1050 / 4 for 10 keys.
  EXPECT_DOUBLE_EQ(20, Estimate(1, Flushed(10, 20)));
  EXPECT_DOUBLE_EQ(20, Reserve(1, Flushed(10, 20)));
  EXPECT_DOUBLE_EQ(20, Reserve(2, Flushed(10, 20)));
  EXPECT_DOUBLE_EQ(650.0 / 40, Reserve(3, Flushed(10, 20)));
  EXPECT_EQ(3u, account_.FilesUnderWay("db").size());
  account_.EndJob("db", 1, Filters(10, 20));
  account_.EndJob("db", 2, Filters(10, 20));
  account_.EndJob("db", 3, Filters(10, 16.25));
  EXPECT_TRUE(account_.FilesUnderWay("db").empty());
  EXPECT_DOUBLE_EQ(562.5, account_.Live().bits);
  EXPECT_DOUBLE_EQ(30, account_.Live().keys);
  BudgetRequest large = Flushed(30, 20);
  large.least_bits = 5;
  EXPECT_DOUBLE_EQ(5, Reserve(4, large));
  large.keys = 100;
  large.least_bits = 10;
  EXPECT_DOUBLE_EQ((1350 - 562.5 - 150) / 3 / 100, Reserve(5, large));
}

TEST_F(FilterAccountTest, PartitionsOfAFlushedFileShareWhatItMayTake) {
  BudgetRequest request = Flushed(25, 30);
  request.expected_keys = 100;
  EXPECT_DOUBLE_EQ(1050 / 4.0 / 100, Reserve(1, request));
  EXPECT_DOUBLE_EQ((1050 - 1050 / 16.0) / 4 / 75, Reserve(1, request));
}

TEST_F(FilterAccountTest, FiltersOfOneBitPerKeyCount) {
  EXPECT_DOUBLE_EQ(1, Reserve(1, Flushed(10, 1)));
  EXPECT_DOUBLE_EQ((1050 - 10) / 4.0, Estimate(2, Flushed(1, 1000)));
}

TEST_F(FilterAccountTest, AJobThatFailsTakesNothing) {
  Reserve(1, Flushed(10, 10));
  account_.DropFile("db", "1.sst");
  Reserve(2, Flushed(10, 10));
  account_.EndJob("db", 2, {});
  EXPECT_EQ(0, account_.Live().bits);
  EXPECT_DOUBLE_EQ(262.5, Estimate(3, Flushed(1, 1000)));
}

TEST_F(FilterAccountTest, ACompactionGivesBackWhatItsInputsHave) {
  SetLive(Filters(200, 6));  // 1,200 of 1,000 bits
  EXPECT_EQ(0, Estimate(1, Flushed(1, 10)));
  account_.BeginCompaction("db", 2, Filters(100, 6));
  EXPECT_DOUBLE_EQ(4, Reserve(2, Compacted(50, 5)));
  BudgetRequest with_least = Compacted(50, 5);
  with_least.least_bits = 4.5;
  EXPECT_DOUBLE_EQ(4.5, account_.ReserveBits({"db", 2, "3.sst"}, with_least));
  // Until it ends the inputs count, which are larger.
  EXPECT_DOUBLE_EQ(1200, account_.Live().bits);
  FilterTotals change = Filters(100, 4.25);
  change.Add(Filters(100, 6), -1);
  account_.EndJob("db", 2, change);
  EXPECT_DOUBLE_EQ(1025, account_.Live().bits);
  EXPECT_DOUBLE_EQ(200, account_.Live().keys);
}

// In a backlog of flushes that have taken more than compactions may.
TEST_F(FilterAccountTest, ACompactionMaySpendWhatItsInputsHad) {
  SetLive(Filters(220, 6));  // 1,320 of 1,000 bits
  account_.BeginCompaction("db", 1, Filters(20, 6));
  EXPECT_EQ(0, Estimate(1, Compacted(10, 5)));
  BudgetRequest with_least = Compacted(10, 5);
  with_least.least_bits = 4;
  EXPECT_DOUBLE_EQ(4, Reserve(1, with_least));
  with_least.least_bits = 10;
  EXPECT_DOUBLE_EQ(8, account_.ReserveBits({"db", 1, "2.sst"}, with_least));
  EXPECT_DOUBLE_EQ(0, account_.ReserveBits({"db", 1, "3.sst"}, with_least));
}

// Keys that are about to go explain what exceeds the budget by a tenth.
TEST_F(FilterAccountTest, FilesOfTheLargestRunGetLessExceptInABurst) {
  BudgetRequest request = Compacted(10, 5);
  request.least_bits = 5;
  request.is_of_largest_run = true;
  for (const auto& [bits, least] : {std::pair(1090, 4), {1100, 5}}) {
    SetLive(Filters(100, bits / 100.0));
    account_.BeginCompaction("db", bits, Filters(1, 1));
    EXPECT_DOUBLE_EQ(least, Estimate(bits, request)) << bits;
  }
}

TEST_F(FilterAccountTest, OutputsShareWhatACompactionMayTake) {
  SetLive(Filters(100, 2));
  account_.BeginCompaction("db", 1, Filters(100, 2));
  for (const char* file : {"1.sst", "2.sst", "3.sst", "4.sst"}) {
    EXPECT_DOUBLE_EQ(10,
                     account_.ReserveBits({"db", 1, file}, Compacted(25, 30)));
  }
}

TEST_F(FilterAccountTest, CompactionsThatRunTogetherKnowOfEachOther) {
  SetLive(Filters(200, 2));
  account_.BeginCompaction("db", 1, Filters(100, 2));
  account_.BeginCompaction("db", 2, Filters(100, 2));
  EXPECT_DOUBLE_EQ(8, Reserve(1, Compacted(100, 30)));
  EXPECT_DOUBLE_EQ(2, Reserve(2, Compacted(100, 30)));
}

// Whatever is live, and however many files and databases there are.
TEST_F(FilterAccountTest, RecoveriesShareALittle) {
  SetLive(Filters(105, 10), {}, "other");
  BudgetRequest request = Flushed(1, 5);
  request.is_recovery = true;
  EXPECT_DOUBLE_EQ(5, Estimate(1, request));
  EXPECT_DOUBLE_EQ(5, Reserve(1, request));
  EXPECT_TRUE(account_.FilesUnderWay("db").empty());
  request.bits_per_key = 1000;
  EXPECT_DOUBLE_EQ(35.0 / 4, account_.ReserveBits({"db", 1, "2.sst"}, request));
  double taken = 5 + 35.0 / 4;
  for (int i = 0; i < 50; ++i) {
    const double bits =
        account_.ReserveBits({"db" + std::to_string(i), 1, ""}, request);
    if (bits >= 1) taken += bits;
  }
  EXPECT_LE(taken, 40);
  EXPECT_GT(taken, 35);
  // The files of a database are listed once it is open.
  account_.Forget("db");
  EXPECT_GT(account_.EstimateBits({"db", 1, "3.sst"}, request), 13.75 / 4);
}

// As one that was asked for before files were seen to be live.
TEST_F(FilterAccountTest, InstalledFilesCountOnce) {
  Reserve(1, Compacted(10, 10));
  SetLive(Filters(10, 10), {"1.sst"});
  EXPECT_TRUE(account_.FilesUnderWay("db").empty());
  EXPECT_DOUBLE_EQ(1050 - 100, 4 * Estimate(2, Flushed(1, 1000)));
}

// A compaction is over once its files are seen to be live, even if it had no
// room for any filter.
TEST_F(FilterAccountTest, ACompactionThatIsSeenBeforeItEnds) {
  for (const double bits : {4.0, 0.5}) {
    SetLive(Filters(300, 5));
    account_.BeginCompaction("db", 1, Filters(100, 5));
    Estimate(1, Compacted(100, bits));
    EXPECT_EQ(account_.FilesUnderWay("db"), std::set<std::string>{"1.sst"});
    SetLive(Filters(200, 5), {"1.sst"});
    EXPECT_TRUE(account_.FilesUnderWay("db").empty());
    account_.EndJob("db", 1, {});
    EXPECT_DOUBLE_EQ(1000, account_.Live().bits);
    account_.Forget("db");
  }
}

// A look that began before a job ended must not undo what the job booked.
TEST_F(FilterAccountTest, ALookThatIsOutOfDate) {
  SetLive(Filters(10, 10));
  const uint64_t version = account_.VersionOf("db");
  Reserve(1, Flushed(10, 10));
  account_.EndJob("db", 1, Filters(10, 10));
  EXPECT_FALSE(account_.SetLive("db", version, Filters(10, 10), {}));
  EXPECT_DOUBLE_EQ(200, account_.Live().bits);
}

TEST_F(FilterAccountTest, UnknownFiltersHaveTheirShare) {
  FilterTotals half_known = Filters(50, 4);
  half_known.unknown = 50;
  SetLive(half_known);
  // 200 bits, and 50 of 100 keys have half of the budget.
  EXPECT_DOUBLE_EQ(1050 - 700, 4 * Estimate(1, Flushed(1, 1000)));
}

TEST_F(FilterAccountTest, DatabasesShareABudgetUntilTheyAreClosed) {
  for (int i = 0; i < 1000; ++i) {
    const std::string name = "db" + std::to_string(i);
    SetLive(Filters(10, 50), {}, name);
    account_.BeginCompaction(name, 1, Filters(10, 50));
    account_.ReserveBits({name, 1, "1.sst"}, Compacted(10, 1));
    SetLive(Filters(10, 50));
    EXPECT_DOUBLE_EQ(1000, account_.Live().bits);
    account_.Forget(name);
    EXPECT_DOUBLE_EQ(500, account_.Live().bits);
    EXPECT_TRUE(account_.FilesUnderWay(name).empty());
  }
}

}  // namespace
}  // namespace linebloom
