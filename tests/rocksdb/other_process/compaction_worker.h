// The program worker.cc, run by a test, and RocksDB's remote compaction by it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "rocksdb/options.h"

namespace linebloom {

struct WorkerRun {
  int exit_code;
  std::string stderr_text;
};

// Runs the worker with these arguments in a process of its own. Files that the
// call itself needs begin with `scratch`.
WorkerRun RunWorker(const std::vector<std::string>& arguments,
                    const std::string& scratch);

// Has every compaction done by a worker that is told `table_options`. Where the
// worker fails, RocksDB compacts by itself.
class WorkerCompactionService : public rocksdb::CompactionService {
 public:
  // `scratch` is a folder that exists.
  WorkerCompactionService(std::string table_options, std::string scratch);

  const char* Name() const override { return "test.Worker"; }

#if ROCKSDB_MAJOR > 9 || (ROCKSDB_MAJOR == 9 && ROCKSDB_MINOR >= 1)
  rocksdb::CompactionServiceScheduleResponse Schedule(
      const rocksdb::CompactionServiceJobInfo& info,
      const std::string& input) override;
  rocksdb::CompactionServiceJobStatus Wait(const std::string& job_id,
                                           std::string* result) override;
#else
  rocksdb::CompactionServiceJobStatus StartV2(
      const rocksdb::CompactionServiceJobInfo& info,
      const std::string& input) override;
  rocksdb::CompactionServiceJobStatus WaitForCompleteV2(
      const rocksdb::CompactionServiceJobInfo& info,
      std::string* result) override;
#endif

  // One for each compaction that was asked for. A test reads them while nothing
  // is compacted.
  const std::vector<WorkerRun>& runs() const { return runs_; }

 private:
  rocksdb::CompactionServiceJobStatus Compact(const std::string& job_id,
                                              std::string* result);

  const std::string table_options_;
  const std::string scratch_;
  std::string database_;
  std::vector<WorkerRun> runs_;
};

}  // namespace linebloom
