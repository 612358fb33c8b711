#include "linebloom/memory_allocator.h"

#include <malloc.h>

#include <cstdlib>
#include <new>

#include "filter_policy/line/line.h"

namespace linebloom {
namespace {

class LineAlignedAllocator final : public rocksdb::MemoryAllocator {
 public:
  const char* Name() const override { return "linebloom.LineAlignedAllocator"; }

  // Not aligned_alloc, which requires the size to be rounded up to whole lines.
  void* Allocate(size_t size) override {
    void* memory = nullptr;
    if (posix_memalign(&memory, kLineBytes, size) != 0) throw std::bad_alloc();
    return memory;
  }

  void Deallocate(void* memory) override { std::free(memory); }

  size_t UsableSize(void* memory, size_t /*allocation_size*/) const override {
    return malloc_usable_size(memory);
  }
};

}  // namespace

std::shared_ptr<rocksdb::MemoryAllocator> NewLineAlignedAllocator() {
  return std::make_shared<LineAlignedAllocator>();
}

}  // namespace linebloom
