#include <cstdint>
#include <string>

#include "gtest/gtest.h"
#include "table/format.h"
#include "tests/table/sst_builder.h"

namespace linebloom {
namespace {

TEST(VarintTest, RoundTripsEveryLengthAndLeavesTheRest) {
  for (int bit = 0; bit < 64; ++bit) {
    for (const uint64_t value :
         {uint64_t{1} << bit, (uint64_t{1} << bit) - 1, ~uint64_t{0} >> bit}) {
      const std::string bytes = testing::Varint(value) + "rest";
      absl::string_view input = bytes;
      uint64_t got = 0;
      ASSERT_TRUE(ConsumeVarint64(&input, &got)) << value;
      EXPECT_EQ(got, value);
      EXPECT_EQ(input, "rest");
    }
  }
}

TEST(VarintTest, TruncatedIsRejectedAndNothingConsumed) {
  const std::string whole = testing::Varint(UINT64_MAX);
  ASSERT_EQ(whole.size(), 10);
  for (size_t length = 0; length < whole.size(); ++length) {
    absl::string_view input = absl::string_view(whole).substr(0, length);
    uint64_t got = 7;
    EXPECT_FALSE(ConsumeVarint64(&input, &got)) << length;
    EXPECT_EQ(input.size(), length);
    EXPECT_EQ(got, 7);
  }
}

TEST(VarintTest, TooManyBitsAreRejected) {
  uint64_t wide = 0;
  absl::string_view too_wide("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02", 10);
  EXPECT_FALSE(ConsumeVarint64(&too_wide, &wide));
  absl::string_view endless("\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 11);
  EXPECT_FALSE(ConsumeVarint64(&endless, &wide));

  uint32_t narrow = 0;
  const std::string largest = testing::Varint(UINT32_MAX);
  absl::string_view input = largest;
  EXPECT_TRUE(ConsumeVarint32(&input, &narrow));
  EXPECT_EQ(narrow, UINT32_MAX);
  const std::string larger = testing::Varint(uint64_t{UINT32_MAX} + 1);
  input = larger;
  EXPECT_FALSE(ConsumeVarint32(&input, &narrow));
  EXPECT_EQ(input.size(), larger.size());
}

TEST(VarintTest, Signed) {
  const struct {
    uint64_t stored;
    int64_t value;
  } cases[] = {{0, 0},
               {1, -1},
               {2, 1},
               {3, -2},
               {UINT64_MAX - 1, INT64_MAX},
               {UINT64_MAX, INT64_MIN}};
  for (const auto& [stored, value] : cases) {
    const std::string bytes = testing::Varint(stored);
    absl::string_view input = bytes;
    int64_t got = 0;
    ASSERT_TRUE(ConsumeSignedVarint64(&input, &got));
    EXPECT_EQ(got, value);
  }
}

}  // namespace
}  // namespace linebloom
