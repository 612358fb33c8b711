// Predicts the false-positive rate of a database's filters.
#pragma once

#include <functional>
#include <map>
#include <optional>

#include "rocksdb/db.h"

namespace linebloom::tools {

// The rate that a lookup of a missing key should meet per file that it probes:
// the mean over files, weighted by their shares of lookups. Nothing if a file
// has no filter or one of unknown rate.
struct PredictedRates {
  std::optional<double> all;
  std::map<int, double> levels;
};

// Reads the filter blocks of `db`: linebloom's state their rate, and RocksDB's
// determine it. `share_of` says which share of the lookups falls into a file's
// range; if null, ProbeShares() does.
PredictedRates PredictFalsePositiveRates(
    rocksdb::DB* db,
    const std::function<double(const rocksdb::LiveFileMetaData&)>& share_of =
        nullptr);

}  // namespace linebloom::tools
