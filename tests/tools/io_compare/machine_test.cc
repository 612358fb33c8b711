// The environment that io_compare measures: machine, kernel counters, folder.
#include "tools/io_compare/machine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "tests/tools/run_program.h"
#include "tools/io_compare/kernel_io.h"
#include "tools/io_compare/scratch_folder.h"

namespace linebloom::tools {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(CompareIoTest, AllowsRoundingAndNoMore) {
  // 10 blocks of 4,000 bytes, each rounded by up to 2 * 511 bytes.
  EXPECT_EQ(CompareIo(40'000, 10, 512, 40'000), IoAgreement::kAgrees);
  EXPECT_EQ(CompareIo(40'000, 10, 512, 50'220), IoAgreement::kAgrees);
  EXPECT_EQ(CompareIo(40'000, 10, 512, 50'221), IoAgreement::kKernelMore);
  EXPECT_EQ(CompareIo(40'000, 10, 512, 39'999), IoAgreement::kKernelLess);
  EXPECT_EQ(CompareIo(40'000, 10, 512, 0), IoAgreement::kNothingRead);
  EXPECT_EQ(CompareIo(40'000, 10, 512, {}), IoAgreement::kKernelSilent);
  EXPECT_EQ(CompareIo(0, 0, 512, 0), IoAgreement::kNothingAsked);
}

TEST(MachineTest, FindsTheFileSystem) {
  const Machine machine = DescribeMachine("/proc");
  EXPECT_EQ(machine.file_system, "proc");
  EXPECT_GE(machine.cores, 1);
  EXPECT_FALSE(machine.cpu.empty());
}

TEST(ScratchFolderTest, RemovesWhatItMade) {
  const TemporaryFolder around;
  const std::string path = around.File("work");
  {
    auto scratch = ScratchFolder::Use(path);
    ASSERT_TRUE(scratch.ok()) << scratch.status();
    std::filesystem::create_directories(scratch->path() / "a" / "b");
    const ScratchFolder moved = *std::move(scratch);
    EXPECT_TRUE(std::filesystem::exists(path));
  }
  EXPECT_THAT(around.Names(), IsEmpty());
}

TEST(ScratchFolderTest, LeavesAnEmptyFolderEmpty) {
  const TemporaryFolder around;
  {
    const auto scratch = ScratchFolder::Use(around.path());
    ASSERT_TRUE(scratch.ok()) << scratch.status();
    around.Write("file", "x");
  }
  EXPECT_TRUE(std::filesystem::exists(around.path()));
  EXPECT_THAT(around.Names(), IsEmpty());
}

TEST(ScratchFolderTest, KeepsWhenTold) {
  const TemporaryFolder around;
  {
    auto scratch = ScratchFolder::Use(around.File("work"));
    ASSERT_TRUE(scratch.ok()) << scratch.status();
    scratch->Keep();
  }
  EXPECT_THAT(around.Names(), ElementsAre("work"));
}

TEST(ScratchFolderTest, RefusesWhatIsNotItsOwn) {
  const TemporaryFolder around;
  const std::string file = around.Write("file", "precious");
  EXPECT_FALSE(ScratchFolder::Use(around.path()).ok());
  EXPECT_FALSE(ScratchFolder::Use(file).ok());
  EXPECT_FALSE(ScratchFolder::Use(around.File("no/such")).ok());
  EXPECT_EQ(ReadWholeFile(file), "precious");
}

}  // namespace
}  // namespace linebloom::tools
