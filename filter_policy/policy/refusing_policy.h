// Replaces linebloom's policy in a RocksDB that it was not built for.
#pragma once

#include "rocksdb/filter_policy.h"

namespace linebloom {

// A policy with which no database opens: its validation reports
// RocksDbMismatch(). Callers that don't validate, such as SstFileWriter, get no
// filters from it, so nothing in rocksdb_filter_bits.h is ever called.
//
// The public class FilterPolicy has the same virtual functions and data members
// in every release from 7.0.3 to 11.8.1, so a policy that needs nothing else
// can be passed to any of them.
const rocksdb::FilterPolicy* NewRefusingFilterPolicy();

}  // namespace linebloom
