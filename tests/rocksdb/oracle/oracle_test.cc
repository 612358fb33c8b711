// Runs the cells of all tables (*_cells.cc).
#include "tests/rocksdb/oracle/cell.h"

namespace linebloom {

TEST_P(OracleTest, Holds) {
  const Cell& cell = GetParam();
  if (cell.setting) cell.setting(this);
  if (const rocksdb::Status opened = TryReopen(); !opened.ok()) {
    ASSERT_TRUE(options_.use_direct_reads) << opened.ToString();
    GTEST_SKIP() << "no direct reads here: " << opened.ToString();
  }
  for (const bool partitioned : {false, true}) {
    if (cell.filters ==
        (partitioned ? Filters::kWhole : Filters::kPartitioned)) {
      continue;
    }
    SCOPED_TRACE(partitioned ? "partitioned filters" : "whole filters");
    if (partitioned) UsePartitions(partition_size_);
    for (const Policy& policy : cell.policies) Run(policy, cell.steps);
  }
}

}  // namespace linebloom
