#include "linebloom/memory_allocator.h"

#include <gtest/gtest.h>
#include <malloc.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <climits>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <new>
#include <random>
#include <string>
#include <thread>
#include <vector>

namespace {
// Of this thread: how many times operator new succeeds before it fails.
thread_local int news_left = INT_MAX;
}  // namespace

// Not inlined: GCC would take malloc for a mismatch of delete.
[[gnu::noinline]] void* operator new(size_t size) {
  void* const memory = news_left == 0 ? nullptr : std::malloc(size);
  if (memory == nullptr) throw std::bad_alloc();
  if (news_left < INT_MAX) --news_left;
  return memory;
}
[[gnu::noinline]] void operator delete(void* memory) noexcept {
  std::free(memory);
}
void operator delete(void* memory, size_t /*size*/) noexcept {
  operator delete(memory);
}

namespace linebloom {
namespace {

constexpr size_t kLarge = size_t{64} << 10;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kIsSanitized = true;
#elif defined(__has_feature)
constexpr bool kIsSanitized =
    __has_feature(address_sanitizer) || __has_feature(thread_sanitizer);
#else
constexpr bool kIsSanitized = false;
#endif

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

// Live blocks full of words of their own, whose contents are read whenever one
// is freed.
class LiveBlocks {
 public:
  LiveBlocks(rocksdb::MemoryAllocator* allocator, uint64_t seed)
      : allocator_(allocator), random_(seed), blocks_(100) {}
  ~LiveBlocks() {
    for (Block& block : blocks_) Free(&block);
  }
  LiveBlocks(const LiveBlocks&) = delete;
  LiveBlocks& operator=(const LiveBlocks&) = delete;

  // Replaces one of the blocks by one of another size, 64 KiB to 2 MiB, each
  // power of two as likely. An allocation fails if one of the next `news` of
  // operator new does; freeing fails at the first.
  void Replace(int news = INT_MAX) {
    Block& block = blocks_[random_() % blocks_.size()];
    Free(&block);
    size_t size = kLarge << random_() % 5;
    size += random_() % size;
    news_left = news;
    try {
      block.words = static_cast<uint64_t*>(allocator_->Allocate(size));
    } catch (const std::bad_alloc&) {
      ++failed_;
    }
    news_left = INT_MAX;
    if (block.words == nullptr) return;
    EXPECT_EQ(0u, AddressOf(block.words) % 64);
    block.count = size / sizeof(uint64_t);
    block.stamp = random_();
    for (size_t i = 0; i < block.count; ++i) block.words[i] = block.stamp + i;
    live_ += size;
    most_live_ = std::max(most_live_, live_);
    first_ = std::min(first_, AddressOf(block.words));
    last_ = std::max(last_, AddressOf(block.words) + size);
  }

  void ExpectContents() const {
    for (const Block& block : blocks_) ExpectContents(block);
  }

  // The kernel takes what it may.
  void ExertMemoryPressure() const {
    constexpr uintptr_t kPage = 4096;
    const uintptr_t begin = first_ / kPage * kPage;
    (void)madvise(reinterpret_cast<void*>(begin), last_ - begin, MADV_PAGEOUT);
  }

  void Overwrite() {
    for (const Block& block : blocks_) {
      std::fill_n(block.words, block.count, 0);
    }
  }

  int failed() const { return failed_; }
  // The range of all blocks so far, relative to the most bytes at a time.
  double taken() const {
    return static_cast<double>(last_ - first_) /
           static_cast<double>(most_live_);
  }

 private:
  struct Block {
    uint64_t* words = nullptr;
    size_t count = 0;
    uint64_t stamp = 0;
  };

  static void ExpectContents(const Block& block) {
    size_t wrong = 0;
    for (size_t i = 0; i < block.count; ++i) {
      wrong += block.words[i] != block.stamp + i;
    }
    EXPECT_EQ(0u, wrong);
  }

  void Free(Block* block) {
    if (block->words == nullptr) return;
    ExpectContents(*block);
    live_ -= block->count * sizeof(uint64_t);
    news_left = 0;
    allocator_->Deallocate(block->words);
    news_left = INT_MAX;
    *block = {};
  }

