// The steps of cells. After each one the oracle checks everything.
#pragma once

#include <string>
#include <vector>

#include "tests/rocksdb/oracle/oracle.h"

namespace linebloom {

// ---- Rows.

inline const Step kWrite{"Write",
                         [](Oracle* o) { o->Put(o->keys().present, "first"); }};
// Another file above, with a third of the rows.
inline const Step kUpdate{"Update",
                          [](Oracle* o) { o->Put(o->Some(3), "second"); }};
inline const Step kWriteUnflushed{
    "WriteUnflushed", [](Oracle* o) { o->Put(o->Some(4), "third", false); }};
// Half of the rows, and the others.
inline const Step kWriteEven{"WriteEven",
                             [](Oracle* o) { o->Put(o->Some(2), "even"); }};
inline const Step kWriteOdd{"WriteOdd",
                            [](Oracle* o) { o->Put(o->Some(2, 1), "odd"); }};
inline const Step kDelete{"Delete", [](Oracle* o) { o->Delete(o->Some(4)); }};
inline const Step kSingleDelete{"SingleDelete",
                                [](Oracle* o) { o->SingleDelete(o->Some(4)); }};
inline const Step kMerge{
    "Merge", [](Oracle* o) { o->Merge(o->keys().present, "operand"); }};
inline const Step kMergeSome{
    "MergeSome", [](Oracle* o) { o->Merge(o->Some(3), "another"); }};
inline const Step kPutEntities{
    "PutEntities", [](Oracle* o) { o->PutEntities(o->keys().present); }};

inline std::string KeyAt(const Oracle& o, double share) {
  return o.keys().present[static_cast<size_t>(
      share * static_cast<double>(o.keys().present.size()))];
}
// A range tombstone in a file with rows before, within and after it.
inline const Step kDeleteRange{"DeleteRange", [](Oracle* o) {
                                 o->DeleteRange(KeyAt(*o, 0.3), KeyAt(*o, 0.7));
                                 o->Put(o->Some(5), "after the tombstone");
                               }};
// A file without keys, and therefore without a filter.
inline const Step kDeleteRangeAlone{"DeleteRangeAlone", [](Oracle* o) {
                                      o->DeleteRange(KeyAt(*o, 0.4),
                                                     KeyAt(*o, 0.5));
                                      o->FlushAll();
                                    }};
// Ranges of a single row: compaction drops the rows one by one.
inline const Step kDeleteRanges{"DeleteRanges", [](Oracle* o) {
                                  for (const std::string& key : o->Some(4))
                                    o->DeleteRange(key, key + "a");
                                  o->FlushAll();
                                }};

// Five versions of each row in one file, kept apart by snapshots.
inline const Step kWriteVersions{
    "WriteVersions", [](Oracle* o) {
      for (const char* version : {"one", "two", "three", "four", "five"}) {
        o->Put(o->keys().present, version, /*flush=*/false);
        o->HoldSnapshot();
      }
      o->FlushAll();
    }};
inline const Step kMergeVersions{"MergeVersions", [](Oracle* o) {
                                   for (const char* operand : {"a", "b", "c"}) {
                                     o->Merge(o->keys().present, operand,
                                              /*flush=*/false);
                                     o->HoldSnapshot();
                                   }
                                   o->FlushAll();
                                 }};

inline const Step kIngest{
    "Ingest", [](Oracle* o) { o->Ingest(o->Some(2), /*move=*/false); }};
inline const Step kIngestAndMove{
    "IngestAndMove", [](Oracle* o) { o->Ingest(o->Some(3), /*move=*/true); }};
inline const Step kIngestDeletes{"IngestDeletes", [](Oracle* o) {
                                   o->IngestDeletes(o->Some(4), KeyAt(*o, 0.5),
                                                    KeyAt(*o, 0.6));
                                 }};

// ---- Files.

inline const Step kCompact{"Compact", [](Oracle* o) {
                             o->CompactAll();
                             EXPECT_LE(o->FileCount(), 1);
                           }};
inline const Step kCompactToManyFiles{"CompactToManyFiles", [](Oracle* o) {
                                        o->CompactAll();
                                        EXPECT_GE(o->FileCount(), 3);
                                      }};
// Moves them to the last level unchanged.
inline const Step kMove{"Move", [](Oracle* o) {
                          rocksdb::CompactRangeOptions move;
                          move.bottommost_level_compaction =
                              rocksdb::BottommostLevelCompaction::kSkip;
                          o->CompactWith(move);
                        }};
inline const Step kReopen{"Reopen", [](Oracle* o) { o->Open(); }};

inline Step With(const Policy& policy) {
  return {std::string("With") + policy.name, [policy](Oracle* o) {
            o->Use(policy);
            o->Open();
          }};
}
inline Step WithExtractor(const std::string& name) {
  return {"WithExtractor '" + name + "'", [name](Oracle* o) {
            o->UseExtractor(name);
            o->Open();
          }};
}
// While the database is open.
inline Step SetExtractor(const std::string& name) {
  return {"SetExtractor '" + name + "'", [name](Oracle* o) {
            o->SetOption("prefix_extractor", name);
            o->UseExtractor(name);
          }};
}

// ---- Ways to open and to read.

inline const Step kCountPartitions{"CountPartitions",
                                   [](Oracle* o) { o->CountPartitions(); }};
inline const Step kVerifyChecksums{"VerifyChecksums",
                                   [](Oracle* o) { o->VerifyChecksums(); }};
inline const Step kLookWithoutReading{
    "LookWithoutReading", [](Oracle* o) { o->LookWithoutReading(); }};
inline const Step kOpenColumnFamily{"OpenColumnFamily",
                                    [](Oracle* o) { o->OpenColumnFamily(); }};
inline const Step kOpenOptimistic{"OpenOptimistic",
                                  [](Oracle* o) { o->OpenTransactions(true); }};
inline const Step kOpenPessimistic{
    "OpenPessimistic", [](Oracle* o) { o->OpenTransactions(false); }};
inline std::vector<std::string> SomeMissing(const Oracle& o) {
  std::vector<std::string> some;
  for (size_t i = 0; i < o.keys().missing.size(); i += 10) {
    some.push_back(o.keys().missing[i]);
  }
  return some;
}
inline const Step kBeginTransaction{"BeginTransaction", [](Oracle* o) {
                                      o->BeginTransaction(SomeMissing(*o));
                                    }};
inline const Step kBeginBatch{
    "BeginBatch", [](Oracle* o) { o->BeginBatch(SomeMissing(*o)); }};
inline const Step kCommit{"Commit", [](Oracle* o) { o->Commit(); }};

inline const Step kOpenReadOnly{
    "OpenReadOnly", [](Oracle* o) { o->OpenReadOnly(o->Folder("db")); }};
inline const Step kOpenSecondary{"OpenSecondary",
                                 [](Oracle* o) { o->OpenSecondary(); }};
inline const Step kCheckpoint{
    "Checkpoint", [](Oracle* o) { o->MakeCheckpoint(o->Folder("copy")); }};
inline const Step kBackUp{
    "BackUp", [](Oracle* o) { o->BackUpAndRestore(o->Folder("copy")); }};
inline const Step kOpenCopy{
    "OpenCopy", [](Oracle* o) { o->OpenReadOnly(o->Folder("copy")); }};
inline const Step kOpenCopyWithItsOptions{
    "OpenCopyWithItsOptions",
    [](Oracle* o) { o->OpenWithItsOwnOptions(o->Folder("copy")); }};

inline Step SecondaryWith(const Policy& policy) {
  return {std::string("SecondaryWith") + policy.name, [policy](Oracle* o) {
            o->Use(policy);
            o->OpenSecondary();
          }};
}
inline Step PrimaryWith(const Policy& policy) {
  return {std::string("PrimaryWith") + policy.name, [policy](Oracle* o) {
            o->Use(policy);
            o->ReopenPrimary();
          }};
}
inline Step FamilyWith(const Policy& policy) {
  return {std::string("FamilyWith") + policy.name, [policy](Oracle* o) {
            o->Use(policy);
            o->OpenColumnFamily();
          }};
}

}  // namespace linebloom
