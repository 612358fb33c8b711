// Column families' files as the model has them.
#pragma once

#include <map>

#include "filter_policy/bits/read_model.h"
#include "filter_policy/tree/tree_state.h"

namespace linebloom {

// A tree, or several with about as many lookups per row as one, so that there
// are few: the runs of the newest files, then the levels, counted from the
// last one, as they are. All files keep their filters. Rejected: at rest. Below
// ten times max_bytes_for_level_base trees rest with more than a tenth of the
// last level above it: 1,078 blocks were read where 712 had been expected.
class TreeModel {
 public:
  void Add(const TreeState& tree);

  read_model::Tree Model() const;

  // False if its column family has no filter policy.
  static bool Renews(const TreeState& tree);

 private:
  struct Run {
    FileTotals files;
    double rows_met = 0;  // of the trees that have it
  };

  std::map<int, Run> level0_;
  std::map<int, Run> levels_;  // from the last one, which is 0
  double rows_ = 0;            // of the trees
  bool renews_ = false;
};

read_model::Tree ModelOf(const TreeState& tree);

}  // namespace linebloom
