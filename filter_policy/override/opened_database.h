// Where RocksDB puts a database that it has opened.
#pragma once

#include <memory>

#include "filter_policy/rocksdb/rocksdb_filter_bits.h"
#include "rocksdb/db.h"

namespace linebloom {

// The type in the functions that RocksDB's library exports. Since 9.11 those
// with DB** stand in its header only.
#if LINEBLOOM_ROCKSDB_VERSION >= 911
using OpenedDatabase = std::unique_ptr<rocksdb::DB>*;
#else
using OpenedDatabase = rocksdb::DB**;
#endif

}  // namespace linebloom
