#include "table/random_access.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "table/sst_file.h"
#include "tests/table/sst_builder.h"

namespace linebloom {
namespace {

using ::testing::HasSubstr;

std::string TempPath(const std::string& name) {
  return ::testing::TempDir() + "linebloom_random_access_" + name;
}

void ExpectReadsWork(const RandomAccess& bytes) {
  ASSERT_EQ(bytes.size(), 10);
  EXPECT_EQ(bytes.Read(0, 10).value(), "0123456789");
  EXPECT_EQ(bytes.Read(3, 4).value(), "3456");
  EXPECT_EQ(bytes.Read(9, 1).value(), "9");
  EXPECT_EQ(bytes.Read(10, 0).value(), "");
  const std::pair<uint64_t, uint64_t> outside[] = {{0, 11},
                                                   {10, 1},
                                                   {11, 0},
                                                   {UINT64_MAX, 1},
                                                   {UINT64_MAX, 0},
                                                   {1, UINT64_MAX},
                                                   {UINT64_MAX, UINT64_MAX}};
  for (const auto& [offset, length] : outside) {
    const absl::StatusOr<std::string> got = bytes.Read(offset, length);
    EXPECT_EQ(got.status().code(), absl::StatusCode::kOutOfRange);
    EXPECT_THAT(std::string(got.status().message()),
                HasSubstr("but the file ends at byte 10"));
  }
}

TEST(RandomAccessTest, Memory) {
  const auto bytes = WrapMemory("some bytes", "0123456789");
  EXPECT_EQ(bytes->name(), "some bytes");
  ExpectReadsWork(*bytes);
}

TEST(RandomAccessTest, File) {
  const std::string path = TempPath("file");
  std::ofstream(path) << "0123456789";
  const auto bytes = OpenFile(path);
  ASSERT_TRUE(bytes.ok()) << bytes.status();
  EXPECT_EQ((*bytes)->name(), path);
  ExpectReadsWork(**bytes);
  unlink(path.c_str());
}

TEST(RandomAccessTest, FileTruncatedWhileOpen) {
  const std::string path = TempPath("cut");
  std::ofstream(path) << "0123456789";
  const auto bytes = OpenFile(path);
  ASSERT_TRUE(bytes.ok()) << bytes.status();
  ASSERT_EQ(truncate(path.c_str(), 5), 0);
  const absl::StatusOr<std::string> got = (*bytes)->Read(0, 10);
  EXPECT_EQ(got.status().code(), absl::StatusCode::kDataLoss);
  EXPECT_THAT(std::string(got.status().message()),
              HasSubstr("offset 5: the file of 10 bytes was cut short"));
  unlink(path.c_str());
}

TEST(RandomAccessTest, MissingFileIsNamed) {
  const std::string path = TempPath("missing");
  const auto bytes = OpenFile(path);
  EXPECT_EQ(bytes.status().code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(bytes.status().message()),
              HasSubstr(path + ": cannot open"));
}

TEST(RandomAccessTest, DirectoriesAndPipesAreRejectedAtOnce) {
  EXPECT_EQ(OpenFile(::testing::TempDir()).status().code(),
            absl::StatusCode::kInvalidArgument);
  const std::string pipe = TempPath("pipe");
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_EQ(OpenFile(pipe).status().code(), absl::StatusCode::kInvalidArgument);
  unlink(pipe.c_str());
}

// A few real bytes after a hole of 6 GiB, and a footer that names all of it as
// one block: rejected before memory is allocated.
TEST(RandomAccessTest, HugeBlockInASparseFileIsRejected) {
  constexpr uint64_t kHole = uint64_t{6} << 30;
  const std::string path = TempPath("sparse");
  std::string footer =
      std::string(1, '\4') + testing::Encode({0, uint64_t{5} << 30});
  footer.resize(41, '\0');
  footer += testing::Le32(5) + testing::Le64(0x88e241b785f4cff7);

  const int fd =
      open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  ASSERT_GE(fd, 0);
  ASSERT_EQ(pwrite(fd, footer.data(), footer.size(), kHole),
            static_cast<ssize_t>(footer.size()));
  close(fd);
  const absl::StatusOr<SstFile> file = SstFile::Open(path);
  EXPECT_EQ(file.status().code(), absl::StatusCode::kDataLoss);
  EXPECT_THAT(std::string(file.status().message()),
              HasSubstr("expected a block of at most 4294967295 bytes"));
  unlink(path.c_str());
}

}  // namespace
}  // namespace linebloom
