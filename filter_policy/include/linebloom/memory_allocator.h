// An allocator for the block cache that aligns the lines of filters with cache
// lines of the CPU.
//
// Needs only C++17 and RocksDB's public headers.
#pragma once

#include <memory>

#include "linebloom/export.h"
#include "rocksdb/memory_allocator.h"

namespace linebloom {

// Returns an allocator whose memory starts at multiples of 64 bytes. RocksDB
// allocates its filters with the block cache's allocator, even those that it
// doesn't keep in the cache:
//
//   rocksdb::LRUCacheOptions cache;
//   cache.memory_allocator = linebloom::NewLineAlignedAllocator();
//   table.block_cache = rocksdb::NewLRUCache(cache);
//
// Everything also works without it, but then lines straddle two cache lines of
// the CPU, so a lookup touches up to 2 (plain) or 5 (solved) instead of 1 or 3.
// The overhead is less than 64 bytes per allocation. Throws
// std::bad_alloc if there is no memory. Thread-safe, like malloc.
LINEBLOOM_EXPORT std::shared_ptr<rocksdb::MemoryAllocator>
NewLineAlignedAllocator();

}  // namespace linebloom
