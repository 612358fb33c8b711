// An oracle for databases with filters.
//
// A cell is a database with some settings (table options, keys, prefix
// extractor) that goes through a sequence of steps: rows are written, deleted
// or compacted, the filter policy changes, or the database is copied. After
// every step the oracle reads everything. It knows
//
//   the rows     from a std::map next to the database,
//   the files    from what RocksDB reported while it wrote each,
//   the answers  from both: which files a lookup probes, which of their
//                filters must return 'may match' (they have the key, or the
//                policy can't read them), and how many others may by chance.
//
// So a cell passes if each row is read correctly *and* each filter was probed,
// read and correct. Every cell also runs with RocksDB's Bloom filter, unless
// its steps choose the policies: passing there shows that the oracle is right.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "rocksdb/comparator.h"
#include "rocksdb/sst_file_writer.h"
#include "rocksdb/utilities/transaction_db.h"
#include "tests/rocksdb/db_fixture.h"
#include "tests/rocksdb/oracle/file_contents.h"
#include "tests/rocksdb/policy.h"

namespace linebloom {

// The keys that a cell's steps write, and keys that no step writes.
struct Keys {
  std::vector<std::string> present;
  std::vector<std::string> missing;
};

// Every other row in every other block of ten. The missing keys are the rows
// between them and rows of the other blocks. A prefix is all of a key but its
// last digit, so ten rows share it, and there are missing keys with and without
// an existing prefix.
Keys Decades(uint64_t decades = 150);
// Keys of 0 to 1000 bytes; the missing ones differ in the last byte.
Keys OfEveryLength();
// Keys in runs, by letter from 'a' on: a digit stands for 3 to the power of the
// digit keys of 8 bytes, of which three share the first 4; after a minus, of 3
// bytes.
Keys InRuns(const std::string& runs);
// Every n-th of the keys from `first` on.
std::vector<std::string> EveryNth(const std::vector<std::string>& keys,
                                  size_t n, size_t first = 0);

class Oracle;

struct Step {
  std::string name;
  std::function<void(Oracle*)> run;
};

class Oracle : public DbTest {
 private:
  using Rows =
      std::map<std::string, std::string,
               std::function<bool(const std::string&, const std::string&)>>;

 public:
  Oracle();

  // ---- What settings are made of; they take effect with the next open.

  void Use(const Policy& policy);
  void UseExtractor(const std::string& name);  // "": none
  void UseTableOptions(const std::string& text);
  void UseDatabaseOptions(const std::string& text);
  rocksdb::Options& options() { return options_; }
  rocksdb::BlockBasedTableOptions& table() { return table_; }

  // ---- What steps are made of. Each change ends with a flush.

  void Put(const std::vector<std::string>& keys, const std::string& value,
           bool flush = true);
  void Delete(const std::vector<std::string>& keys, bool single = false);
  void DeleteRange(const std::string& begin, const std::string& end);
  void Merge(const std::vector<std::string>& keys, const std::string& operand,
             bool flush = true);
  void PutEntities(const std::vector<std::string>& keys);
  // Ingests a file from another writer. Its rows must be newer than all
  // existing rows.
  void Ingest(const std::vector<std::string>& keys, bool move);
  void IngestDeletes(const std::vector<std::string>& keys,
                     const std::string& begin, const std::string& end);
  void FlushAll();
  void CompactAll();
  void CompactWith(const rocksdb::CompactRangeOptions& compact);
  void EraseIf(const std::function<bool(const std::string&)>& gone);
  void HoldSnapshot();

  void Open();  // again, for reading and writing
  void OpenColumnFamily();
  void OpenTransactions();
  void OpenReadOnly();
  void OpenCopy();
  void OpenSecondary();  // it catches up after each change
  void ReopenPrimary();
  // The database as it is becomes the copy.
  void MakeCheckpoint();
  void BackUpAndRestore();
  void CloseAll();

  // From here on, lookups see `keys` through an uncommitted transaction that
  // has written them, until Commit().
  void BeginTransaction(const std::vector<std::string>& keys);
  void Commit();

  // Looks keys up without reading the disk: a missing key is known to be
  // missing if no filter lets it through; otherwise the result is unknown.
  void LookWithoutReading();
  void CountPartitions();
  // Each three neighbours, and each of them before and after the last row.
  void MultiGetEverywhere();

