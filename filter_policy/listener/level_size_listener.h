// Creates and finds the level size listener.
#pragma once

#include <memory>
#include <string>

#include "filter_policy/tree/new_file.h"
#include "filter_policy/tree/tree_state.h"
#include "linebloom/level_size_listener.h"
#include "rocksdb/db.h"
#include "rocksdb/options.h"

namespace linebloom {

// What policies and RebuildFilters() ask of the listener. They may be linked
// into another library than the listener, whose class they don't know then.
// Thread-safe.
class ListenerApi {
 public:
  virtual ~ListenerApi() = default;

  // As OverrideTree() of new_file.h has it, whatever the listener knows.
  virtual void OverrideTree(std::shared_ptr<const TreeState> tree,
                            UsersOfCache users_of) = 0;

  // For files of a column family that no event announces.
  virtual UsersOfCache UsersFor(rocksdb::DB* db,
                                const std::string& column_family) = 0;

  // An address that each copy of the library has of its own.
  virtual const void* Copy() const = 0;
};

// As RocksDB's object registry requires it.
std::unique_ptr<rocksdb::EventListener> NewOwnedLevelSizeListener();

// The listener among a database's; null if there is none.
ListenerApi* FindListener(const rocksdb::DBOptions& options);

// True if this copy of the library made it. Another copy's, as with a static
// library in a program and the shared one preloaded, leaves what it knows where
// this copy's policies don't look.
bool HasListener(const rocksdb::DBOptions& options);

}  // namespace linebloom
