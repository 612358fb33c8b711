// Switching away from linebloom: its files read right without it.

#include <utility>

#include "tests/rocksdb/switch_fixture.h"

namespace linebloom {
namespace {

class WrittenWithLinebloomTest : public SwitchTest,
                                 public testing::WithParamInterface<bool> {
 protected:
  WrittenWithLinebloomTest() {
    if (GetParam()) {
      UsePartitions(&table_);
    }
  }
};
INSTANTIATE_TEST_SUITE_P(As, WrittenWithLinebloomTest, testing::Bool(),
                         [](const auto& partitioned) {
                           return partitioned.param ? "Partitioned" : "Full";
                         });

// RocksDB's own policies take the blocks for filters that they can't read:
// each is asked and answers 'may match'.
TEST_P(WrittenWithLinebloomTest, ReadsRightWithTheBuiltinFilters) {
  WriteFiles();
  const Reads before = ReadAll();
  EXPECT_GE(before.missing.no, kRows.missing());
  for (PolicyKind kind :
       {PolicyKind::kBuiltinBloom, PolicyKind::kBuiltinRibbon}) {
    SCOPED_TRACE(kind);
    UsePolicy(kind);
    Reopen();
    const Reads without = ReadAll();
    for (const auto& [ours, theirs] :
         {std::pair(before.present, without.present),
          std::pair(before.missing, without.missing),
          std::pair(before.batches, without.batches)}) {
      EXPECT_EQ(theirs.no, 0);
      EXPECT_EQ(theirs.maybe, ours.no + ours.maybe);
      EXPECT_EQ(theirs.true_positive, ours.true_positive);
    }
    EXPECT_EQ(without.scans.no, 0);
  }
  UsePolicy(PolicyKind::kLinebloom);
  Reopen();
  EXPECT_EQ(ReadAll(), before);
}

TEST_P(WrittenWithLinebloomTest, ReadsRightWithoutPolicy) {
  WriteFiles();
  const Reads before = ReadAll();
  UsePolicy(PolicyKind::kNone);
  Reopen();
  EXPECT_EQ(ReadAll(), Reads());  // no filter is asked
  UsePolicy(PolicyKind::kLinebloom);
  Reopen();
  EXPECT_EQ(ReadAll(), before);
}

TEST_P(WrittenWithLinebloomTest, GetsBuiltinFiltersWhenItIsRewritten) {
  WriteFiles();
  UsePolicy(PolicyKind::kBuiltinBloom);
  Reopen();
  AddFiles();
  // Two of the five files have filters that the built-in policy can read.
  const Reads mixed = ReadAll();
  EXPECT_GE(mixed.missing.no, kRows.missing());
  EXPECT_GE(mixed.missing.maybe, kRows.missing());
  CompactAll();
  const Reads rewritten = ReadAll();
  EXPECT_EQ(rewritten.present.no, 0);
  EXPECT_GE(rewritten.missing.no, kRows.missing() * 95 / 100);
}

}  // namespace
}  // namespace linebloom
