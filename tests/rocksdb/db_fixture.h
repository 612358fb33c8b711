// The base of every test in this folder: a database in a temporary folder with
// a filter policy, rows of known keys, and counts of the filters' answers.
//
// Correct reads prove little about a filter: with one that always returns 'may
// match', or a file whose filter isn't found, reads are correct too. So the
// tests check which filters were probed and what they returned.
//
// If RocksDB promises the same for its own filters, a test also runs with the
// built-in Bloom filter: passing there shows that the test is right.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <ostream>
#include <string>
#include <tuple>
#include <vector>

#include "gtest/gtest.h"
#include "linebloom/filter_policy.h"
#include "linebloom/rebuild_filters.h"
#include "rocksdb/convenience.h"
#include "rocksdb/db.h"
#include "rocksdb/options.h"
#include "rocksdb/statistics.h"
#include "rocksdb/table.h"
#include "rocksdb/table_properties.h"
#include "rocksdb/version.h"
#include "tests/rocksdb/policy.h"
#include "tests/temporary_folder.h"
#include "tools/database/out_ptr.h"

#define ROCKSDB_IS_AT_LEAST(major, minor) \
  (ROCKSDB_MAJOR > (major) ||             \
   (ROCKSDB_MAJOR == (major) && ROCKSDB_MINOR >= (minor)))

#define EXPECT_OK(expression) EXPECT_TRUE(::linebloom::IsOk(expression))
#define ASSERT_OK(expression) ASSERT_TRUE(::linebloom::IsOk(expression))

namespace linebloom {

testing::AssertionResult IsOk(const rocksdb::Status& status);

// Doesn't ignore options or policies that RocksDB can't create, as its default
// does.
rocksdb::ConfigOptions StrictConfig();

// The rows of a test: the even numbers from `begin` to below `end` exist, and
// the odd ones between two of them are missing. Both limits are even.
struct Rows {
  uint64_t begin;
  uint64_t end;

  uint64_t present() const { return (end - begin) / 2; }
  uint64_t missing() const { return present() - 1; }
};

std::string RowKey(uint64_t number);
std::string RowValue(uint64_t number);

// Counts what filters returned to Gets and seeks, with whole keys and prefixes
// added up, because their tickers have changed: RocksDB up to 8.2 counts a Get
// that probes a prefix as a whole key, and since 8.3 seeks have their own
// tickers. `true_positive` is for Gets only.
struct FilterCounts {
  uint64_t no = 0;             // no data block was read
  uint64_t maybe = 0;          // the index and perhaps a data block were read
  uint64_t true_positive = 0;  // of `maybe`: the file did hold the key

  bool operator==(const FilterCounts&) const = default;
};
std::ostream& operator<<(std::ostream& out, const FilterCounts& counts);

// Returns the keys from the iterator's position to the end.
std::vector<std::string> KeysFrom(rocksdb::Iterator* iterator);

// Returns the value, or the status as text if there is none. Reads the default
// family unless another is given.
std::string GetText(rocksdb::DB* db, const rocksdb::Slice& key,
                    const rocksdb::ReadOptions& read = {},
                    rocksdb::ColumnFamilyHandle* family = nullptr);

// Returns the same for many keys, by one MultiGet().
std::vector<std::string> MultiGetTexts(
    rocksdb::DB* db, const std::vector<std::string>& keys,
    const rocksdb::ReadOptions& read = {},
    rocksdb::ColumnFamilyHandle* family = nullptr, bool sorted = false);

// Return the files and their properties, upper levels and newer files first.
std::vector<rocksdb::LiveFileMetaData> FilesOf(rocksdb::DB* db);
std::vector<std::shared_ptr<const rocksdb::TableProperties>> AllProperties(
    rocksdb::DB* db);

// The facts about a file that RebuildFilters() must not change: its level,
// folder, keys and entries.
using FileShape =
    std::tuple<int, std::string, std::string, std::string, uint64_t>;
std::vector<FileShape> ShapesOf(rocksdb::DB* db);  // sorted

RebuildFiltersReport Rebuild(rocksdb::DB* db,
                             const RebuildFiltersOptions& options = {},
                             const RebuildFiltersCallback& progress = {});

// Options that rewrite every file, including those of the last level.
rocksdb::CompactRangeOptions RewriteAll();

class DbTest : public testing::Test {
 protected:
  DbTest();
  ~DbTest() override;

  // Opens the database with `options_` and `table_`, after closing it if
  // necessary.
  void Reopen();
  rocksdb::Status TryReopen();
  void Close();
  // Does the same with an empty database.
  void DestroyAndReopen();
  // Opens another database with the same options.
  std::unique_ptr<rocksdb::DB> OpenAnother(const std::string& name) const;

  // Returns `options_` with `table_` in it.
  rocksdb::Options OptionsWithTable() const;
  // Returns the default family's, from the database's OPTIONS file.
  rocksdb::Options LatestOptions() const;
  void UsePolicy(const Policy& policy);
  void UseListener();
  void UseOptions(const FilterPolicyOptions& options);
  void UsePartitions(uint64_t bytes);
  // Writes the rows that exist, or every `step`th number, into one file of
  // `level`.
  void WriteFile(Rows rows, int level = 0, uint64_t step = 2);
  // From here on, `db` is `db_` unless given.
  void PutRows(Rows rows, rocksdb::DB* db = nullptr, uint64_t step = 2,
               rocksdb::ColumnFamilyHandle* family = nullptr);
  void Flush(rocksdb::DB* db = nullptr);
  void CompactAll(rocksdb::DB* db = nullptr);

  // Expects every present row to be found, and no missing one.
  void ExpectRows(Rows rows, rocksdb::DB* db = nullptr);
  // Expects the same, and that the filters of `files` files are probed for each
  // row, let every present row through, and reject nearly all missing ones.
  // RocksDB probes each file whose range contains the key; if there are only up
  // to three files of level 0, it probes all of them regardless of their range.
  void ExpectFilterWorks(Rows rows, uint64_t files = 1);

  // Returns the sum of these tickers since they were last taken.
  uint64_t Take(std::initializer_list<rocksdb::Tickers> tickers);
  // Returns what filters have returned since this was last taken.
  FilterCounts TakeCounts();
  // Returns what filters return to Gets of the missing rows.
  FilterCounts CountMissing(Rows rows, rocksdb::DB* db = nullptr);
  // Returns what filters return to Gets of the present rows.
  FilterCounts CountPresent(Rows rows, rocksdb::DB* db = nullptr);

  std::vector<rocksdb::LiveFileMetaData> Files() const {
    return FilesOf(db_.get());
  }
  // Returns the bits per row of the filters of all files, or of a level's.
  double BitsPerRow(rocksdb::DB* db = nullptr, int level = -1) const;
  // Returns the number of lines of a log that have all of these words.
  int CountInLog(const std::vector<std::string>& words,
                 const std::string& name = "db/LOG") const;

  // Returns a path in the scratch folder, which is removed at the end.
  std::string Path(const std::string& name) const { return folder_.File(name); }

  rocksdb::Options options_;
  rocksdb::BlockBasedTableOptions table_;
  std::unique_ptr<rocksdb::DB> db_;

 private:
  rocksdb::DB* Db(rocksdb::DB* db) const {
    return db != nullptr ? db : db_.get();
  }

  const TemporaryFolder folder_;
};

}  // namespace linebloom
