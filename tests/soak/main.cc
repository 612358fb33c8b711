// soak: checks any number of keys for a wrong 'no'.
//
//   soak [--keys=N] [--seed=N] [--filter=N]
//
// Draws one filter after another until N keys are checked: up to 10 million
// keys of 0 to 1,000 bytes, both kinds of lines, bits per key or a rate, with
// and without a hash seed. Each is built with another instruction set of this
// CPU, or through RocksDB's interface, and probed for all of its keys, singly
// and in batches, with each of them. --filter checks only one of those that the
// seed draws. Exits with 0, with 1 if a key was denied, or with 2 after bad
// usage.
#include <algorithm>
#include <array>
#include <atomic>
#include <cinttypes>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "filter_policy/filter/filter_block.h"
#include "filter_policy/filter/filter_builder.h"
#include "filter_policy/filter/filter_reader.h"
#include "filter_policy/filter/hash_list.h"
#include "filter_policy/levels/file_plan.h"
#include "filter_policy/line/hash.h"
#include "filter_policy/line/kernel/line_kernel.h"
#include "filter_policy/rocksdb/policy_options.h"
#include "rocksdb/table.h"
#include "tests/filter_policy/rocksdb/filter_bits.h"
#include "tools/shared/numbers.h"

namespace linebloom {
namespace {

using rocksdb::Slice;

constexpr int kBatch = 32;  // RocksDB's largest batch
constexpr uint64_t kFirstMissing = uint64_t{1} << 40;

// Keys by number; different ones if they have at least 8 bytes.
class Keys {
 public:
  explicit Keys(std::mt19937_64* random) : salt_((*random)()) {
    constexpr std::array<size_t, 5> kLongest = {0, 8, 16, 40, 1000};
    longest_ = kLongest[(*random)() % kLongest.size()];
    for (size_t i = 0; i < longest_; ++i) {
      bytes_.push_back(static_cast<char>((*random)()));
    }
  }

