// The steps of cells. After each one the oracle checks everything.
#pragma once

#include <string>

#include "tests/rocksdb/oracle/oracle.h"

namespace linebloom {

// Defines the step kNAME by what it does with the oracle `o`.
#define STEP(name)                              \
  inline void Take##name(Oracle* o);            \
  inline const Step k##name{#name, Take##name}; \
  inline void Take##name(Oracle* o)

// ---- Rows.

STEP(Write) { o->Put(o->keys_.present, "first"); }
// Writes another file above, with a third of the rows.
STEP(Update) { o->Put(o->Some(3), "second"); }
STEP(WriteUnflushed) { o->Put(o->Some(4), "third", false); }
// Each writes half of the rows.
STEP(WriteEven) { o->Put(o->Some(2), "even"); }
STEP(WriteOdd) { o->Put(o->Some(2, 1), "odd"); }
STEP(Delete) { o->Delete(o->Some(4)); }
STEP(SingleDelete) { o->Delete(o->Some(4), /*single=*/true); }
STEP(Merge) { o->Merge(o->keys_.present, "operand"); }
STEP(MergeSome) { o->Merge(o->Some(3), "another"); }
STEP(PutEntities) { o->PutEntities(o->keys_.present); }

inline std::string KeyAt(const Oracle& o, double share) {
  return o.keys_.present[static_cast<size_t>(
      share * static_cast<double>(o.keys_.present.size()))];
}
// Writes a range tombstone into a file with rows before, within and after it.
STEP(DeleteRange) {
  o->DeleteRange(KeyAt(*o, 0.3), KeyAt(*o, 0.7));
  o->Put(o->Some(5), "after the tombstone");
}
// Writes a file without keys, and therefore without a filter.
STEP(DeleteRangeAlone) {
  o->DeleteRange(KeyAt(*o, 0.4), KeyAt(*o, 0.5));
  o->FlushAll();
}
// Deletes ranges of a single row: compaction drops the rows one by one.
STEP(DeleteRanges) {
  for (const std::string& key : o->Some(4)) o->DeleteRange(key, key + "a");
  o->FlushAll();
}

// Writes five versions of each row into one file, kept alive by snapshots.
STEP(WriteVersions) {
  for (const char* version : {"one", "two", "three", "four", "five"}) {
    o->Put(o->keys_.present, version, /*flush=*/false);
    o->HoldSnapshot();
  }
  o->FlushAll();
}
STEP(MergeVersions) {
  for (const char* operand : {"a", "b", "c"}) {
    o->Merge(o->keys_.present, operand, /*flush=*/false);
    o->HoldSnapshot();
  }
  o->FlushAll();
}

STEP(Ingest) { o->Ingest(o->Some(2), /*move=*/false); }
STEP(IngestAndMove) { o->Ingest(o->Some(3), /*move=*/true); }
STEP(IngestDeletes) {
  o->IngestDeletes(o->Some(4), KeyAt(*o, 0.5), KeyAt(*o, 0.6));
}

// ---- Files.

STEP(Compact) {
  o->CompactAll();
  EXPECT_LE(o->FileCount(), 1);
}
STEP(CompactToManyFiles) {
  o->CompactAll();
  EXPECT_GE(o->FileCount(), 3);
}
// Moves them to the last level unchanged.
STEP(Move) {
  rocksdb::CompactRangeOptions move;
  move.bottommost_level_compaction = rocksdb::BottommostLevelCompaction::kSkip;
  o->CompactWith(move);
}
STEP(Reopen) { o->Open(); }

inline Step UseAnd(const std::string& name, const Policy& policy,
                   void (Oracle::*open)()) {
  return {name + policy.name, [policy, open](Oracle* o) {
            o->Use(policy);
            (o->*open)();
          }};
}
inline Step With(const Policy& policy) {
  return UseAnd("With", policy, &Oracle::Open);
}
inline Step WithExtractor(const std::string& name) {
  return {"WithExtractor '" + name + "'", [name](Oracle* o) {
            o->UseExtractor(name);
            o->Open();
          }};
}
// Changes it while the database is open.
inline Step SetExtractor(const std::string& name) {
  return {"SetExtractor '" + name + "'", [name](Oracle* o) {
            ASSERT_OK(o->db()->SetOptions({{"prefix_extractor", name}}));
            o->UseExtractor(name);
          }};
}

// ---- Ways to open and to read.

STEP(CountPartitions) { o->CountPartitions(); }
STEP(MultiGetEverywhere) { o->MultiGetEverywhere(); }
STEP(VerifyChecksums) { EXPECT_OK(o->db()->VerifyChecksum()); }
STEP(LookWithoutReading) { o->LookWithoutReading(); }
STEP(OpenColumnFamily) { o->OpenColumnFamily(); }
STEP(OpenTransactions) { o->OpenTransactions(); }
STEP(BeginTransaction) { o->BeginTransaction(EveryNth(o->keys_.missing, 10)); }
STEP(Commit) { o->Commit(); }

STEP(OpenReadOnly) { o->OpenReadOnly(); }
STEP(OpenSecondary) { o->OpenSecondary(); }
STEP(Checkpoint) { o->MakeCheckpoint(); }
STEP(BackUp) { o->BackUpAndRestore(); }
STEP(OpenCopy) { o->OpenCopy(); }

inline Step SecondaryWith(const Policy& policy) {
  return UseAnd("SecondaryWith", policy, &Oracle::OpenSecondary);
}
inline Step PrimaryWith(const Policy& policy) {
  return UseAnd("PrimaryWith", policy, &Oracle::ReopenPrimary);
}
inline Step FamilyWith(const Policy& policy) {
  return UseAnd("FamilyWith", policy, &Oracle::OpenColumnFamily);
}

}  // namespace linebloom
