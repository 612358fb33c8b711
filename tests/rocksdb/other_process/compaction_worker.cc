#include "tests/rocksdb/other_process/compaction_worker.h"

#include <sys/wait.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <utility>

namespace linebloom {
namespace {

using rocksdb::CompactionServiceJobInfo;
using rocksdb::CompactionServiceJobStatus;

std::string ReadFile(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(stream), {});
}

}  // namespace

WorkerRun RunWorker(const std::vector<std::string>& arguments,
                    const std::string& scratch) {
  std::string command = "'" LINEBLOOM_WORKER "'";
  for (const std::string& argument : arguments)
    command += " '" + argument + "'";
  const std::string output = scratch + "stderr";
  // NOLINTNEXTLINE(cert-env33-c,concurrency-mt-unsafe): no word of it is
  // foreign
  const int status = std::system((command + " 2> '" + output + "'").c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, ReadFile(output)};
}

WorkerCompactionService::WorkerCompactionService(std::string table_options,
                                                 std::string scratch)
    : table_options_(std::move(table_options)), scratch_(std::move(scratch)) {}

#if ROCKSDB_MAJOR > 9 || (ROCKSDB_MAJOR == 9 && ROCKSDB_MINOR >= 1)
rocksdb::CompactionServiceScheduleResponse WorkerCompactionService::Schedule(
    const CompactionServiceJobInfo& info, const std::string& input) {
  const std::string job_id = std::to_string(info.job_id);
  database_ = info.db_name;
  std::ofstream(scratch_ + "/input" + job_id, std::ios::binary) << input;
  return {job_id, CompactionServiceJobStatus::kSuccess};
}

CompactionServiceJobStatus WorkerCompactionService::Wait(
    const std::string& job_id, std::string* result) {
  return Compact(job_id, result);
}
#else
CompactionServiceJobStatus WorkerCompactionService::StartV2(
    const CompactionServiceJobInfo& info, const std::string& input) {
  database_ = info.db_name;
  std::ofstream(scratch_ + "/input" + std::to_string(info.job_id),
                std::ios::binary)
      << input;
  return CompactionServiceJobStatus::kSuccess;
}

CompactionServiceJobStatus WorkerCompactionService::WaitForCompleteV2(
    const CompactionServiceJobInfo& info, std::string* result) {
  return Compact(std::to_string(info.job_id), result);
}
#endif

CompactionServiceJobStatus WorkerCompactionService::Compact(
    const std::string& job_id, std::string* result) {
  const std::string result_file = scratch_ + "/result" + job_id;
  runs_.push_back(
      RunWorker({"compact", database_, scratch_ + "/output" + job_id,
                 scratch_ + "/input" + job_id, result_file, table_options_},
                scratch_ + "/"));
  if (runs_.back().exit_code != 0) return CompactionServiceJobStatus::kUseLocal;
  *result = ReadFile(result_file);
  return CompactionServiceJobStatus::kSuccess;
}

}  // namespace linebloom
