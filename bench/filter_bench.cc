// Compares filters through RocksDB's interface: linebloom with either kind of
// line and the built-in Bloom and Ribbon, in one process.
//
//   build/release/bench/filter_bench --benchmark_filter=miss/hot
//
// Names are WHAT/WHERE/POLICY. WHAT is build (time per key), miss, hit, batch
// (of 32 misses; time per key) or dry (generating the keys, which is part of
// every other time). WHERE is hot (one filter of 1M keys), cold (one of 30M
// keys), all-hot and all-cold (the same, aligned, plus filters from outside
// RocksDB), many (1,000 filters of 1M keys, probed in random order), large
// (one of 100M keys), keys-16 or keys-64 (one of 1M keys of that many bytes,
// linebloom with and without a hash seed). Filters start 16 bytes after a
// multiple of 64, as malloc places large blocks, unless called aligned.
//
// tests/plugin/run.sh --bench links it with a RocksDB that was compiled with
// linebloom as its plugin, for the CPU of the machine. The context `rocksdb` of
// the JSON says which RocksDB it is.
//
// Counters: bits per key, the false-positive rate in per cent and, for builds,
// the peak memory in bytes per key beyond the finished filter. LINEBLOOM_SIMD
// selects the instruction set as usual.
#include <benchmark/benchmark.h>

#include <cmath>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "bench/bench_filter.h"
#include "bench/contestants/contestants.h"
#include "bench/peak_memory.h"
#include "rocksdb/version.h"

