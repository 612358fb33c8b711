// A policy as RocksDB's C API hands it round.
#pragma once

// Refuses to compile with a RocksDB that is not known. Of a new one look also
// at what the next comment says of db/c.cc.
#include "filter_policy/rocksdb/rocksdb_filter_bits.h"
#include "rocksdb/c.h"
#include "rocksdb/filter_policy.h"

namespace linebloom {

// RocksDB defines rocksdb_filterpolicy_t in db/c.cc only, with the same words
// in every release from 7.0.1 to 11.8.1: a class with FilterPolicy as its one,
// first and polymorphic base. All that is ever done with a pointer to it is to
// convert it to FilterPolicy, which stands at its beginning, and to delete it,
// which calls the virtual destructor. Both are right for any FilterPolicy.
//
// Rejected: to define that class here again and derive from it. Two
// definitions of one class with virtual functions must stay the same to the
// letter, or in a program that links RocksDB statically either would be taken
// for the other. Also rejected: one of RocksDB's own C policies as the outside.
// It is a private class with private members, which this would have to know.
inline rocksdb_filterpolicy_t* PolicyForC(const rocksdb::FilterPolicy* policy) {
  return reinterpret_cast<rocksdb_filterpolicy_t*>(
      const_cast<rocksdb::FilterPolicy*>(policy));
}

}  // namespace linebloom
