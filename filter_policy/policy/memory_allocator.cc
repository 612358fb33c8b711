#include "linebloom/memory_allocator.h"

#include <malloc.h>
#include <pthread.h>
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
constexpr size_t kStep = 32 * kHugePage;  // that become writable at a time
constexpr size_t kLargeBlock = size_t{64} << 10;  // smaller ones are malloc's

constexpr size_t Up(size_t number, size_t unit) {
  return (number + unit - 1) / unit * unit;
}

// Of all allocators: fork() waits until no thread is inside one, or a child
// would wait for ever for a thread that it doesn't have.
std::mutex mutex;
int HandleForks() {
  return pthread_atfork([] { mutex.lock(); }, [] { mutex.unlock(); },
                        [] { mutex.unlock(); });
}

// Large blocks lie side by side in one range of addresses that the kernel may
// back with huge pages, each in the smallest hole that held it. Pages stay.
//
// Rejected: arenas of jemalloc and mimalloc, which take 7 to 52 % more memory
// (docs/design.md), and MADV_FREE, with which a mistake empties filters.
class FilterAllocator final : public rocksdb::MemoryAllocator {
 public:
  FilterAllocator() {
    static const bool handles_forks = HandleForks() == 0;
    if (!handles_forks) return;
    // Addresses cost nothing, and twice the memory leaves room for holes.
    // Inaccessible at first, so that neither a limit on committed memory nor
    // mlockall() counts them.
    const size_t size =
        Up(2 * sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE), kStep);
    mapped_ = mmap(nullptr, size + kHugePage, PROT_NONE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (mapped_ == MAP_FAILED) return;  // `ulimit -v`: malloc has to do
    // Fails without transparent huge pages, which changes nothing else.
    (void)madvise(mapped_, size + kHugePage, MADV_HUGEPAGE);
    const auto mapped = reinterpret_cast<uintptr_t>(mapped_);
    begin_ = static_cast<char*>(mapped_) + (Up(mapped, kHugePage) - mapped);
    size_ = size;
    pieces_[0];
    holes_.emplace(size, 0);
    pieces_[size] = NewNode();
  }

  ~FilterAllocator() override {
    if (size_ > 0) munmap(mapped_, size_ + kHugePage);
  }

  const char* Name() const override { return "linebloom.FilterAllocator"; }

  void* Allocate(size_t size) override {
    void* memory = size < kLargeBlock ? nullptr : AllocateLarge(size);
    if (memory != nullptr) return memory;
    // Not aligned_alloc, which takes whole lines only.
    if (posix_memalign(&memory, kLineBytes, size) != 0) throw std::bad_alloc();
    return memory;
  }

  void Deallocate(void* memory) override {
    if (!IsLarge(memory)) return std::free(memory);
    const std::lock_guard<std::mutex> lock(mutex);
    const auto block = pieces_.find(PlaceOf(memory));
    Node node = std::exchange(block->second, Node());
    // The block and the holes beside it become one.
    auto first = block;
    if (first != pieces_.begin() && std::prev(first)->second.empty()) --first;
    auto last = std::next(block);
    if (last->second.empty()) ++last;
    for (auto piece = first; piece != last; ++piece) {
      holes_.erase({std::next(piece)->first - piece->first, piece->first});
    }
    node.value() = {last->first - first->first, first->first};
    holes_.insert(std::move(node));
    pieces_.erase(std::next(first), last);
  }

  size_t UsableSize(void* memory, size_t size) const override {
    return IsLarge(memory) ? Up(size, kLineBytes) : malloc_usable_size(memory);
  }

 private:
  using Holes = std::set<std::pair<size_t, size_t>>;  // size and place
  using Node = Holes::node_type;

  static Node NewNode() {
    Holes holes = {{0, 0}};
    return holes.extract(holes.begin());
  }

  uintptr_t PlaceOf(const void* memory) const {
    return reinterpret_cast<uintptr_t>(memory) -
           reinterpret_cast<uintptr_t>(begin_);
  }
  bool IsLarge(const void* memory) const { return PlaceOf(memory) < size_; }

  // Returns null if there is no room. If it throws, nothing has changed.
  void* AllocateLarge(size_t size) {
    if (size > size_) return nullptr;  // rounded up, it might be 0
    size = Up(size, kLineBytes);
    Node node = NewNode();
    const std::lock_guard<std::mutex> lock(mutex);
    const auto hole = holes_.lower_bound({size, 0});
    if (hole == holes_.end()) return nullptr;
    const auto [room, place] = *hole;
    const size_t end = Up(place + size, kStep);
    if (end > writable_ && mprotect(begin_, end, PROT_READ | PROT_WRITE) != 0) {
      return nullptr;
    }
    writable_ = std::max(end, writable_);
    if (room > size) pieces_.try_emplace(place + size);  // the last to throw
    Node of_hole = holes_.extract(hole);
    if (room > size) {
      of_hole.value() = {room - size, place + size};
      holes_.insert(std::move(of_hole));
    }
    pieces_[place] = std::move(node);
    return begin_ + place;
  }

  void* mapped_ = nullptr;
  char* begin_ = nullptr;  // of a huge page in it; places count from here
  size_t size_ = 0;        // 0 without the range
  size_t writable_ = 0;    // guarded by mutex, as all below
  // Blocks and holes, side by side up to size_, which counts as a block. A
  // block holds the node that will be its hole's, so Deallocate() allocates
  // nothing.
  std::map<size_t, Node> pieces_;
  Holes holes_;
};

}  // namespace

std::shared_ptr<rocksdb::MemoryAllocator> NewFilterAllocator() {
  return std::make_shared<FilterAllocator>();
}

}  // namespace linebloom
