// A database that is read with one policy after another: its files, reads of
// every kind, and what the filters answer to them.
#pragma once

#include <cstdint>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "rocksdb/slice_transform.h"
#include "tests/rocksdb/db_fixture.h"

namespace linebloom {

inline constexpr Rows kRows{0, 6000};

// What a database answers to reads of every kind, and what its filters do.
struct Reads {
  FilterCounts present;
  FilterCounts missing;
  FilterCounts batches;
  FilterCounts scans;

  bool operator==(const Reads&) const = default;
};

inline std::ostream& operator<<(std::ostream& out, const Reads& reads) {
  return out << "\n  present: " << reads.present
             << "\n  missing: " << reads.missing
             << "\n  batches: " << reads.batches
             << "\n  scans: " << reads.scans;
}

class SwitchTest : public DbTest {
 protected:
  SwitchTest() {
    // Ten rows have one prefix, so half of those ten are missing.
    options_.prefix_extractor.reset(
        rocksdb::NewFixedPrefixTransform(RowKey(0).size() - 1));
  }

  // A file of the last level with the rows below 4500, and over it two of
  // level 0 that overwrite every hundredth row, one of them in the upper half.
  // All reach to the end, so that they are asked for the rows from 4500 on too.
  void WriteFiles() {
    Reopen();
    WriteFile({0, 4500});
    ASSERT_OK(db_->Put({}, RowKey(kRows.end), "the end"));
    Flush();
    CompactAll();
    AddFiles();
  }

  void AddFiles() {
    for (uint64_t first : {0, 2000}) {
      for (uint64_t i = first; i < 4500; i += 100) {
        ASSERT_OK(db_->Put({}, RowKey(i), RowValue(i)));
      }
      ASSERT_OK(db_->Put({}, RowKey(kRows.end), "the end"));
      Flush();
    }
  }

  Reads ReadAll() {
    Reads reads;
    reads.present = CountPresent({0, 4500});
    reads.missing = CountMissing(kRows);
    reads.batches = CountBatches();
    reads.scans = CountScans();
    return reads;
  }

  // Batches of rows of which half are missing.
  FilterCounts CountBatches() {
    constexpr size_t kBatch = 50;
    std::vector<rocksdb::PinnableSlice> values(kBatch);
    std::vector<rocksdb::Status> statuses(kBatch);
    TakeCounts();
    for (uint64_t first = 0; first < 4500; first += kBatch) {
      std::vector<std::string> keys;
      for (size_t i = 0; i < kBatch; ++i) {
        keys.push_back(RowKey(first + i));
      }
      const std::vector<rocksdb::Slice> slices(keys.begin(), keys.end());
      db_->MultiGet({}, db_->DefaultColumnFamily(), kBatch, slices.data(),
                    values.data(), statuses.data());
      for (size_t i = 0; i < kBatch; ++i) {
        EXPECT_EQ(statuses[i].ok(), (first + i) % 2 == 0) << keys[i];
      }
    }
    return TakeCounts();
  }

  FilterCounts CountScans() {
    rocksdb::ReadOptions read;
    read.prefix_same_as_start = true;
    TakeCounts();
    for (uint64_t first = 0; first < kRows.end; first += 10) {
      std::unique_ptr<rocksdb::Iterator> it(db_->NewIterator(read));
      it->Seek(RowKey(first));
      EXPECT_EQ(KeysFrom(it.get()).size(), first < 4500 ? 5 : 0) << first;
    }
    return TakeCounts();
  }
};

inline void UsePartitions(rocksdb::BlockBasedTableOptions* table) {
  table->partition_filters = true;
  table->index_type = table->kTwoLevelIndexSearch;
  table->metadata_block_size = 512;
}

}  // namespace linebloom
