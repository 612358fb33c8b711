// Compares filters through RocksDB's interface: linebloom with either kind of
// line and the built-in Bloom and Ribbon, in one process.
//
//   build/release/bench/filter_bench --benchmark_filter=miss/hot
//
// Names are WHAT/WHERE/POLICY. WHAT is build (time per key), miss, hit or batch
// (of 32 misses; time per key). WHERE is hot (one filter of 1M keys), many
// (1,000 filters of 1M keys, probed in random order), large (one of 100M keys),
// or keys-16 (hot, linebloom with and without a hash seed). Filters start 16
// bytes after a multiple of 64, as malloc places large blocks.
//
// tests/plugin/run.sh --bench links it with a RocksDB that was compiled with
// linebloom as its plugin, for the CPU of the machine. The context `rocksdb` of
// the JSON says which RocksDB it is.
//
// Counters: bits per key, the false-positive rate in per cent and, for builds,
// the peak memory in bytes per key beyond the finished filter. LINEBLOOM_SIMD
// selects the instruction set as usual, and BITS_PER_KEY what Bloom, linebloom
// and a Ribbon filter of Bloom's rate get.
#include <benchmark/benchmark.h>
#include <malloc.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "filter_policy/policy/rocksdb_filter_bits.h"
#include "linebloom/filter_policy.h"
#include "rocksdb/cache.h"
#include "rocksdb/table.h"
#include "rocksdb/version.h"

namespace linebloom {
namespace {

// A policy by name. rocksdb-ribbon gets as many bits as it needs for Bloom's
// rate.
std::unique_ptr<const rocksdb::FilterPolicy> NewPolicy(
    const std::string& name) {
  const char* const variable = std::getenv("BITS_PER_KEY");
  const double bits = variable == nullptr ? 10 : std::atof(variable);
  const auto new_policy = [&]() -> const rocksdb::FilterPolicy* {
    if (name == "rocksdb-bloom") return rocksdb::NewBloomFilterPolicy(bits);
    if (name == "rocksdb-ribbon") return rocksdb::NewRibbonFilterPolicy(bits);
    // Ribbon's bits are those of a Bloom filter of its rate: this one takes 10.
    if (name == "rocksdb-ribbon-10") {
      return rocksdb::NewRibbonFilterPolicy(14.746);
    }
    FilterPolicyOptions options;
    if (name == "linebloom-rate") {
      options.false_positive_rate = 0.0096;  // Bloom's at 10 bits
    } else {
      options.bits_per_key = bits;
    }
    if (name == "linebloom-plain") options.line = LineKind::kPlain;
    if (name == "linebloom-seeded") options.hash_seed = 7;
    return NewFilterPolicy(options);
  };
  return std::unique_ptr<const rocksdb::FilterPolicy>(new_policy());
}

using BenchKey = std::array<uint64_t, 2>;

rocksdb::Slice SliceOf(const BenchKey& key) {
  return {reinterpret_cast<const char*>(key.data()), sizeof(key)};
}

// Key `number` of an endless sequence of distinct keys.
BenchKey KeyOf(uint64_t number) {
  return {number * 0x9e3779b97f4a7c15, number};
}

// No filter contains keys from here on.
constexpr uint64_t kFirstStranger = uint64_t{1} << 60;

// Returns as many bytes, from malloc and as it places large blocks: 16 after a
// multiple of 64.
std::shared_ptr<char> Malloc(size_t size) {
  const std::shared_ptr<char[]> memory(new char[size + 128]);
  char* const at =
      memory.get() + 64 - reinterpret_cast<uintptr_t>(memory.get()) % 64 + 16;
  return {memory, at};
}

struct Place {
  const char* name;
  size_t filters;
  size_t keys;  // per filter
};

constexpr size_t kHotKeys = 1000000;
constexpr Place kHot{"hot", 1, kHotKeys};

// The filter of the place's keys from `first` on.
std::string BuildBlock(const rocksdb::FilterPolicy& policy, const Place& place,
                       uint64_t first) {
  rocksdb::BlockBasedTableOptions table;
  table.format_version = 5;
  table.optimize_filters_for_memory = false;
  const rocksdb::FilterBuildingContext context(table);
  const std::unique_ptr<rocksdb::FilterBitsBuilder> builder(
      policy.GetBuilderWithContext(context));
  for (size_t i = 0; i < place.keys; ++i) {
    const BenchKey key = KeyOf(first + i);
    builder->AddKey(SliceOf(key));
  }
  std::unique_ptr<const char[]> bytes;
  return builder->Finish(&bytes).ToString();
}

// Finished filters and their readers.
class BenchFilters {
 public:
  BenchFilters(const Place& place, const std::string& policy)
      : place_(place), policy_(NewPolicy(policy)) {
    for (size_t i = 0; i < place.filters; ++i) {
      const std::string block = BuildBlock(*policy_, place, i * place.keys);
      char* const at = buffers_.emplace_back(Malloc(block.size())).get();
      std::memcpy(at, block.data(), block.size());
      readers_.emplace_back(policy_->GetFilterBitsReader({at, block.size()}));
      total_bytes_ += block.size();
    }
  }

