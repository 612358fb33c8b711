// Creates and finds the level size listener.
#pragma once

#include <memory>

#include "filter_policy/levels/heat_source.h"
#include "linebloom/level_size_listener.h"
#include "rocksdb/options.h"

namespace linebloom {

// As RocksDB's object registry requires it.
std::unique_ptr<rocksdb::EventListener> NewOwnedLevelSizeListener();

// The listener among a database's; null if there is none.
rocksdb::EventListener* FindLevelSizeListener(
    const rocksdb::DBOptions& options);

// The listener as a source of heat; null if it isn't one. The caller may be
// linked into another library than the listener, whose class it doesn't know
// then.
const HeatSource* HeatSourceOf(rocksdb::EventListener* listener);

}  // namespace linebloom
