// Creates and finds the level size listener.
#pragma once

#include <memory>
#include <string>

#include "filter_policy/levels/heat_profile.h"
#include "filter_policy/levels/tree_state.h"
#include "linebloom/level_size_listener.h"
#include "rocksdb/options.h"

namespace linebloom {

// What policies and RebuildFilters() call of the listener. They may be linked
// into another library than the listener, whose class they don't know then.
// Thread-safe.
class ListenerApi {
 public:
  virtual ~ListenerApi() = default;

  // Where lookups of the column family fall now. Null until a policy with
  // heat_aware has built a filter of it and the listener has looked at its
  // files since. `database` is its path.
  virtual std::shared_ptr<const HeatProfile> HeatOf(
      const std::string& database, const std::string& family) const = 0;

  // A policy builds filters of the column family by heat.
  virtual void UseHeat(const std::string& database, const std::string& family,
                       const std::shared_ptr<HeatUser>& user) = 0;

  // The files that the calling thread writes belong to `tree`, whatever the
  // listener knows, until this is called with null.
  virtual void WriteIntoTree(std::shared_ptr<const TreeState> tree) = 0;
};

// As RocksDB's object registry requires it.
std::unique_ptr<rocksdb::EventListener> NewOwnedLevelSizeListener();

// The listener among a database's; null if there is none.
rocksdb::EventListener* FindLevelSizeListener(
    const rocksdb::DBOptions& options);

// True if this copy of the library made `listener`. Another copy's, as with a
// static library in a program and the shared one preloaded, leaves what it
// knows where this copy's policies don't look.
bool IsOfThisCopy(const rocksdb::EventListener& listener);

// Null if it isn't the level size listener.
ListenerApi* ApiOf(rocksdb::EventListener* listener);

}  // namespace linebloom
