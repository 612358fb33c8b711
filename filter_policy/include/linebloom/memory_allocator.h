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
// Everything also works without it, but then a buffer may start anywhere, and
// most lines lie in two cache lines of the CPU: a lookup touches up to two
// instead of one in plain lines, up to four instead of two in solved ones, and
// their code. The overhead is less than 64 bytes per allocation. Throws
// std::bad_alloc if there is no memory. Thread-safe, like malloc.
LINEBLOOM_EXPORT std::shared_ptr<rocksdb::MemoryAllocator>
NewLineAlignedAllocator();

}  // namespace linebloom
