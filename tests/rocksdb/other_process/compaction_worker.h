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

// Runs the worker with these arguments in its own process. Temporary files of
// this call begin with `scratch`.
WorkerRun RunWorker(const std::vector<std::string>& arguments,
                    const std::string& scratch);

// Has a worker run every compaction with `table_options`. If the worker fails,
// RocksDB compacts by itself.
class WorkerCompactionService : public rocksdb::CompactionService {
 public:
  // `scratch` is an existing folder.
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

  // One for each requested compaction. Tests read them while nothing is being
  // compacted.
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
