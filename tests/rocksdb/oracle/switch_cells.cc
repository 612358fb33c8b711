// Changes policies, and opens, follows and copies databases in other ways,
// before and after a change.

#include <string>
#include <utility>
#include <vector>

#include "tests/rocksdb/oracle/cell.h"

namespace linebloom {
namespace {

// Both policies' filters keep working until their files are rewritten.
Cell ToLinebloom(const Policy& from, Setting setting = {}) {
  return {.name = std::string("From") + from.name,
          .steps = {kWrite, kCompact, kUpdate, With(kLinebloom), kUpdate,
                    kReopen, With(from), With(kLinebloom), kCompact},
          .setting = std::move(setting),
          .policies = {from}};
}

const Cell kToLinebloomCells[] = {
    ToLinebloom(kNone),
    ToLinebloom(kBloom),
    ToLinebloom(kRibbon),
    ToLinebloom(kBloomAndRibbon),
    ToLinebloom(kManyBitBloom),
    ToLinebloom(kLegacyBloom, Table("format_version=4")),
    ToLinebloom(kPlain),
    ToLinebloom(kSeed7),
    ToLinebloom(kRateOf2Percent),
    {.name = "BetweenSeeds",
     .steps = {kWrite, With(kSeed8), kUpdate, kCompact, kReopen},
     .policies = {kSeed7}},
    {.name = "ThreePolicies",
     .steps = {kWrite, kMove, With(kLinebloom), kUpdate, With(kRibbon), kUpdate,
               With(kLinebloom), With(kBloom), With(kNone)},
     .policies = {kBloom}},
};
INSTANTIATE_CELLS(Switch, kToLinebloomCells);

// RocksDB's policies can't read linebloom's filters: each is probed and returns
// 'may match'. Without a policy none is probed. In both cases linebloom uses
// them again later.
Cell AwayTo(const Policy& to, std::vector<Policy> from, Setting setting = {}) {
  return {
      .name = std::string("To") + to.name,
      .steps = {kWrite, kCompact, kUpdate, With(to), kReopen, With(kLinebloom),
                With(to), kUpdate, kCompact, With(kLinebloom)},
      .setting = std::move(setting),
      .policies = std::move(from)};
}

const Cell kAwayCells[] = {
    AwayTo(kNone, {kLinebloom}),
    AwayTo(kBloom, {kLinebloom, kPlain}),
    AwayTo(kRibbon, {kLinebloom}),
    AwayTo(kLegacyBloom, {kLinebloom}, Table("format_version=4")),
};
INSTANTIATE_CELLS(SwitchAway, kAwayCells);

const Cell kOpenCells[] = {
    {"ReadOnly", {kWrite, kWriteUnflushed, kOpenReadOnly}},
    {"Secondary", {kWrite, kOpenSecondary, kUpdate, kWriteEven, kCompact}},
    {"Checkpoint", {kWrite, kWriteUnflushed, kCheckpoint, kOpenCopy}},
    {"Backup", {kWrite, kBackUp, kUpdate, kBackUp, kOpenCopy}},
    {"ColumnFamily",
     {kOpenColumnFamily, kWrite, kUpdate, kOpenColumnFamily, kCompact}},
    {"Transaction",
     {kOpenTransactions, kWrite, kUpdate, kBeginTransaction, kCommit}},
};
INSTANTIATE_CELLS(Open, kOpenCells);

const Cell kOpenAndSwitchCells[] = {
    // A secondary that switches to linebloom first can follow a primary with
    // either policy.
    {.name = "SecondarySwitchedFirst",
     .steps = {kWrite, SecondaryWith(kLinebloom), kUpdate,
               PrimaryWith(kLinebloom), kUpdate, kCompact},
     .policies = {kBloom}},
    // One that switches later reads correctly, without the filters that it
    // can't read.
    {.name = "SecondaryNotSwitched",
     .steps = {kWrite, kOpenSecondary, PrimaryWith(kLinebloom), kUpdate,
               kCompact},
     .policies = {kBloom}},
    {.name = "IngestedFileOfBloom",
     .steps = {kWrite, With(kBloom), kIngest, With(kLinebloom), kUpdate},
     .policies = {kLinebloom}},
    {.name = "ColumnFamilyMoves",
     .steps = {kOpenColumnFamily, kWrite, FamilyWith(kLinebloom), kUpdate,
               FamilyWith(kBloom), FamilyWith(kLinebloom), kCompact},
     .policies = {kNone, kBloom, kRibbon}},
};
INSTANTIATE_CELLS(OpenAndSwitch, kOpenAndSwitchCells);

}  // namespace
}  // namespace linebloom
