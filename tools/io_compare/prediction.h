// The false-positive rate that the filters of a database should have.
#pragma once

#include <map>
#include <optional>

#include "rocksdb/db.h"

namespace linebloom::tools {

// The rate that a lookup of a missing key should see for each file that it
// probes: the mean over the sorted runs, and within a run over its files, which
// have their keys' share of the lookups. Nothing where a file has no filter, or
// one whose rate is not known.
struct PredictedRates {
  std::optional<double> all;
  std::map<int, double> levels;
};

// Read from the filter blocks of `db` themselves: a linebloom block says its
// rate, RocksDB's own say what it follows from.
PredictedRates PredictFalsePositiveRates(rocksdb::DB* db);

}  // namespace linebloom::tools
