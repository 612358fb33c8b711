#include "tools/io_compare/measure.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <limits>
#include <memory>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "rocksdb/perf_context.h"
#include "rocksdb/statistics.h"
#include "tools/io_compare/kernel_io.h"
#include "tools/shared/databases.h"
#include "tools/shared/interrupt.h"

namespace linebloom::tools {
namespace {

using Clock = std::chrono::steady_clock;

// Buffered reads drop pages again after this many lookups: few enough that the
// same block is rarely read twice in between.
constexpr uint64_t kLookupsBetweenDrops = 64;
constexpr uint64_t kWarmUpLookups = 1000;

// Shared by all workers.
struct Job {
  rocksdb::DB* db;
  LookupList lookups;
  const PageDropper* dropper;  // null: none
  Progress* progress;
  std::vector<uint32_t>* nanoseconds;  // one per lookup
  std::atomic<uint64_t> done = 0;
  std::atomic<bool> failed = false;
};

// The results of one worker.
struct WorkerResult {
  absl::Status status;
  uint64_t found = 0;
  uint64_t blocks = 0;
  uint64_t index_blocks = 0;
  uint64_t filter_blocks = 0;
  uint64_t dictionary_blocks = 0;
  uint64_t block_bytes = 0;
  FilterAnswersByLevel answers;
};

rocksdb::Status LookUp(rocksdb::DB* db, absl::string_view key) {
  rocksdb::PinnableSlice value;
  return db->Get(rocksdb::ReadOptions(), db->DefaultColumnFamily(),
                 {key.data(), key.size()}, &value);
}

absl::Status CheckRead(const rocksdb::Status& status, absl::string_view key) {
  if (status.ok() || status.IsNotFound()) return absl::OkStatus();
  return FromRocksDb(status,
                     absl::StrCat("cannot look up '", absl::CEscape(key), "'"));
}

// Looks up keys [begin, end), counting with RocksDB's perf context, which
// belongs to the thread. The first worker runs in the main thread and also
// drops pages and shows progress.
void Work(Job* job, uint64_t begin, uint64_t end, bool is_first,
          WorkerResult* result) {
  const CountByLevel counting;
  rocksdb::PerfContext* perf = rocksdb::get_perf_context();
  perf->Reset();  // including those of levels
  for (uint64_t i = begin; i < end; ++i) {
    if (is_first && job->dropper != nullptr && i % kLookupsBetweenDrops == 0) {
      job->dropper->Drop();
    }
    const absl::string_view key = (*job->lookups.keys)[i];
    const Clock::time_point start = Clock::now();
    const rocksdb::Status status = LookUp(job->db, key);
    const auto taken = Clock::now() - start;
    (*job->nanoseconds)[i - job->lookups.begin] = static_cast<uint32_t>(
        std::min<int64_t>(std::chrono::nanoseconds(taken).count(),
                          std::numeric_limits<uint32_t>::max()));
    if (status.ok()) ++result->found;
    result->status = CheckRead(status, key);
    if (!result->status.ok()) job->failed = true;
    if (job->failed || Interrupted()) break;
    const uint64_t done = ++job->done;
    if (is_first && done % 16 == 0) job->progress->Update(done);
  }
  result->blocks = perf->block_read_count;
  result->index_blocks = perf->index_block_read_count;
  result->filter_blocks = perf->filter_block_read_count;
  result->dictionary_blocks = perf->compression_dict_block_read_count;
  result->block_bytes = perf->block_read_byte;
  result->answers = ReadFilterAnswers(*perf);
}

absl::Status WarmUp(rocksdb::DB* db, const LookupList& lookups) {
  const KeyList& keys = *lookups.keys;
  const uint64_t count = std::min(kWarmUpLookups, lookups.size());
  for (uint64_t i = lookups.end - count; i < lookups.end; ++i) {
    const absl::Status status = CheckRead(LookUp(db, keys[i]), keys[i]);
    if (!status.ok()) return status;
    if (Interrupted()) break;
  }
  return CheckInterrupt();
}

std::vector<WorkerResult> RunWorkers(Job* job, uint32_t threads) {
  std::vector<WorkerResult> results(threads);
  const uint64_t begin = job->lookups.begin;
  const uint64_t size = job->lookups.size();
  std::vector<std::thread> others;
  for (uint32_t t = 1; t < threads; ++t) {
    others.emplace_back(Work, job, begin + size * t / threads,
                        begin + size * (t + 1) / threads, false, &results[t]);
  }
  Work(job, begin, begin + size / threads, true, &results[0]);
  for (std::thread& other : others) other.join();
  return results;
}

absl::Status AddUp(const std::vector<WorkerResult>& results,
                   Measurement* measured) {
  for (const WorkerResult& result : results) {
    if (!result.status.ok()) return result.status;
    measured->found += result.found;
    measured->index_block_reads += result.index_blocks;
    measured->filter_block_reads += result.filter_blocks;
    measured->data_block_reads += result.blocks - result.index_blocks -
                                  result.filter_blocks -
                                  result.dictionary_blocks;
    measured->block_bytes += result.block_bytes;
    measured->answers_by_level += result.answers;
  }
  return CheckInterrupt();
}

}  // namespace

Latency SummarizeLatency(std::vector<uint32_t>* nanoseconds) {
  const auto at_share = [nanoseconds](double share) {
    const auto rank = static_cast<size_t>(
        share * static_cast<double>(nanoseconds->size() - 1));
    const auto nth = nanoseconds->begin() + static_cast<std::ptrdiff_t>(rank);
    std::nth_element(nanoseconds->begin(), nth, nanoseconds->end());
    return *nth / 1000.0;
  };
  Latency latency;
  latency.mean =
      std::accumulate(nanoseconds->begin(), nanoseconds->end(), 0.0) /
      static_cast<double>(nanoseconds->size()) / 1000.0;
  latency.p50 = at_share(0.50);
  latency.p99 = at_share(0.99);
  return latency;
}

void LatencyHistogram::Add(const std::vector<uint32_t>& nanoseconds) {
  for (const uint32_t time : nanoseconds) {
    const double doublings = std::log2(std::max<uint32_t>(time, 1));
    const auto i = static_cast<size_t>(kClassesPerDoubling * doublings);
    ++counts_[std::min(i, counts_.size() - 1)];
  }
}

std::vector<std::pair<double, double>> LatencyHistogram::SlowerThan() const {
  std::vector<std::pair<double, double>> points;
  const uint64_t all =
      std::accumulate(counts_.begin(), counts_.end(), uint64_t{0});
  uint64_t left = all;
  for (size_t i = 0; i < counts_.size() && left > 0; ++i) {
    // The share falls from the beginning to the end of each class with lookups.
    const bool is_corner = counts_[i] > 0 || (i > 0 && counts_[i - 1] > 0);
    if (is_corner) {
      points.emplace_back(
          std::exp2(static_cast<double>(i) / kClassesPerDoubling) / 1000,
          static_cast<double>(left) / static_cast<double>(all));
    }
    left -= counts_[i];
  }
  return points;
}

Interval Measurement::reads_interval() const {
  const Interval reads = PoissonInterval(data_block_reads);
  const auto all = static_cast<double>(lookups);
  return {reads.low / all, reads.high / all};
}

Spread Measurement::LatencySpread(double Latency::*number) const {
  std::vector<double> values;
  for (const RoundTimes& round : rounds) {
    values.push_back(round.latency.*number);
  }
  return SpreadOf(values);
}

Spread Measurement::LookupsPerSecond() const {
  std::vector<double> values;
  for (const RoundTimes& round : rounds) {
    values.push_back(round.lookups_per_second);
  }
  return SpreadOf(values);
}

absl::Status MeasureRound(rocksdb::DB* db, const std::filesystem::path& folder,
                          const LookupList& lookups, uint32_t threads,
                          bool drop_pages, Progress* progress,
                          Measurement* measured) {
  absl::Status status = WarmUp(db, lookups);
  if (!status.ok()) return status;
  std::unique_ptr<PageDropper> dropper;
  if (drop_pages) dropper = std::make_unique<PageDropper>(folder);

  std::vector<uint32_t> nanoseconds(lookups.size());
  Job job = {db, lookups, dropper.get(), progress, &nanoseconds};
  const auto statistics = db->GetDBOptions().statistics;
  const FilterAnswers answers_before = ReadFilterAnswers(*statistics);
  const std::optional<uint64_t> device_before = DeviceBytesRead();
  const Clock::time_point start = Clock::now();
  const std::vector<WorkerResult> results = RunWorkers(&job, threads);
  const std::chrono::duration<double> seconds = Clock::now() - start;
  const std::optional<uint64_t> device_after = DeviceBytesRead();

  status = AddUp(results, measured);
  if (!status.ok()) return status;
  measured->lookups += lookups.size();
  measured->answers += ReadFilterAnswers(*statistics) - answers_before;
  if (device_before.has_value() && device_after.has_value()) {
    measured->device_bytes =
        measured->device_bytes.value_or(0) + *device_after - *device_before;
  }
  measured->latencies.Add(nanoseconds);
  measured->rounds.push_back(
      {SummarizeLatency(&nanoseconds),
       static_cast<double>(lookups.size()) / seconds.count()});
  return absl::OkStatus();
}

}  // namespace linebloom::tools
