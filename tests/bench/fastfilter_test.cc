// bench/fastfilter.h, with as much of FastFilter's benchmark as it uses.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

template <typename Table>
struct FilterAPI;

template <typename Table>
double FilterBenchmark(size_t count, const std::vector<uint64_t>& keys,
                       size_t /*intersection*/, int /*samples*/,
                       bool /*batched*/) {
  Table table = FilterAPI<Table>::ConstructFromAddCount(count);
  FilterAPI<Table>::AddAll(keys, 0, keys.size(), &table);
  size_t found = 0;
  for (const uint64_t key : keys) {
    found += FilterAPI<Table>::Contain(key, &table) ? 1 : 0;
  }
  EXPECT_EQ(found, keys.size());
  return 8.0 * table.SizeInBytes() / count;
}

#include "bench/fastfilter.h"

TEST(FastFilter, FindsAllKeys) {
  std::vector<uint64_t> keys(100'000);
  std::iota(keys.begin(), keys.end(), 1);
  testing::internal::CaptureStdout();
  BenchmarkLinebloom(keys.size(), keys, 0, 0, 17);
  EXPECT_NE(testing::internal::GetCapturedStdout().find("Linebloom10"),
            std::string::npos);
}
