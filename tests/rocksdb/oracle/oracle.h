// An oracle for databases with filters.
//
// A cell is a database with some settings (table options, keys, prefix
// extractor) that goes through a sequence of steps: rows are written, deleted
// or compacted, the filter policy changes, or the database is copied. After
// every step the oracle reads everything. It knows
//
//   the rows     from a std::map beside the database,
//   the files    from what RocksDB reported while it wrote each,
//   the answers  from both: which files a lookup probes, which of their
//                filters must answer 'may match' (they have the key, or the
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
#include "rocksdb/utilities/transaction.h"
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
// Keys of 6 to 9 bytes with shared beginnings of all lengths.
Keys OfCommonBeginnings();

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
  // ---- What steps are made of. Each ends with a flush.

  void Use(const Policy& policy);  // from the next open on
  void SetOption(const std::string& name, const std::string& value);
  void UseExtractor(const std::string& name);  // likewise; "": none
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
  void OpenTransactions(bool optimistic);
  void OpenReadOnly(const std::string& folder);
  void OpenWithItsOwnOptions(const std::string& folder);
  void OpenSecondary();  // it catches up after each change
  void ReopenPrimary();
  void MakeCheckpoint(const std::string& folder);
  void BackUpAndRestore(const std::string& folder);
  void CloseAll();

  // From here on, lookups see `keys` through an uncommitted transaction that
  // has written them, or through a batch, until Commit().
  void BeginTransaction(const std::vector<std::string>& keys);
  void BeginBatch(const std::vector<std::string>& keys);
  void Commit();

  // Lookups that may not read the disk: a missing key is known to be missing if
  // no filter lets it through; otherwise the answer is unknown.
  void LookWithoutReading();
  // A scan that may probe filters if they have information about its range.
  void ScanAndCount(const std::string& from, const std::string& to,
                    const FilterCounts& counts);
  void CountPartitions();
  void VerifyChecksums();

  const Keys& keys() const { return keys_; }
  // Every `step`th present key from `first` on.
  std::vector<std::string> Some(size_t step, size_t first = 0) const;
  size_t FileCount();
  rocksdb::DB* db() { return db_.get(); }
  std::string Folder(const std::string& name) const { return Path(name); }
  rocksdb::Options& options() { return options_; }
  rocksdb::BlockBasedTableOptions& table() { return table_; }

  Keys keys_ = Decades();
  rocksdb::ReadOptions read_;
  uint64_t partition_size_ = 162;  // two lines of 64 bytes and metadata
  enum class Scans {
    kCounted,    // of one prefix and of ranges, and what filters answer to them
    kUncounted,  // of both, where filters of several extractors lie about
    kOfRanges    // alone: some keys have no prefix, or lie apart from it
  };
  Scans scans_ = Scans::kCounted;
  bool compacts_by_itself_ = false;
  // False if RocksDB keeps rows, or keys of blocks, outside its block cache.
  bool blocks_are_counted_ = true;

 protected:
  ~Oracle() override { CloseAll(); }
  // Opens an empty database, takes all steps, and checks everything after each.
  void Run(const Policy& policy, const std::vector<Step>& steps);
  void Look();

 private:
  void LookAtAll();

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

  // The answers that filters must give to some lookups or seeks.
  struct Prediction {
    uint64_t asked = 0;            // filters
    uint64_t asked_or_not = 0;     // RocksDB's versions differ
    uint64_t must_match = 0;       // of `asked`
    double matches_by_chance = 0;  // of the others, on average
    uint64_t true_positives = 0;
    uint64_t unfiltered_files = 0;  // looked into without asking
  };

  static constexpr uint64_t kUnknown = UINT64_MAX;

  // The part of a filter that a lookup probes.
  enum class Probe { kOfNothing, kOfKey, kOfPrefix, kUnclear };

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

  std::vector<const File*> FilesOf(const std::string& key) const;
  Probe ProbeOf(const File& file, const std::string& key) const;
  void PredictFile(const File& file, const std::string& key,
                   Prediction* prediction) const;
  Prediction PredictGets(const std::vector<std::string>& keys,
                         bool in_batches = false) const;
  void PredictSeek(const std::string& from, Prediction* prediction) const;
  FilterCounts ExpectAnswers(const Prediction& prediction);

  std::string Lookup(const std::string& key);
  std::string Expected(const std::string& key) const;
  void CheckGets(const std::vector<std::string>& keys);
  void CheckMissing();
  void CheckMultiGets();
  void CheckBatch(const std::vector<std::string>& keys, bool sorted);
  void CheckSnapshots();
  void CheckWholeScan();
  void CheckPrefixScans();
  void CheckRangeScans();
  void ExpectScan(const std::string& from, const std::string& to,
                  rocksdb::ReadOptions read);

  Policy writes_with_;          // from the next open on
  Policy policy_;               // `db_` was opened with it
  std::shared_ptr<Rows> rows_;  // that can be read
  std::map<std::string, std::string> uncommitted_;
  std::unordered_set<std::string> in_memtable_;
  std::vector<std::pair<const rocksdb::Snapshot*, std::shared_ptr<Rows>>>
      snapshots_;
  std::vector<File> files_;

  std::unique_ptr<rocksdb::DB> primary_;  // while `db_` is a secondary
  rocksdb::ColumnFamilyHandle* family_ = nullptr;
  std::function<rocksdb::Transaction*()> begin_transaction_;
  std::function<rocksdb::Status(const std::string&, std::string*)> lookup_;
  std::function<rocksdb::Status()> commit_;
};

}  // namespace linebloom
