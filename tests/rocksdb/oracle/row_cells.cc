// Covers all kinds of rows, and the effects of compaction on them. A filter
// that omitted a tombstone would resurrect deleted rows; one that omitted an
// operand would lose it.

#include "rocksdb/compaction_filter.h"
#include "tests/rocksdb/oracle/cell.h"

namespace linebloom {
namespace {

const Setting kUseMerge = Database("merge_operator=stringappend");

// Drops the rows whose number ends with 4.
class DropFours : public rocksdb::CompactionFilter {
 public:
  const char* Name() const override { return "test.DropFours"; }
  bool Filter(int, const rocksdb::Slice& key, const rocksdb::Slice&,
              std::string*, bool*) const override {
    return key[key.size() - 1] == '4';
  }
};

const Step kCompactAndDropFours{
    "CompactAndDropFours", [](Oracle* o) {
      o->EraseIf([](const std::string& key) { return key.back() == '4'; });
      o->CompactAll();
    }};

const Cell kRowCells[] = {
    {"Deletes", {kWrite, kDelete, kReopen, kCompact, kDelete}},
    {"SingleDeletes", {kWrite, kSingleDelete, kCompact}},
    {"RangeDelete", {kWrite, kUpdate, kDeleteRange, kReopen, kCompact}},
    {"RangeDeleteAlone", {kWrite, kDeleteRangeAlone, kReopen, kCompact}},
    {"RangeDeletesOfRows", {kWrite, kDeleteRanges, kCompact}},
    {"Merges",
     {kWriteEven, kMerge, kMergeSome, kMerge, kReopen, kCompact},
     kUseMerge},
    {"MergesOverDeletes", {kWrite, kDelete, kMergeSome, kCompact}, kUseMerge},
    {"MergesOfOneFile", {kMergeVersions, kCompact}, kUseMerge},
    {"Entities", {kWrite, kPutEntities, kReopen, kCompact}},
    {"VersionsOfOneFile", {kWriteVersions, kUpdate, kCompact}},
    {"VersionsThatGo", {kWriteVersions, kReopen, kCompact}},
    {"Ingested", {kIngest, kWrite, kIngestAndMove, kReopen, kCompact}},
    {"IngestedDeletes", {kWrite, kIngestDeletes, kReopen, kCompact}},
};
INSTANTIATE_CELLS(Rows, kRowCells);

const Cell kCompactionCells[] = {
    {"ManyFiles",
     {kWrite, kUpdate, kCompactToManyFiles, kUpdate},
     [](auto* o) {
       o->keys_ = Decades(300);
       o->UseDatabaseOptions("target_file_size_base=8K");
     }},
    {"MovedFile", {kWrite, kMove, kUpdate, kReopen}},
    {"CompactionFilter",
     {kWrite, kCompactAndDropFours, kReopen},
     [](auto* o) {
       static const DropFours drop_fours;
       o->options().compaction_filter = &drop_fours;
     }},
    // RocksDB selects files of level 0 by their range if there are more than
    // three.
    {"ManyFilesOfLevel0", {kWrite, kUpdate, kWriteEven, kWriteOdd, kUpdate}},
    // The last level has no filters.
    {"OptimizedForHits",
     {kWrite, kCompact, kUpdate, kReopen},
     Database("optimize_filters_for_hits=true")},
};
INSTANTIATE_CELLS(Compactions, kCompactionCells);

}  // namespace
}  // namespace linebloom
