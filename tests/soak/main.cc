// soak: checks any number of keys for a wrong 'no'.
//
//   soak [KEYS [SEED [FILTER]]]
//
// Draws one filter after another until KEYS keys are checked: up to 10 million
// keys of 0 to 1,000 bytes, both kinds of lines, bits per key or a rate, with
// and without a hash seed. Each is built with another instruction set of this
// CPU, or through RocksDB's interface, and probed for all of its keys with each
// of them, singly and in batches. FILTER checks only that one of the seed's.
// Exits with 0, or with 1 if a key was denied.
#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "filter_policy/filter/filter_block.h"
#include "filter_policy/filter/filter_builder.h"
#include "filter_policy/filter/filter_reader.h"
#include "filter_policy/levels/file_plan.h"
#include "filter_policy/line/kernel/line_kernel.h"
#include "filter_policy/policy/policy_options.h"
#include "rocksdb/table.h"
#include "tests/filter_policy/policy/filter_bits.h"

namespace linebloom {
namespace {

constexpr int kBatch = 32;  // RocksDB's largest batch

FilterPolicyOptions DrawOptions(std::mt19937_64* random) {
  std::uniform_real_distribution<double> share;
  FilterPolicyOptions options;
  options.line = (*random)() % 3 == 0 ? Line::kPlain : Line::kSolved;
  options.hash_seed = (*random)() % 2 == 0 ? 0 : (*random)();
  options.bits_per_key = 0.5 + 29.5 * share(*random);
  while ((*random)() % 3 == 0 || !Validate(options).ok()) {
    options.bits_per_key.reset();
    options.false_positive_rate = std::exp(-16 + 15.5 * share(*random));
  }
  return options;
}

// The filter's i-th key; it has no key of a negative number. All keys of a
// filter are of one kind.
std::string KeyAt(uint64_t salt, int64_t i) {
  constexpr std::array<size_t, 5> kLongest = {0, 8, 16, 40, 1000};
  const size_t longest = kLongest[salt % kLongest.size()];
  // In the order in which they are loaded.
  if (longest == 0) return "user" + std::to_string(1'000'000'000 + i);
  std::minstd_rand random(static_cast<uint32_t>(salt ^ i));
  const std::string number(reinterpret_cast<const char*>(&i), sizeof(i));
  if (longest <= 16) return number + std::string(longest - 8, 'k');
  const size_t size = random() % (longest + 1);
  return (number + std::string(longest, static_cast<char>(salt)))
      .substr(0, size);
}

struct Counts {
  std::atomic<uint64_t> keys = 0, filters = 0, missing = 0, rejected = 0;
};

void CheckFilter(uint64_t seed, uint64_t number, uint64_t max_keys,
                 Counts* counts) {
  std::seed_seq seeds{seed, seed >> 32, number};
  std::mt19937_64 random(seeds);
  const FilterPolicyOptions options = DrawOptions(&random);
  const uint64_t salt = random();
  // Mostly small filters; otherwise a few large ones would be all.
  const uint64_t limit = random() % 10 != 0 ? max_keys / 100 : max_keys;
  const auto count = static_cast<int64_t>(
      std::pow(limit + 2.0, std::uniform_real_distribution<>()(random)) - 1);

  const std::vector<const LineKernel*> kernels = SupportedKernels();
  const size_t builder = number % (kernels.size() + 1);
  const auto policy = MakePolicy(options);
  const auto bits = NewBuilder(*policy);
  HashList hashes;
  const KeyHash hash(options.hash_seed);
  for (int64_t i = 0; i < count; ++i) {
    const std::string key = KeyAt(salt, i);
    builder < kernels.size() ? hashes.Add(hash(key.data(), key.size()))
                             : bits->AddKey(key);
  }
  std::string block;
  if (builder < kernels.size()) {
    const rocksdb::BlockBasedTableOptions table;
    const auto plan = PlanOfFile(options, rocksdb::FilterBuildingContext(table),
                                 std::nullopt);
    const FilterBlock built =
        BuildFilter(hashes, plan.value().request, *kernels[builder]);
    block.assign(built.bytes.get(), built.size);
  } else {
    block = FinishToString(bits.get());
  }

  const auto of_rocksdb = NewReader(*policy, block);
  std::vector<FilterReader> readers;
  for (const LineKernel* kernel : kernels) {
    const auto reader = FilterReader::Make(
        block.data(), ParseFilter(block.data(), block.size()), *kernel);
    if (reader.has_value()) readers.push_back(*reader);
  }
  bool all = count == 0 || readers.size() == kernels.size();
  for (int64_t i = 0; i < count && all; i += kBatch) {
    std::vector<std::string> keys;
    std::array<uint64_t, kBatch> hashes_of_keys;
    std::array<bool, kBatch> batch;
    for (int j = 0; j < kBatch; ++j) {
      keys.push_back(KeyAt(salt, std::min(i + j, count - 1)));
      hashes_of_keys[j] = hash(keys[j].data(), keys[j].size());
      for (const FilterReader& reader : readers) {
        all = all && reader.MayMatch(keys[j].data(), keys[j].size());
      }
    }
    for (const FilterReader& reader : readers) {
      reader.MayMatch(hashes_of_keys.data(), kBatch, batch.data());
      for (const bool may_match : batch) all = all && may_match;
    }
    all = all && CountMatches(of_rocksdb.get(), keys) == kBatch;
    for (const bool match : MatchInBatches(of_rocksdb.get(), keys)) {
      all = all && match;
    }
  }
  if (!all) {
    std::fprintf(stderr, "soak: a key is denied; run: soak %ld %ld %ld\n",
                 10 * max_keys, seed, number);
    std::exit(1);
  }
  for (int64_t i = 1; i < 16 + count / 64; ++i, ++counts->missing) {
    if (!of_rocksdb->MayMatch(KeyAt(salt, -i))) ++counts->rejected;
  }
  counts->keys += count;
  ++counts->filters;
}

int Main(int argc, char** argv) {
  const auto argument = [&](int i, uint64_t otherwise) {
    return i < argc ? std::strtoull(argv[i], nullptr, 10) : otherwise;
  };
  const uint64_t to_check = argument(1, 300'000);
  const uint64_t seed = argument(2, 1);
  const auto max_keys = std::clamp<uint64_t>(to_check / 10, 1, 10'000'000);
  Counts counts;
  std::atomic<uint64_t> next = argument(3, 0);
  std::vector<std::thread> threads(
      argc > 3 ? 1 : std::max(1u, std::thread::hardware_concurrency()));
  for (std::thread& thread : threads) {
    thread = std::thread([&] {
      do {
        CheckFilter(seed, next++, max_keys, &counts);
      } while (argc <= 3 && counts.keys < to_check);
    });
  }
  for (std::thread& thread : threads) thread.join();
  const double rejected =
      100.0 * static_cast<double>(counts.rejected) / counts.missing;
  std::printf(
      "%lu keys of %lu filters checked, none denied; %.1f %% of %lu "
      "missing keys rejected\nbuilt and probed with",
      counts.keys.load(), counts.filters.load(), rejected,
      counts.missing.load());
  for (const LineKernel* kernel : SupportedKernels()) {
    std::printf(" %s", kernel->name);
  }
  std::puts("");
  // Filters that deny nothing must not pass; a single one of few bits may.
  return argc <= 3 && rejected < 50 ? 1 : 0;
}

}  // namespace
}  // namespace linebloom

int main(int argc, char** argv) { return linebloom::Main(argc, argv); }
