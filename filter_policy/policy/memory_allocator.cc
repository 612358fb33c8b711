#include "linebloom/memory_allocator.h"

#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <iterator>
#include <map>
#include <mutex>
#include <new>
#include <set>
#include <utility>

#include "filter_policy/line/line.h"

namespace linebloom {
namespace {

constexpr size_t kHugePage = size_t{2} << 20;
// Blocks from this size on go into huge pages. Filters below it, and data
// blocks, stay with malloc, whose threads don't wait for each other.
constexpr size_t kLargeBlock = size_t{64} << 10;
// How many bytes of the range become writable at a time.
constexpr size_t kStep = 32 * kHugePage;

constexpr size_t Down(size_t number, size_t unit) {
  return number / unit * unit;
}

constexpr size_t Up(size_t number, size_t unit) {
  return Down(number + unit - 1, unit);
}

// Blocks side by side in one range of addresses that the kernel may back with
// huge pages: a block goes into the smallest hole that holds it.
//
// Rejected, with 300 filters of 1.25 MB (356 MB): glibc's
// GLIBC_TUNABLES=glibc.malloc.hugetlb=1 and madvise() on malloc's blocks, which
// give no huge pages to the heaps of other threads than the first; jemalloc's
// thp:always, in whose sizes they take 392 MB, and mimalloc's large pages, 451
// MB; MADV_COLLAPSE, which needs Linux 6.1 and failed in the first thread's
// heap. Boost.Interprocess manages such a range, but the library would need it.
class HugePages {
 public:
  HugePages() {
    const auto memory = static_cast<uint64_t>(sysconf(_SC_PHYS_PAGES)) *
                        static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
    // Addresses cost nothing, and twice the memory leaves room for holes.
    size_ = Up(2 * memory, kStep);
    // Inaccessible at first, so that neither a limit on committed memory nor
    // mlockall() counts it.
    mapped_ = mmap(nullptr, size_ + kHugePage, PROT_NONE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, /*fd=*/-1, 0);
    if (mapped_ == MAP_FAILED) {  // `ulimit -v`: malloc has to do
      size_ = 0;
      return;
    }
    // Fails without transparent huge pages, which changes nothing else.
    (void)madvise(mapped_, size_ + kHugePage, MADV_HUGEPAGE);
    const auto address = reinterpret_cast<uintptr_t>(mapped_);
    begin_ = static_cast<char*>(mapped_) + (Up(address, kHugePage) - address);
    is_hole_ = {{0, true}, {size_, false}};
    holes_.emplace(size_, 0);
  }

  ~HugePages() {
    if (size_ > 0) munmap(mapped_, size_ + kHugePage);
  }

  HugePages(const HugePages&) = delete;
  HugePages& operator=(const HugePages&) = delete;

  // Lock-free.
  bool Contains(const void* memory) const { return OffsetOf(memory) < size_; }

  // Returns null if there is no room. `size` is a multiple of kLineBytes.
  void* Allocate(size_t size) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto hole = holes_.lower_bound({size, 0});
    if (hole == holes_.end()) return nullptr;
    const auto [room, at] = *hole;
    if (!MakeWritable(at + size)) return nullptr;
    if (room > size) {
      is_hole_[at + size] = true;
      holes_.emplace(room - size, at + size);
    }
    is_hole_[at] = false;
    holes_.erase(hole);
    return begin_ + at;
  }

  void Free(const void* memory) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto block = is_hole_.find(OffsetOf(memory));
    const size_t at = block->first;
    const size_t end = std::next(block)->first;
    // The block and the holes beside it become one.
    auto first = block;
    if (first != is_hole_.begin() && std::prev(first)->second) --first;
    auto last = std::next(block);
    if (last->second) ++last;
    for (auto hole = first; hole != last; ++hole) {
      holes_.erase({std::next(hole)->first - hole->first, hole->first});
    }
    first->second = true;
    holes_.emplace(last->first - first->first, first->first);
    // The kernel may take pages without blocks if it is short of memory. Until
    // then they stay what they are: a new block needs no page faults.
    const size_t page =
        std::max(Up(first->first, kHugePage), Down(at, kHugePage));
    const size_t pages_end =
        std::min(Down(last->first, kHugePage), Up(end, kHugePage));
    is_hole_.erase(std::next(first), last);
    if (page < pages_end) {
      (void)madvise(begin_ + page, pages_end - page, MADV_FREE);
    }
  }

 private:
  size_t OffsetOf(const void* memory) const {
    return reinterpret_cast<uintptr_t>(memory) -
           reinterpret_cast<uintptr_t>(begin_);
  }

  bool MakeWritable(size_t end) {
    if (end <= writable_) return true;
    const size_t more = Up(end - writable_, kStep);
    if (mprotect(begin_ + writable_, more, PROT_READ | PROT_WRITE) != 0) {
      return false;
    }
    writable_ += more;
    return true;
  }

  void* mapped_ = nullptr;
  char* begin_ = nullptr;  // at a huge page in it
  size_t size_ = 0;        // from begin_ on; 0 without the range
  std::mutex mutex_;       // guards all below, whose places count from begin_
  size_t writable_ = 0;
  // By the place of each block and hole: they lie side by side up to size_,
  // which counts as a block.
  std::map<size_t, bool> is_hole_;
  std::set<std::pair<size_t, size_t>> holes_;  // size and place
};

class FilterAllocator final : public rocksdb::MemoryAllocator {
 public:
  const char* Name() const override { return "linebloom.FilterAllocator"; }

  void* Allocate(size_t size) override {
    void* memory = nullptr;
    if (size >= kLargeBlock) memory = large_.Allocate(Up(size, kLineBytes));
    if (memory != nullptr) return memory;
    // Not aligned_alloc, which requires the size to be rounded up to whole
    // lines.
    if (posix_memalign(&memory, kLineBytes, size) != 0) throw std::bad_alloc();
    return memory;
  }

  void Deallocate(void* memory) override {
    if (large_.Contains(memory)) {
      large_.Free(memory);
    } else {
      std::free(memory);
    }
  }

  size_t UsableSize(void* memory, size_t allocation_size) const override {
    return large_.Contains(memory) ? Up(allocation_size, kLineBytes)
                                   : malloc_usable_size(memory);
  }

 private:
  HugePages large_;
};

}  // namespace

std::shared_ptr<rocksdb::MemoryAllocator> NewFilterAllocator() {
  return std::make_shared<FilterAllocator>();
}

}  // namespace linebloom
