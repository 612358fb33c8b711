// How good filters are in practice, by RocksDB's tickers.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace linebloom::tools {

// The answers of filters to Get and MultiGet: one for each file that a lookup
// came to, so up to one per sorted run and lookup.
struct FilterStats {
  uint64_t negatives = 0;  // the file was skipped
  uint64_t positives = 0;  // the file was searched ...
  // ... and had the key, possibly as a deletion.
  uint64_t true_positives = 0;

  // Files searched in vain. (While lookups continue, the counts are not from
  // exactly the same moment.)
  uint64_t false_positives() const {
    return positives > true_positives ? positives - true_positives : 0;
  }

  // Probes of files without the key, which a filter can avoid.
  uint64_t probes_without_key() const { return negatives + false_positives(); }

  // The share of these that the filter let pass; nothing if there were none.
  // This is not the share of searches in vain, which depends on how many of the
  // keys exist.
  std::optional<double> false_positive_rate() const;

  FilterStats& operator+=(const FilterStats& other);
};

// By the names of the tickers, as in Statistics::getTickerMap() and info logs.
// Counts whole keys, and prefixes if the filters contain nothing else, but not
// scans. Before RocksDB 8.3 it doesn't count MultiGets that probe prefixes,
// which share their tickers with scans.
FilterStats FilterStatsOf(const std::map<std::string, uint64_t>& tickers);

}  // namespace linebloom::tools
