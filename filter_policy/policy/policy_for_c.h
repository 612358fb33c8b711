// A policy in the form that RocksDB's C API uses.
#pragma once

// Fails to compile with an unknown RocksDB. For a new one, also check db/c.cc
// as described below.
#include "filter_policy/rocksdb/rocksdb_filter_bits.h"
#include "rocksdb/c.h"
#include "rocksdb/filter_policy.h"

namespace linebloom {

// RocksDB defines rocksdb_filterpolicy_t only in db/c.cc, identically in every
// release from 7.0.1 to 11.8.1: a class whose only base, FilterPolicy, comes
// first and is polymorphic. A pointer to it is only ever converted to
// FilterPolicy, which is at its beginning, or deleted, which calls the virtual
// destructor. Both are valid for any FilterPolicy.
//
// Rejected: defining that class again and deriving from it. Two definitions of
// a class with virtual functions must be identical, because in a program that
// links RocksDB statically either may replace the other. Also rejected:
// wrapping in one of RocksDB's own C policies, a private class with private
// members that this would have to know.
inline rocksdb_filterpolicy_t* PolicyForC(const rocksdb::FilterPolicy* policy) {
  return reinterpret_cast<rocksdb_filterpolicy_t*>(
      const_cast<rocksdb::FilterPolicy*>(policy));
}

}  // namespace linebloom
