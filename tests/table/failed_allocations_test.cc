// Every allocation fails once: what runs out of memory can be tried again and
// leaks nothing, and no filter denies a key. A program of its own, because it
// replaces operator new.
#include <gtest/gtest.h>

#include <cstdlib>
#include <memory>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "filter_policy/filter/hash_list.h"
#include "filter_policy/policy/filter_bits_builder.h"
#include "tests/filter_policy/policy/filter_bits.h"

// Of the linker. NOLINTNEXTLINE(bugprone-reserved-identifier)
extern "C" char __executable_start, etext;

namespace {
thread_local int until_failure = 0;   // 0: none fails
thread_local bool only_here = false;  // and not in RocksDB's shared library
thread_local int alive = 0;           // RocksDB's threads have their own
thread_local uint64_t* last_hashes = nullptr;  // a builder's first 512

void* Allocate(size_t size, const void* caller) {
  const bool is_here = caller >= &__executable_start && caller < &etext;
  if (until_failure > 0 && (is_here || !only_here) && --until_failure == 0) {
    throw std::bad_alloc();
  }
  ++alive;
  void* const memory = std::malloc(size);
  if (size == 4096) last_hashes = static_cast<uint64_t*>(memory);
  return memory;
}

void Free(void* memory) {
  if (memory != nullptr) --alive;
  std::free(memory);
}

}  // namespace

void* operator new(size_t size) {
  return Allocate(size, __builtin_return_address(0));
}
void* operator new[](size_t size) {
  return Allocate(size, __builtin_return_address(0));
}
void operator delete(void* memory) noexcept { Free(memory); }
void operator delete[](void* memory) noexcept { Free(memory); }
void operator delete(void* memory, size_t /*size*/) noexcept { Free(memory); }
void operator delete[](void* memory, size_t /*size*/) noexcept { Free(memory); }

namespace linebloom {
namespace {

// Tries again what runs out of memory.
template <typename Step>
void Try(int* left, const Step& step) {
  until_failure = *left;
  try {
    step();
  } catch (const std::bad_alloc&) {
    step();
  }
  *left = std::exchange(until_failure, 0);
}

// Calls run(&left), which passes `left` to Try(), until each of its allocations
// has failed once; it must have `least`.
template <typename Run>
void FailEach(int least, const Run& run) {
  int left = 0;
  run(&left);  // makes what stays, such as tables
  for (int failing = 1; left == 0; ++failing) {
    left = failing;
    const int before = alive;
    run(&left);
    // RocksDB frees some of what it keeps.
    ASSERT_LE(alive, before) << "after allocation " << failing << " failed";
    ASSERT_FALSE(testing::Test::HasFailure()) << failing;
    if (left == 0) continue;
    printf("%d allocations failed, one in each run\n", failing - 1);
    EXPECT_GE(failing - 1, least);
  }
}

// RocksDB's own builder, which newer versions take for plain lines, isn't made
// for exceptions.
TEST(FailedAllocationsTest, BuildersAndReaders) {
  only_here = true;
  const auto missing = NumberedKeys("a key that the filter lacks", 3000);
  rocksdb::BlockBasedTableOptions table;
  table.detect_filter_construct_corruption = true;
  for (const FilterPolicyOptions& options : std::vector<FilterPolicyOptions>{
           {}, {.bits_per_key = 12}, {2}, {.hash_seed = kRandomHashSeed}}) {
    const bool are_many = !options.bits_per_key && options.hash_seed == 0;
    const auto keys =
        NumberedKeys("key", are_many ? HashList::kFew + 5000 : 700);
    const int least = are_many ? 400 : 4;
    FailEach(least, [&](int* left) {
      OwnedPolicy policy;
      std::unique_ptr<rocksdb::FilterBitsBuilder> builder;
      std::unique_ptr<rocksdb::FilterBitsReader> reader;
      std::unique_ptr<const char[]> bytes;
      rocksdb::Slice block;
      rocksdb::Status status;
      Try(left, [&] { policy = MakePolicy(options); });
      Try(left, [&] { builder = NewBuilder(*policy, table); });
      for (const auto& key : keys) Try(left, [&] { builder->AddKey(key); });
      EXPECT_EQ(keys.size(), builder->EstimateEntriesAdded());
      Try(left, [&] { block = builder->Finish(&bytes, &status); });
      EXPECT_TRUE(status.ok()) << status.ToString();
      Try(left, [&] { status = builder->MaybePostVerify(block); });
      EXPECT_TRUE(status.ok()) << status.ToString();
      Try(left, [&] { reader = NewReader(*policy, block); });
      for (const std::string& key : missing) {
        Try(left, [&] { (void)reader->MayMatch(key); });
      }
      EXPECT_EQ(keys.size(), CountMatches(reader.get(), keys));
    });
  }
  only_here = false;
}

// A hash that changes before or after its filter is built.
TEST(CorruptedMemoryTest, AChangedHashIsReported) {
  for (const bool is_built : {false, true}) {
    LineFilterBitsBuilder builder({}, nullptr, /*detect_corruption=*/true);
    for (const std::string& key : NumberedKeys("key", 100)) builder.AddKey(key);
    if (!is_built) last_hashes[5] ^= 1 << 20;
    std::unique_ptr<const char[]> bytes;
    const rocksdb::Slice block = builder.Finish(&bytes);
    if (is_built) last_hashes[5] ^= 1 << 20;
    EXPECT_TRUE(builder.MaybePostVerify(block).IsCorruption());
  }
}

}  // namespace
}  // namespace linebloom
