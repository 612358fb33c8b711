// A policy from what stands in option strings.
#pragma once

#include <memory>
#include <string>

#include "rocksdb/filter_policy.h"

namespace linebloom {

// `id` is `linebloom` or `linebloom:BITS`. Never null: where BITS is wrong,
// configuring or validating the policy says so.
std::unique_ptr<const rocksdb::FilterPolicy> NewFilterPolicyFromId(
    const std::string& id);

}  // namespace linebloom
