// What every test in this folder stands on: a database in a scratch folder
// with a filter policy, rows of known keys, and counts of what the filters
// answered.
//
// A test that reads right proves little about a filter: a filter that answers
// 'may match' always, or a file whose filter isn't found, reads right too. So
// the tests look at what the filters were asked and what they answered.
//
// Where RocksDB promises the same of its own filters, a test runs with the
// built-in Bloom filter as well: that it passes there shows that the test is
// right.
#pragma once

#include <cstdint>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "rocksdb/db.h"
#include "rocksdb/filter_policy.h"
#include "rocksdb/options.h"
#include "rocksdb/table.h"
#include "rocksdb/table_properties.h"
#include "rocksdb/version.h"

#define ROCKSDB_IS_AT_LEAST(major, minor) \
  (ROCKSDB_MAJOR > (major) ||             \
   (ROCKSDB_MAJOR == (major) && ROCKSDB_MINOR >= (minor)))

#define EXPECT_OK(expression) EXPECT_TRUE(::linebloom::IsOk(expression))
#define ASSERT_OK(expression) ASSERT_TRUE(::linebloom::IsOk(expression))

namespace linebloom {

testing::AssertionResult IsOk(const rocksdb::Status& status);

enum class PolicyKind { kNone, kBuiltinBloom, kBuiltinRibbon, kLinebloom };

// A policy of that kind; null for kNone.
std::shared_ptr<const rocksdb::FilterPolicy> MakePolicy(
    PolicyKind kind, double bits_per_key = 10);

// What `TableProperties::filter_policy_name` says of its files. It ends the
// names of the tests too.
std::string PolicyName(PolicyKind kind);
std::ostream& operator<<(std::ostream& out, PolicyKind kind);
std::string PolicyParamName(const testing::TestParamInfo<PolicyKind>& info);

// The rows of a test: the even numbers from `begin` on and below `end` exist,
// the odd ones between two of them are missing. Both limits are even.
struct Rows {
  uint64_t begin;
  uint64_t end;

  uint64_t present() const { return (end - begin) / 2; }
  uint64_t missing() const { return present() - 1; }
};

std::string RowKey(uint64_t number);
std::string RowValue(uint64_t number);

// What the filters answered to Gets and seeks, for whole keys and prefixes
// together, because which ticker counts what has changed: RocksDB up to 8.2
// counts a Get that asks for a prefix among the whole keys, and from 8.3 has
// tickers of its own for seeks. `true_positive` is of Gets alone.
struct FilterCounts {
  uint64_t no = 0;             // no data block was read
  uint64_t maybe = 0;          // the index and perhaps a data block were read
  uint64_t true_positive = 0;  // of `maybe`: the file did hold the key

  bool operator==(const FilterCounts&) const = default;
};
std::ostream& operator<<(std::ostream& out, const FilterCounts& counts);

// What an iterator sees from where it stands to its end.
std::vector<std::string> KeysFrom(rocksdb::Iterator* iterator);

// The answer as text: the value, or the status where there is none.
std::string GetText(rocksdb::DB* db, const rocksdb::Slice& key,
                    const rocksdb::ReadOptions& read = {});

// The tables' properties, files of upper levels and newer files first.
std::vector<std::shared_ptr<const rocksdb::TableProperties>> AllProperties(
    rocksdb::DB* db);
uint64_t SumOfFilterEntries(rocksdb::DB* db);

class DbTest : public testing::Test {
 protected:
  DbTest();
  ~DbTest() override;

  // Opens the database with `options_` and `table_`, and closes it before if
  // need be.
  void Reopen();
  rocksdb::Status TryReopen();
  void Close();
  // The same on an empty folder.
  void DestroyAndReopen();

  // `options_` with `table_` in it.
  rocksdb::Options OptionsWithTable() const;
  void UsePolicy(PolicyKind kind, double bits_per_key = 10);

  // Writes the rows that exist, and flushes them to a file of level 0.
  void WriteFile(Rows rows);
  void PutRows(Rows rows);
  void Flush();
  // Rewrites every file, those of the last level too.
  void CompactAll();

  // Every present row is found, every missing one is not. `db` is `db_` unless
  // given.
  void ExpectRows(Rows rows, rocksdb::DB* db = nullptr);
  // The same, and for each row the filters of `files` files are asked, let
  // through every present row, and stop nearly all missing ones. RocksDB asks
  // each file whose range has the key, and where there is nothing but up to
  // three files of level 0 it asks them all without a look at their range.
  void ExpectFilterWorks(Rows rows, uint64_t files = 1,
                         rocksdb::DB* db = nullptr);

  // The counts since they were last taken.
  FilterCounts TakeCounts();
  // What the filters answer to Gets of the missing rows.
  FilterCounts CountMissing(Rows rows, rocksdb::DB* db = nullptr);
  // What the filters answer to Gets of the present rows.
  FilterCounts CountPresent(Rows rows, rocksdb::DB* db = nullptr);

  // A path in the scratch folder, which is removed at the end.
  std::string Path(const std::string& name) const;

  rocksdb::Options options_;
  rocksdb::BlockBasedTableOptions table_;
  std::unique_ptr<rocksdb::DB> db_;

 private:
  std::string folder_;
};

// A test that runs once with each policy that builds filters like ours.
class PolicyTest : public DbTest,
                   public testing::WithParamInterface<PolicyKind> {
 protected:
  PolicyTest() { UsePolicy(GetParam()); }
};

#define INSTANTIATE_POLICY_TEST(fixture)                                  \
  INSTANTIATE_TEST_SUITE_P(                                               \
      With, fixture,                                                      \
      testing::Values(PolicyKind::kBuiltinBloom, PolicyKind::kLinebloom), \
      PolicyParamName)

}  // namespace linebloom
