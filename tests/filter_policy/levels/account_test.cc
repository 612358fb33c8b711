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

// As a look does to which nothing happens meanwhile.
void SetLive(FilterAccount* account, const std::string& database,
             const FilterTotals& live, const std::set<std::string>& installed) {
  account->SetLive(database, account->VersionOf(database), live, installed);
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

// Beyond what they get in any case.
TEST(FilterAccountTest, FlushesTakeAPartOfWhatIsLeft) {
  FilterAccount account;
  // 1050 / 4 for 10 keys.
  EXPECT_DOUBLE_EQ(20,
                   account.EstimateBits({"db", 1, "1.sst"}, Flushed(10, 20)));
  EXPECT_DOUBLE_EQ(20,
                   account.ReserveBits({"db", 1, "1.sst"}, Flushed(10, 20)));
  EXPECT_DOUBLE_EQ(20,
                   account.ReserveBits({"db", 2, "2.sst"}, Flushed(10, 20)));
  EXPECT_DOUBLE_EQ(650.0 / 40,
                   account.ReserveBits({"db", 3, "3.sst"}, Flushed(10, 20)));
  EXPECT_EQ(3u, account.FilesUnderWay("db").size());
  account.EndJob("db", 1, Filters(10, 20));
  account.EndJob("db", 2, Filters(10, 20));
  account.EndJob("db", 3, Filters(10, 16.25));
  EXPECT_TRUE(account.FilesUnderWay("db").empty());
  EXPECT_DOUBLE_EQ(562.5, account.Live().bits);
  EXPECT_DOUBLE_EQ(30, account.Live().keys);
  BudgetRequest large = Flushed(30, 20);
  large.least_bits = 5;
  EXPECT_DOUBLE_EQ(5, account.ReserveBits({"db", 4, "4.sst"}, large));
  large.keys = 100;
  large.least_bits = 10;
  EXPECT_DOUBLE_EQ((1350 - 562.5 - 150) / 3 / 100,
                   account.ReserveBits({"db", 5, "5.sst"}, large));
}

TEST(FilterAccountTest, AJobThatFailsTakesNothing) {
  FilterAccount account;
  account.ReserveBits({"db", 1, "1.sst"}, Flushed(10, 10));
  account.DropFile("db", "1.sst");
  account.ReserveBits({"db", 2, "2.sst"}, Flushed(10, 10));
  account.EndJob("db", 2, {});
  EXPECT_EQ(0, account.Live().bits);
  EXPECT_DOUBLE_EQ(262.5,
                   account.EstimateBits({"db", 3, "3.sst"}, Flushed(1, 1000)));
}

TEST(FilterAccountTest, ACompactionGivesBackWhatItsInputsHave) {
  FilterAccount account;
  SetLive(&account, "db", Filters(200, 6), {});  // 1,200 of 1,000 bits
  EXPECT_EQ(0, account.EstimateBits({"db", 1, "1.sst"}, Flushed(1, 10)));
  account.BeginCompaction("db", 2, Filters(100, 6));
  EXPECT_DOUBLE_EQ(4,
                   account.ReserveBits({"db", 2, "2.sst"}, Compacted(50, 5)));
  BudgetRequest with_least = Compacted(50, 5);
  with_least.least_bits = 4.5;
  EXPECT_DOUBLE_EQ(4.5, account.ReserveBits({"db", 2, "3.sst"}, with_least));
  // Until it ends the inputs count, which are larger.
  EXPECT_DOUBLE_EQ(1200, account.Live().bits);
  FilterTotals change = Filters(100, 4.25);
  change.Add(Filters(100, 6), -1);
  account.EndJob("db", 2, change);
  EXPECT_DOUBLE_EQ(1025, account.Live().bits);
  EXPECT_DOUBLE_EQ(200, account.Live().keys);
}

// In a backlog of flushes that have taken more than compactions may.
TEST(FilterAccountTest, ACompactionMaySpendWhatItsInputsHad) {
  FilterAccount account;
  SetLive(&account, "db", Filters(220, 6), {});  // 1,320 of 1,000 bits
  account.BeginCompaction("db", 1, Filters(20, 6));
  EXPECT_EQ(0, account.EstimateBits({"db", 1, "1.sst"}, Compacted(10, 5)));
  BudgetRequest with_least = Compacted(10, 5);
  with_least.least_bits = 4;
  EXPECT_DOUBLE_EQ(4, account.ReserveBits({"db", 1, "1.sst"}, with_least));
  with_least.least_bits = 10;
  EXPECT_DOUBLE_EQ(8, account.ReserveBits({"db", 1, "2.sst"}, with_least));
  EXPECT_DOUBLE_EQ(0, account.ReserveBits({"db", 1, "3.sst"}, with_least));
}

TEST(FilterAccountTest, OutputsShareWhatACompactionMayTake) {
  FilterAccount account;
  SetLive(&account, "db", Filters(100, 2), {});
  account.BeginCompaction("db", 1, Filters(100, 2));
  for (const char* file : {"1.sst", "2.sst", "3.sst", "4.sst"}) {
    EXPECT_DOUBLE_EQ(10,
                     account.ReserveBits({"db", 1, file}, Compacted(25, 30)));
  }
}

TEST(FilterAccountTest, CompactionsThatRunTogetherKnowOfEachOther) {
  FilterAccount account;
  SetLive(&account, "db", Filters(200, 2), {});
  account.BeginCompaction("db", 1, Filters(100, 2));
  account.BeginCompaction("db", 2, Filters(100, 2));
  EXPECT_DOUBLE_EQ(8,
                   account.ReserveBits({"db", 1, "1.sst"}, Compacted(100, 30)));
  EXPECT_DOUBLE_EQ(2,
                   account.ReserveBits({"db", 2, "2.sst"}, Compacted(100, 30)));
}

// Whatever is live, and however many files and databases there are.
TEST(FilterAccountTest, RecoveriesShareALittle) {
  FilterAccount account;
  SetLive(&account, "other", Filters(105, 10), {});
  BudgetRequest request = Flushed(1, 5);
  request.is_recovery = true;
  EXPECT_DOUBLE_EQ(5, account.EstimateBits({"db", 1, "1.sst"}, request));
  EXPECT_DOUBLE_EQ(5, account.ReserveBits({"db", 1, "1.sst"}, request));
  EXPECT_TRUE(account.FilesUnderWay("db").empty());
  request.bits_per_key = 1000;
  EXPECT_DOUBLE_EQ(35.0 / 4, account.ReserveBits({"db", 1, "2.sst"}, request));
  double taken = 5 + 35.0 / 4;
  for (int i = 0; i < 50; ++i) {
    const double bits =
        account.ReserveBits({"db" + std::to_string(i), 1, ""}, request);
    if (bits >= 1) taken += bits;
  }
  EXPECT_LE(taken, 40);
  EXPECT_GT(taken, 35);
  // The files of a database are listed once it is open.
  account.Forget("db");
  EXPECT_GT(account.EstimateBits({"db", 1, "3.sst"}, request), 13.75 / 4);
}

// As one that was asked for before files were seen to be live.
TEST(FilterAccountTest, InstalledFilesCountOnce) {
  FilterAccount account;
  account.ReserveBits({"db", 1, "1.sst"}, Compacted(10, 10));
  SetLive(&account, "db", Filters(10, 10), {"1.sst"});
  EXPECT_TRUE(account.FilesUnderWay("db").empty());
  EXPECT_DOUBLE_EQ(1050 - 100, 4 * account.EstimateBits({"db", 2, "2.sst"},
                                                        Flushed(1, 1000)));
}

// A compaction is over once its files are seen to be live, even if it had no
// room for any filter.
TEST(FilterAccountTest, ACompactionThatIsSeenBeforeItEnds) {
  for (const double bits : {4.0, 0.5}) {
    FilterAccount account;
    SetLive(&account, "db", Filters(300, 5), {});
    account.BeginCompaction("db", 1, Filters(100, 5));
    account.EstimateBits({"db", 1, "1.sst"}, Compacted(100, bits));
    EXPECT_EQ(account.FilesUnderWay("db"), std::set<std::string>{"1.sst"});
    SetLive(&account, "db", Filters(200, 5), {"1.sst"});
    EXPECT_TRUE(account.FilesUnderWay("db").empty());
    account.EndJob("db", 1, {});
    EXPECT_DOUBLE_EQ(1000, account.Live().bits);
  }
}

// A look that began before a job ended must not undo what the job booked.
TEST(FilterAccountTest, ALookThatIsOutOfDate) {
  FilterAccount account;
  SetLive(&account, "db", Filters(10, 10), {});
  const uint64_t version = account.VersionOf("db");
  account.ReserveBits({"db", 1, "1.sst"}, Flushed(10, 10));
  account.EndJob("db", 1, Filters(10, 10));
  EXPECT_FALSE(account.SetLive("db", version, Filters(10, 10), {}));
  EXPECT_DOUBLE_EQ(200, account.Live().bits);
}

TEST(FilterAccountTest, UnknownFiltersHaveTheirShare) {
  FilterAccount account;
  FilterTotals half_known = Filters(50, 4);
  half_known.unknown = 50;
  SetLive(&account, "db", half_known, {});
  // 200 bits, and 50 of 100 keys have half of the budget.
  EXPECT_DOUBLE_EQ(1050 - 700, 4 * account.EstimateBits({"db", 1, "1.sst"},
                                                        Flushed(1, 1000)));
}

TEST(FilterAccountTest, DatabasesShareABudgetUntilTheyAreClosed) {
  FilterAccount account;
  for (int i = 0; i < 1000; ++i) {
    const std::string name = "db" + std::to_string(i);
    SetLive(&account, name, Filters(10, 50), {});
    account.BeginCompaction(name, 1, Filters(10, 50));
    account.ReserveBits({name, 1, "1.sst"}, Compacted(10, 1));
    SetLive(&account, "db", Filters(10, 50), {});
    EXPECT_DOUBLE_EQ(1000, account.Live().bits);
    account.Forget(name);
    EXPECT_DOUBLE_EQ(500, account.Live().bits);
    EXPECT_TRUE(account.FilesUnderWay(name).empty());
  }
}

}  // namespace
}  // namespace linebloom