  const Place& place() const { return place_; }
  rocksdb::FilterBitsReader* reader(size_t i) const {
    return readers_[i].get();
  }

  double bits_per_key() const {
    return 8.0 * static_cast<double>(total_bytes_) /
           static_cast<double>(place_.filters * place_.keys);
  }

  // Measured with a million keys that no filter contains.
  double false_positive_rate() const {
    constexpr size_t kAsked = 1000000;
    size_t matches = 0;
    for (size_t i = 0; i < kAsked; ++i) {
      const BenchKey key = KeyOf(kFirstStranger + i);
      matches += reader(i % place_.filters)->MayMatch(SliceOf(key));
    }
    return static_cast<double>(matches) / kAsked;
  }

 private:
  const Place place_;
  std::unique_ptr<const rocksdb::FilterPolicy> policy_;
  std::vector<std::shared_ptr<char>> buffers_;
  size_t total_bytes_ = 0;
  std::vector<std::unique_ptr<rocksdb::FilterBitsReader>> readers_;
};

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
    filters = std::make_unique<BenchFilters>(place, policy);
  }
  return *filters;
}

struct Lookup {
  rocksdb::FilterBitsReader* reader;
  BenchKey key;
};

// An endless stream of lookups in random order, generated on the fly. With a
// stored list the CPU would learn which keys match, and the list would compete
// for the cache.
class Lookups {
 public:
  // With `hits`, each key is in the filter it is looked up in.
  Lookups(const BenchFilters& filters, bool hits, int seed)
      : filters_(filters),
        hits_(hits),
        counter_(static_cast<uint64_t>(seed) << 48) {}

  Lookup Next() {
    const Place& place = filters_.place();
    const uint64_t filter = RandomBelow(place.filters);
    const uint64_t key = hits_ ? filter * place.keys + RandomBelow(place.keys)
                               : kFirstStranger + counter_;
    return {filters_.reader(filter), KeyOf(key)};
  }

 private:
  uint64_t RandomBelow(uint64_t bound) {
    uint64_t mixed = ++counter_ * 0xbf58476d1ce4e5b9;
    mixed = (mixed ^ (mixed >> 31)) * 0x94d049bb133111eb;
    return static_cast<uint64_t>(
        (static_cast<unsigned __int128>(mixed) * bound) >> 64);
  }

  const BenchFilters& filters_;
  const bool hits_;
  uint64_t counter_;
};

// Returns a line of /proc/self/status, in bytes.
size_t StatusBytes(const std::string& name) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.rfind(name + ":", 0) == 0) {
      return std::stoull(line.substr(name.size() + 1)) * 1024;
    }
  }
  return 0;
}

// Measures from construction on. Only one at a time: it resets the process's
// peak (Linux: /proc/self/clear_refs).
class PeakMemory {
 public:
  PeakMemory() {
    malloc_trim(0);  // so that reused freed memory counts too
    std::ofstream("/proc/self/clear_refs") << "5";
    at_first_ = StatusBytes("VmRSS");
  }

