#include "tools/filter_migrate/config.h"

#include "tools/filter_migrate/policies.h"

namespace linebloom::tools {

absl::Status ValidateConfig(const FilterMigrateConfig& config) {
  if (config.db.empty()) {
    return absl::InvalidArgumentError(
        "name a database with --db; --help says more");
  }
  return ChoosePolicy(config, rocksdb::ColumnFamilyOptions()).status();
}

}  // namespace linebloom::tools
