// Filters contain keys without their timestamps.

#include <string>

#include "rocksdb/comparator.h"
#include "tests/rocksdb/db_fixture.h"

namespace linebloom {
namespace {

#if ROCKSDB_IS_AT_LEAST(8, 10)  // the comparator is public from there on
class TimestampTest : public PolicyTest {
 protected:
  static constexpr Rows kRows{0, 2000};
};
INSTANTIATE_POLICY_TEST(TimestampTest);

TEST_P(TimestampTest, TimestampsAreNotInTheFilter) {
  options_.comparator = rocksdb::BytewiseComparatorWithU64Ts();
  Reopen();
  for (uint64_t time : {10, 20, 30}) {
    std::string text;
    const rocksdb::Slice timestamp = rocksdb::EncodeU64Ts(time, &text);
    for (uint64_t i = kRows.begin; i < kRows.end; i += 2) {
      ASSERT_OK(db_->Put({}, RowKey(i), timestamp, std::to_string(time)));
    }
  }
  Flush();
  EXPECT_EQ(SumOfFilterEntries(db_.get()), kRows.present());
  TakeCounts();
  for (uint64_t time : {10, 25, 30}) {
    std::string text;
    const rocksdb::Slice timestamp = rocksdb::EncodeU64Ts(time, &text);
    rocksdb::ReadOptions read;
    read.timestamp = &timestamp;
    for (uint64_t i = kRows.begin; i < kRows.end; i += 2) {
      EXPECT_EQ(GetText(db_.get(), RowKey(i), read),
                std::to_string(time / 10 * 10));
    }
    EXPECT_EQ(TakeCounts(),
              (FilterCounts{0, kRows.present(), kRows.present()}));
    for (uint64_t i = 1; i + 1 < kRows.end; i += 2) {
      EXPECT_EQ(GetText(db_.get(), RowKey(i), read), "NotFound: ");
    }
    EXPECT_GE(TakeCounts().no, kRows.missing() * 96 / 100);
  }
}
#endif

}  // namespace
}  // namespace linebloom
