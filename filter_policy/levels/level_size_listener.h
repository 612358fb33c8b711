// Creates and finds the level size listener.
#pragma once

#include <memory>
#include <string>

#include "filter_policy/levels/heat_profile.h"
#include "linebloom/level_size_listener.h"
#include "rocksdb/options.h"

namespace linebloom {

// Where lookups fall now, for each column family: kept by the level size
// listener. Thread-safe.
class HeatSource {
 public:
  virtual ~HeatSource() = default;

  // Null until a policy with heat_aware has built a filter of the column family
  // and the listener has looked at its files since. `database` is its path.
  virtual std::shared_ptr<const HeatProfile> HeatOf(
      const std::string& database, const std::string& family) const = 0;

  // A policy builds filters of the column family by heat.
  virtual void UseHeat(const std::string& database, const std::string& family,
                       std::shared_ptr<HeatUser> user) = 0;
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

// The listener as a source of heat; null if it isn't one. The caller may be
// linked into another library than the listener, whose class it doesn't know
// then.
const HeatSource* HeatSourceOf(rocksdb::EventListener* listener);

}  // namespace linebloom
