// Memory for the block cache in which a filter's lines are lines of the CPU's
// cache.
//
// Needs C++17 and RocksDB's public headers, nothing else.
#pragma once

#include <memory>

#include "linebloom/export.h"
#include "rocksdb/memory_allocator.h"

namespace linebloom {

// Returns an allocator whose memory begins at multiples of 64 bytes. RocksDB
// takes the memory of its filters from the block cache's allocator, also of
// filters that are not kept in the cache:
//
//   rocksdb::LRUCacheOptions cache;
//   cache.memory_allocator = linebloom::NewLineAlignedAllocator();
//   table.block_cache = rocksdb::NewLRUCache(cache);
//
// Without it everything works, but a buffer begins anywhere, and most lookups
// touch two lines of the CPU's cache instead of one. An allocation costs less
// than 64 bytes beside what was asked for. Thread-safe, as malloc is.
LINEBLOOM_EXPORT std::shared_ptr<rocksdb::MemoryAllocator>
NewLineAlignedAllocator();

}  // namespace linebloom
