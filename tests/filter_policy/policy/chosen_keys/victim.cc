#include "tests/filter_policy/policy/chosen_keys/victim.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <optional>

#include "filter_policy/filter/filter_block.h"
#include "filter_policy/filter/filter_builder.h"
#include "filter_policy/filter/filter_reader.h"
#include "tests/filter_policy/rocksdb/filter_bits.h"

namespace linebloom {
namespace {

rocksdb::Slice SliceOf(const ChosenKey& key) {
  return {reinterpret_cast<const char*>(key.data()), sizeof(key)};
}

class PolicyVictim final : public Victim {
 public:
  explicit PolicyVictim(const FilterPolicyOptions& options)
      : policy_(NewFilterPolicy(options)) {}

  void Write(const std::vector<ChosenKey>& keys) override {
    const auto builder = NewBuilder(*policy_);
    for (const ChosenKey& key : keys) builder->AddKey(SliceOf(key));
    block_ = FinishToString(builder.get());
    reader_ = NewReader(*policy_, block_);
  }

  bool MayMatch(const ChosenKey& key) const override {
    return reader_->MayMatch(SliceOf(key));
  }

  double ExpectedRate() const override {
    return ParseFilterBlock(block_.data(), block_.size())
        .info.expected_false_positive_rate;
  }

 private:
  std::unique_ptr<const rocksdb::FilterPolicy> policy_;
  std::string block_;
  std::unique_ptr<rocksdb::FilterBitsReader> reader_;
};

class Xxh3SeedVictim final : public Victim {
 public:
  explicit Xxh3SeedVictim(uint64_t seed) : seed_(seed) {}

  void Write(const std::vector<ChosenKey>& keys) override {
    HashList hashes;
    for (const ChosenKey& key : keys) hashes.Add(Hash(key));
    block_ = BuildFilter(hashes, {});
    parsed_ = ParseFilterBlock(block_.bytes.get(), block_.size);
    reader_ = FilterReader::Make(block_.bytes.get(), parsed_);
  }

  bool MayMatch(const ChosenKey& key) const override {
    return reader_->MayMatch(Hash(key));
  }

  double ExpectedRate() const override {
    return parsed_.info.expected_false_positive_rate;
  }

 private:
  uint64_t Hash(const ChosenKey& key) const {
    return XXH3_64bits_withSeed(key.data(), sizeof(key), seed_);
  }

  const uint64_t seed_;
  FilterBlock block_;
  ParsedFilterBlock parsed_;
  std::optional<FilterReader> reader_;
};

}  // namespace

std::unique_ptr<Victim> NewVictim(uint64_t hash_seed, double bits_per_key) {
  FilterPolicyOptions options;
  options.bits_per_key = bits_per_key;
  options.hash_seed = hash_seed;
  return std::make_unique<PolicyVictim>(options);
}

std::unique_ptr<Victim> NewXxh3SeedVictim(uint64_t seed) {
  return std::make_unique<Xxh3SeedVictim>(seed);
}

}  // namespace linebloom
