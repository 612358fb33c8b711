// Creates the level size listener as RocksDB's object registry requires it.
#pragma once

#include <memory>

#include "linebloom/level_size_listener.h"

namespace linebloom {

std::unique_ptr<rocksdb::EventListener> NewOwnedLevelSizeListener();

}  // namespace linebloom
