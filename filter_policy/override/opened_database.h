// The type in which RocksDB returns a database that it has opened.
#pragma once

#include <memory>

#include "filter_policy/rocksdb/rocksdb_filter_bits.h"
#include "rocksdb/db.h"

namespace linebloom {

// The type in the functions that RocksDB's library exports. Since 9.11 the
// overloads with DB** exist only in its header.
#if LINEBLOOM_ROCKSDB_VERSION >= 911
using OpenedDatabase = std::unique_ptr<rocksdb::DB>*;
#else
using OpenedDatabase = rocksdb::DB**;
#endif

}  // namespace linebloom
