// Creates and finds the level size listener.
#pragma once

#include <memory>

#include "linebloom/level_size_listener.h"
#include "rocksdb/options.h"

namespace linebloom {

// As RocksDB's object registry requires it.
std::unique_ptr<rocksdb::EventListener> NewOwnedLevelSizeListener();

// The listener among a database's; null if there is none.
rocksdb::EventListener* FindLevelSizeListener(
    const rocksdb::DBOptions& options);

}  // namespace linebloom
