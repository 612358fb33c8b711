#include "tests/soak/soak_filter.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <optional>
#include <random>
#include <string_view>
#include <vector>

#include "filter_policy/filter/filter_block.h"
#include "filter_policy/filter/filter_builder.h"
#include "filter_policy/filter/filter_reader.h"
#include "filter_policy/filter/hash_list.h"
#include "filter_policy/levels/file_budget.h"
#include "filter_policy/line/hash.h"
#include "filter_policy/line/kernel/line_kernel.h"
#include "filter_policy/rocksdb/policy_options.h"
#include "filter_policy/rocksdb/rocksdb_filter_bits.h"
#include "linebloom/filter_policy.h"
#include "rocksdb/table.h"
#include "tests/soak/soak_keys.h"
#include "tools/shared/numbers.h"

namespace linebloom {
namespace {

using rocksdb::Slice;

constexpr int kBatch = 32;  // RocksDB's largest batch

// Numbers of missing keys start here.
constexpr uint64_t kFirstMissing = uint64_t{1} << 40;

struct Drawn {
  FilterPolicyOptions options;
  uint64_t keys = 0;
  KeyForm form = KeyForm::kEightBytes;
};

uint64_t HashOf(std::string_view key, uint64_t hash_seed) {
  return KeyHash(hash_seed)(key.data(), key.size());
}

Drawn Draw(std::mt19937_64* random, uint64_t most_keys) {
  const auto uniform = [&](double from, double to) {
    return std::uniform_real_distribution<double>(from, to)(*random);
  };
  Drawn drawn;
  // Mostly small ones; otherwise a few large ones would be all.
  const bool small = (*random)() % 10 != 0;
  const auto most = static_cast<double>(small ? most_keys / 100 : most_keys);
  drawn.keys =
      static_cast<uint64_t>(std::exp(uniform(0, std::log(most + 2)))) - 1;
  drawn.form = static_cast<KeyForm>((*random)() % kKeyForms);
  drawn.options.line = (*random)() % 3 == 0 ? Line::kPlain : Line::kSolved;
  drawn.options.hash_seed = (*random)() % 2 == 0 ? 0 : (*random)();
  if ((*random)() % 3 == 0) {
    do {
      drawn.options.false_positive_rate = std::exp(uniform(-16, -0.5));
    } while (!Validate(drawn.options).ok());
  } else {
    drawn.options.bits_per_key = uniform(0.5, 30);
  }
  return drawn;
}

// Builds it as RocksDB does for a file in a database without a listener.
std::string BuildAsRocksDb(const Drawn& drawn, SoakKeys* keys) {
  const std::unique_ptr<const rocksdb::FilterPolicy> policy(
      NewFilterPolicy(drawn.options));
  const rocksdb::BlockBasedTableOptions table;
  const std::unique_ptr<rocksdb::FilterBitsBuilder> builder(
      policy->GetBuilderWithContext(rocksdb::FilterBuildingContext(table)));
  for (uint64_t i = 0; i < drawn.keys; ++i) builder->AddKey(keys->Make(i));
  std::unique_ptr<const char[]> bytes;
  return builder->Finish(&bytes).ToString();
}

std::string BuildWith(const LineKernel& kernel, const Drawn& drawn,
                      SoakKeys* keys) {
  const rocksdb::BlockBasedTableOptions table;
  const std::optional<FilterPlan> plan = PlanOfFile(
      drawn.options, rocksdb::FilterBuildingContext(table), std::nullopt);
  HashList hashes;
  for (uint64_t i = 0; i < drawn.keys; ++i) {
    hashes.Add(HashOf(keys->Make(i), drawn.options.hash_seed));
  }
  const FilterBlock block = BuildFilter(hashes, plan.value().request, kernel);
  return {block.bytes.get(), block.size};
}

// Everything that may read a block here.
class Readers {
 public:
  Readers(const std::string& block, const FilterPolicyOptions& options)
      : hash_seed_(options.hash_seed),
        policy_(NewFilterPolicy(options)),
        rocksdb_reader_(policy_->GetFilterBitsReader(block)) {
    for (const LineKernel* kernel : SupportedKernels()) {
      const std::optional<FilterReader> reader = FilterReader::Make(
          block.data(), ParseFilterBlock(block.data(), block.size()), *kernel);
      if (reader.has_value()) kernels_.push_back({kernel->name, *reader});
    }
  }