  // Every n-th present key from `first` on.
  std::vector<std::string> Some(size_t n, size_t first = 0) const {
    return EveryNth(keys_.present, n, first);
  }
  size_t FileCount() { return ReadFiles().size(); }
  rocksdb::DB* db() { return db_.get(); }

  Keys keys_ = Decades();
  rocksdb::ReadOptions read_;
  uint64_t partition_size_ = 162;  // two lines of 64 bytes and metadata
  enum class Scans {
    kCounted,    // of one prefix and of ranges, with the filters' answers
    kUncounted,  // of both; files have filters of several extractors
    kOfRanges    // alone: some keys have no prefix, or don't sort next to it
  };
  Scans scans_ = Scans::kCounted;
  // Is false if RocksDB keeps rows, or keys of blocks, outside its block cache.
  bool blocks_are_counted_ = true;

 protected:
  ~Oracle() override { CloseAll(); }
  // Opens an empty database, takes all steps, and checks everything after each.
  void Run(const Policy& policy, const std::vector<Step>& steps);

 private:
  // A file in the tree.
  struct File {
    int level;
    std::string smallest;
    std::string largest;
    std::shared_ptr<const FileContents> contents;
    std::shared_ptr<const rocksdb::TableProperties> properties;
    // The last key of each prefix by the current extractor, if the filter has
    // prefixes of that extractor.
    std::unordered_map<std::string, std::string> prefixes;
  };

  // What filters must return for some lookups or seeks.
  struct Prediction {
    uint64_t probed = 0;           // filters
    uint64_t perhaps_probed = 0;   // RocksDB's versions differ
    uint64_t must_match = 0;       // of `probed`
    double matches_by_chance = 0;  // of the others, on average
    uint64_t true_positives = 0;
    uint64_t unfiltered_files = 0;  // that are read without a probe
  };

  static constexpr uint64_t kUnknown = UINT64_MAX;

  rocksdb::DB* writer() { return primary_ ? primary_.get() : db_.get(); }
  rocksdb::ColumnFamilyHandle* Family(rocksdb::DB* db) {
    return family_ != nullptr ? family_ : db->DefaultColumnFamily();
  }
  bool Less(const std::string& a, const std::string& b) const {
    return options_.comparator->Compare(a, b) < 0;
  }

  std::vector<File> ReadFiles();
  void CheckFile(const File& file);
  uint64_t ExpectedEntries(const File& file) const;
  static bool HoldsWholeKeys(const File& file);
  bool HasUsablePrefixes(const File& file) const;
  bool SeeksAreCounted() const;
  void EraseRange(const std::string& begin, const std::string& end);
  void IngestFile(const std::function<void(rocksdb::SstFileWriter*)>& write,
                  bool move);

  std::vector<const File*> FilesOf(const std::string& key) const;
  void PredictFile(const File& file, const std::string& key,
                   Prediction* prediction) const;
  Prediction PredictGets(const std::vector<std::string>& keys,
                         bool in_batches = false) const;
  void PredictSeek(const std::string& from, Prediction* prediction) const;
  FilterCounts ExpectAnswers(const Prediction& prediction);

  void Look();
  std::string Lookup(const std::string& key);
  std::string Expected(const std::string& key) const;
  void CheckGets(const std::vector<std::string>& keys);
  void CheckMissing();
  void CheckMultiGets();
  void CheckWholeScan();
  void CheckPrefixScans();
  void CheckRangeScans();
  void ExpectScan(const std::string& from, const std::string& to,
                  rocksdb::ReadOptions read);

  Policy writes_with_;          // from the next open on
  Policy policy_;               // `db_` was opened with it
  std::unique_ptr<Rows> rows_;  // that can be read
  std::map<std::string, std::string> uncommitted_;
  std::unordered_set<std::string> in_memtable_;
  std::vector<const rocksdb::Snapshot*> snapshots_;
  std::vector<File> files_;

  std::unique_ptr<rocksdb::DB> primary_;  // while `db_` is a secondary
  rocksdb::ColumnFamilyHandle* family_ = nullptr;
  rocksdb::TransactionDB* transactions_ = nullptr;  // `db_` as such
  std::unique_ptr<rocksdb::Transaction> transaction_;
};

}  // namespace linebloom
