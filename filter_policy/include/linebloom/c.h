// linebloom for C, and so for every language that calls RocksDB through
// rocksdb/c.h.
//
//   rocksdb_block_based_table_options_t* table =
//       rocksdb_block_based_options_create();
//   rocksdb_block_based_options_set_filter_policy(
//       table, linebloom_filterpolicy_create(10));
//   rocksdb_options_set_block_based_table_factory(options, table);
//
// This header needs C99 and rocksdb/c.h, nothing else.
#pragma once

#include <rocksdb/c.h>

#include "linebloom/export.h"

#ifdef __cplusplus
extern "C" {
#endif

// Returns a new policy, as rocksdb_filterpolicy_create_bloom(bits_per_key)
// does: rocksdb_block_based_options_set_filter_policy() takes it over, and one
// that was not handed to it is freed by rocksdb_filterpolicy_destroy(). Never
// NULL: bits out of range, 0 to 30, are reported when a database is opened.
LINEBLOOM_EXPORT rocksdb_filterpolicy_t* linebloom_filterpolicy_create(
    double bits_per_key);

// The same from an option string, with all of linebloom's options
// (linebloom/filter_policy.h):
//
//   linebloom:10
//   bits_per_key=10
//   {id=linebloom;bits_per_key=10;line=plain}
//
// Where the string is wrong it returns NULL and sets *errptr as the functions
// of rocksdb/c.h do: *errptr is NULL or from malloc() before, and is the
// caller's to free() afterwards.
LINEBLOOM_EXPORT rocksdb_filterpolicy_t*
linebloom_filterpolicy_create_from_string(const char* options, char** errptr);

#ifdef __cplusplus
}
#endif
