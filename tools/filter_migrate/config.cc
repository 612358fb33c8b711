#include "tools/filter_migrate/config.h"

#include "absl/strings/str_cat.h"
#include "tools/filter_migrate/policies.h"

namespace linebloom::tools {

absl::Status ValidateConfig(const FilterMigrateConfig& config) {
  if (config.db.empty()) {
    return absl::InvalidArgumentError(
        "name a database with --db; --help says more");
  }
  if (!(config.worst_rate >= 0 && config.worst_rate <= 1)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "--worst_rate=", config.worst_rate, " is out of range: 0 to 1"));
  }
  return ChoosePolicy(config, rocksdb::ColumnFamilyOptions()).status();
}

}  // namespace linebloom::tools
