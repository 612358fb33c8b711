// The filters that RocksDB's own policies would build.
#pragma once

#include <optional>

#include "rocksdb/filter_policy.h"

namespace linebloom {

// The expected false-positive rate of the filters that `policy` builds in
// `context`: that of one with 10,000 generated keys. 1 if it builds none there,
// nothing if they are not of RocksDB's own kinds. RocksDbMismatch() must be
// empty.
//
// Rejected: a formula. It would have to know how each version of RocksDB
// chooses the number of probes and of columns.
std::optional<double> RateOfBuiltIn(
    const rocksdb::FilterPolicy& policy,
    const rocksdb::FilterBuildingContext& context);

}  // namespace linebloom
