// RocksDB's Cache: advanced_cache.h defines it since 8.0, cache.h before.
#pragma once

#include "rocksdb/cache.h"
#if __has_include("rocksdb/advanced_cache.h")
#include "rocksdb/advanced_cache.h"
#endif
