// What a database's info log says of its caches, its lookups and its filters.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "filter_policy/tree/lookup_load.h"

namespace linebloom::tools {

// The answers of filters to Get and MultiGet: one for each file that a lookup
// came to, so up to one per sorted run and lookup.
struct FilterStats {
  uint64_t negatives = 0;        // the file was skipped
  uint64_t true_positives = 0;   // it had the key, possibly as a deletion
  uint64_t false_positives = 0;  // it was searched in vain

  // The share of probes of files without the key, which a filter can avoid,
  // that it let pass; nothing without any. This is not the share of searches in
  // vain, which depends on how many of the keys exist.
  std::optional<double> false_positive_rate() const;
};

// By the names of the tickers, as in Statistics::getTickerMap() and info logs.
// Counts whole keys, and prefixes if the filters contain nothing else, but not
// scans. Before RocksDB 8.3 it doesn't count MultiGets that probe prefixes,
// which share their tickers with scans.
FilterStats FilterStatsOf(const std::map<std::string, uint64_t>& tickers);

// What RocksDB logs of a column family when it opens a database.
struct LoggedFamily {
  // Its block cache, which no OPTIONS file has: the address, equal for column
  // families that share it, and the capacity in bytes, as logged last. Nothing
  // without one. Of a secondary cache RocksDB logs the same, later.
  std::string cache;
  std::optional<uint64_t> cache_bytes;
  std::optional<uint64_t> cache_shards;
  std::optional<double> high_priority_share;  // high_pri_pool_ratio
};

struct InfoLogFacts {
  // By name; RocksDB leaves out all but about ten. Whoever is missing is as
  // `others`.
  std::map<std::string, LoggedFamily> families;
  // A log that follows on a full one repeats the options of all column
  // families, but not the names: known if all have one cache.
  LoggedFamily others;
  LoggedFamily FamilyOf(const std::string& name) const {
    const auto found = families.find(name);
    return found == families.end() ? others : found->second;
  }
  // The names of their filter policies, by the last log that has one.
  std::map<std::string, std::string> policies;
  // When RocksDB last wrote statistics, which it does every
  // stats_dump_period_sec if the database has them, as in the log:
  // "2026/11/21-17:11:03.123456". "" without any.
  std::string until;
  std::string path;     // of the log that has them
  FilterStats filters;  // what they answered, by those
  // Of the lookups that reached the files, the share that found a row: by
  // statistics or, without any, by `chosen_bits`.
  HitRange hits;
  // When and what the policy said last of the bits that bits_per_key=auto
  // chose, a sentence. "" if it chose none.
  std::string chosen_bits;
};

// Of the newest info logs of the database in `folder`, an application's: this
// program opens databases without one, and those of RocksDB's tools are left
// out as far as they can be told. They are there or, if that isn't "", in
// `log_dir` (DBOptions::db_log_dir). Nothing of what they lack, or of what is
// no regular file. Cancelled after a signal.
absl::StatusOr<InfoLogFacts> ReadInfoLog(const std::string& folder,
                                         const std::string& log_dir);

}  // namespace linebloom::tools
