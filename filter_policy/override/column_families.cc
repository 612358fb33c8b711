#include "filter_policy/override/column_families.h"

#include <optional>
#include <string_view>

#include "filter_policy/override/settings.h"
#include "linebloom/filter_policy.h"
#include "rocksdb/env.h"
#include "rocksdb/table.h"

namespace linebloom {
namespace {

using rocksdb::BlockBasedTableOptions;
using rocksdb::TableFactory;

// Null if `factory` is not the block-based one. Compares the name and not the
// type: a factory that wraps another one forwards its options but is more than
// that.
const BlockBasedTableOptions* BlockBasedOptions(const TableFactory* factory) {
  if (factory == nullptr) return nullptr;
  const std::string_view name = factory->Name();
  if (name != TableFactory::kBlockBasedTableName()) return nullptr;
  return factory->GetOptions<BlockBasedTableOptions>();
}

}  // namespace

bool GiveFilter(rocksdb::ColumnFamilyOptions* family) {
  const BlockBasedTableOptions* const without =
      BlockBasedOptions(family->table_factory.get());
  if (without == nullptr || without->filter_policy != nullptr) return false;
  const std::optional<FilterPolicyOptions> options =
      OptionsInsteadOf(kDefaultBitsPerKey);
  if (!options) return false;
  // Keeps the block cache, even if the first factory created it.
  BlockBasedTableOptions with = *without;
  with.filter_policy.reset(NewFilterPolicy(*options));
  family->table_factory.reset(rocksdb::NewBlockBasedTableFactory(with));
  return true;
}

std::vector<std::string> GiveFilters(
    std::vector<rocksdb::ColumnFamilyDescriptor>* families) {
  std::vector<std::string> changed;
  for (rocksdb::ColumnFamilyDescriptor& family : *families) {
    if (GiveFilter(&family.options)) changed.push_back(family.name);
  }
  return changed;
}

void ReportGivenFilters(const std::vector<std::string>& families,
                        const rocksdb::DB& db) {
  const rocksdb::DBOptions options = db.GetDBOptions();
  for (const std::string& family : families) {
    const std::string what = "column family [" + family + "] of " +
                             db.GetName() +
                             " had no filter policy and gets linebloom";
    SayIfVerbose(what);
    rocksdb::Info(options.info_log, "linebloom_override: %s", what.c_str());
  }
}

}  // namespace linebloom
