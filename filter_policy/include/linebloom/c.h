// linebloom for C, and so for every language that uses RocksDB through
// rocksdb/c.h.
//
//   rocksdb_block_based_table_options_t* table =
//       rocksdb_block_based_options_create();
//   rocksdb_block_based_options_set_filter_policy(
//       table, linebloom_filterpolicy_create(10));
//   rocksdb_options_set_block_based_table_factory(options, table);
//
// This header needs only C99 and rocksdb/c.h.
#pragma once

#include <rocksdb/c.h>

#include "linebloom/export.h"

#ifdef __cplusplus
extern "C" {
#endif

// Returns a new policy, like rocksdb_filterpolicy_create_bloom(bits_per_key).
// rocksdb_block_based_options_set_filter_policy() takes ownership of it;
// otherwise free it with rocksdb_filterpolicy_destroy(). Never NULL: bits
// outside 0 to 30 are reported when a database is opened, and so is a RocksDB
// of another minor version than the one that linebloom was compiled for. All
// functions of this header are thread-safe.
LINEBLOOM_EXPORT rocksdb_filterpolicy_t* linebloom_filterpolicy_create(
    double bits_per_key);

// The same from an option string, with all of linebloom's options
// (linebloom/filter_policy.h):
//
//   linebloom:10
//   bits_per_key=10
//   {id=linebloom;bits_per_key=10;line=plain}
//
// If the string is invalid or NULL, or in a RocksDB of another minor version,
// returns NULL and sets *errptr like the functions in rocksdb/c.h: *errptr must
// be NULL or from malloc() before, and the caller must free() it afterwards.
// `errptr` itself may be NULL.
//
// memory_budget and a level_aware policy that knows its levels need a listener,
// which rocksdb/c.h takes only in an option string:
//
//   rocksdb_get_options_from_string(
//       options,
//       "listeners=linebloom_level_sizes;block_based_table_factory="
//       "{filter_policy={id=linebloom;memory_budget=512M}}",
//       new_options, &error);
LINEBLOOM_EXPORT rocksdb_filterpolicy_t*
linebloom_filterpolicy_create_from_string(const char* options, char** errptr);

// Lets option strings name `linebloom` and `linebloom_level_sizes`. Loading the
// shared library does it, and so does a RocksDB with linebloom as its plugin; a
// program that links the archive calls it once before it parses options.
// Further calls have no effect, nor any in a RocksDB of another minor version.
LINEBLOOM_EXPORT void linebloom_register_filter_policy(void);

// Returns linebloom::NewFilterAllocator() (linebloom/memory_allocator.h), for
// rocksdb_lru_cache_options_set_memory_allocator() and that of other caches,
// which keep what they need. Free it with rocksdb_memory_allocator_destroy().
LINEBLOOM_EXPORT rocksdb_memory_allocator_t* linebloom_memory_allocator_create(
    void);

#ifdef __cplusplus
}
#endif
