// The trees of a database, from the metadata of its files.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "tools/advise/filter_curve.h"
#include "tools/advise/lookup_costs.h"

namespace linebloom::tools {

struct FilterCurves {
  // Of the policies that the string functions below name.
  static absl::StatusOr<FilterCurves> Make();

  FilterCurve bloom;
  FilterCurve ribbon;
  FilterCurve linebloom;
};

std::string BloomOptions(int bits);
std::string RibbonOptions(int bits);
std::string LinebloomOptions(int bits);

struct TreeFacts {
  std::vector<Tree> trees;  // one for each column family with files
  // Those that the files have. The rates follow from their bits per key.
  std::vector<std::vector<FilterSize>> filters;
  // By the stored options of the family with the most rows; without them as
  // RocksDB's tuning guide has it, with level 0 pinned.
  CacheUse use;
  size_t files = 0;
  size_t unfiltered = 0;  // of them
  double rows = 0;
  std::string policies;  // which wrote the filters
};

// Reads the files' footers, properties and metaindexes and nothing else;
// another process may have the database open. `column_family` alone unless it
// is "". InvalidArgument without files; else the errors of ListLiveFiles, with
// the name `flag`, and of SstFile.
absl::StatusOr<TreeFacts> ReadTreeFacts(absl::string_view flag,
                                        const std::string& folder,
                                        const std::string& column_family,
                                        const FilterCurves& curves);

}  // namespace linebloom::tools
