// Files of trees, as their properties tell, and who uses their cache.
#pragma once

#include <memory>
#include <vector>

#include "filter_policy/tree/ledger.h"
#include "filter_policy/tree/tree_state.h"

namespace linebloom {

// With filters of 10 bits that let 1 % pass.
inline FileTotals FilteredFile(double rows) {
  return {.rows = rows,
          .keys = rows,
          .bits = 10 * rows,
          .passed = 0.01 * rows,
          .files = 1,
          .index_bytes = rows,
          .data_blocks = rows / 10,
          .data_bytes = 40 * rows};
}

inline FileTotals UnfilteredFile(double rows) {
  return {.rows = rows, .unfiltered = rows, .passed = rows, .files = 1};
}

struct PlacedFile {
  FileTotals totals;
  int level;
};

inline TreeState TreeOf(const std::vector<PlacedFile>& files) {
  TreeState tree;
  for (const PlacedFile& file : files) tree.Add(file.totals, file.level);
  return tree;
}

// Of one family, such a share of whose lookups hits.
inline CacheUsers UsersOf(std::shared_ptr<const TreeState> tree,
                          const HitRange& hits) {
  CacheUsers users;
  users.families = {{std::move(tree), 0}};
  users.sources.resize(1);
  users.sources[0].hits = hits;
  return users;
}

}  // namespace linebloom
