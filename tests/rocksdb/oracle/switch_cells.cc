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
    {"FromNone", ToLinebloom(kNone), {}, Filters::kBoth, {kNone}},
    {"FromBloom", ToLinebloom(kBloom), {}, Filters::kBoth, {kBloom}},
    {"FromRibbon", ToLinebloom(kRibbon), {}, Filters::kBoth, {kRibbon}},
    {"FromBloomAboveRibbon",
     ToLinebloom(kBloomAndRibbon),
     {},
     Filters::kBoth,
     {kBloomAndRibbon}},
    {"FromManyBitBloom",
     ToLinebloom(kManyBitBloom),
     {},
     Filters::kBoth,
     {kManyBitBloom}},
    // The filter of RocksDB before 6.6.
    {"FromLegacyBloom",
     ToLinebloom(kLegacyBloom),
     UseFormatVersion4,
     Filters::kBoth,
     {kLegacyBloom}},
    {"FromPlain", ToLinebloom(kPlain), {}, Filters::kBoth, {kPlain}},
    {"FromAnotherSeed", ToLinebloom(kSeed7), {}, Filters::kBoth, {kSeed7}},
    {"FromARate",
     ToLinebloom(kRateOf2Percent),
     {},
     Filters::kBoth,
     {kRateOf2Percent}},
    {"BetweenSeeds",
     {kWrite, With(kSeed8), kUpdate, kCompact, kReopen},
     {},
     Filters::kBoth,
     {kSeed7}},
    {"ThreePolicies",
     {kWrite, kMove, With(kLinebloom), kUpdate, With(kRibbon), kUpdate,
      With(kLinebloom), With(kBloom), With(kNone)},
     {},
     Filters::kBoth,
     {kBloom}},
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
    {"ToNone", AwayTo(kNone), {}, Filters::kBoth, {kLinebloom}},
    {"ToBloom", AwayTo(kBloom), {}, Filters::kBoth, {kLinebloom, kPlain}},
    {"ToRibbon", AwayTo(kRibbon), {}, Filters::kBoth, {kLinebloom}},
    {"ToLegacyBloom",
     AwayTo(kLegacyBloom),
     UseFormatVersion4,
     Filters::kBoth,
     {kLinebloom}},
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
    {"SecondarySwitchedFirst",
     {kWrite, SecondaryWith(kLinebloom), kUpdate, PrimaryWith(kLinebloom),
      kUpdate, kCompact},
     {},
     Filters::kBoth,
     {kBloom}},
    // One that switches later reads correctly, without the filters that it
    // can't read.
    {"SecondaryNotSwitched",
     {kWrite, kOpenSecondary, PrimaryWith(kLinebloom), kUpdate, kCompact},
     {},
     Filters::kBoth,
     {kBloom}},
    {"BackupsOnBothSides",
     {kWrite, kBackUp, With(kLinebloom), kUpdate, kBackUp, kOpenCopy,
      kOpenCopyWithItsOptions},
     {},
     Filters::kBoth,
     {kBloom}},
    {"IngestedFileOfBloom",
     {kWrite, With(kBloom), kIngest, With(kLinebloom), kUpdate},
     {},
     Filters::kBoth,
     {kLinebloom}},
    {"ColumnFamilyMoves",
     {kOpenColumnFamily, kWrite, FamilyWith(kLinebloom), kUpdate,
      FamilyWith(kBloom), FamilyWith(kLinebloom), kCompact},
     {},
     Filters::kBoth,
     {kNone, kBloom, kRibbon}},
};
INSTANTIATE_CELLS(OpenAndSwitch, kOpenAndSwitchCells);

}  // namespace
}  // namespace linebloom
