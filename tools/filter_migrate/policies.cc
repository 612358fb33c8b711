#include "tools/filter_migrate/policies.h"

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "filter_policy/rocksdb/policy_options.h"
#include "rocksdb/filter_policy.h"
#include "rocksdb/table.h"
#include "tools/databases/rocksdb_status.h"

namespace linebloom::tools {
namespace {

const rocksdb::BlockBasedTableOptions* TableOf(
    const rocksdb::ColumnFamilyOptions& options) {
  return options.table_factory == nullptr
             ? nullptr
             : options.table_factory
                   ->GetOptions<rocksdb::BlockBasedTableOptions>();
}

// For example "bloomfilter:10:false", as in OPTIONS files.
void TakeBloomBits(const std::string& id, FilterPolicyOptions* policy) {
  const std::vector<std::string> parts = absl::StrSplit(id, ':');
  double bits = 0;
  if (parts.size() < 2 || parts[0] != "bloomfilter" ||
      !absl::SimpleAtod(parts[1], &bits)) {
    return;
  }
  FilterPolicyOptions with_bits;
  with_bits.bits_per_key = bits;
  if (Validate(with_bits).ok() && !BuildsNothing(with_bits)) {
    *policy = with_bits;
  }
}

FilterPolicyOptions DefaultPolicy(const rocksdb::ColumnFamilyOptions& stored) {
  FilterPolicyOptions policy;
  const auto* table = TableOf(stored);
  if (table == nullptr || table->filter_policy == nullptr) return policy;
  if (table->filter_policy->Name() == std::string(kFilterPolicyName)) {
    return *table->filter_policy->GetOptions<FilterPolicyOptions>(
        kFilterPolicyName);
  }
  TakeBloomBits(table->filter_policy->GetId(), &policy);
  return policy;
}

}  // namespace

absl::StatusOr<FilterPolicyOptions> ChoosePolicy(
    const FilterMigrateConfig& config,
    const rocksdb::ColumnFamilyOptions& stored) {
  FilterPolicyOptions policy;
  if (config.policy.empty()) {
    policy = DefaultPolicy(stored);
  } else {
    const rocksdb::Status parsed =
        ParseFilterPolicyOptions(config.policy, &policy);
    if (!parsed.ok()) return FromRocksDb(parsed, "--policy");
    if (BuildsNothing(policy)) {
      return absl::InvalidArgumentError(absl::StrCat(
          "--policy='", config.policy, "' builds no filters: bits_per_key=",
          BitsPerKeyOf(policy), " is below 0.5"));
    }
  }
  if (!config.line.empty()) {
    const rocksdb::Status parsed =
        ParseFilterPolicyOptions(absl::StrCat("line=", config.line), &policy);
    if (!parsed.ok()) return FromRocksDb(parsed, "--line");
  }
  return policy;
}

void SetPolicy(const FilterPolicyOptions& policy,
               rocksdb::ColumnFamilyOptions* options) {
  if (TableOf(*options) == nullptr) return;
  rocksdb::BlockBasedTableOptions table = *TableOf(*options);
  table.filter_policy.reset(NewFilterPolicy(policy));
  options->table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
}

std::string PolicyText(const FilterPolicyOptions& policy) {
  return absl::StrCat(IdOf(policy), ", ",
                      policy.line == Line::kPlain ? "plain" : "solved",
                      policy.level_aware ? ", level aware" : "");
}

}  // namespace linebloom::tools
