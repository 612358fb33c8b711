#include "tools/filter_migrate/policies.h"

#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "filter_policy/rocksdb/policy_options.h"
#include "rocksdb/filter_policy.h"
#include "rocksdb/table.h"
#include "tools/shared/databases.h"
#include "tools/shared/policies.h"

namespace linebloom::tools {
namespace {

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
  const auto* table = TableOptionsOf(stored);
  if (table == nullptr || table->filter_policy == nullptr) return policy;
  const FilterPolicyOptions* own =
      OptionsOfLinebloom(table->filter_policy.get());
  if (own != nullptr) return *own;
  TakeBloomBits(table->filter_policy->GetId(), &policy);
  return policy;
}

// RocksDB's own policy, if the text names one; else null.
absl::StatusOr<FilterPolicyPtr> ChooseBuiltIn(
    const FilterMigrateConfig& config) {
  const PolicyString read = ReadPolicyString(config.policy);
  if (read.policy == nullptr ||
      OptionsOfLinebloom(read.policy.get()) != nullptr) {
    return nullptr;
  }
  if (!read.problem.empty()) {
    return absl::InvalidArgumentError(absl::StrCat("--policy=", read.problem));
  }
  if (!config.line.empty() || config.worst_rate > 0) {
    return absl::InvalidArgumentError(absl::StrCat(
        config.line.empty() ? "--worst_rate" : "--line",
        " needs a policy of linebloom's, not --policy='", config.policy, "'"));
  }
  return read.policy;
}

absl::StatusOr<FilterPolicyPtr> ChooseLinebloom(
    const FilterMigrateConfig& config,
    const rocksdb::ColumnFamilyOptions& stored) {
  FilterPolicyOptions policy;
  if (config.policy.empty()) {
    policy = DefaultPolicy(stored);
  } else {
    const rocksdb::Status parsed =
        ParseFilterPolicyOptions(config.policy, &policy);
    if (!parsed.ok()) {
      return absl::InvalidArgumentError(absl::StrCat(
          FromRocksDb(parsed, "--policy").message(),
          "; RocksDB's own are bloomfilter:BITS and ribbonfilter:BITS"));
    }
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
  return FilterPolicyPtr(NewFilterPolicy(policy));
}

}  // namespace

absl::StatusOr<FilterPolicyPtr> ChoosePolicy(
    const FilterMigrateConfig& config,
    const rocksdb::ColumnFamilyOptions& stored) {
  if (!config.policy.empty()) {
    absl::StatusOr<FilterPolicyPtr> built_in = ChooseBuiltIn(config);
    if (!built_in.ok() || *built_in != nullptr) return built_in;
  }
  return ChooseLinebloom(config, stored);
}

void SetPolicy(FilterPolicyPtr policy, rocksdb::ColumnFamilyOptions* options) {
  if (TableOptionsOf(*options) == nullptr) return;
  rocksdb::BlockBasedTableOptions table = *TableOptionsOf(*options);
  table.filter_policy = std::move(policy);
  options->table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
}

std::string PolicyText(const rocksdb::FilterPolicy& policy) {
  const FilterPolicyOptions* own = OptionsOfLinebloom(&policy);
  if (own == nullptr) {
    return absl::StrCat(policy.GetId(), ", RocksDB's own");
  }
  return absl::StrCat(policy.GetId(), ", ",
                      own->line == Line::kPlain ? "plain" : "solved",
                      own->heat_aware    ? ", heat aware"
                      : own->level_aware ? ", level aware"
                                         : "");
}

}  // namespace linebloom::tools
