// The figures of a database's filters for Prometheus.
//
//   std::string text;
//   linebloom::MeteredDatabase metered;
//   metered.db = db;
//   rocksdb::Status status = linebloom::FilterMetrics({metered}, &text);
//   // Append `text` to the answer of the program's own /metrics.
//
// This reads RocksDB's counters and the properties of files, so it works for
// every filter policy. docs/monitoring.md lists the metrics and has rules and a
// dashboard for them.
//
// Needs only C++17 and RocksDB's public headers.
#pragma once

#include <string>
#include <vector>

#include "linebloom/export.h"
#include "rocksdb/db.h"
#include "rocksdb/status.h"

namespace linebloom {

// A database and the name to report it under. The caller keeps it open during
// the call.
struct MeteredDatabase {
  rocksdb::DB* db = nullptr;  // not null
  // Of `db`, and alive during the call. Empty: the default one.
  std::vector<rocksdb::ColumnFamilyHandle*> column_families = {};
  // The label `database` of its metrics; empty: the path. Different for each
  // database.
  std::string name;
};

// Replaces `text`, which is not null, by all metrics of the databases in
// Prometheus's text format, version 0.0.4:
//
// - from each database's Statistics, if it has any: what lookups met, as in
//   GetFilterStats(). Databases that share their Statistics each show the
//   sum;
// - of the live files, by column family, level and the policy that built the
//   filter: files, rows, and the keys and bytes of their filters;
// - of each column family whose policy has one: the memory budget.
//
// Names in labels may be any bytes: those that are not UTF-8 become \xff, and
// control characters but line ends \x1b, for Prometheus drops a text with one
// byte that is not UTF-8.
//
// The counters only increase until Statistics are reset, as Prometheus needs
// it. So there is no counter of false positives: it would be a difference of
// two readings, which falls back when a lookup ends between them, and
// Prometheus takes a counter that falls for one that began again at 0.
//
// Call it once per scrape, not per lookup: it goes through the properties of
// all files. RocksDB has them in memory for open files, and with
// `max_open_files` below their number reads those of the others. Errors are
// RocksDB's; then `text` is empty. Thread-safe.
LINEBLOOM_EXPORT rocksdb::Status FilterMetrics(
    const std::vector<MeteredDatabase>& databases, std::string* text);

}  // namespace linebloom
