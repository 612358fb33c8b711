#include "table/footer.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "table/random_access.h"
#include "tests/table/sst_builder.h"

namespace linebloom {
namespace {

using ::linebloom::testing::Le32;
using ::linebloom::testing::Le64;
using ::linebloom::testing::SstBuilder;
using ::testing::HasSubstr;

absl::StatusOr<Footer> Read(absl::string_view bytes) {
  return ReadFooter(*WrapMemory("x.sst", bytes));
}

// A file with one block and an empty metaindex of 8 bytes.
std::string MakeFile(uint32_t format_version, ChecksumType type) {
  SstBuilder builder(format_version, type);
  builder.AddBlock("some block");
  return builder.Finish();
}

class FooterTest : public ::testing::TestWithParam<uint32_t> {};

INSTANTIATE_TEST_SUITE_P(AllVersions, FooterTest,
                         ::testing::Range(uint32_t{0}, uint32_t{8}));

TEST_P(FooterTest, IsReadWithEachChecksumType) {
  for (uint8_t type = 0; type <= 4; ++type) {
    const auto checksum_type = static_cast<ChecksumType>(type);
    // format_version 0 has no other.
    if (GetParam() == 0 && checksum_type != ChecksumType::kCrc32c) continue;
    const std::string bytes = MakeFile(GetParam(), checksum_type);
    const absl::StatusOr<Footer> footer = Read(bytes);
    ASSERT_TRUE(footer.ok()) << footer.status();
    EXPECT_EQ(footer->format_version, GetParam());
    EXPECT_EQ(footer->checksum_type, checksum_type);
    EXPECT_EQ(footer->base_context_checksum != 0, GetParam() >= 6);
    EXPECT_EQ(footer->offset, bytes.size() - (GetParam() == 0 ? 48 : 53));
    EXPECT_EQ(footer->metaindex, (BlockHandle{15, 8}));
  }
}

// Properties of a footer alone, without the rest of the file: it is either an
// error, or its metaindex is before it.
TEST_P(FooterTest, AnyByteOfTheFooterMayHaveAnyValue) {
  const std::string bytes = MakeFile(GetParam(), ChecksumType::kXxh3);
  for (size_t i = bytes.size() - 53; i < bytes.size(); ++i) {
    for (int value = 0; value < 256; ++value) {
      std::string damaged = bytes;
      damaged[i] = static_cast<char>(value);
      const absl::StatusOr<Footer> footer = Read(damaged);
      if (footer.ok()) {
        EXPECT_TRUE(EndsBefore(footer->metaindex, footer->offset));
      } else {
        EXPECT_THAT(std::string(footer.status().message()),
                    HasSubstr("x.sst: offset "));
      }
      // The footer's own checksum detects changes.
      if (GetParam() >= 6 && damaged != bytes) {
        EXPECT_FALSE(footer.ok()) << i << " " << value;
      }
    }
  }
}

void ExpectError(const std::string& bytes, absl::StatusCode code,
                 const std::string& message) {
  const absl::StatusOr<Footer> footer = Read(bytes);
  EXPECT_EQ(footer.status().code(), code) << footer.status();
  EXPECT_THAT(std::string(footer.status().message()), HasSubstr(message));
}

std::string WithByte(std::string bytes, size_t from_end, int value) {
  bytes[bytes.size() - from_end] = static_cast<char>(value);
  return bytes;
}

TEST(FooterErrorTest, OtherFilesAreNamed) {
  ExpectError("", absl::StatusCode::kInvalidArgument,
              "x.sst: expected an SSTable, which has at least 48 bytes, found "
              "a file of 0 bytes");
  ExpectError(std::string(100, 'a'), absl::StatusCode::kInvalidArgument,
              "x.sst: offset 92: expected the magic number 88e241b785f4cff7");
  const std::string head(100, '\0');
  for (const uint64_t magic :
       {uint64_t{0x8242229663bf9564}, uint64_t{0x4f3418eb7a8f13b8}}) {
    ExpectError(head + Le64(magic), absl::StatusCode::kInvalidArgument,
                "a plain table");
  }
  ExpectError(head + Le64(0x926789d0c5f17873),
              absl::StatusCode::kInvalidArgument, "a cuckoo table");
  ExpectError(std::string(40, '\0') + Le64(0x88e241b785f4cff7),
              absl::StatusCode::kInvalidArgument, "shorter than its footer");
}

TEST(FooterErrorTest, UnknownVersionsAndTypes) {
  const std::string file = MakeFile(5, ChecksumType::kXxh3);
  ExpectError(WithByte(file, 12, 8), absl::StatusCode::kUnimplemented,
              "expected a format_version of at most 7, found 8");
  ExpectError(WithByte(file, 12, 0), absl::StatusCode::kDataLoss,
              "expected a format_version of 1 or more, found 0");
  ExpectError(WithByte(file, 53, 5), absl::StatusCode::kDataLoss,
              "expected a checksum type of 0 to 4, found 5");
}

TEST(FooterErrorTest, MetaindexThatDoesNotFit) {
  // Offset 15 becomes 90, beyond the footer at offset 28.
  ExpectError(WithByte(MakeFile(5, ChecksumType::kXxh3), 52, 90),
              absl::StatusCode::kDataLoss,
              "offset 28: footer: expected a metaindex that ends before it, "
              "found 8 bytes at offset 90");
  ExpectError(WithByte(MakeFile(2, ChecksumType::kXxh3), 51, 9),
              absl::StatusCode::kDataLoss, "found 9 bytes at offset 15");
  const std::string endless =
      MakeFile(1, ChecksumType::kXxh3).replace(29, 40, std::string(40, '\xff'));
  ExpectError(endless, absl::StatusCode::kDataLoss,
              "expected the metaindex's handle, two varints");
}

// RocksDB reads the index too, and allocates what the handle says.
TEST(FooterErrorTest, IndexThatDoesNotFit) {
  for (const uint32_t version : {0, 1, 5}) {
    const std::string whole = MakeFile(version, ChecksumType::kCrc32c);
    const size_t index_at = version == 0 ? 30 : 31;
    std::string endless = whole;
    endless.replace(index_at, 7, std::string("\0\x80\x80\x80\x80\x80\x02", 7));
    ExpectError(endless, absl::StatusCode::kDataLoss,
                "offset 28: footer: expected an index that ends before it, "
                "found 68719476736 bytes at offset 0");
    std::string cut = whole;
    cut.replace(index_at, 11, std::string(11, '\xff'));
    ExpectError(cut, absl::StatusCode::kDataLoss,
                "offset 28: footer: expected the index's handle, two varints");
  }
}

// The bytes of a footer of version 6 with checksums off, so that any field can
// be set freely.
std::string ExtendedFooter(absl::string_view magic, uint32_t base,
                           uint32_t metaindex_size, uint64_t reserved) {
  return absl::StrCat(absl::string_view("\0", 1), magic,
                      Le32(ChecksumContext(base, 0)), Le32(base),
                      Le32(metaindex_size), std::string(16, 'r'),
                      Le64(reserved), Le32(6), Le64(0x88e241b785f4cff7));
}

constexpr absl::string_view kExtendedMagic("\x3e\x00\x7a\x00", 4);

TEST(FooterErrorTest, FieldsOfVersion6) {
  ExpectError(ExtendedFooter("\x3e\x01\x7a\x01", 1, 0, 0),
              absl::StatusCode::kDataLoss,
              "offset 1: footer of format_version 6: expected the bytes 3e 00 "
              "7a 00");
  ExpectError(ExtendedFooter(kExtendedMagic, 0, 0, 0),
              absl::StatusCode::kDataLoss,
              "offset 9: footer: expected a base context checksum");
  ExpectError(ExtendedFooter(kExtendedMagic, 1, 0, 1),
              absl::StatusCode::kUnimplemented,
              "offset 33: footer: expected 8 bytes of 0");
  for (const uint32_t size : {uint32_t{0}, uint32_t{1}, UINT32_MAX}) {
    ExpectError(ExtendedFooter(kExtendedMagic, 1, size, 0),
                absl::StatusCode::kDataLoss,
                "offset 13: footer: expected a metaindex that fits before it");
  }
}

}  // namespace
}  // namespace linebloom
