#include <cstdint>
#include <string>

#include "gtest/gtest.h"
#include "table/format.h"

namespace linebloom {
namespace {

uint32_t Unmask(uint32_t masked) {
  const uint32_t rotated = masked - 0xa282ead8;
  return (rotated << 15) | (rotated >> 17);
}

// The check value of CRC-32/ISCSI and the examples of RFC 3720, B.4.
TEST(ChecksumTest, Crc32cHasItsPublishedValues) {
  const auto crc = [](absl::string_view bytes) {
    return Unmask(ComputeChecksum(ChecksumType::kCrc32c, bytes));
  };
  EXPECT_EQ(crc(""), 0);
  EXPECT_EQ(crc("123456789"), 0xe3069283);
  EXPECT_EQ(crc(std::string(32, '\0')), 0x8a9136aa);
  EXPECT_EQ(crc(std::string(32, '\xff')), 0x62a8ab43);
}

// The sanity tests of the xxHash specification for the empty input.
TEST(ChecksumTest, XxHashOfNothingHasItsPublishedValues) {
  EXPECT_EQ(ComputeChecksum(ChecksumType::kXxHash32, ""), 0x02cc5d05);
  EXPECT_EQ(ComputeChecksum(ChecksumType::kXxHash64, ""),
            0xef46db3751d8e999 & 0xffffffff);
}

// XXH3 of the empty input is 2d06800538d394c2. For a single byte nothing else
// is hashed; the byte is combined separately.
TEST(ChecksumTest, Xxh3TreatsTheLastByteSeparately) {
  EXPECT_EQ(ComputeChecksum(ChecksumType::kXxh3, ""), 0);
  EXPECT_EQ(ComputeChecksum(ChecksumType::kXxh3, absl::string_view("\0", 1)),
            0x38d394c2);
  EXPECT_EQ(ComputeChecksum(ChecksumType::kXxh3, "\x01"),
            0x38d394c2 ^ 0x6b9083d9);
  EXPECT_EQ(ComputeChecksum(ChecksumType::kXxh3, "\xff"),
            0x38d394c2 ^ static_cast<uint32_t>(0xff * uint64_t{0x6b9083d9}));
}

TEST(ChecksumTest, NoChecksumIsZero) {
  EXPECT_EQ(ComputeChecksum(ChecksumType::kNone, "bytes"), 0);
}

TEST(ChecksumTest, KnownTypes) {
  for (int type = 0; type <= 255; ++type) {
    EXPECT_EQ(IsKnownChecksumType(static_cast<uint8_t>(type)), type <= 4);
  }
}

TEST(ChecksumTest, ContextDependsOnBothHalvesOfTheOffset) {
  EXPECT_EQ(ChecksumContext(0, 12345), 0);
  EXPECT_EQ(ChecksumContext(0xabcd1234, 0), 0xabcd1234);
  EXPECT_EQ(ChecksumContext(0xabcd1234, 0xff), 0xabcd1234 ^ 0xff);
  EXPECT_EQ(ChecksumContext(1, 0x0000000200000003), 1 ^ 5);
  EXPECT_EQ(ChecksumContext(1, 0x00000001ffffffff), 1 ^ 0);
}

}  // namespace
}  // namespace linebloom
