#include "rebuild/family.h"

#include "filter_policy/policy_options.h"
#include "linebloom/filter_policy.h"
#include "rocksdb/filter_policy.h"
#include "rocksdb/table.h"

namespace linebloom {
namespace {

using rocksdb::Status;

Status Refuse(const std::string& family, const std::string& problem) {
  return Status::InvalidArgument("linebloom: column family '" + family + "'",
                                 problem);
}

}  // namespace

Status ReadWantedFilter(const std::string& family,
                        const rocksdb::ColumnFamilyOptions& options,
                        WantedFilter* wanted) {
  const auto* table = options.table_factory == nullptr
                          ? nullptr
                          : options.table_factory
                                ->GetOptions<rocksdb::BlockBasedTableOptions>();
  if (table == nullptr) return Refuse(family, "its tables have no filters");
  if (table->filter_policy == nullptr) {
    return Refuse(
        family, "it has no filter policy; open the database with linebloom's");
  }
  // By name: the policy may come from a library of its own.
  const auto* policy =
      table->filter_policy->Name() == std::string(kFilterPolicyName)
          ? table->filter_policy->GetOptions<FilterPolicyOptions>(
                kFilterPolicyName)
          : nullptr;
  if (policy == nullptr) {
    return Refuse(family, "its filter policy is " +
                              table->filter_policy->GetId() +
                              "; open the database with linebloom's");
  }
  if (!table->whole_key_filtering && options.prefix_extractor == nullptr) {
    return Refuse(family,
                  "its filters hold nothing: whole_key_filtering is off and "
                  "there is no prefix_extractor");
  }
  wanted->effort = policy->build_effort;
  wanted->millibits = MillibitsOf(policy->bits_per_key);
  if (wanted->millibits == 0) {
    return Refuse(family, "its policy builds no filters: bits_per_key=" +
                              BitsPerKeyText(policy->bits_per_key));
  }
  return Status::OK();
}

}  // namespace linebloom