  bool AllCanRead() const {
    return kernels_.size() == SupportedKernels().size();
  }

  // Probes every reader for each key, singly and in batches. Returns the first
  // one that denies a key; empty if none does.
  std::string WhoDenies(const std::array<std::string, kBatch>& batch,
                        int count) {
    std::array<uint64_t, kBatch> hashes;
    std::array<Slice, kBatch> slices;
    std::array<Slice*, kBatch> pointers;
    for (int i = 0; i < count; ++i) {
      slices[i] = batch[i];
      pointers[i] = &slices[i];
      hashes[i] = HashOf(batch[i], hash_seed_);
    }
    std::array<bool, kBatch> answers;
    const auto one_is_denied = [&] {
      return std::count(answers.begin(), answers.begin() + count, true) < count;
    };
    for (const Reader& reader : kernels_) {
      for (int i = 0; i < count; ++i) {
        answers[i] = reader.filter.MayMatch(slices[i].data(), slices[i].size());
      }
      if (one_is_denied()) return reader.kernel;
      reader.filter.MayMatch(hashes.data(), count, answers.data());
      if (one_is_denied()) return reader.kernel + " in a batch";
    }
    for (int i = 0; i < count; ++i) {
      answers[i] = rocksdb_reader_->MayMatch(slices[i]);
    }
    if (one_is_denied()) return "the reader for RocksDB";
    rocksdb_reader_->MayMatch(count, pointers.data(), answers.data());
    return one_is_denied() ? "the reader for RocksDB in a batch" : "";
  }

  bool Rejects(std::string_view key) {
    return !rocksdb_reader_->MayMatch(Slice(key.data(), key.size()));
  }

 private:
  struct Reader {
    std::string kernel;
    FilterReader filter;
  };

  const uint64_t hash_seed_;
  std::vector<Reader> kernels_;
  const std::unique_ptr<const rocksdb::FilterPolicy> policy_;
  const std::unique_ptr<rocksdb::FilterBitsReader> rocksdb_reader_;
};

std::string AskForAll(const Drawn& drawn, Readers* readers, SoakKeys* keys) {
  std::array<std::string, kBatch> batch;
  for (uint64_t begin = 0; begin < drawn.keys; begin += kBatch) {
    const int count =
        static_cast<int>(std::min<uint64_t>(kBatch, drawn.keys - begin));
    for (int i = 0; i < count; ++i) batch[i] = keys->Make(begin + i);
    const std::string who = readers->WhoDenies(batch, count);
    if (!who.empty()) {
      return who + " denies one of the keys from number " +
             std::to_string(begin) + " on";
    }
  }
  return "";
}

std::string Describe(const Drawn& drawn, const std::string& builder) {
  return IdOf(drawn.options) +
         (drawn.options.line == Line::kPlain ? ", plain" : ", solved") +
         ", hash seed " + std::to_string(drawn.options.hash_seed) + ", " +
         std::to_string(drawn.keys) + " keys of " +
         std::string(NameOf(drawn.form)) + ", built by " + builder;
}

}  // namespace

SoakResult SoakFilter(uint64_t seed, uint64_t number, uint64_t most_keys) {
  std::mt19937_64 random(tools::Mix(seed, number));
  const Drawn drawn = Draw(&random, most_keys);
  SoakKeys keys(drawn.form, random());
  const std::vector<const LineKernel*> kernels = SupportedKernels();
  const size_t turn = number % (kernels.size() + 1);
  const bool as_rocksdb = turn == kernels.size();
  const std::string block = as_rocksdb
                                ? BuildAsRocksDb(drawn, &keys)
                                : BuildWith(*kernels[turn], drawn, &keys);
  SoakResult result;
  result.keys = drawn.keys;
  Readers readers(block, drawn.options);
  if (drawn.keys > 0 && !readers.AllCanRead()) {
    result.problem = "the block can't be read";
  } else {
    result.problem = AskForAll(drawn, &readers, &keys);
  }
  if (!result.problem.empty()) {
    result.problem +=
        "; " + Describe(drawn, as_rocksdb ? "the builder for RocksDB"
                                          : kernels[turn]->name);
  }
  result.missing_probed = 16 + drawn.keys / 64;
  for (uint64_t i = 0; i < result.missing_probed; ++i) {
    result.missing_rejected += readers.Rejects(keys.Make(kFirstMissing + i));
  }
  return result;
}

}  // namespace linebloom
