#include "filter_policy/levels/known_filters.h"

#include <memory>

#include "rocksdb/options.h"
#include "rocksdb/sst_file_reader.h"
#include "rocksdb/table.h"

namespace linebloom {
namespace {

void Count(const KnownFilters& known, const std::string& name, double rows,
           int sign, FilterSums* sums) {
  const auto filter = known.find(name);
  if (filter == known.end()) {
    sums->other_rows += sign * rows;
    return;
  }
  sums->rows += sign * filter->second.rows;
  sums->keys += sign * filter->second.keys;
  sums->bits += sign * filter->second.bits;
}

}  // namespace

KnownFilter FilterOf(const rocksdb::TableProperties& properties) {
  KnownFilter filter;
  filter.rows = static_cast<double>(properties.num_entries);
  filter.keys = static_cast<double>(properties.num_filter_entries);
  filter.bits = 8 * static_cast<double>(properties.filter_size);
  if (filter.bits > 0) {
    filter.budget_keys = filter.keys > 0 ? filter.keys : filter.rows;
  } else if (!properties.filter_policy_name.empty()) {
    filter.budget_keys = filter.rows;
  }
  return filter;
}

// DB::GetPropertiesOfAllTables() needs the handle of the column family, which
// listeners aren't given.
KnownFilter ReadOldFilter(rocksdb::Env* env, const std::string& path) {
  rocksdb::BlockBasedTableOptions table;
  table.cache_index_and_filter_blocks = true;  // so that neither is read
  rocksdb::Options options;
  options.env = env;
  options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
  rocksdb::SstFileReader reader(options);
  if (!reader.Open(path).ok()) return {};
  const auto properties = reader.GetTableProperties();
  return properties == nullptr ? KnownFilter() : FilterOf(*properties);
}

std::string FileNameOf(const std::string& path) {
  return path.substr(path.rfind('/') + 1);
}

void AddFile(const KnownFilters& known, const std::string& name, double rows,
             FilterSums* sums) {
  Count(known, name, rows, 1, sums);
}

void AddFile(const KnownFilters& known, const std::string& name, double rows,
             FilterTotals* totals) {
  const auto filter = known.find(name);
  if (filter == known.end()) {
    totals->unknown_keys += rows;
    return;
  }
  totals->keys += filter->second.budget_keys;
  totals->bits += filter->second.bits;
}

void RemoveFile(const KnownFilters& known, const std::string& name, double rows,
                FilterSums* sums) {
  Count(known, name, rows, -1, sums);
}

}  // namespace linebloom