  // The peak resident memory of the process since construction, minus the
  // resident memory at construction, in bytes.
  size_t Growth() const {
    return std::max(StatusBytes("VmHWM"), at_first_) - at_first_;
  }

 private:
  size_t at_first_;
};

void SetCounters(benchmark::State& state, const Place& place,
                 const std::string& policy) {
  if (state.thread_index() != 0) return;
  const BenchFilters& filters = FiltersOf(place, policy);
  state.counters["bits_per_key"] = filters.bits_per_key();
  state.counters["fpr_percent"] = 100 * filters.false_positive_rate();
}

// Looks up single keys. A miss looks up a key that no filter contains.
void Ask(benchmark::State& state, const Place& place, const std::string& policy,
         bool hits) {
  const BenchFilters& filters = FiltersOf(place, policy);
  Lookups lookups(filters, hits, state.thread_index());
  size_t matches = 0;
  for (auto _ : state) {
    const Lookup lookup = lookups.Next();
    matches += lookup.reader->MayMatch(SliceOf(lookup.key));
  }
  benchmark::DoNotOptimize(matches);
  SetCounters(state, place, policy);
}

void AskBatch(benchmark::State& state, const Place& place,
              const std::string& policy) {
  constexpr int kBatch = 32;
  const BenchFilters& filters = FiltersOf(place, policy);
  Lookups lookups(filters, /*hits=*/false, state.thread_index());
  BenchKey keys[kBatch];
  rocksdb::Slice slices[kBatch];
  rocksdb::Slice* pointers[kBatch];
  bool may_match[kBatch];
  while (state.KeepRunningBatch(kBatch)) {
    rocksdb::FilterBitsReader* reader = nullptr;
    for (int i = 0; i < kBatch; ++i) {
      const Lookup lookup = lookups.Next();
      if (i == 0) reader = lookup.reader;
      keys[i] = lookup.key;
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
  const auto built_with = NewPolicy(policy);
  const PeakMemory memory;
  size_t block_size = 0;
  while (state.KeepRunningBatch(static_cast<int64_t>(place.keys))) {
    block_size = BuildBlock(*built_with, place, 0).size();
  }
  state.counters["memory_per_key"] =
      (static_cast<double>(memory.Growth()) - static_cast<double>(block_size)) /
      static_cast<double>(place.keys);
}

void RegisterLookups(const Place& place, const std::string& policy) {
  const std::string where = std::string("/") + place.name + "/" + policy;
  for (const bool hits : {false, true}) {
    benchmark::RegisterBenchmark(((hits ? "hit" : "miss") + where).c_str(), Ask,
                                 place, policy, hits)
        ->ThreadRange(1, 2);
  }
  benchmark::RegisterBenchmark(("batch" + where).c_str(), AskBatch, place,
                               policy);
}

void Register() {
  const std::vector<std::string> policies = {"rocksdb-bloom", "rocksdb-ribbon",
                                             "linebloom-plain", "linebloom"};
  const std::vector<std::string> rate = {"linebloom-rate", "rocksdb-ribbon-10"};
  const std::vector<std::string> seeded = {"rocksdb-bloom", "linebloom",
                                           "linebloom-seeded"};
  const Place many = {"many", 1000, kHotKeys};
  struct Group {
    Place place;
    std::vector<std::string> policies;
    bool build;
    bool look_up;
  };
  for (const auto& [place, of_place, build, look_up] :
       std::vector<Group>{{kHot, policies, true, true},
                          {{"large", 1, 100000000}, policies, true, false},
                          {many, policies, false, true},
                          {kHot, rate, true, true},
                          {{"keys-16", 1, kHotKeys}, seeded, true, true}}) {
    for (const std::string& policy : of_place) {
      if (build) {
        benchmark::RegisterBenchmark(
            (std::string("build/") + place.name + "/" + policy).c_str(), Build,
            place, policy);
      }
      if (look_up) RegisterLookups(place, policy);
    }
  }
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
