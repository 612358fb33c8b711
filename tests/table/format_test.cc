// The pieces of the format whose edges no RocksDB writes, and reading files.
#include "table/format.h"

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "rocksdb/file_system.h"
#include "table/random_access.h"
#include "table/sst_file.h"
#include "tests/table/sst_builder.h"
#include "tests/temporary_folder.h"

namespace linebloom::testing {
namespace {

TEST(VarintTest, OfEveryLength) {
  for (int bit = 0; bit < 64; ++bit) {
    const uint64_t value = ~uint64_t{0} >> bit;
    const std::string bytes = Varint(value);
    absl::string_view input = bytes;
    uint64_t got = 0;
    // Cut, nothing is consumed.
    absl::string_view cut = input.substr(0, input.size() - 1);
    EXPECT_FALSE(ConsumeVarint64(&cut, &got));
    EXPECT_EQ(cut.size(), bytes.size() - 1);
    ASSERT_TRUE(ConsumeVarint64(&input, &got)) << value;
    EXPECT_EQ(got, value);
    EXPECT_TRUE(input.empty());
    input = bytes;
    uint32_t narrow = 0;
    EXPECT_EQ(ConsumeVarint32(&input, &narrow), value <= UINT32_MAX);
    EXPECT_EQ(narrow, value <= UINT32_MAX ? value : 0);
  }
  absl::string_view too_large("\xff\xff\xff\xff\xff\xff\xff\xff\xff\2");
  uint64_t got = 0;
  EXPECT_FALSE(ConsumeVarint64(&too_large, &got));
}

// Only blocks beyond 4 GiB have an upper half.
TEST(ChecksumTest, ContextDependsOnBothHalvesOfTheOffset) {
  EXPECT_EQ(ChecksumContext(0, 12345), 0);
  EXPECT_EQ(ChecksumContext(0xabcd1234, 0xff), 0xabcd1234 ^ 0xff);
  EXPECT_EQ(ChecksumContext(1, 0x0000000200000003), 1 ^ 5);
  EXPECT_EQ(ChecksumContext(1, 0x00000001ffffffff), 1 ^ 0);
}

void ExpectError(const absl::Status& status, absl::StatusCode code,
                 const std::string& words) {
  EXPECT_EQ(status.code(), code) << status;
  EXPECT_THAT(std::string(status.message()), ::testing::HasSubstr(words));
}

TEST(SstFileTest, NamesTheFileAndWhatIsWrong) {
  const TemporaryFolder folder;
  auto* const file_system = rocksdb::FileSystem::Default().get();
  const std::string path = folder.Write("file", std::string(60, 'a'));
  const auto cut = RandomAccess::Open(path, file_system);
  ASSERT_TRUE(cut.ok()) << cut.status();
  ASSERT_EQ(truncate(path.c_str(), 9), 0);
  ExpectError(ReadFooter(**cut).status(), absl::StatusCode::kDataLoss,
              path + ": offset 7: the file was cut short");
  ExpectError(SstFile::Open(path + "x").status(), absl::StatusCode::kNotFound,
              path + "x: ");
  ExpectError(SstFile::Open(folder.path()).status(), absl::StatusCode::kUnknown,
              "directory");
}

// A footer after a hole of 6 GiB names all of it as one block: rejected before
// memory is allocated.
TEST(SstFileTest, HugeBlockInASparseFileIsRejected) {
  const TemporaryFolder folder;
  std::string footer = std::string(1, '\4') + Encode({0, uint64_t{5} << 30});
  footer.resize(41, '\0');
  footer += Le32(5) + Le64(0x88e241b785f4cff7);
  const std::string path = folder.Write("file", "");
  std::filesystem::resize_file(path, uint64_t{6} << 30);
  std::ofstream(path, std::ios::app) << footer;
  ExpectError(SstFile::Open(path).status(), absl::StatusCode::kDataLoss,
              "no block of 5368709120 bytes fits here");
}

}  // namespace
}  // namespace linebloom::testing
