#include "linebloom/memory_allocator.h"

#include <gtest/gtest.h>
#include <malloc.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <random>
#include <string>
#include <vector>

namespace linebloom {
namespace {

constexpr size_t kLarge = size_t{64} << 10;

uintptr_t AddressOf(const void* memory) {
  return reinterpret_cast<uintptr_t>(memory);
}

TEST(FilterAllocatorTest, CostsLessThanALineForEachSmallBlock) {
  const auto allocator = NewFilterAllocator();
  constexpr size_t kAllocations = 2000;
  for (const size_t size : {0u, 55u, 119u, 1000u, 4096u, 4151u, 65535u}) {
    std::vector<void*> memory;
    memory.reserve(kAllocations);
    const size_t before = mallinfo2().uordblks + mallinfo2().hblkhd;
    for (size_t i = 0; i < kAllocations; ++i) {
      memory.push_back(allocator->Allocate(size));
    }
    const size_t taken = mallinfo2().uordblks + mallinfo2().hblkhd - before;
    for (void* block : memory) {
      EXPECT_EQ(0u, AddressOf(block) % 64);
      EXPECT_GE(allocator->UsableSize(block, size), size);
      allocator->Deallocate(block);
    }
    // A sanitizer's malloc doesn't count.
    if (taken != 0) {
      EXPECT_LT(taken, kAllocations * (size + 64)) << size;
    }
  }
}

TEST(FilterAllocatorTest, LargeBlocksLieSideBySide) {
  const auto allocator = NewFilterAllocator();
  std::vector<void*> memory;
  uintptr_t next = 0;
  for (const size_t size : {kLarge, kLarge + 1, size_t{1250005}, kLarge + 63,
                            size_t{70} << 20, size_t{3} << 20}) {
    void* const block = allocator->Allocate(size);
    memory.push_back(block);
    EXPECT_EQ(next == 0 ? AddressOf(block) / 64 * 64 : next, AddressOf(block));
    EXPECT_EQ((size + 63) / 64 * 64, allocator->UsableSize(block, size));
    next = AddressOf(block) + allocator->UsableSize(block, size);
    std::memset(block, 1, size);
  }
  for (void* block : memory) allocator->Deallocate(block);
  // Freed neighbours are one hole.
  void* const all = allocator->Allocate(next - AddressOf(memory.front()));
  EXPECT_EQ(memory.front(), all);
  allocator->Deallocate(all);
}

// Of a whole cache's life: every block is replaced many times by one of another
// size.
TEST(FilterAllocatorTest, ChurnLeavesFewHoles) {
  struct Block {
    unsigned char* memory;
    size_t size;
    unsigned char stamp;
  };
  const auto allocator = NewFilterAllocator();
  std::mt19937_64 random(1);
  std::vector<Block> blocks(500);
  size_t live = 0;
  size_t most_live = 0;
  uintptr_t first = UINTPTR_MAX;
  uintptr_t last = 0;
  for (int i = 0; i < 100'000; ++i) {
    Block& block = blocks[random() % blocks.size()];
    if (block.size > 0) {
      ASSERT_EQ(block.stamp, block.memory[0]);
      ASSERT_EQ(block.stamp, block.memory[block.size - 1]);
      allocator->Deallocate(block.memory);
      live -= block.size;
    }
    // 64 KiB to 2 MiB, each power of two as likely.
    block.size = kLarge << random() % 5;
    block.size += random() % block.size;
    block.memory = static_cast<unsigned char*>(allocator->Allocate(block.size));
    ASSERT_EQ(0u, AddressOf(block.memory) % 64);
    block.stamp = static_cast<unsigned char>(i);
    block.memory[0] = block.memory[block.size - 1] = block.stamp;
    live += block.size;
    most_live = std::max(most_live, live);
    first = std::min(first, AddressOf(block.memory));
    last = std::max(last, AddressOf(block.memory) + block.size);
  }
  const double taken =
      static_cast<double>(last - first) / static_cast<double>(most_live);
  RecordProperty("taken", std::to_string(taken));
  EXPECT_LT(taken, 1.2);
  for (const Block& block : blocks) allocator->Deallocate(block.memory);
}

// In kB; nothing where the kernel doesn't say.
int LazilyFreed() {
  std::ifstream smaps("/proc/self/smaps_rollup");
  for (std::string word; smaps >> word;) {
    int amount = 0;
    if (word == "LazyFree:" && smaps >> amount) return amount;
  }
  return -1;
}

TEST(FilterAllocatorTest, TheKernelMayTakeFreedPages) {
  const auto allocator = NewFilterAllocator();
  constexpr size_t kSize = size_t{1} << 20;
  std::vector<void*> memory;
  for (int i = 0; i < 64; ++i) {
    memory.push_back(allocator->Allocate(kSize));
    std::memset(memory.back(), 1, kSize);
  }
  const int before = LazilyFreed();
  if (before < 0) GTEST_SKIP() << "no LazyFree in /proc/self/smaps_rollup";
  // In any order: holes meet.
  std::shuffle(memory.begin(), memory.end(), std::mt19937_64(1));
  for (void* block : memory) allocator->Deallocate(block);
  EXPECT_EQ(before + 64 * 1024, LazilyFreed());
}

TEST(FilterAllocatorTest, WorksWhereAddressesAreShort) {
  const auto with_few_addresses = [] {
    std::ifstream statm("/proc/self/statm");
    rlim_t pages = 0;
    statm >> pages;
    const auto page = static_cast<rlim_t>(sysconf(_SC_PAGESIZE));
    const rlim_t bytes = pages * page + (rlim_t{256} << 20);
    const rlimit limit = {bytes, bytes};
    if (setrlimit(RLIMIT_AS, &limit) != 0) _exit(1);
    const auto allocator = NewFilterAllocator();
    void* const block = allocator->Allocate(1250005);
    const bool sound = AddressOf(block) % 64 == 0 &&
                       allocator->UsableSize(block, 1250005) >= 1250005;
    std::memset(block, 1, 1250005);
    allocator->Deallocate(block);
    _exit(sound ? 0 : 1);
  };
  EXPECT_EXIT(with_few_addresses(), testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace linebloom
