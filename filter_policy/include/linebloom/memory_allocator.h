// An allocator for the block cache that places filters where the CPU reads them
// fastest.
//
// Needs only C++17 and RocksDB's public headers.
#pragma once

#include <memory>

#include "linebloom/export.h"
#include "rocksdb/memory_allocator.h"

namespace linebloom {

// Returns an allocator whose blocks start at multiples of 64 bytes. Those of
// 64 KiB and more lie side by side in memory that Linux may back with huge
// pages. RocksDB allocates its filters with the block cache's allocator, even
// filters outside the cache:
//
//   rocksdb::LRUCacheOptions cache;
//   cache.memory_allocator = linebloom::NewFilterAllocator();
//   table.block_cache = rocksdb::NewLRUCache(cache);
//
// Everything also works without it, but then lines straddle two cache lines of
// the CPU, so a lookup touches up to 2 (plain) or 5 (solved) instead of 1 or 3,
// and once filters exceed the reach of the TLB, each probe may also wait for a
// page-table walk (docs/memory.md, "Huge pages").
//
// The overhead is less than 64 bytes per block, and one huge page, 2 MiB, for
// all. Transparent huge pages must be on (`always` or `madvise`, the default,
// in /sys/kernel/mm/transparent_hugepage/enabled); without them blocks are
// aligned all the same. The memory of large blocks goes to new ones, and to the
// kernel only when the allocator is destroyed: it stays at the most that there
// ever was. The allocator takes addresses for twice the machine's memory; where
// `ulimit -v` forbids that, large blocks come from malloc like small ones.
//
// Throws std::bad_alloc if there is no memory, and then has changed nothing.
// Freeing allocates nothing. Thread-safe, and works in a child of fork(), like
// malloc.
LINEBLOOM_EXPORT std::shared_ptr<rocksdb::MemoryAllocator> NewFilterAllocator();

}  // namespace linebloom
