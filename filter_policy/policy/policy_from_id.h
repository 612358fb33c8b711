// Creates a policy from an ID in an option string.
#pragma once

#include <memory>
#include <string>

#include "rocksdb/filter_policy.h"

namespace linebloom {

// `id` is `linebloom` or `linebloom:BITS`. Never null: if BITS is invalid,
// configuring or validating the policy reports that.
std::unique_ptr<const rocksdb::FilterPolicy> NewFilterPolicyFromId(
    const std::string& id);

}  // namespace linebloom