namespace linebloom {
namespace {

constexpr double kBitsPerKey = 10;

struct Place {
  const char* name;
  size_t filters;
  size_t keys;  // per filter
  Alignment alignment = Alignment::kDefault;
  bool compared = false;  // with filters from outside RocksDB
  size_t key_size = kShortBenchKey;
};

constexpr Place kHot{"hot", 1, 1000000};
constexpr Place kHotAligned{"hot-aligned", 1, 1000000, Alignment::kLines};
constexpr Place kCold{"cold", 1, 30000000};
constexpr Place kColdAligned{"cold-aligned", 1, 30000000, Alignment::kLines};
constexpr Place kAllHot{"all-hot", 1, 1000000, Alignment::kLines, true};
constexpr Place kAllCold{"all-cold", 1, 30000000, Alignment::kLines, true};
constexpr Place kMany{"many", 1000, 1000000};
constexpr Place kManyAligned{"many-aligned", 1000, 1000000, Alignment::kLines};
constexpr Place kLarge{"large", 1, 100000000};
constexpr Place kKeys16{"keys-16", 1, 1000000};
constexpr Place kKeys64{"keys-64",           1,     1000000,
                        Alignment::kDefault, false, kLongBenchKey};

// The filters for one place and policy, built once and kept: the benchmark
// library calls a benchmark several times, from several threads and interleaved
// with others.
const BenchFilters& FiltersOf(const Place& place, const std::string& policy) {
  static std::mutex mutex;
  static std::map<std::string, std::unique_ptr<BenchFilters>> built;
  const std::lock_guard<std::mutex> lock(mutex);
  std::unique_ptr<BenchFilters>& filters =
      built[std::string(place.name) + "/" + policy];
  if (filters == nullptr) {
    filters = std::make_unique<BenchFilters>(policy, kBitsPerKey, place.filters,
                                             place.keys, place.key_size,
                                             place.alignment);
  }
  return *filters;
}

void SetCounters(benchmark::State& state, const Place& place,
                 const std::string& policy) {
  if (state.thread_index() != 0) return;
  const BenchFilters& filters = FiltersOf(place, policy);
  const double rate = filters.false_positive_rate();
  state.counters["bits_per_key"] = filters.bits_per_key();
  state.counters["fpr_percent"] = 100 * rate;
  if (!place.compared) return;
  state.counters["bits_per_halving"] =
      filters.bits_per_key() / -std::log2(rate);
  state.counters["cache_lines"] = CacheLinesOf(policy);
}

// Looks up single keys. A miss looks up a key that no filter contains.
void Ask(benchmark::State& state, const Place& place, const std::string& policy,
         bool hits) {
  const BenchFilters& filters = FiltersOf(place, policy);
  Questions questions(filters, hits, state.thread_index());
  size_t matches = 0;
  for (auto _ : state) {
    const Question question = questions.Next();
    matches += question.reader->MayMatch(SliceOf(question.key));
  }
  benchmark::DoNotOptimize(matches);
  SetCounters(state, place, policy);
}

// The cost of generating lookups, which is part of every other time.
void Dry(benchmark::State& state, bool hits) {
  // Not passed as a literal: GCC 14 would consider `filters` dangling.
  const std::string policy = "rocksdb-bloom";
  const BenchFilters& filters = FiltersOf(kHot, policy);
  Questions questions(filters, hits, 0);
  for (auto _ : state) {
    Question question = questions.Next();
    benchmark::DoNotOptimize(question);
  }
}

void AskBatch(benchmark::State& state, const Place& place,
              const std::string& policy) {
  constexpr int kBatch = 32;
  const BenchFilters& filters = FiltersOf(place, policy);
  Questions questions(filters, /*hits=*/false, state.thread_index());
  BenchKey keys[kBatch];
  rocksdb::Slice slices[kBatch];
  rocksdb::Slice* pointers[kBatch];
  bool may_match[kBatch];
  while (state.KeepRunningBatch(kBatch)) {
    rocksdb::FilterBitsReader* reader = nullptr;
    for (int i = 0; i < kBatch; ++i) {
      const Question question = questions.Next();
      if (i == 0) reader = question.reader;
      keys[i] = question.key;
      slices[i] = SliceOf(keys[i]);
      pointers[i] = &slices[i];
    }
    reader->MayMatch(kBatch, pointers, may_match);
    benchmark::DoNotOptimize(may_match);
  }
  SetCounters(state, place, policy);
}

void Build(benchmark::State& state, const Place& place,
           const std::string& policy) {
  const BenchPolicy bench_policy(policy, kBitsPerKey);
  const PeakMemory memory;
  size_t block_size = 0;
  while (state.KeepRunningBatch(static_cast<int64_t>(place.keys))) {
    block_size = bench_policy.Build(0, place.keys, place.key_size).size();
  }
  state.counters["memory_per_key"] =
      (static_cast<double>(memory.Growth()) - static_cast<double>(block_size)) /
      static_cast<double>(place.keys);
}

void RegisterBuild(const Place& place, const std::string& policy) {
  benchmark::RegisterBenchmark(
      (std::string("build/") + place.name + "/" + policy).c_str(),
      [place, policy](benchmark::State& state) {
        Build(state, place, policy);
      });
}

void RegisterLookups(const Place& place, const std::string& policy) {
  const std::string where = std::string("/") + place.name + "/" + policy;
  for (const bool hits : {false, true}) {
    benchmark::RegisterBenchmark(
        ((hits ? "hit" : "miss") + where).c_str(),
        [place, policy, hits](benchmark::State& state) {
          Ask(state, place, policy, hits);
        })
        ->ThreadRange(1, place.compared ? 1 : 2);
  }
  benchmark::RegisterBenchmark(("batch" + where).c_str(),
                               [place, policy](benchmark::State& state) {
                                 AskBatch(state, place, policy);
                               });
}

void RegisterComparison() {
  std::vector<std::string> policies = BenchPolicyNames();
  for (const Contestant& contestant : Contestants()) {
    policies.push_back(contestant.name);
  }
  for (const Place& place : {kAllHot, kAllCold}) {
    for (const std::string& policy : policies) {
      RegisterBuild(place, policy);
      RegisterLookups(place, policy);
    }
  }
}

void RegisterSeeded() {
  for (const Place& place : {kKeys16, kKeys64}) {
    for (const char* policy :
         {"rocksdb-bloom", "linebloom-plain", "linebloom-plain-seeded",
          "linebloom", "linebloom-seeded"}) {
      RegisterBuild(place, policy);
      RegisterLookups(place, policy);
    }
  }
}

void Register() {
  for (const bool hits : {false, true}) {
    benchmark::RegisterBenchmark(
        hits ? "dry/hit" : "dry/miss",
        [hits](benchmark::State& state) { Dry(state, hits); });
  }
  for (const std::string& policy : BenchPolicyNames()) {
    for (const Place& place : {kHot, kLarge}) RegisterBuild(place, policy);
  }
  for (const Place& place :
       {kHot, kHotAligned, kCold, kColdAligned, kMany, kManyAligned}) {
    for (const std::string& policy : BenchPolicyNames()) {
      RegisterLookups(place, policy);
    }
  }
  RegisterComparison();
  RegisterSeeded();
}

}  // namespace
}  // namespace linebloom

int main(int argc, char** argv) {
  linebloom::Register();
#if defined(LINEBLOOM_ROCKSDB_PLUGIN)
  const std::string origin = "from source";
#else
  const std::string origin = "package";
#endif
  benchmark::AddCustomContext(
      "rocksdb", rocksdb::GetRocksVersionAsString() + ", " + origin);
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
}
