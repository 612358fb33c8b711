// What takes linebloom's place in a RocksDB that it was not built for.
#pragma once

#include "rocksdb/filter_policy.h"

namespace linebloom {

// A policy with which no database opens: it reports RocksDbMismatch(). To what
// asks it for filters without validating it, as SstFileWriter does, it gives
// none, so nothing of rocksdb_filter_bits.h is ever called.
//
// FilterPolicy itself, which is public, has the same virtual functions and data
// members in every release from 7.0.3 to 11.8.1, so a policy that consists of
// it alone can be handed to any of them.
const rocksdb::FilterPolicy* NewRefusingFilterPolicy();

}  // namespace linebloom