  rocksdb::MemoryAllocator* const allocator_;
  std::mt19937_64 random_;
  std::vector<Block> blocks_;
  int failed_ = 0;
  size_t live_ = 0;
  size_t most_live_ = 0;
  uintptr_t first_ = UINTPTR_MAX;
  uintptr_t last_ = 0;
};

// As in a cache's whole life.
TEST(FilterAllocatorTest, ChurnLeavesFewHoles) {
  const auto allocator = NewFilterAllocator();
  LiveBlocks blocks(allocator.get(), 1);
  for (int i = 0; i < 5000; ++i) blocks.Replace();
  RecordProperty("taken", std::to_string(blocks.taken()));
  EXPECT_LT(blocks.taken(), 1.3);
  blocks.ExpectContents();
}

TEST(FilterAllocatorTest, BlocksKeepTheirContentsUnderMemoryPressure) {
  const auto allocator = NewFilterAllocator();
  LiveBlocks blocks(allocator.get(), 1);
  for (int i = 0; i < 2000; ++i) {
    blocks.Replace();
    if (i % 20 != 0) continue;
    blocks.ExertMemoryPressure();
    blocks.ExpectContents();
  }
}

TEST(FilterAllocatorTest, BlocksKeepTheirContentsIfAllocationsFail) {
  const auto allocator = NewFilterAllocator();
  LiveBlocks blocks(allocator.get(), 1);
  for (int i = 0; i < 5000; ++i) blocks.Replace(i % 4);
  blocks.ExpectContents();
  EXPECT_GT(blocks.failed(), 100);
  // What failed left no gap that can't be used.
  EXPECT_LT(blocks.taken(), 1.3);
}

TEST(FilterAllocatorTest, BlocksKeepTheirContentsInThreads) {
  const auto allocator = NewFilterAllocator();
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&allocator, thread] {
      LiveBlocks blocks(allocator.get(), thread);
      for (int i = 0; i < 1000; ++i) blocks.Replace();
      // Here they meet more often.
      for (int i = 0; i < 100'000; ++i) {
        allocator->Deallocate(allocator->Allocate(kLarge));
      }
      blocks.ExpectContents();
    });
  }
  for (std::thread& thread : threads) thread.join();
}

// True if the child that runs `body` ends by itself.
template <typename Body>
bool Survives(const Body& body) {
  const pid_t child = fork();
  if (child == 0) {
    alarm(60);  // ends a child that waits
    body();
    _exit(testing::Test::HasFailure() ? 1 : 0);
  }
  int status = 1;
  return waitpid(child, &status, 0) == child && status == 0;
}

TEST(FilterAllocatorTest, ChildrenHaveBlocksOfTheirOwn) {
  const auto allocator = NewFilterAllocator();
  LiveBlocks blocks(allocator.get(), 1);
  for (int i = 0; i < 1000; ++i) blocks.Replace();
  EXPECT_TRUE(Survives([&blocks] {
    blocks.ExpectContents();
    for (int i = 0; i < 500; ++i) blocks.Replace();
    blocks.Overwrite();
  }));
  blocks.ExpectContents();
}

TEST(FilterAllocatorTest, ChildrenNeedNotWaitForThreadsOfTheirParent) {
  if (kIsSanitized) GTEST_SKIP() << "a sanitizer's own malloc waits";
  const auto allocator = NewFilterAllocator();
  std::atomic<bool> stop = false;
  std::thread thread([&] {
    while (!stop) allocator->Deallocate(allocator->Allocate(kLarge));
  });
  int waited = 0;
  for (int i = 0; i < 200 && waited == 0; ++i) {
    waited += Survives([&allocator] {
      alarm(10);
      allocator->Deallocate(allocator->Allocate(kLarge));
    })
                  ? 0
                  : 1;
  }
  EXPECT_EQ(0, waited);
  stop = true;
  thread.join();
}

TEST(FilterAllocatorTest, RefusesSizesThatNothingHolds) {
  const auto allocator = NewFilterAllocator();
  for (size_t less = 0; less < 130; ++less) {
    EXPECT_THROW((void)allocator->Allocate(SIZE_MAX - less), std::bad_alloc);
  }
  EXPECT_THROW((void)allocator->Allocate(SIZE_MAX / 2), std::bad_alloc);
  LiveBlocks blocks(allocator.get(), 1);
  for (int i = 0; i < 300; ++i) blocks.Replace();
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
