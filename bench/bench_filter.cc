#include "bench/bench_filter.h"

#include <cstring>

#include "bench/contestants/contestants.h"
#include "linebloom/filter_policy.h"
#include "rocksdb/table.h"

namespace linebloom {
namespace {

const rocksdb::FilterPolicy* NewPolicy(const std::string& name, double bits) {
  if (name == "rocksdb-bloom") return rocksdb::NewBloomFilterPolicy(bits);
  if (name == "rocksdb-ribbon") return rocksdb::NewRibbonFilterPolicy(bits);
  if (const Contestant* contestant = FindContestant(name)) {
    return contestant->new_policy();
  }
  FilterPolicyOptions options;
  options.bits_per_key = bits;
  if (name.find("-plain") != std::string::npos) options.line = Line::kPlain;
  if (name.find("-seeded") != std::string::npos) options.hash_seed = 7;
  return NewFilterPolicy(options);
}

}  // namespace

const std::vector<std::string>& BenchPolicyNames() {
  static const auto* const names = new std::vector<std::string>{
      "rocksdb-bloom", "rocksdb-ribbon", "linebloom-plain", "linebloom"};
  return *names;
}

double CacheLinesOf(const std::string& policy) {
  if (const Contestant* contestant = FindContestant(policy)) {
    return contestant->cache_lines;
  }
  // The line, and its group's code.
  if (policy == "linebloom") return 2;
  if (policy != "rocksdb-ribbon") return 1;
  // Each of the seven columns is 16 bytes, and Ribbon prefetches those and the
  // following 16: one contiguous range that starts at a multiple of 16.
  return 1 + (7 * 32 - 16) / 64.0;
}

BenchPolicy::BenchPolicy(const std::string& name, double bits_per_key)
    : policy_(NewPolicy(name, bits_per_key)) {}

std::string BenchPolicy::Build(uint64_t first, size_t count,
                               size_t key_size) const {
  rocksdb::BlockBasedTableOptions table;
  table.format_version = 5;
  table.optimize_filters_for_memory = false;
  const rocksdb::FilterBuildingContext context(table);
  const std::unique_ptr<rocksdb::FilterBitsBuilder> builder(
      policy_->GetBuilderWithContext(context));
  for (size_t i = 0; i < count; ++i) {
    const BenchKey key = KeyOf(first + i, key_size);
    builder->AddKey(SliceOf(key));
  }
  std::unique_ptr<const char[]> bytes;
  return builder->Finish(&bytes).ToString();
}

std::unique_ptr<rocksdb::FilterBitsReader> BenchPolicy::NewReader(
    const rocksdb::Slice& block) const {
  return std::unique_ptr<rocksdb::FilterBitsReader>(
      policy_->GetFilterBitsReader(block));
}

BenchFilters::BenchFilters(const std::string& policy, double bits_per_key,
                           size_t filters, size_t keys_per_filter,
                           size_t key_size, Alignment alignment)
    : policy_(policy, bits_per_key),
      keys_per_filter_(keys_per_filter),
      key_size_(key_size) {
  for (size_t i = 0; i < filters; ++i) {
    const std::string block =
        policy_.Build(i * keys_per_filter, keys_per_filter, key_size);
    buffers_.emplace_back(new char[block.size() + 128]);
    char* at = buffers_.back().get();
    at += (64 - reinterpret_cast<uintptr_t>(at) % 64) +
          static_cast<size_t>(alignment);
    std::memcpy(at, block.data(), block.size());
    readers_.push_back(policy_.NewReader({at, block.size()}));
    total_bytes_ += block.size();
  }
}

double BenchFilters::bits_per_key() const {
  return 8.0 * static_cast<double>(total_bytes_) /
         static_cast<double>(size() * keys_per_filter_);
}

double BenchFilters::false_positive_rate() const {
  constexpr size_t kAsked = 1000000;
  size_t matches = 0;
  for (size_t i = 0; i < kAsked; ++i) {
    const BenchKey key = KeyOf(kFirstStranger + i, key_size_);
    matches += reader(i % size())->MayMatch(SliceOf(key));
  }
  return static_cast<double>(matches) / kAsked;
}

}  // namespace linebloom
