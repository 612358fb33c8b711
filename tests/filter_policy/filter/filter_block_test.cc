#include "filter_policy/filter/filter_block.h"

#include <gtest/gtest.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include <string>
#include <string_view>
#include <vector>

namespace linebloom {
namespace {

using namespace std::string_literals;

constexpr size_t kLines = 3;
constexpr size_t kLinesBytes = kLines * kLineBytes + 1;  // and a code

FilterBlockInfo SomeInfo() {
  FilterBlockInfo info;
  info.request.line = Line::kSolved;
  info.probes_or_base = 70;
  info.step = 3;
  info.lines = kLines;
  info.keys = 150;
  info.expected_false_positive_rate = 0.0047F;
  info.request.millibits_per_key = 10000;
  return info;
}

// As written by a policy with a rate, level_aware and a hash seed.
FilterBlockInfo SeededInfo() {
  FilterBlockInfo info = SomeInfo();
  info.request.millibits_per_key = 0;
  info.request.false_positive_rate = 0.01F;
  info.request.level_aware = true;
  info.request.hash_seed = 0x0123456789abcdef;
  return info;
}

FilterBlockInfo CanonicalInfo() {
  FilterBlockInfo info = SomeInfo();
  info.request.canonical_key = 0xfedcba9876543210;
  return info;
}

FilterBlockInfo WarmInfo() {
  FilterBlockInfo info = SomeInfo();
  info.request.heat = 2.5F;
  return info;
}

// With everything that metadata can contain.
FilterBlockInfo FullInfo() {
  FilterBlockInfo info = SeededInfo();
  info.request.canonical_key = 0xfedcba9876543210;
  info.request.heat = 2.5F;
  return info;
}

std::string SomeBlock(const FilterBlockInfo& info = SomeInfo()) {
  std::string block(kLinesBytes + FilterBlockOverhead(info.request), '\x5a');
  block[kLinesBytes - 1] = 0;  // the code of a small group
  WriteFilterBlockEnd(info, block.data() + kLinesBytes);
  return block;
}

std::string_view EndOf(std::string_view block) {
  return block.substr(kLinesBytes);
}

// A block with other flags and a different metadata size, but a valid checksum.
std::string BlockWith(uint8_t flags, std::string_view further) {
  std::string block = SomeBlock();
  block.resize(block.size() - 10);  // checksum, size and tail
  block[kLinesBytes + 20] = static_cast<char>(flags);
  block += further;
  const uint64_t hash =
      XXH3_64bits(block.data() + kLinesBytes, block.size() - kLinesBytes);
  for (int i = 0; i < 4; ++i) block += static_cast<char>(hash >> (8 * i));
  block += static_cast<char>(block.size() + 1 - kLinesBytes);
  return block + std::string("\xff\x4c\0\x4c\x42", 5);
}

ParsedFilter Parse(std::string_view block) {
  // Copied to its exact size, so that AddressSanitizer detects reads beyond it.
  const std::string exact(block);
  return ParseFilter(exact.data(), exact.size());
}

TEST(FilterBlockTest, ReadsBackWhatWasWritten) {
  for (const FilterBlockInfo& info :
       {SomeInfo(), SeededInfo(), CanonicalInfo(), WarmInfo(), FullInfo()}) {
    const ParsedFilter parsed = Parse(SomeBlock(info));
    EXPECT_EQ(BlockKind::kLinebloom, parsed.kind);
    EXPECT_EQ(info, parsed.info);
    EXPECT_EQ(nullptr, parsed.problem);
  }
}

TEST(FilterBlockTest, OptionalFieldsAddBytes) {
  FilterBlockInfo info = SeededInfo();
  EXPECT_EQ(39u, FilterBlockOverhead(info.request));
  info.request.hash_seed = 0;
  EXPECT_EQ(31u, FilterBlockOverhead(info.request));
  EXPECT_EQ(31u, FilterBlockOverhead(SomeInfo().request));
  EXPECT_EQ(39u, FilterBlockOverhead(CanonicalInfo().request));
  EXPECT_EQ(35u, FilterBlockOverhead(WarmInfo().request));
  EXPECT_EQ(51u, FilterBlockOverhead(FullInfo().request));
  EXPECT_EQ(kMaxFilterBlockOverhead, FilterBlockOverhead(FullInfo().request));
}

// The offsets in docs/format.md, byte by byte.
TEST(FilterBlockTest, Bytes) {
  const std::string block = SomeBlock();
  const std::string_view end = EndOf(block);
  ASSERT_EQ(31u, end.size());
  EXPECT_EQ(end.substr(0, 4), "\x01\x02\x46\x03");
  EXPECT_EQ(end.substr(4, 4), std::string_view("\x03\0\0\0", 4));
  EXPECT_EQ(end.substr(8, 4), std::string_view("\x96\0\0\0", 4));
  EXPECT_EQ(end.substr(12, 4), "\x75\x02\x9a\x3b");  // 0x3b9a0275
  EXPECT_EQ(end.substr(16, 4), std::string_view("\x10\x27\0\0", 4));
  EXPECT_EQ(end[20], '\0');
  EXPECT_EQ(end[25], '\x1a');
  EXPECT_EQ(end.substr(26), std::string_view("\xff\x4c\0\x4c\x42", 5));
}

TEST(FilterBlockTest, BytesWithARateAndAHashSeed) {
  const std::string block = SomeBlock(SeededInfo());
  const std::string_view end = EndOf(block);
  ASSERT_EQ(39u, end.size());
  EXPECT_EQ(end.substr(16, 4), "\x0a\xd7\x23\x3c");  // 0x3c23d70a
  EXPECT_EQ(end[20], '\x07');
  EXPECT_EQ(end.substr(21, 8), "\xef\xcd\xab\x89\x67\x45\x23\x01");
  EXPECT_EQ(end[33], '\x22');
  EXPECT_EQ(end.substr(34), std::string_view("\xff\x4c\0\x4c\x42", 5));
}

TEST(FilterBlockTest, BytesWithACanonicalKeyAndHeat) {
  constexpr std::string_view kCanonicalKey = "\x10\x32\x54\x76\x98\xba\xdc\xfe";
  constexpr std::string_view kHeat("\0\0\x20\x40", 4);
  const std::string canonical = SomeBlock(CanonicalInfo());
  const std::string_view end = EndOf(canonical);
  ASSERT_EQ(39u, end.size());
  EXPECT_EQ(end[20], '\x08');
  EXPECT_EQ(end.substr(21, 8), kCanonicalKey);
  EXPECT_EQ(end[33], '\x22');
  const std::string warm = SomeBlock(WarmInfo());
  const std::string_view end_of_warm = EndOf(warm);
  ASSERT_EQ(35u, end_of_warm.size());
  EXPECT_EQ(end_of_warm[20], '\x10');
  EXPECT_EQ(end_of_warm.substr(21, 4), kHeat);
  EXPECT_EQ(end_of_warm[29], '\x1e');
  const std::string full = SomeBlock(FullInfo());
  const std::string_view end_of_full = EndOf(full);
  ASSERT_EQ(51u, end_of_full.size());
  EXPECT_EQ(end_of_full[20], '\x1f');
  EXPECT_EQ(end_of_full.substr(21, 8), "\xef\xcd\xab\x89\x67\x45\x23\x01");
  EXPECT_EQ(end_of_full.substr(29, 8), kCanonicalKey);
  EXPECT_EQ(end_of_full.substr(37, 4), kHeat);
  EXPECT_EQ(end_of_full[45], '\x2e');
}

// It is informative, so a reader answers whatever it is.
TEST(FilterBlockTest, AnyHeatIsReadable) {
  for (const std::string& heat :
       {"\0\0\0\0"s, "\0\0\xc0\x7f"s, "\0\0\x80\x7f"s, "\0\0\x80\xbf"s}) {
    const std::string block = BlockWith(16, heat);
    EXPECT_EQ(BlockKind::kLinebloom, Parse(block).kind);
    EXPECT_EQ(14u, ListFilterBlockFields(block.data(), block.size()).size());
  }
}

TEST(FilterBlockTest, PlainLinesHaveProbesAndSolvedOnesBaseAndStep) {
  FilterBlockInfo info;
  SetShape({Line::kPlain, 6}, &info);
  EXPECT_EQ(Line::kPlain, info.request.line);
  EXPECT_EQ(6, info.probes_or_base);
  EXPECT_EQ(0, info.step);
  EXPECT_EQ(6, ShapeOf(info).probes);
  EXPECT_EQ(0, ShapeOf(info).base);
  SetShape({Line::kSolved, 0, 70, 3}, &info);
  EXPECT_EQ(Line::kSolved, info.request.line);
  EXPECT_EQ(70, info.probes_or_base);
  EXPECT_EQ(3, info.step);
  EXPECT_EQ(0, ShapeOf(info).probes);
  EXPECT_EQ(70, ShapeOf(info).base);
}

TEST(FilterBlockTest, UnknownFlagsAreUnusable) {
  EXPECT_EQ(nullptr, Parse(BlockWith(0, "")).problem);
  for (int bit = 5; bit < 8; ++bit) {
    EXPECT_STREQ("a flag is unknown",
                 Parse(BlockWith(static_cast<uint8_t>(1 << bit), "")).problem);
  }
}

TEST(FilterBlockTest, LaterFieldsAreSkipped) {
  const ParsedFilter unseeded = Parse(BlockWith(0, "of later releases"));
  EXPECT_EQ(BlockKind::kLinebloom, unseeded.kind);
  EXPECT_EQ(SomeInfo(), unseeded.info);
  const std::string block = BlockWith(4, "\1\0\0\0\0\0\0\x80later"s);
  const ParsedFilter seeded = Parse(block);
  EXPECT_EQ(BlockKind::kLinebloom, seeded.kind);
  EXPECT_EQ(0x8000000000000001, seeded.info.request.hash_seed);
  const auto fields = ListFilterBlockFields(block.data(), block.size());
  ASSERT_EQ(15u, fields.size());
  EXPECT_STREQ("of a later release", fields[11].name);
  EXPECT_EQ(5u, fields[11].bytes);
}

TEST(FilterBlockTest, MissingHashSeedIsUnusable) {
  for (size_t further = 0; further < 8; ++further) {
    EXPECT_STREQ("the hash seed is missing",
                 Parse(BlockWith(4, std::string(further, 'x'))).problem);
  }
}

// Readers would otherwise probe it with the keys themselves.
TEST(FilterBlockTest, MissingCanonicalKeyIsUnusable) {
  for (size_t further = 0; further < 8; ++further) {
    for (const uint8_t flags : {8, 12}) {
      const size_t seed = flags == 12 ? 8 : 0;
      const ParsedFilter parsed =
          Parse(BlockWith(flags, std::string(seed + further, 'x')));
      EXPECT_EQ(BlockKind::kUnusable, parsed.kind);
      EXPECT_STREQ("the canonical key is missing", parsed.problem);
    }
  }
  EXPECT_STREQ("the canonical key is missing",
               Parse(BlockWith(8, std::string(8, '\0'))).problem);
  EXPECT_EQ(nullptr, Parse(BlockWith(8, std::string(8, '\1'))).problem);
}

TEST(FilterBlockTest, MissingHeatIsUnusable) {
  for (size_t further = 0; further < 4; ++further) {
    EXPECT_STREQ("the heat is missing",
                 Parse(BlockWith(16, std::string(further, 'x'))).problem);
    EXPECT_STREQ("the heat is missing",
                 Parse(BlockWith(28, std::string(16 + further, 'x'))).problem);
  }
}

TEST(FilterBlockTest, LengthZeroHasNoKeys) {
  EXPECT_EQ(BlockKind::kEmpty, Parse("").kind);
}

// A truncated block never passes for a complete one, nor for one without keys.
TEST(FilterBlockTest, EveryTruncation) {
  const std::string block = SomeBlock();
  for (size_t size = 1; size < block.size(); ++size) {
    const BlockKind kind = Parse(block.substr(0, size)).kind;
    EXPECT_TRUE(kind == BlockKind::kUnusable || kind == BlockKind::kReserved ||
                kind == BlockKind::kInconsistent)
        << size;
  }
}

TEST(FilterBlockTest, EveryDamagedByteOfTheEndIsNoticed) {
  const std::string block = SomeBlock(FullInfo());
  for (size_t at = kLinesBytes; at < block.size(); ++at) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string damaged = block;
      damaged[at] = static_cast<char>(damaged[at] ^ (1 << bit));
      const ParsedFilter parsed = Parse(damaged);
      EXPECT_EQ(BlockKind::kUnusable, parsed.kind)
          << "byte " << at << " bit " << bit;
      EXPECT_NE(nullptr, parsed.problem);
    }
  }
}

