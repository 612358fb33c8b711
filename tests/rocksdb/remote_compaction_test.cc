// Files that a worker writes for a database by remote compaction. The worker,
// here in the same process, knows its policy only from an option string.

#include <filesystem>
#include <memory>
#include <string>

#include "rocksdb/convenience.h"
#include "tests/rocksdb/db_fixture.h"

namespace linebloom {
namespace {

using rocksdb::CompactionServiceJobInfo;
using rocksdb::CompactionServiceJobStatus;

constexpr Rows kWritten{0, 10000};

// Has a worker run every compaction.
class WorkerService : public rocksdb::CompactionService {
 public:
  explicit WorkerService(std::string output) : output_(std::move(output)) {}
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

 private:
  CompactionServiceJobStatus Begin(const CompactionServiceJobInfo& info,
                                   const std::string& input) {
    database_ = info.db_name;
    input_ = input;
    return CompactionServiceJobStatus::kSuccess;
  }
  CompactionServiceJobStatus Compact(std::string* result) {
    // RocksDB drops the errors of a filter policy inside table options: an
    // unknown policy becomes none, and OpenAndCompact(), like SstFileWriter,
    // doesn't validate a known one. Files would silently be written without
    // filters.
    rocksdb::BlockBasedTableOptions table;
    EXPECT_OK(rocksdb::GetBlockBasedTableOptionsFromString(
        StrictConfig(), {},
        "filter_policy={id=linebloom;bits_per_key=16;hash_seed=7}", &table));
    EXPECT_NE(table.filter_policy, nullptr);
    rocksdb::CompactionServiceOptionsOverride options;
    options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
    EXPECT_OK(options.table_factory->ValidateOptions({}, {}));
    EXPECT_OK(rocksdb::DB::OpenAndCompact(database_, output_, input_, result,
                                          options));
    ++done;
    return CompactionServiceJobStatus::kSuccess;
  }

  const std::string output_;
  std::string database_;
  std::string input_;
};

// 16 bits per key where the database itself has 10, so the size of a filter
// shows who built it.
TEST_F(DbTest, RemoteCompaction) {
  std::filesystem::create_directory(Path("worker"));
  const auto service = std::make_shared<WorkerService>(Path("worker"));
  options_.compaction_service = service;
  Reopen();
  for (int i = 0; i < 3; ++i) WriteFile(kWritten);
  CompactAll();
  EXPECT_GE(service->done, 1);
  Reopen();
  const auto files = AllProperties(db_.get());
  ASSERT_EQ(files.size(), 1);
  EXPECT_EQ(files[0]->filter_policy_name, "linebloom");
  EXPECT_GE(files[0]->filter_size, kWritten.present() * 16 / 8);
  ExpectFilterWorks(kWritten);
}

}  // namespace
}  // namespace linebloom