  std::string Make(uint64_t number) const {
    // In the order in which they are loaded.
    if (longest_ == 0) return "user" + std::to_string(1'000'000'000 + number);
    const uint64_t mixed = tools::Mix(salt_ ^ number);
    const size_t size = longest_ > 16 ? mixed % (longest_ + 1) : longest_;
    std::string key = bytes_.substr(0, size);
    std::memcpy(key.data(), &mixed, std::min(size, sizeof(mixed)));
    return key;
  }

 private:
  const uint64_t salt_;
  size_t longest_ = 0;
  std::string bytes_;
};

FilterPolicyOptions DrawOptions(std::mt19937_64* random) {
  std::uniform_real_distribution<double> share;
  FilterPolicyOptions options;
  options.line = (*random)() % 3 == 0 ? Line::kPlain : Line::kSolved;
  options.hash_seed = (*random)() % 2 == 0 ? 0 : (*random)();
  if ((*random)() % 3 == 0) {
    do {
      options.false_positive_rate = std::exp(-16 + 15.5 * share(*random));
    } while (!Validate(options).ok());
  } else {
    options.bits_per_key = 0.5 + 29.5 * share(*random);
  }
  return options;
}

std::string Build(const FilterPolicyOptions& options,
                  const rocksdb::FilterPolicy& policy, const LineKernel* kernel,
                  const Keys& keys, uint64_t count) {
  if (kernel == nullptr) {
    const auto builder = NewBuilder(policy);
    for (uint64_t i = 0; i < count; ++i) builder->AddKey(keys.Make(i));
    return FinishToString(builder.get());
  }
  const rocksdb::BlockBasedTableOptions table;
  const std::optional<FilterPlan> plan =
      PlanOfFile(options, rocksdb::FilterBuildingContext(table), std::nullopt);
  HashList hashes;
  for (uint64_t i = 0; i < count; ++i) {
    const std::string key = keys.Make(i);
    hashes.Add(KeyHash(options.hash_seed)(key.data(), key.size()));
  }
  const FilterBlock block = BuildFilter(hashes, plan.value().request, *kernel);
  return {block.bytes.get(), block.size};
}

// Who denies one of these keys; "" if nobody does.
std::string WhoDenies(const std::map<std::string, FilterReader>& readers,
                      rocksdb::FilterBitsReader* of_rocksdb,
                      const KeyHash& hash, std::vector<std::string>* keys) {
  const int count = static_cast<int>(keys->size());
  std::array<uint64_t, kBatch> hashes;
  std::array<Slice, kBatch> slices;
  std::array<Slice*, kBatch> pointers;
  std::array<bool, kBatch> answers;
  const auto denied = [&] {
    return !std::all_of(answers.begin(), answers.begin() + count,
                        [](bool may_match) { return may_match; });
  };
  for (int i = 0; i < count; ++i) {
    slices[i] = (*keys)[i];
    pointers[i] = &slices[i];
    hashes[i] = hash(slices[i].data(), slices[i].size());
  }
  for (const auto& [kernel, reader] : readers) {
    for (int i = 0; i < count; ++i) {
      answers[i] = reader.MayMatch(slices[i].data(), slices[i].size());
    }
    if (denied()) return kernel;
    reader.MayMatch(hashes.data(), count, answers.data());
    if (denied()) return kernel + " in a batch";
  }
  for (int i = 0; i < count; ++i) answers[i] = of_rocksdb->MayMatch(slices[i]);
  if (denied()) return "the reader for RocksDB";
  of_rocksdb->MayMatch(count, pointers.data(), answers.data());
  return denied() ? "the reader for RocksDB in a batch" : "";
}

struct Counts {
  std::atomic<uint64_t> keys = 0, filters = 0, missing = 0, rejected = 0;
  std::atomic<bool> failed = false;
};

void CheckFilter(uint64_t seed, uint64_t number, uint64_t most_keys,
                 Counts* counts) {
  std::mt19937_64 random(tools::Mix(seed, number));
  const FilterPolicyOptions options = DrawOptions(&random);
  const Keys keys(&random);
  // Mostly small filters; otherwise a few large ones would be all.
  const uint64_t most = random() % 10 != 0 ? most_keys / 100 : most_keys;
  const double size = std::log(static_cast<double>(most) + 2) *
                      std::uniform_real_distribution<double>()(random);
  const uint64_t count = static_cast<uint64_t>(std::exp(size)) - 1;
  std::vector<const LineKernel*> builders = SupportedKernels();
  builders.push_back(nullptr);  // RocksDB's interface
  const LineKernel* builder = builders[number % builders.size()];
  const std::unique_ptr<const rocksdb::FilterPolicy> policy(
      NewFilterPolicy(options));
  const std::string block = Build(options, *policy, builder, keys, count);
  const auto of_rocksdb = NewReader(*policy, block);
  std::map<std::string, FilterReader> readers;
  for (const LineKernel* kernel : SupportedKernels()) {
    const auto reader = FilterReader::Make(
        block.data(), ParseFilter(block.data(), block.size()), *kernel);
    if (reader.has_value()) readers.emplace(kernel->name, *reader);
  }
  std::string who = count > 0 && readers.size() < SupportedKernels().size()
                        ? "a reader that can't read the block"
                        : "";
  for (uint64_t i = 0; i < count && who.empty(); i += kBatch) {
    std::vector<std::string> batch;
    for (uint64_t j = i; j < std::min(count, i + kBatch); ++j) {
      batch.push_back(keys.Make(j));
    }
    who = WhoDenies(readers, of_rocksdb.get(), KeyHash(options.hash_seed),
                    &batch);
  }
  if (!who.empty()) {
    counts->failed = true;
    fprintf(stderr,
            "soak: a key of filter %" PRIu64 " of seed %" PRIu64
            ", with at most %" PRIu64 " keys, is denied by %s; built by %s\n",
            number, seed, most_keys, who.c_str(),
            builder == nullptr ? "RocksDB's interface" : builder->name);
  }
  const uint64_t missing = 16 + count / 64;
  for (uint64_t i = 0; i < missing; ++i) {
    if (!of_rocksdb->MayMatch(keys.Make(kFirstMissing + i))) ++counts->rejected;
  }
  counts->missing += missing;
  counts->keys += count;
  ++counts->filters;
}

int Soak(uint64_t to_check, uint64_t seed, std::optional<uint64_t> only) {
  constexpr uint64_t kMaxKeysOfAFilter = 10'000'000;
  const auto most_keys =
      std::clamp<uint64_t>(to_check / 10, 1, kMaxKeysOfAFilter);
  Counts counts;
  if (only.has_value()) {
    CheckFilter(seed, *only, most_keys, &counts);
  } else {
    std::atomic<uint64_t> next = 0;
    std::vector<std::thread> threads(
        std::max(1u, std::thread::hardware_concurrency()));
    for (std::thread& thread : threads) {
      thread = std::thread([&] {
        while (counts.keys < to_check && !counts.failed) {
          CheckFilter(seed, next++, most_keys, &counts);
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
  }
  const double rejected = static_cast<double>(counts.rejected) /
                          static_cast<double>(counts.missing);
  printf("%" PRIu64 " keys of %" PRIu64 " filters checked, %s denied\n",
         counts.keys.load(), counts.filters.load(),
         counts.failed ? "some were" : "none");
  printf("built and probed with");
  for (const LineKernel* kernel : SupportedKernels())
    printf(" %s", kernel->name);
  printf("; %.1f %% of %" PRIu64 " missing keys rejected\n", 100 * rejected,
         counts.missing.load());
  // A filter that denies nothing must not pass either.
  return counts.failed || rejected < 0.5 ? 1 : 0;
}

int Main(int argc, char** argv) {
  std::map<std::string, uint64_t> flags = {{"keys", 300'000}, {"seed", 1}};
  for (int i = 1; i < argc; ++i) {
    std::array<char, 8> name = {};
    uint64_t value = 0;
    const int read =
        std::sscanf(argv[i], "--%7[a-z]=%" SCNu64, name.data(), &value);
    const std::string flag = name.data();
    if (read != 2 || (flags.count(flag) == 0 && flag != "filter")) {
      fprintf(stderr, "usage: soak [--keys=N] [--seed=N] [--filter=N]\n");
      return 2;
    }
    flags[flag] = value;
  }
  return Soak(flags["keys"], flags["seed"],
              flags.count("filter") > 0 ? std::optional(flags["filter"])
                                        : std::nullopt);
}

}  // namespace
}  // namespace linebloom

int main(int argc, char** argv) { return linebloom::Main(argc, argv); }
