// The two RocksDB interfaces that a filter policy hands out.
//
// Since 7.0 RocksDB's public headers only forward-declare FilterBitsBuilder and
// FilterBitsReader; the declarations stand in
// table/block_based/filter_policy_internal.h, which is not installed. A build
// of RocksDB with linebloom as its plugin has that header. Any other has to
// declare them itself (declared_filter_bits.h), with the same virtual functions
// in the same order, or calls would land in the wrong function. They have had
// three shapes:
//
//   7.0 - 9.5    AddKey, EstimateEntriesAdded, Finish twice, MaybePostVerify,
//                ApproximateNumEntries
//   9.6 - 10.8   + AddKeyAndAlt behind AddKey
//   10.9 - 11.9  + CalculateSpace, EstimatedFpRate behind ApproximateNumEntries
//
// For a version that is not in this list, compare the declarations of that
// version with those, run the tests under it, and raise the bound below. There
// too: whether FilterPolicy itself is as refusing_policy.h says.
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

// `override` where this RocksDB has the function, nothing where it has not: a
// class may then declare the functions of every version.
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
