#include "filter_policy/tree/ledger.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>

namespace linebloom {
namespace {

class LedgerTest : public testing::Test {
 protected:
  // A database with one file of so many rows, for which it asks for bits.
  CacheUsers Open(const std::string& path, double rows,
                  const std::shared_ptr<rocksdb::Cache>& cache,
                  std::shared_ptr<rocksdb::Statistics> statistics = nullptr) {
    Database database;
    database.session = path;
    database.table.cache = cache;
    database.default_family = HandleOf(path);
    database.statistics = std::move(statistics);
    ledger_.Open(path, std::move(database));
    ledger_.Change(path, [&](Database* changed) {
      rocksdb::LiveFileMetaData file;
      file.column_family_name = "default";
      file.name = "/1.sst";
      file.level = 6;
      file.size = 1000;
      changed->files.Read(
          file.name,
          FileTotals{
              .rows = rows, .keys = rows, .bits = 12 * rows, .files = 1});
      changed->files.List({file}, changed->files.version());
    });
    return UsersOf(path, cache);
  }

  CacheUsers UsersOf(const std::string& path,
                     const std::shared_ptr<rocksdb::Cache>& cache) {
    return ledger_.UsersOf(path, "default", {cache});
  }

  void Write(const std::string& path, double rows,
             const std::string& family = "default") {
    ledger_.Change(path, [&](Database* database) {
      database->files.families()[family].rows_written += rows;
    });
  }

  void Close(const std::string& path) { ledger_.Close(HandleOf(path)); }

  // Only its address matters.
  const rocksdb::ColumnFamilyHandle* HandleOf(const std::string& path) {
    return reinterpret_cast<const rocksdb::ColumnFamilyHandle*>(
        &handles_[path]);
  }

