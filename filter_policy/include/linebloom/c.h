// linebloom for C, and so for every language that uses RocksDB through
// rocksdb/c.h.
//
//   rocksdb_options_set_block_based_table_factory(options, table);
//   linebloom_use(options, NULL, &error);
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
//   linebloom
//   linebloom:plain
//   {id=linebloom;bits_per_key=10;level_aware=true}
//
// If the string is invalid or NULL, or in a RocksDB of another minor version,
// returns NULL and sets *errptr like the functions in rocksdb/c.h: *errptr must
// be NULL or from malloc() before, and the caller must free() it afterwards.
// `errptr` itself may be NULL.
LINEBLOOM_EXPORT rocksdb_filterpolicy_t*
linebloom_filterpolicy_create_from_string(const char* options, char** errptr);

// Sets a policy with these options, of an option string as above or NULL for
// bits_per_key=auto, and its listener, like linebloom::Use()
// (linebloom/filter_policy.h). Other table options stay, so call this after
// rocksdb_options_set_block_based_table_factory(), for the options of each
// column family and of the database. rocksdb/c.h itself can set a listener,
// which level_aware and auto need, only by an option string for all of the
// options.
//
// On error changes nothing and sets *errptr, as above: if the string is
// invalid, if the tables aren't block-based, or in a RocksDB of another minor
// version.
LINEBLOOM_EXPORT void linebloom_use(rocksdb_options_t* options,
                                    const char* filter, char** errptr);

// Lets option strings name `linebloom` and `linebloom_level_sizes`. Loading the
// shared library does it, and so does a RocksDB with linebloom as its plugin; a
// program that links the archive calls it once before it parses options.
// Calling it again, or in a RocksDB of another minor version, does nothing.
LINEBLOOM_EXPORT void linebloom_register_filter_policy(void);

#ifdef __cplusplus
}
#endif
