// The two RocksDB interfaces that a filter policy hands out.
//
// Since 7.0 RocksDB's public headers only forward-declare FilterBitsBuilder and
// FilterBitsReader. They are declared in table/block_based/
// filter_policy_internal.h, which is not installed. A build of RocksDB with
// linebloom as its plugin has that header. Any other build has to declare them
// itself (declared_filter_bits.h), with the same virtual functions in the same
// order, or calls would land in the wrong function. They have had three shapes:
//
//   7.0 - 9.5    AddKey, EstimateEntriesAdded, Finish twice, MaybePostVerify,
//                ApproximateNumEntries
//   9.6 - 10.8   + AddKeyAndAlt behind AddKey
//   10.9 - 11.9  + CalculateSpace, EstimatedFpRate behind ApproximateNumEntries
//
// For a version that is not in this list, compare its declarations with these,
// check that FilterPolicy itself is still as refusing_policy.h says, run the
// tests with that version, and raise the bound below.
#pragma once

#include "rocksdb/version.h"

#define LINEBLOOM_ROCKSDB_VERSION (ROCKSDB_MAJOR * 100 + ROCKSDB_MINOR)

#if LINEBLOOM_ROCKSDB_VERSION < 700 || LINEBLOOM_ROCKSDB_VERSION > 1109
#error \
    "linebloom knows the filter interfaces of RocksDB 7.0 to 11.9 only: \
compare table/block_based/filter_policy_internal.h of this RocksDB with \
filter_policy/rocksdb/declared_filter_bits.h, and rocksdb_filterpolicy_t in \
db/c.cc with filter_policy/policy/policy_for_c.h; then run the tests and raise \
the bound"
#endif

#if defined(LINEBLOOM_ROCKSDB_PLUGIN)
#include "table/block_based/filter_policy_internal.h"
#else
#include "filter_policy/rocksdb/declared_filter_bits.h"
#endif

// `override` if this RocksDB declares the function, otherwise nothing: a class
// can then define the functions of every version.
#if LINEBLOOM_ROCKSDB_VERSION >= 906
#define LINEBLOOM_OVERRIDE_9_6 override
#else
#define LINEBLOOM_OVERRIDE_9_6
#endif
#if LINEBLOOM_ROCKSDB_VERSION >= 1009
#define LINEBLOOM_OVERRIDE_10_9 override
#else
#define LINEBLOOM_OVERRIDE_10_9
#endif
