// A column family whose filters are to be rebuilt.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "filter_policy/rebuild/judgement.h"
#include "linebloom/filter_policy.h"
#include "rocksdb/db.h"
#include "rocksdb/metadata.h"
#include "rocksdb/options.h"
#include "rocksdb/status.h"

namespace linebloom {

struct Family {
  std::string name;
  rocksdb::ColumnFamilyHandle* handle = nullptr;
  rocksdb::Options options;
  FilterPolicyOptions policy;
  // The budget of a policy that has one; `policy` then has its share per key.
  std::optional<uint64_t> memory_budget;
  double worst_rate = 0;  // see RebuildFiltersOptions
};

// Reads the options of the policy in `options`. Returns InvalidArgument, with
// the name of the column family, if the policy is not linebloom's or builds no
// filters.
rocksdb::Status ReadPolicy(const std::string& family,
                           const rocksdb::ColumnFamilyOptions& options,
                           FilterPolicyOptions* policy);

// Replaces memory budgets by bits per key: the smallest budget is divided
// equally among all keys of the families that have one.
std::vector<Family> ShareBudget(rocksdb::DB* db, std::vector<Family> families);

// The filter that the family's policy would build for a file rewritten on
// `level`. `nothing_below` says that no file below contains any of its keys.
WantedFilter WantedOfFile(const Family& family,
                          const rocksdb::ColumnFamilyMetaData& files, int level,
                          bool nothing_below);

}  // namespace linebloom
