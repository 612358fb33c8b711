// What a filter policy hands out: types that RocksDB's public headers only
// forward-declare.
//
// Since 7.0 FilterBitsBuilder and FilterBitsReader are declared in
// table/block_based/filter_policy_internal.h, which is not installed. A build
// of RocksDB with linebloom as its plugin has that header, and the compiler
// checks that ours override what it declares, whatever its version. Any other
// build has to declare them itself (declared_filter_bits.h), with the same
// virtual functions in the same order, or calls would land in the wrong
// function. They have had three shapes:
//
//   7.3 - 9.5     AddKey, EstimateEntriesAdded, Finish twice, MaybePostVerify,
//                 ApproximateNumEntries
//   9.6 - 10.8    + AddKeyAndAlt after AddKey
//   10.9 - 11.12  + CalculateSpace, EstimatedFpRate after ApproximateNumEntries
//
// For a version that is not in this list, `tests/plugin/run.sh SOURCE
// --interfaces` says whether it has the last shape; then run the tests with
// that version and raise the bound below. LINEBLOOM_NEWER_ROCKSDB lifts it, and
// leaves only what RocksDbMismatch() tries.
#pragma once

#include "rocksdb/version.h"

#define LINEBLOOM_ROCKSDB_VERSION (ROCKSDB_MAJOR * 100 + ROCKSDB_MINOR)

// 7.2 and earlier lack functions of OptionTypeInfo.
#if LINEBLOOM_ROCKSDB_VERSION < 703
#error "linebloom needs RocksDB 7.3 or later"
#elif defined(LINEBLOOM_ROCKSDB_PLUGIN)
#include "table/block_based/filter_policy_internal.h"
#elif LINEBLOOM_ROCKSDB_VERSION > 1112 && !defined(LINEBLOOM_NEWER_ROCKSDB)
#error \
    "linebloom knows the filter interfaces of RocksDB up to 11.12. With a newer \
one compile it as RocksDB's plugin, or, at your own risk, with \
-DLINEBLOOM_NEWER_ROCKSDB: before the policy registers, it tries the \
interfaces with a filter of RocksDB's own."
#else
#include "filter_policy/policy/declared_filter_bits.h"
#endif

struct rocksdb_filterpolicy_t;  // of rocksdb/c.h

namespace linebloom {

// RocksDB's builder, with the functions that this version of it may lack: one
// class can then override those of every version. Where RocksDB has them, these
// override them.
class FilterBitsBuilderOfAnyVersion : public rocksdb::FilterBitsBuilder {
 public:
  // NOLINTBEGIN(modernize-use-override)
  virtual void AddKeyAndAlt(const rocksdb::Slice& key,
                            const rocksdb::Slice& alt) = 0;
  virtual size_t CalculateSpace(size_t num_entries) = 0;
  virtual double EstimatedFpRate(size_t num_entries, size_t bytes) = 0;
  // NOLINTEND(modernize-use-override)
};

// RocksDB defines rocksdb_filterpolicy_t only in db/c.cc, identically from
// 7.0.1 to 11.8.1: a class whose first and only base is FilterPolicy. A pointer
// to it is only converted to FilterPolicy or deleted, which are valid for any
// FilterPolicy.
//
// Rejected: defining that class again, since a program that links RocksDB
// statically may take either definition; wrapping one of RocksDB's C policies,
// a private class.
inline rocksdb_filterpolicy_t* PolicyForC(const rocksdb::FilterPolicy* policy) {
  return reinterpret_cast<rocksdb_filterpolicy_t*>(
      const_cast<rocksdb::FilterPolicy*>(policy));
}

}  // namespace linebloom
