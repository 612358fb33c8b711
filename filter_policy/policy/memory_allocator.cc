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
#include <unordered_map>
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

constexpr uintptr_t Down(uintptr_t number, size_t unit) {
  return number / unit * unit;
}

constexpr uintptr_t Up(uintptr_t number, size_t unit) {
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
    mapped_bytes_ = Up(2 * memory, kStep) + kHugePage;
    // Inaccessible at first, so that neither a limit on committed memory nor
    // mlockall() counts it.
    mapped_ = mmap(nullptr, mapped_bytes_, PROT_NONE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, /*fd=*/-1, 0);
    if (mapped_ == MAP_FAILED) return;  // `ulimit -v`: malloc has to do
    // Fails without transparent huge pages, which changes nothing else.
    (void)madvise(mapped_, mapped_bytes_, MADV_HUGEPAGE);
    begin_ = Up(reinterpret_cast<uintptr_t>(mapped_), kHugePage);
    end_ = begin_ + mapped_bytes_ - kHugePage;
    writable_end_ = begin_;
    AddHole(begin_, end_ - begin_);
  }

  ~HugePages() {
    if (mapped_ != MAP_FAILED) munmap(mapped_, mapped_bytes_);
  }

  HugePages(const HugePages&) = delete;
  HugePages& operator=(const HugePages&) = delete;

  // Lock-free.
  bool Contains(const void* memory) const {
    return reinterpret_cast<uintptr_t>(memory) - begin_ < end_ - begin_;
  }

  // Returns null if there is no room. `size` is a multiple of kLineBytes.
  void* Allocate(size_t size) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto hole = holes_by_size_.lower_bound({size, 0});
    if (hole == holes_by_size_.end()) return nullptr;
    const auto [room, at] = *hole;
    if (!MakeWritable(at + size)) return nullptr;
    blocks_.emplace(at, size);
    RemoveHole(at, room);
    if (room > size) AddHole(at + size, room - size);
    return reinterpret_cast<void*>(at);
  }

  void Free(void* memory) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto block = blocks_.find(reinterpret_cast<uintptr_t>(memory));
    const uintptr_t at = block->first;
    const uintptr_t block_end = at + block->second;
    blocks_.erase(block);
    uintptr_t first = at;
    uintptr_t last = block_end;
    const auto after = holes_.lower_bound(at);
    if (after != holes_.begin()) {
      const auto [hole, room] = *std::prev(after);
      if (hole + room == at) {
        first = hole;
        RemoveHole(hole, room);
      }
    }
    if (after != holes_.end() && after->first == block_end) {
      last += after->second;
      RemoveHole(block_end, last - block_end);
    }
    AddHole(first, last - first);
    // The kernel may take pages without blocks if it is short of memory. Until
    // then they stay what they are: a new block needs no page faults.
    const uintptr_t page = std::max(Up(first, kHugePage), Down(at, kHugePage));
    const uintptr_t pages_end =
        std::min(Down(last, kHugePage), Up(block_end, kHugePage));
    if (page < pages_end) {
      (void)madvise(reinterpret_cast<void*>(page), pages_end - page, MADV_FREE);
    }
  }

 private:
  bool MakeWritable(uintptr_t end) {
    if (end <= writable_end_) return true;
    const size_t more = Up(end - writable_end_, kStep);
    if (mprotect(reinterpret_cast<void*>(writable_end_), more,
                 PROT_READ | PROT_WRITE) != 0) {
      return false;
    }
    writable_end_ += more;
    return true;
  }

  void AddHole(uintptr_t at, size_t size) {
    holes_.emplace(at, size);
    holes_by_size_.emplace(size, at);
  }

  void RemoveHole(uintptr_t at, size_t size) {
    holes_.erase(at);
    holes_by_size_.erase({size, at});
  }

  void* mapped_ = nullptr;
  size_t mapped_bytes_ = 0;
  uintptr_t begin_ = 0;
  uintptr_t end_ = 0;
  std::mutex mutex_;  // guards all below
  uintptr_t writable_end_ = 0;
  std::unordered_map<uintptr_t, size_t> blocks_;
  std::map<uintptr_t, size_t> holes_;
  std::set<std::pair<size_t, uintptr_t>> holes_by_size_;
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
