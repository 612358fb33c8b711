#include "filter_policy/filter/built_in_filter.h"

#include <gtest/gtest.h>

#include <string>

namespace linebloom {
namespace {

BuiltInFilter Parse(size_t bits_size, std::string_view tail) {
  const std::string block = std::string(bits_size, '\x5a') + std::string(tail);
  return ParseBuiltInFilter(block.data(), block.size());
}

using namespace std::string_view_literals;

TEST(BuiltInFilterTest, Bloom) {
  const BuiltInFilter filter = Parse(640, "\xff\x00\x06\x00\x00"sv);
  EXPECT_EQ(BuiltInFilterKind::kBloom, filter.kind);
  EXPECT_EQ(6, filter.probes);
  EXPECT_EQ(64u, filter.line_bytes);
  EXPECT_EQ(BuiltInFilterKind::kInconsistent,
            Parse(639, "\xff\x00\x06\x00\x00"sv).kind);
}

TEST(BuiltInFilterTest, Ribbon) {
  const BuiltInFilter filter = Parse(16 * 70, "\xfe\x07\x0a\x00\x00"sv);
  EXPECT_EQ(BuiltInFilterKind::kRibbon, filter.kind);
  EXPECT_EQ(10u, filter.blocks);
  EXPECT_EQ(BuiltInFilterKind::kInconsistent,
            Parse(16 * 70 + 1, "\xfe\x07\x0a\x00\x00"sv).kind);
  EXPECT_EQ(BuiltInFilterKind::kInconsistent,
            Parse(16 * 9, "\xfe\x07\x0a\x00\x00"sv).kind);
  EXPECT_EQ(BuiltInFilterKind::kInconsistent,
            Parse(16 * 321, "\xfe\x07\x0a\x00\x00"sv).kind);
}

// Such a block was cut off where its metadata began: 1 + 256 * 6 plain lines.
TEST(BuiltInFilterTest, TheBeginningOfLinebloomsMetadataIsNoLegacyTail) {
  EXPECT_EQ(BuiltInFilterKind::kInconsistent,
            Parse(64 * 1537, "\x01\x01\x06\x00\x00"sv).kind);
  EXPECT_EQ(BuiltInFilterKind::kLegacyBloom,
            Parse(64 * 1538, "\x02\x02\x06\x00\x00"sv).kind);
}

TEST(BuiltInFilterTest, LegacyBloom) {
  const BuiltInFilter filter = Parse(64 * 11, "\x06\x0b\x00\x00\x00"sv);
  EXPECT_EQ(BuiltInFilterKind::kLegacyBloom, filter.kind);
  EXPECT_EQ(6, filter.probes);
  EXPECT_EQ(64u, filter.line_bytes);
  EXPECT_EQ(BuiltInFilterKind::kInconsistent,
            Parse(64 * 11, "\x06\x0c\x00\x00\x00"sv).kind);
  EXPECT_EQ(BuiltInFilterKind::kInconsistent,
            Parse(64 * 11, "\x06\x00\x00\x00\x00"sv).kind);
}

TEST(BuiltInFilterTest, ReservedTails) {
  EXPECT_EQ(BuiltInFilterKind::kReserved,
            Parse(64, "\xff\x01\x06\x00\x00"sv).kind);
  EXPECT_EQ(BuiltInFilterKind::kReserved,
            Parse(64, "\xff\x00\x1f\x00\x00"sv).kind);
  EXPECT_EQ(BuiltInFilterKind::kReserved,
            Parse(64, "\xfd\x00\x06\x00\x00"sv).kind);
  EXPECT_EQ(BuiltInFilterKind::kReserved,
            Parse(64, "\x00\x00\x06\x00\x00"sv).kind);
}

TEST(BuiltInFilterTest, TooShort) {
  EXPECT_EQ(BuiltInFilterKind::kInconsistent,
            Parse(0, "\xff\x00\x06\x00\x00"sv).kind);
  EXPECT_EQ(BuiltInFilterKind::kInconsistent, Parse(0, "\xff"sv).kind);
}

}  // namespace
}  // namespace linebloom
