// A policy in the form that RocksDB's C API uses.
#pragma once

// Fails to compile with an unknown RocksDB. For a new one, also check db/c.cc
// as described below.
#include "filter_policy/policy/rocksdb_filter_bits.h"
#include "rocksdb/c.h"
#include "rocksdb/filter_policy.h"

namespace linebloom {

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
