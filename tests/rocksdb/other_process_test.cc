// Files that another process writes for a database by remote compaction. That
// process, which is this program with another test, knows its policy only from
// an option string.

#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>

#include "gmock/gmock.h"
#include "rocksdb/convenience.h"
#include "tests/rocksdb/db_fixture.h"

namespace linebloom {
namespace {

using rocksdb::CompactionServiceJobInfo;
using rocksdb::CompactionServiceJobStatus;

constexpr Rows kWritten{0, 10000};

// Compacts what is in WORKER_FOLDER/input.
class Worker : public testing::Test {
  void TestBody() override {
    const std::string folder = std::getenv("WORKER_FOLDER");
    rocksdb::BlockBasedTableOptions table;
    ASSERT_OK(rocksdb::GetBlockBasedTableOptionsFromString(
        StrictConfig(), {}, std::getenv("WORKER_TABLE"), &table));
    // RocksDB drops the errors of a filter policy inside table options: an
    // unknown policy becomes none, and OpenAndCompact(), like SstFileWriter,
    // doesn't validate a known one. Files would silently be written without
    // filters.
    ASSERT_NE(table.filter_policy, nullptr) << std::getenv("WORKER_TABLE");
    const std::shared_ptr<rocksdb::TableFactory> factory(
        rocksdb::NewBlockBasedTableFactory(table));
    ASSERT_OK(factory->ValidateOptions({}, {}));
    rocksdb::CompactionServiceOptionsOverride options;
    options.table_factory = factory;
    std::string result;
    ASSERT_OK(rocksdb::DB::OpenAndCompact(
        ReadFileBytes(folder + "/database"), folder + "/output",
        ReadFileBytes(folder + "/input"), &result, options));
    WriteFileBytes(folder + "/result", result);
  }
};

// No test of any other process.
[[maybe_unused]] const bool is_worker = [] {
  if (std::getenv("WORKER_FOLDER") == nullptr) return false;
  testing::RegisterTest("Worker", "Works", nullptr, nullptr, __FILE__, __LINE__,
                        [] { return new Worker; });
  return true;
}();

// Runs that in another process, with its output in FOLDER/printed. This process
// may be one of several that share all tests.
bool RunWorker(const std::string& folder, const std::string& table_options) {
  const std::string program = std::filesystem::read_symlink("/proc/self/exe");
  std::string command = "GTEST_TOTAL_SHARDS=1 GTEST_SHARD_INDEX=0";
  command.append(" WORKER_FOLDER='").append(folder);
  command.append("' WORKER_TABLE='").append(table_options).append("' '");
  command.append(program).append("' --gtest_filter=Worker.* >'").append(folder);
  // NOLINTNEXTLINE(cert-env33-c,concurrency-mt-unsafe): no word is foreign
  return std::system(command.append("/printed' 2>&1").c_str()) == 0;
}

// Has a worker run every compaction. If it fails, RocksDB compacts by itself.
class WorkerService : public rocksdb::CompactionService {
 public:
  WorkerService(std::string folder, std::string table_options)
      : folder_(std::move(folder)), table_options_(std::move(table_options)) {}
  const char* Name() const override { return "test.Worker"; }

#if ROCKSDB_IS_AT_LEAST(9, 1)
  rocksdb::CompactionServiceScheduleResponse Schedule(
      const CompactionServiceJobInfo& info, const std::string& input) override {
    return {std::to_string(info.job_id), Begin(info, input)};
  }
  CompactionServiceJobStatus Wait(const std::string& /*job*/,
                                  std::string* result) override {
    return Compact(result);
  }
#else
  CompactionServiceJobStatus StartV2(const CompactionServiceJobInfo& info,
                                     const std::string& input) override {
    return Begin(info, input);
  }
  CompactionServiceJobStatus WaitForCompleteV2(
      const CompactionServiceJobInfo& /*info*/, std::string* result) override {
    return Compact(result);
  }
#endif

  int done = 0;
  int failed = 0;

 private:
  CompactionServiceJobStatus Begin(const CompactionServiceJobInfo& info,
                                   const std::string& input) {
    WriteFileBytes(folder_ + "/database", info.db_name);
    WriteFileBytes(folder_ + "/input", input);
    return CompactionServiceJobStatus::kSuccess;
  }
  CompactionServiceJobStatus Compact(std::string* result) {
    if (!RunWorker(folder_, table_options_)) {
      ++failed;
      return CompactionServiceJobStatus::kUseLocal;
    }
    ++done;
    *result = ReadFileBytes(folder_ + "/result");
    return CompactionServiceJobStatus::kSuccess;
  }

  const std::string folder_;
  const std::string table_options_;
};

class WorkerTest : public DbTest {
 protected:
  std::shared_ptr<WorkerService> CompactWith(const char* table_options) {
    std::filesystem::remove_all(Path("worker"));
    std::filesystem::create_directory(Path("worker"));
    auto service =
        std::make_shared<WorkerService>(Path("worker"), table_options);
    options_.compaction_service = service;
    DestroyAndReopen();
    for (int i = 0; i < 3; ++i) WriteFile(kWritten);
    CompactAll();
    return service;
  }
};

// 16 bits per key where the database itself has 10, so the size of a filter
// shows who built it.
TEST_F(WorkerTest, RemoteCompaction) {
  EXPECT_GE(CompactWith("filter_policy={id=linebloom;bits_per_key=16;"
                        "line=solved;hash_seed=7};block_size=512;"
                        "format_version=4")
                ->done,
            1);
  for (int opened = 0; opened < 2; ++opened, Reopen()) {
    const auto files = AllProperties(db_.get());
    ASSERT_EQ(files.size(), 1) << ReadFileBytes(Path("worker/printed"));
    EXPECT_EQ(files[0]->filter_policy_name, "linebloom");
    EXPECT_EQ(files[0]->num_filter_entries, kWritten.present());
    EXPECT_GE(files[0]->filter_size, kWritten.present() * 16 / 8);
    ExpectFilterWorks(kWritten);
    // Fewer than 10 bits per key would let through.
    EXPECT_LE(CountMissing(kWritten).maybe, kWritten.missing() / 250);
  }
}

// The worker reports it and exits, and the database compacts by itself.
TEST_F(WorkerTest, WorkerThatIsToldNonsense) {
  for (const auto& [table_options, message] :
       {std::pair("filter_policy=lineblom:10", "lineblom"),
        std::pair("filter_policy=linebloom:99",
                  "bits_per_key=99: must be auto, or a number from 0 to 30")}) {
    EXPECT_GE(CompactWith(table_options)->failed, 1);
    EXPECT_THAT(ReadFileBytes(Path("worker/printed")),
                testing::HasSubstr(message));
    ExpectFilterWorks(kWritten);
  }
}

}  // namespace
}  // namespace linebloom
