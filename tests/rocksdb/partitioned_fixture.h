// Filters cut into partitions, with boundaries of their own where RocksDB has
// that.
#pragma once

#include <cstdint>
#include <string>
#include <tuple>

#include "rocksdb/statistics.h"
#include "tests/rocksdb/db_fixture.h"

namespace linebloom {

using PartitionedParam = std::tuple<PolicyKind, /*decoupled=*/bool>;

class PartitionedTest : public DbTest,
                        public testing::WithParamInterface<PartitionedParam> {
 protected:
  PartitionedTest() {
    UsePolicy(std::get<0>(GetParam()));
    table_.partition_filters = true;
    table_.index_type =
        rocksdb::BlockBasedTableOptions::IndexType::kTwoLevelIndexSearch;
    table_.metadata_block_size = 290;  // four lines of 64 bytes and metadata
#if ROCKSDB_IS_AT_LEAST(9, 6)
    table_.decouple_partitioned_filters = std::get<1>(GetParam());
#endif
  }

  // Opens the database again and says how many partitions its filters have:
  // opening a file loads them into the block cache.
  uint64_t ReopenAndCountPartitions() {
    options_.statistics->getAndResetTickerCount(
        rocksdb::BLOCK_CACHE_FILTER_ADD);
    Reopen();
    return options_.statistics->getTickerCount(rocksdb::BLOCK_CACHE_FILTER_ADD);
  }
};

#if ROCKSDB_IS_AT_LEAST(9, 6)
inline const auto kDecoupled = testing::Bool();
#else
inline const auto kDecoupled = testing::Values(false);
#endif

#define INSTANTIATE_PARTITIONED_TEST(fixture)                                 \
  INSTANTIATE_TEST_SUITE_P(                                                   \
      With, fixture,                                                          \
      testing::Combine(                                                       \
          testing::Values(PolicyKind::kBuiltinBloom, PolicyKind::kLinebloom), \
          kDecoupled),                                                        \
      [](const testing::TestParamInfo<PartitionedParam>& param) {             \
        return PolicyName(std::get<0>(param.param)) +                         \
               (std::get<1>(param.param) ? "_decoupled" : "");                \
      })

}  // namespace linebloom
