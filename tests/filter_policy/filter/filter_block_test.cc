#include "filter_policy/filter/filter_block.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace linebloom {
namespace {

constexpr size_t kLines = 3;
constexpr size_t kLineBytes = 64;

FilterBlockInfo SomeInfo() {
  FilterBlockInfo info;
  info.line_kind = 2;
  info.probes = 8;
  info.rotation_bits = 3;
  info.build_effort = 2;
  info.lines = kLines;
  info.asked_millibits = 10000;
  info.keys = 150;
  info.hash_seed = 0x0123456789abcdef;
  info.expected_false_positive_rate = 0.0047;
  return info;
}

std::string SomeBlock(const FilterBlockInfo& info = SomeInfo()) {
  std::string block(kLines * kLineBytes + kFilterBlockOverhead, '\x5a');
  WriteFilterBlockEnd(info, block.data() + kLines * kLineBytes);
  return block;
}

ParsedFilterBlock Parse(std::string_view block) {
  // A copy of its own size, so that AddressSanitizer sees any read past it.
  const std::string exact(block);
  return ParseFilterBlock(exact.data(), exact.size());
}

TEST(FilterBlockTest, ReadsBackWhatWasWritten) {
  const ParsedFilterBlock parsed = Parse(SomeBlock());
  EXPECT_EQ(FilterBlockKind::kReadable, parsed.kind);
  EXPECT_EQ(SomeInfo(), parsed.info);
  EXPECT_EQ(nullptr, parsed.problem);
}

// As a policy with a rate and level_aware has it.
FilterBlockInfo LongInfo() {
  FilterBlockInfo info = SomeInfo();
  info.asked_millibits = 0;
  info.asked_false_positive_rate = 0.01;
  info.level_aware = true;
  return info;
}

std::string LongBlock() {
  const FilterBlockInfo info = LongInfo();
  std::string block(kLines * kLineBytes + FilterBlockOverhead(info), '\x5a');
  WriteFilterBlockEnd(info, block.data() + kLines * kLineBytes);
  return block;
}

TEST(FilterBlockTest, ReadsLongMetadataBack) {
  const ParsedFilterBlock parsed = Parse(LongBlock());
  EXPECT_EQ(FilterBlockKind::kReadable, parsed.kind);
  EXPECT_EQ(LongInfo(), parsed.info);
}

TEST(FilterBlockTest, LongMetadataIsThereOnlyIfItSaysSomething) {
  FilterBlockInfo info = SomeInfo();
  EXPECT_EQ(55u, FilterBlockOverhead(info));
  info.level_aware = true;
  EXPECT_EQ(71u, FilterBlockOverhead(info));
  info.level_aware = false;
  info.asked_false_positive_rate = 0.5;
  EXPECT_EQ(71u, FilterBlockOverhead(info));
}

TEST(FilterBlockTest, BytesOfLongMetadata) {
  const std::string block = LongBlock();
  const std::string_view end =
      std::string_view(block).substr(kLines * kLineBytes);
  ASSERT_EQ(71u, end.size());
  EXPECT_EQ(end.substr(12, 4), std::string_view("\0\0\0\0", 4));
  // 0.01 as a double is 0x3f847ae147ae147b.
  EXPECT_EQ(end.substr(40, 8), "\x7b\x14\xae\x47\xe1\x7a\x84\x3f");
  EXPECT_EQ(end.substr(48, 8), std::string_view("\x01\0\0\0\0\0\0\0", 8));
  EXPECT_EQ(end.substr(64, 2), std::string_view("\x42\0", 2));
  EXPECT_EQ(end.substr(66), std::string_view("\xff\x4c\0\x4c\x42", 5));
}

// The offsets of docs/format.md, byte by byte.
TEST(FilterBlockTest, Bytes) {
  const std::string block = SomeBlock();
  const std::string_view end =
      std::string_view(block).substr(kLines * kLineBytes);
  ASSERT_EQ(55u, end.size());
  const auto bytes = [&](size_t at, size_t size) {
    return end.substr(at, size);
  };
  EXPECT_EQ(bytes(0, 5), std::string_view("\x01\x02\x08\x03\x02", 5));
  EXPECT_EQ(bytes(5, 3), std::string_view("\0\0\0", 3));
  EXPECT_EQ(bytes(8, 4), std::string_view("\x03\0\0\0", 4));
  EXPECT_EQ(bytes(12, 4), std::string_view("\x10\x27\0\0", 4));
  EXPECT_EQ(bytes(16, 8), std::string_view("\x96\0\0\0\0\0\0\0", 8));
  EXPECT_EQ(bytes(24, 8), "\xef\xcd\xab\x89\x67\x45\x23\x01");
  EXPECT_EQ(bytes(48, 2), std::string_view("\x32\0", 2));
  EXPECT_EQ(bytes(50, 5), std::string_view("\xff\x4c\0\x4c\x42", 5));
}

TEST(FilterBlockTest, LengthZeroHasNoKeys) {
  EXPECT_EQ(FilterBlockKind::kNoKeys, Parse("").kind);
}

// Cut off at any length, a block is never taken for a sound one, nor for one
// without keys.
TEST(FilterBlockTest, EveryTruncation) {
  const std::string block = SomeBlock();
  for (size_t size = 1; size < block.size(); ++size) {
    const FilterBlockKind kind = Parse(block.substr(0, size)).kind;
    EXPECT_TRUE(kind == FilterBlockKind::kUnusable ||
                kind == FilterBlockKind::kForeign)
        << size;
  }
}

TEST(FilterBlockTest, EveryDamagedByteOfTheEndIsNoticed) {
  const std::string block = SomeBlock();
  for (size_t at = kLines * kLineBytes; at < block.size(); ++at) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string damaged = block;
      damaged[at] = static_cast<char>(damaged[at] ^ (1 << bit));
      const ParsedFilterBlock parsed = Parse(damaged);
      EXPECT_EQ(FilterBlockKind::kUnusable, parsed.kind)
          << "byte " << at << " bit " << bit;
      EXPECT_NE(nullptr, parsed.problem);
    }
  }
}

TEST(FilterBlockTest, UnknownVersionsAndUnfittingSizes) {
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
  block[block.size() - 20] ^= 1;  // so that our checksum does not hold
  EXPECT_EQ(FilterBlockKind::kForeign, Parse(block).kind);
  EXPECT_EQ(FilterBlockKind::kForeign, Parse("any six").kind);
}

TEST(FilterBlockTest, FieldsCoverAllBehindTheLines) {
  const std::string block = SomeBlock();
  const std::vector<FilterBlockField> fields =
      ListFilterBlockFields(block.data(), block.size());
  ASSERT_FALSE(fields.empty());
  size_t at = block.size() - kFilterBlockOverhead;
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
