// Registers the IDs of linebloom for RocksDB's option strings.
#pragma once

#include "rocksdb/utilities/object_registry.h"

namespace linebloom {

// Adds the policy and its listener to a library of factories. Returns how many
// factories that is.
int AddFactories(rocksdb::ObjectLibrary* library);

}  // namespace linebloom