  Ledger ledger_;
  std::map<std::string, int> handles_;
  std::shared_ptr<rocksdb::Cache> cache_ = rocksdb::NewLRUCache(1 << 20);
};

TEST_F(LedgerTest, DatabasesOfACacheAreUsersOfIt) {
  EXPECT_EQ(1u, Open("a", 100, cache_).families.size());
  EXPECT_EQ(2u, Open("b", 200, cache_).families.size());
  EXPECT_EQ(1u, Open("c", 400, rocksdb::NewLRUCache(1 << 20)).families.size());
  EXPECT_EQ(100, UsersOf("a", cache_).families[0].tree->filters.rows);
  EXPECT_EQ(200, UsersOf("a", cache_).families[1].tree->filters.rows);
  // A family that hasn't asked uses what the last one did that has.
  ledger_.Change("c", [](Database* c) {
    auto& families = c->files.families();
    families["new"].tree = families["default"].tree;
  });
  EXPECT_EQ(4u, UsersOf("c", cache_).families.size());
  Close("b");
  EXPECT_EQ(3u, UsersOf("a", cache_).families.size());
  EXPECT_EQ(0u, UsersOf("b", cache_).families.size());
}

// An earlier database at the path is forgotten.
TEST_F(LedgerTest, ANewSessionBeginsAnew) {
  Open("a", 100, cache_);
  EXPECT_TRUE(ledger_.IsOpen("a", "a"));
  EXPECT_FALSE(ledger_.IsOpen("a", "another"));
  EXPECT_FALSE(ledger_.IsOpen("b", "a"));
  Database again;
  again.session = "another";
  ledger_.Open("a", std::move(again));
  EXPECT_TRUE(ledger_.IsOpen("a", "another"));
  EXPECT_TRUE(UsersOf("a", cache_).families.empty());
  // Not what another thread has opened meanwhile.
  Open("b", 100, cache_);
  Database same;
  same.session = "b";
  ledger_.Open("b", std::move(same));
  EXPECT_EQ(1u, UsersOf("b", cache_).families.size());
}

TEST_F(LedgerTest, StatisticsAreOneSourceHoweverManyShareThem) {
  const auto shared = rocksdb::CreateDBStatistics();
  Open("a", 100, cache_, shared);
  EXPECT_EQ(1u, Open("b", 100, cache_, shared).sources.size());
  EXPECT_EQ(
      2u, Open("c", 100, cache_, rocksdb::CreateDBStatistics()).sources.size());
  const CacheUsers users = Open("d", 100, cache_);
  ASSERT_EQ(3u, users.sources.size());
  EXPECT_EQ(1, std::ranges::count(users.sources, true,
                                  &CacheUsers::Source::is_sample));
  shared->recordTick(rocksdb::MEMTABLE_MISS, 5000);
  const CacheUsers counted = UsersOf("a", cache_);
  EXPECT_LT(counted.sources[counted.families[0].source].hits.most, 0.001);
}

// Readers stay in a cache when the database is opened again, but not in another
// one, even at the same address.
TEST_F(LedgerTest, TheSampleOfAnswersIsThatOfACache) {
  const auto sample = ledger_.SampleOf(nullptr, cache_);
  EXPECT_EQ(sample, ledger_.SampleOf(nullptr, cache_));
  Open("a", 100, cache_);
  sample->probes = 7000;  // of its only run
  sample->positives = 700;
  EXPECT_NEAR(0.1, UsersOf("a", cache_).sources[0].hits.most, 0.01);
  Close("a");
  EXPECT_NEAR(0.1, Open("a", 100, cache_).sources[0].hits.most, 0.01);
  auto other = rocksdb::NewLRUCache(1 << 20);
  EXPECT_NE(sample, ledger_.SampleOf(nullptr, other));
  const std::weak_ptr<AnswerSample> gone = ledger_.SampleOf(nullptr, other);
  other.reset();
  ledger_.SampleOf(nullptr, cache_);
  EXPECT_TRUE(gone.expired());
}

TEST_F(LedgerTest, FiltersThatLookupsReadAreThoseOfASource) {
  const auto statistics = rocksdb::CreateDBStatistics();
  Open("a", 100, cache_, statistics);
  const auto other = rocksdb::NewLRUCache(1 << 20);
  for (int i = 0; i < 100; ++i) {
    statistics->recordTick(rocksdb::MEMTABLE_MISS, 640);
    ledger_.SampleOf(statistics, other)->SquaresOfGaps(true);
    if (i % 2 == 0) ledger_.SampleOf(statistics, cache_)->SquaresOfGaps(true);
  }
  const CacheUsers::Source source = UsersOf("a", cache_).sources[0];
  // As if they came by chance, with which gaps have twice these squares.
  EXPECT_NEAR(2.0 / 1280, source.filters_read, 1e-4);
  Write("a", 30);
  EXPECT_EQ(0.3, UsersOf("a", cache_).sources[0].rewritten);
  EXPECT_EQ(0, UsersOf("a", cache_).sources[0].rewritten);
}

// What a load was is forgotten as the rows that were there are written anew.
TEST_F(LedgerTest, WritingForgets) {
  const auto statistics = rocksdb::CreateDBStatistics();
  Open("a", 1000, cache_, statistics);
  const auto look_up = [&](uint64_t lookups, uint64_t hits) {
    statistics->recordTick(rocksdb::MEMTABLE_MISS, lookups);
    statistics->recordTick(rocksdb::GET_HIT_L1, hits);
    return UsersOf("a", cache_).sources[0].hits;
  };
  look_up(50'000, 25'000);
  EXPECT_GT(look_up(50'000, 0).most, 0.45);
  Write("a", 10);
  EXPECT_GT(look_up(0, 0).most, 0.45);
  Write("a", 500);  // half of all
  EXPECT_NEAR(0.5 * 0.316, look_up(0, 0).most, 0.05);
  // Of databases with other Statistics nothing is.
  Open("b", 1000, cache_, rocksdb::CreateDBStatistics());
  Write("b", 1e6);
  // Or of families that don't use the cache.
  Write("a", 1e6, "elsewhere");
  EXPECT_GT(look_up(0, 0).most, 0.1);
}

}  // namespace
}  // namespace linebloom