TEST(FilterBlockTest, ASmallGroupsCodeIsZero) {
  std::string block = SomeBlock();
  block[kLinesBytes - 1] = 1;
  const ParsedFilter parsed = Parse(block);
  EXPECT_EQ(BlockKind::kUnusable, parsed.kind);
  EXPECT_STREQ("the last group's code is damaged", parsed.problem);
  FilterBlockInfo plain = SomeInfo();
  SetShape({Line::kPlain, 6}, &plain);
  std::string without_codes = SomeBlock(plain).substr(1);
  without_codes[3 * kLineBytes - 1] = 1;
  EXPECT_EQ(BlockKind::kLinebloom, Parse(without_codes).kind);
}

TEST(FilterBlockTest, UnknownVersionsAndWrongSizes) {
  FilterBlockInfo info = SomeInfo();
  info.version = 2;
  EXPECT_STREQ("the version is unknown", Parse(SomeBlock(info)).problem);
  info = SomeInfo();
  info.lines = kLines + 1;
  EXPECT_STREQ("the number of lines does not fit the size of the block",
               Parse(SomeBlock(info)).problem);
  info.lines = 0;
  EXPECT_STREQ("there are no lines", Parse(SomeBlock(info)).problem);
}

TEST(FilterBlockTest, OtherBlocksAreForeign) {
  std::string block = SomeBlock();
  block.replace(block.size() - 5, 5, std::string("\xff\0\x06\0\0", 5));
  block[block.size() - 20] ^= 1;  // breaks our checksum
  EXPECT_EQ(BlockKind::kInconsistent, Parse(block).kind);
  EXPECT_EQ(BlockKind::kInconsistent, Parse("any six").kind);
}

TEST(FilterBlockTest, FieldsCoverEverythingAfterTheLines) {
  const std::string block = SomeBlock(FullInfo());
  const std::vector<FilterBlockField> fields =
      ListFilterBlockFields(block.data(), block.size());
  ASSERT_FALSE(fields.empty());
  size_t at = kLines * kLineBytes;
  for (const FilterBlockField& field : fields) {
    EXPECT_EQ(at, field.offset) << field.name;
    at += field.bytes;
  }
  EXPECT_EQ(block.size(), at);
  EXPECT_STREQ("tail", fields.back().name);
  std::string damaged = block;
  damaged[block.size() - 30] ^= 1;
  EXPECT_TRUE(ListFilterBlockFields(damaged.data(), damaged.size()).empty());
}

}  // namespace
}  // namespace linebloom
