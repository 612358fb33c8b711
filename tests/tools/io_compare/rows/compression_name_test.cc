#include "gtest/gtest.h"
#include "tools/io_compare/rows/source_db.h"

namespace linebloom::tools {
namespace {

TEST(CompressionNameTest, UpToFormatVersion6) {
  EXPECT_EQ(CompressionByName("NoCompression"), rocksdb::kNoCompression);
  EXPECT_EQ(CompressionByName("Snappy"), rocksdb::kSnappyCompression);
  EXPECT_EQ(CompressionByName("Zlib"), rocksdb::kZlibCompression);
  EXPECT_EQ(CompressionByName("LZ4"), rocksdb::kLZ4Compression);
  EXPECT_EQ(CompressionByName("LZ4HC"), rocksdb::kLZ4HCCompression);
  EXPECT_EQ(CompressionByName("ZSTD"), rocksdb::kZSTD);
}

TEST(CompressionNameTest, FormatVersion7) {
  EXPECT_EQ(CompressionByName("BuiltinV2;04;"), rocksdb::kLZ4Compression);
  EXPECT_EQ(CompressionByName("BuiltinV2;07;"), rocksdb::kZSTD);
  EXPECT_EQ(CompressionByName("BuiltinV2;0407;"), rocksdb::kLZ4Compression);
  EXPECT_EQ(CompressionByName("BuiltinV2;;"), rocksdb::kNoCompression);
  EXPECT_EQ(CompressionByName(";;"), rocksdb::kNoCompression);
}

TEST(CompressionNameTest, NoneIfUnknownOrUnsupported) {
  for (const char* name : {"", "Xpress", "lz4", "Mine;8A;", "Mine;x;", ";"}) {
    EXPECT_EQ(CompressionByName(name), rocksdb::kNoCompression) << name;
  }
}

}  // namespace
}  // namespace linebloom::tools
