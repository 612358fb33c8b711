#include "tools/io_compare/measure.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <limits>
#include <memory>
#include <mutex>
#include <numeric>
#include <thread>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "rocksdb/perf_context.h"
#include "rocksdb/statistics.h"
#include "table/status.h"
#include "tools/io_compare/machine.h"
#include "tools/shared/databases.h"
#include "tools/shared/run_tool.h"

namespace linebloom::tools {
namespace {

using Clock = std::chrono::steady_clock;

// Buffered reads drop pages again after this many lookups: few enough that the
// same block is rarely read twice in between.
constexpr uint64_t kLookupsBetweenDrops = 64;
constexpr uint64_t kWarmUpLookups = 1000;

// Shared by all threads.
struct Job {
  rocksdb::DB* db;
  LookupList lookups;
  const PageDropper* dropper;  // null: none
  Progress* progress;
  std::vector<uint32_t>* nanoseconds;  // one per lookup
  Measurement* measured;
  std::mutex mutex = {};  // of `measured`
  std::atomic<uint64_t> done = 0;
  std::atomic<bool> failed = false;
};

// Does lookups [begin, end), counting with RocksDB's perf context, which
// belongs to the thread. The first one also drops pages and shows progress.
absl::Status Work(Job* job, uint64_t begin, uint64_t end, bool is_first) {
  const CountByLevel counting;
  rocksdb::PerfContext* perf = rocksdb::get_perf_context();
  perf->Reset();  // including those of levels
  LookupCounts counts;
  for (uint64_t i = begin; i < end && !job->failed && !Interrupted(); ++i) {
    if (is_first && job->dropper != nullptr && i % kLookupsBetweenDrops == 0) {
      job->dropper->Drop();
    }
    const absl::string_view key = (*job->lookups.keys)[job->lookups.begin + i];
    bool found = false;
    const Clock::time_point start = Clock::now();
    const absl::Status status = LookUp(job->db, key, &found);
    const auto taken = Clock::now() - start;
    (*job->nanoseconds)[i] = static_cast<uint32_t>(
        std::min<int64_t>(std::chrono::nanoseconds(taken).count(),
                          std::numeric_limits<uint32_t>::max()));
    counts.found += found ? 1 : 0;
    job->failed = job->failed || !status.ok();
    RETURN_IF_ERROR(status);
    const uint64_t done = ++job->done;
    if (is_first && done % 16 == 0) job->progress->Update(done);
  }
  counts.index_block_reads = perf->index_block_read_count;
  counts.filter_block_reads = perf->filter_block_read_count;
  counts.data_block_reads = perf->block_read_count - counts.index_block_reads -
                            counts.filter_block_reads -
                            perf->compression_dict_block_read_count;
  counts.block_bytes = perf->block_read_byte;
  counts.answers_by_level = ReadFilterAnswers(*perf);
  const std::lock_guard<std::mutex> lock(job->mutex);
  job->measured->Add(counts);
  return absl::OkStatus();
}

absl::Status LookUpSome(rocksdb::DB* db, const LookupList& lookups) {
  const KeyList& keys = *lookups.keys;
  const uint64_t count = std::min(kWarmUpLookups, lookups.size());
  for (uint64_t i = lookups.end - count; i < lookups.end; ++i) {
    RETURN_IF_ERROR(LookUp(db, keys[i]));
    if (Interrupted()) break;
  }
  return CheckInterrupt();
}

}  // namespace

absl::Status LookUp(rocksdb::DB* db, absl::string_view key, bool* found) {
  rocksdb::PinnableSlice value;
  const rocksdb::Status status =
      db->Get(rocksdb::ReadOptions(), db->DefaultColumnFamily(),
              {key.data(), key.size()}, &value);
  if (found != nullptr) *found = status.ok();
  if (status.ok() || status.IsNotFound()) return absl::OkStatus();
  return FromRocksDb(status,
                     absl::StrCat("cannot look up '", absl::CEscape(key), "'"));
}

absl::Status InThreads(
    uint32_t threads, uint64_t size,
    absl::FunctionRef<absl::Status(uint64_t begin, uint64_t end, bool is_first)>
        work) {
  std::vector<absl::Status> results(threads);
  const auto run = [&](uint32_t t) {
    results[t] = work(size * t / threads, size * (t + 1) / threads, t == 0);
  };
  std::vector<std::thread> others;
  for (uint32_t t = 1; t < threads; ++t) others.emplace_back(run, t);
  run(0);
  for (std::thread& other : others) other.join();
  for (const absl::Status& result : results) RETURN_IF_ERROR(result);
  return CheckInterrupt();
}

RoundTimes SummarizeLatency(std::vector<uint32_t>* nanoseconds) {
  const auto at_share = [nanoseconds](double share) {
    const auto rank = static_cast<size_t>(
        share * static_cast<double>(nanoseconds->size() - 1));
    const auto nth = nanoseconds->begin() + static_cast<std::ptrdiff_t>(rank);
    std::nth_element(nanoseconds->begin(), nth, nanoseconds->end());
    return *nth / 1000.0;
  };
  RoundTimes times;
  times.mean = std::accumulate(nanoseconds->begin(), nanoseconds->end(), 0.0) /
               static_cast<double>(nanoseconds->size()) / 1000.0;
  times.p50 = at_share(0.50);
  times.p99 = at_share(0.99);
  return times;
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

void LookupCounts::Add(const LookupCounts& more) {
  found += more.found;
  data_block_reads += more.data_block_reads;
  index_block_reads += more.index_block_reads;
  filter_block_reads += more.filter_block_reads;
  block_bytes += more.block_bytes;
  answers_by_level += more.answers_by_level;
}

Interval Measurement::reads_interval() const {
  const Interval reads = PoissonInterval(data_block_reads);
  const auto all = static_cast<double>(lookups);
  return {reads.low / all, reads.high / all};
}

Spread Measurement::OverRounds(double RoundTimes::*number) const {
  std::vector<double> values;
  for (const RoundTimes& round : rounds) values.push_back(round.*number);
  return SpreadOf(values);
}

absl::Status MeasureRound(rocksdb::DB* db, const std::filesystem::path& folder,
                          const LookupList& lookups, uint32_t threads,
                          bool drop_pages, Progress* progress,
                          Measurement* measured) {
  RETURN_IF_ERROR(LookUpSome(db, lookups));
  std::unique_ptr<PageDropper> dropper;
  if (drop_pages) dropper = std::make_unique<PageDropper>(folder);

  std::vector<uint32_t> nanoseconds(lookups.size());
  Job job = {db, lookups, dropper.get(), progress, &nanoseconds, measured};
  const auto statistics = db->GetDBOptions().statistics;
  const FilterAnswers answers_before = ReadFilterAnswers(*statistics);
  const std::optional<uint64_t> device_before = DeviceBytesRead();
  const Clock::time_point start = Clock::now();
  RETURN_IF_ERROR(
      InThreads(threads, lookups.size(),
                [&job](uint64_t begin, uint64_t end, bool is_first) {
                  return Work(&job, begin, end, is_first);
                }));
  const std::chrono::duration<double> seconds = Clock::now() - start;
  const std::optional<uint64_t> device_after = DeviceBytesRead();

  measured->lookups += lookups.size();
  measured->answers += ReadFilterAnswers(*statistics) - answers_before;
  if (device_before.has_value() && device_after.has_value()) {
    measured->device_bytes =
        measured->device_bytes.value_or(0) + *device_after - *device_before;
  }
  measured->latencies.Add(nanoseconds);
  measured->rounds.push_back(SummarizeLatency(&nanoseconds));
  measured->rounds.back().lookups_per_second =
      static_cast<double>(lookups.size()) / seconds.count();
  return absl::OkStatus();
}

}  // namespace linebloom::tools
