// linebloom for FastFilter's bulk-insert-and-query, which includes this before
// its main() and calls BenchmarkLinebloom() from there. Needs C++17 only.
// Keys go through RocksDB's interfaces, as 8 bytes that linebloom hashes within
// the time that is taken; the other filters there mix each key's bits by one
// function.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iomanip>
#include <iostream>
#include <memory>
#include <vector>

#include "linebloom/filter_policy.h"
#include "rocksdb/table.h"
#include "rocksdb/version.h"

#define LINEBLOOM_ROCKSDB_VERSION (ROCKSDB_MAJOR * 100 + ROCKSDB_MINOR)
#include "filter_policy/policy/declared_filter_bits.h"

namespace linebloom {

template <int kBits, LineKind kLine>
class FastFilter {
 public:
  void AddAll(const uint64_t* keys, size_t count) {
    FilterPolicyOptions options;
    options.bits_per_key = kBits;
    options.line = kLine;
    policy_.reset(NewFilterPolicy(options));
    const rocksdb::BlockBasedTableOptions table;
    const rocksdb::FilterBuildingContext context(table);
    const std::unique_ptr<rocksdb::FilterBitsBuilder> builder(
        policy_->GetBuilderWithContext(context));
    for (size_t i = 0; i < count; ++i) builder->AddKey(SliceOf(&keys[i]));
    std::unique_ptr<const char[]> bytes;
    const rocksdb::Slice block = builder->Finish(&bytes);
    // Lines start at cache lines, as with NewFilterAllocator().
    buffer_.reset(new char[block.size() + 64]);
    char* at = buffer_.get();
    at += 64 - reinterpret_cast<uintptr_t>(at) % 64;
    std::memcpy(at, block.data(), block.size());
    size_ = block.size();
    reader_.reset(policy_->GetFilterBitsReader({at, size_}));
  }

  bool Contains(uint64_t key) const { return reader_->MayMatch(SliceOf(&key)); }
  size_t SizeInBytes() const { return size_; }

 private:
  static rocksdb::Slice SliceOf(const uint64_t* key) {
    return {reinterpret_cast<const char*>(key), sizeof(*key)};
  }

  std::unique_ptr<const rocksdb::FilterPolicy> policy_;
  std::unique_ptr<char[]> buffer_;
  size_t size_ = 0;
  std::unique_ptr<rocksdb::FilterBitsReader> reader_;
};

}  // namespace linebloom

template <int kBits, linebloom::LineKind kLine>
struct FilterAPI<linebloom::FastFilter<kBits, kLine>> {
  using Table = linebloom::FastFilter<kBits, kLine>;
  static Table ConstructFromAddCount(size_t /*count*/) { return {}; }
  static void AddAll(const std::vector<uint64_t>& keys, size_t start,
                     size_t end, Table* table) {
    table->AddAll(keys.data() + start, end - start);
  }
  static void Add(uint64_t /*key*/, Table* /*table*/) { std::abort(); }
  static void Remove(uint64_t /*key*/, Table* /*table*/) { std::abort(); }
  __attribute__((noinline)) static bool Contain(uint64_t key,
                                                const Table* table) {
    return table->Contains(key);
  }
};

// Prints the rows of linebloom, with main()'s arguments of FilterBenchmark().
template <typename Samples>
void BenchmarkLinebloom(size_t count, const std::vector<uint64_t>& keys,
                        size_t intersection, const Samples& samples,
                        int name_width) {
  using linebloom::FastFilter;
  using linebloom::LineKind;
  const auto print = [&](const char* name, auto filter) {
    std::cout << std::setw(name_width) << name
              << FilterBenchmark<decltype(filter)>(count, keys, intersection,
                                                   samples, true)
              << std::endl;
  };
  print("Linebloom8", FastFilter<8, LineKind::kSolved>());
  print("Linebloom10", FastFilter<10, LineKind::kSolved>());
  print("Linebloom12", FastFilter<12, LineKind::kSolved>());
  print("LinebloomPlain10", FastFilter<10, LineKind::kPlain>());
}
