#include <gtest/gtest.h>
#include <sys/mman.h>

#include <string>

#include "filter_policy/filter/filter_block.h"

namespace linebloom {
namespace {

ParsedFilter Parse(size_t bits_size, std::string_view tail) {
  const std::string block = std::string(bits_size, '\x5a') + std::string(tail);
  return ParseFilter(block.data(), block.size());
}

using namespace std::string_view_literals;

TEST(BuiltInFilterTest, Bloom) {
  const ParsedFilter filter = Parse(640, "\xff\x00\x06\x00\x00"sv);
  EXPECT_EQ(BlockKind::kBloom, filter.kind);
  EXPECT_EQ(6, filter.probes);
  EXPECT_EQ(64u, filter.line_bytes);
  EXPECT_EQ(BlockKind::kInconsistent,
            Parse(639, "\xff\x00\x06\x00\x00"sv).kind);
}

TEST(BuiltInFilterTest, Ribbon) {
  const ParsedFilter filter = Parse(16 * 70, "\xfe\x07\x0a\x00\x00"sv);
  EXPECT_EQ(BlockKind::kRibbon, filter.kind);
  EXPECT_EQ(10u, filter.blocks);
  EXPECT_EQ(BlockKind::kInconsistent,
            Parse(16 * 70 + 1, "\xfe\x07\x0a\x00\x00"sv).kind);
  EXPECT_EQ(BlockKind::kInconsistent, Parse(0, "\xfe\x07\x0a\x00\x00"sv).kind);
}

// At most 32 for each of 10 blocks, and a third more.
TEST(BuiltInFilterTest, RibbonWithTheMostColumns) {
  EXPECT_EQ(BlockKind::kRibbon, Parse(16 * 426, "\xfe\x07\x0a\x00\x00"sv).kind);
  EXPECT_EQ(BlockKind::kInconsistent,
            Parse(16 * 427, "\xfe\x07\x0a\x00\x00"sv).kind);
}

// Only some of the blocks have a column.
TEST(BuiltInFilterTest, RibbonWithLessThanOneColumnPerBlock) {
  const ParsedFilter filter = Parse(16 * 7, "\xfe\x07\x0a\x00\x00"sv);
  EXPECT_EQ(BlockKind::kRibbon, filter.kind);
  EXPECT_EQ(10u, filter.blocks);
}

// A block truncated where its metadata began: 2^24 + 1 + 256 * 6 plain lines, 1
// GiB of which only the end is ever touched.
TEST(BuiltInFilterTest, StartOfLinebloomMetadataIsNotALegacyTail) {
  constexpr size_t kLines = (1 << 24) + 1 + 256 * 6;
  constexpr size_t kSize = 64 * kLines + 5;
  void* const memory = mmap(nullptr, kSize, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  ASSERT_NE(MAP_FAILED, memory);
  auto* const block = static_cast<char*>(memory);
  const auto kind_with = [=](std::string_view tail) {
    tail.copy(block + kSize - tail.size(), tail.size());
    return ParseFilter(block, kSize).kind;
  };
  EXPECT_EQ(BlockKind::kInconsistent, kind_with("\x01\x01\x06\x00\x01"sv));
  // Two probes: not a version of linebloom's.
  EXPECT_EQ(BlockKind::kLegacyBloom, kind_with("\x02\x01\x06\x00\x01"sv));
  munmap(memory, kSize);
  EXPECT_EQ(BlockKind::kLegacyBloom,
            Parse(64 * 1537, "\x01\x01\x06\x00\x00"sv).kind);
}

TEST(BuiltInFilterTest, LegacyBloom) {
  const ParsedFilter filter = Parse(64 * 11, "\x06\x0b\x00\x00\x00"sv);
  EXPECT_EQ(BlockKind::kLegacyBloom, filter.kind);
  EXPECT_EQ(6, filter.probes);
  EXPECT_EQ(64u, filter.line_bytes);
  EXPECT_EQ(BlockKind::kInconsistent,
            Parse(64 * 11, "\x06\x0c\x00\x00\x00"sv).kind);
  EXPECT_EQ(BlockKind::kInconsistent,
            Parse(64 * 11, "\x06\x00\x00\x00\x00"sv).kind);
}

TEST(BuiltInFilterTest, ReservedTails) {
  EXPECT_EQ(BlockKind::kReserved, Parse(64, "\xff\x01\x06\x00\x00"sv).kind);
  EXPECT_EQ(BlockKind::kReserved, Parse(64, "\xff\x00\x1f\x00\x00"sv).kind);
  EXPECT_EQ(BlockKind::kReserved, Parse(64, "\xfd\x00\x06\x00\x00"sv).kind);
  EXPECT_EQ(BlockKind::kReserved, Parse(64, "\x00\x00\x06\x00\x00"sv).kind);
}

// If no key was added, RocksDB's Bloom builders write only a tail. No other
// tail passes, although RocksDB would accept any: it may be the beginning of a
// truncated linebloom block.
TEST(BuiltInFilterTest, NoKeys) {
  EXPECT_EQ(BlockKind::kEmpty, Parse(0, "\xff\x00\x06\x00\x00"sv).kind);
  EXPECT_EQ(BlockKind::kEmpty, Parse(0, "\x06\x00\x00\x00\x00"sv).kind);
  for (const std::string_view tail :
       {"\xff\x01\x06\x00\x00"sv, "\xff\x00\x1f\x00\x00"sv,
        "\xff\x00\x06\x00\x01"sv, "\xfe\x00\x00\x00\x00"sv,
        "\xfd\x00\x00\x00\x00"sv, "\x00\x00\x00\x00\x00"sv,
        "\x06\x00\x00\x00\x01"sv, "\x1f\x00\x00\x00\x00"sv}) {
    EXPECT_EQ(BlockKind::kInconsistent, Parse(0, tail).kind);
  }
}

TEST(BuiltInFilterTest, TooShort) {
  EXPECT_EQ(BlockKind::kUnusable, Parse(0, "\xff"sv).kind);
  EXPECT_EQ(BlockKind::kUnusable, Parse(0, "\xff\x00\x06\x00"sv).kind);
}

}  // namespace
}  // namespace linebloom
