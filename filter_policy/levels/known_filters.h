// The sizes of files' filters, from the properties that every SSTable has.
#pragma once

#include <string>
#include <unordered_map>

#include "filter_policy/levels/filter_account.h"
#include "filter_policy/levels/tree_sizes.h"
#include "rocksdb/env.h"
#include "rocksdb/table_properties.h"

namespace linebloom {

struct KnownFilter {
  double rows = 0;
  double keys = 0;  // and prefixes in the filter
  double bits = 0;
  // The keys that count for a memory budget: those in the filter or, if the
  // file has none although its column family has a filter policy, its rows.
  double budget_keys = 0;
};

KnownFilter FilterOf(const rocksdb::TableProperties& properties);

// The same, read from the file at `path` with one or two reads. A file that
// can't be read or isn't a block-based table counts as one without a filter.
KnownFilter ReadOldFilter(rocksdb::Env* env, const std::string& path);

// By file name without a folder, which is unique because a database never
// reuses a file number.
using KnownFilters = std::unordered_map<std::string, KnownFilter>;

std::string FileNameOf(const std::string& path);

// Add the file `name` of `rows` rows, which may or may not be in `known`.
void AddFile(const KnownFilters& known, const std::string& name, double rows,
             FilterSums* sums);
void AddFile(const KnownFilters& known, const std::string& name, double rows,
             FilterTotals* totals);

// Takes away what AddFile() has added.
void RemoveFile(const KnownFilters& known, const std::string& name, double rows,
                FilterSums* sums);

}  // namespace linebloom
