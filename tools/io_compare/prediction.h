// The false-positive rate that the filters of a database should have.
#pragma once

#include <optional>

#include "rocksdb/db.h"

namespace linebloom::tools {

// The rate that a lookup of a missing key should see for each file that it
// probes: the mean over the sorted runs of `db`, and within a run over its
// files, which have their keys' share of the lookups. Read from the filter
// blocks themselves: a linebloom block says its rate, RocksDB's own say what it
// follows from. Nothing where a file has no filter, or one whose rate is not
// known.
std::optional<double> PredictedFalsePositiveRate(rocksdb::DB* db);

}  // namespace linebloom::tools
