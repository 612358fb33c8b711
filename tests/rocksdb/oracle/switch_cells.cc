// Changes of policy, and databases opened in other ways, followed and copied,
// before and after a change.

#include "tests/rocksdb/oracle/cell.h"

namespace linebloom {
namespace {

// Both policies' filters keep working until their files are rewritten.
std::vector<Step> ToLinebloom(const Policy& from) {
  return {kWrite,  kCompact,   kUpdate,          With(kLinebloom), kUpdate,
          kReopen, With(from), With(kLinebloom), kCompact};
}

void UseFormatVersion4(Oracle* o) { o->table().format_version = 4; }

const Cell kToLinebloomCells[] = {
    CellOf("FromNone", ToLinebloom(kNone), {kNone}),
    CellOf("FromBloom", ToLinebloom(kBloom), {kBloom}),
    CellOf("FromRibbon", ToLinebloom(kRibbon), {kRibbon}),
    CellOf("FromBloomAboveRibbon", ToLinebloom(kBloomAndRibbon),
           {kBloomAndRibbon}),
    CellOf("FromManyBitBloom", ToLinebloom(kManyBitBloom), {kManyBitBloom}),
    // The filter of RocksDB before 6.6.
    CellOf("FromLegacyBloom", ToLinebloom(kLegacyBloom), {kLegacyBloom},
           UseFormatVersion4),
    CellOf("FromPlain", ToLinebloom(kPlain), {kPlain}),
    CellOf("FromAnotherSeed", ToLinebloom(kSeed7), {kSeed7}),
    CellOf("FromARate", ToLinebloom(kRateOf2Percent), {kRateOf2Percent}),
    CellOf("BetweenSeeds", {kWrite, With(kSeed8), kUpdate, kCompact, kReopen},
           {kSeed7}),
    CellOf("ThreePolicies",
           {kWrite, kMove, With(kLinebloom), kUpdate, With(kRibbon), kUpdate,
            With(kLinebloom), With(kBloom), With(kNone)},
           {kBloom}),
};
INSTANTIATE_CELLS(Switch, kToLinebloomCells);

// RocksDB's policies can't read linebloom's filters: each is probed and answers
// 'may match'. Without a policy none is probed. In both cases linebloom uses
// them again later.
std::vector<Step> AwayTo(const Policy& to) {
  return {kWrite,           kCompact, kUpdate, With(to), kReopen,
          With(kLinebloom), With(to), kUpdate, kCompact, With(kLinebloom)};
}

const Cell kAwayCells[] = {
    CellOf("ToNone", AwayTo(kNone), {kLinebloom}),
    CellOf("ToBloom", AwayTo(kBloom), {kLinebloom, kPlain}),
    CellOf("ToRibbon", AwayTo(kRibbon), {kLinebloom}),
    CellOf("ToLegacyBloom", AwayTo(kLegacyBloom), {kLinebloom},
           UseFormatVersion4),
};
INSTANTIATE_CELLS(SwitchAway, kAwayCells);

const Cell kOpenCells[] = {
    {"ReadOnly", {kWrite, kUpdate, kOpenReadOnly}},
    {"ReadOnlyWithAWriteAheadLog", {kWrite, kWriteUnflushed, kOpenReadOnly}},
    {"Secondary", {kWrite, kOpenSecondary, kUpdate, kWriteEven, kCompact}},
    {"Checkpoint", {kWrite, kUpdate, kCheckpoint, kOpenCopy}},
    {"CheckpointOfUnflushedRows",
     {kWrite, kWriteUnflushed, kCheckpoint, kOpenCopy}},
    {"CheckpointWithItsOwnOptions",
     {kWrite, kCheckpoint, kOpenCopyWithItsOptions}},
    {"Backup", {kWrite, kBackUp, kUpdate, kBackUp, kOpenCopy}},
    {"BackupWithItsOwnOptions", {kWrite, kBackUp, kOpenCopyWithItsOptions}},
    {"ColumnFamily",
     {kOpenColumnFamily, kWrite, kUpdate, kOpenColumnFamily, kCompact}},
    {"OptimisticTransaction",
     {kOpenOptimistic, kWrite, kUpdate, kBeginTransaction, kCommit}},
    {"PessimisticTransaction",
     {kOpenPessimistic, kWrite, kUpdate, kBeginTransaction, kCommit}},
    {"WriteBatchWithIndex", {kWrite, kUpdate, kBeginBatch, kCommit}},
};
INSTANTIATE_CELLS(Open, kOpenCells);

const Cell kOpenAndSwitchCells[] = {
    // A secondary that switches to linebloom first can follow a primary with
    // either policy.
    CellOf("SecondarySwitchedFirst",
           {kWrite, SecondaryWith(kLinebloom), kUpdate, PrimaryWith(kLinebloom),
            kUpdate, kCompact},
           {kBloom}),
    // One that switches later reads correctly, without the filters that it
    // can't read.
    CellOf("SecondaryNotSwitched",
           {kWrite, kOpenSecondary, PrimaryWith(kLinebloom), kUpdate, kCompact},
           {kBloom}),
    CellOf("BackupsOnBothSides",
           {kWrite, kBackUp, With(kLinebloom), kUpdate, kBackUp, kOpenCopy,
            kOpenCopyWithItsOptions},
           {kBloom}),
    CellOf("IngestedFileOfBloom",
           {kWrite, With(kBloom), kIngest, With(kLinebloom), kUpdate},
           {kLinebloom}),
    CellOf("ColumnFamilyMoves",
           {kOpenColumnFamily, kWrite, FamilyWith(kLinebloom), kUpdate,
            FamilyWith(kBloom), FamilyWith(kLinebloom), kCompact},
           {kNone, kBloom, kRibbon}),
};
INSTANTIATE_CELLS(OpenAndSwitch, kOpenAndSwitchCells);

}  // namespace
}  // namespace linebloom
