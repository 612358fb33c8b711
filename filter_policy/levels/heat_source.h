// Where a process learns how lookups fall now.
#pragma once

#include <memory>
#include <string>

#include "filter_policy/levels/heat_profile.h"

namespace linebloom {

// The level size listener is one. Thread-safe.
class HeatSource {
 public:
  virtual ~HeatSource() = default;

  // Null until a policy with heat_aware has built a filter of the column family
  // and the listener has looked at its files since. `database` is its path.
  virtual std::shared_ptr<const HeatProfile> HeatOf(
      const std::string& database, const std::string& family) const = 0;
};

}  // namespace linebloom
