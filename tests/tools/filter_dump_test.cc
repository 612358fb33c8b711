// Tests the parts of filter_dump directly.
#include <gtest/gtest.h>

#include <string>

#include "tests/table/rocksdb_files.h"
#include "tests/temporary_folder.h"
#include "tools/filter_dump/inputs.h"

namespace linebloom::tools {
namespace {

TEST(TextTest, KeysAreShownAsTextAndInHex) {
  EXPECT_EQ(KeyText(std::string("k\0'", 3)), "'k\\x00\\'' (6b0027)");
  EXPECT_EQ(KeyText(""), "'' ()");
}

// Bytes of a version 5 file that no checksum covers and nobody reads: the
// padding of the footer's handles.
bool IsPadding(const std::string& bytes, size_t at) {
  return bytes[at] == 0 && at > bytes.size() - 53 && at < bytes.size() - 12;
}

// Damage anywhere is an error or a problem, never anything worse.
TEST(VerifyTest, EveryDamagedByteIsReported) {
  namespace lt = linebloom::testing;
  const TemporaryFolder folder;
  // Not SstFileWriter, because ingestion may change 8 bytes in its files.
  const std::string written =
      lt::WriteDatabase(folder.File("db"),
                        {5, ChecksumType::kXxh3, FilterKind::kPartitioned,
                         lt::FilterContent::kBoth, lt::kLinebloom},
                        60)
          .front();
  const std::string path = folder.Write("a.sst", ReadFileBytes(written));
  const std::string bytes = ReadFileBytes(path);
  FilterDumpConfig config;
  config.files = {path};
  config.missing = 0;
  ASSERT_TRUE(RunVerify(config)->json["problems"].empty());
  for (size_t at = 0; at < bytes.size(); ++at) {
    std::string damaged = bytes;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x10);
    folder.Write("a.sst", damaged);
    EXPECT_TRUE(!RunVerify(config)->json["problems"].empty() ||
                IsPadding(bytes, at))
        << "byte " << at << " of " << bytes.size();
  }
}

}  // namespace
}  // namespace linebloom::tools
