// What a sample of filters' answers tells of the lookups in some trees.
#pragma once

#include "filter_policy/tree/lookup_load.h"
#include "filter_policy/tree/tree_state.h"

namespace linebloom {

// Each tree has lookups by its rows.
class ProbedTrees {
 public:
  void Add(const TreeState& tree);

  // The lookups behind so many probes, of which some were positive. A lookup
  // that misses probes each run, one that hits those down to its row; the
  // positives beyond the expected false ones are hits. Linear, so that sums
  // over times in which the trees were unlike are right: below 0 for too few
  // positives.
  Lookups Behind(double probes, double positives) const;

  // The share of the lookups that hits, if these shares of so many sampled ones
  // did. All from 0 to 1 if filters are missing; from 0 if not every positive
  // is a row that was found.
  HitRange Hits(double sampled, const HitRange& seen) const;

 private:
  // Sums, by which a row counts as often as it is looked up.
  double rows_ = 0;
  double runs_ = 0;
  double rates_ = 0;
  double probes_of_rows_ = 0;
  double unfiltered_ = 0;
  double ambiguous_ = 0;
};

}  // namespace linebloom
