#include "tools/advise/tree_facts.h"

#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "filter_policy/policy/policy_options.h"
#include "rocksdb/table.h"
#include "table/expected_reads.h"
#include "table/sst_file.h"
#include "table/status.h"
#include "tools/shared/databases.h"
#include "tools/shared/run_tool.h"

namespace linebloom::tools {
namespace {

const FilterCurve& CurveOf(absl::string_view policy,
                           const FilterCurves& curves) {
  return absl::StrContains(policy, "linebloom") ? curves.linebloom
         : absl::StrContains(policy, "ibbon")   ? curves.ribbon
                                                : curves.bloom;
}

// Reads a file and adds it to the tree, but for its place.
absl::Status AddFile(const LiveFile& live, const FilterCurves& curves,
                     double block_size, TreeFacts* facts) {
  ASSIGN_OR_RETURN(const SstFile file, SstFile::Open(live.path));
  const Properties& properties = file.properties();
  TreeFile made;
  made.rows = properties.num_entries;
  made.filter_keys = properties.num_filter_entries.value_or(0);
  if (made.filter_keys == 0) made.filter_keys = made.rows;
  made.data_blocks = properties.num_data_blocks;
  // Stored blocks may be compressed, those in the cache are not.
  made.data_block_bytes = std::max(
      block_size, properties.data_size / std::max(1.0, made.data_blocks));
  made.index_bytes = properties.index_size;
  made.level = live.level;
  facts->trees.back().files.push_back(made);
  facts->rows += made.rows;
  const bool used = file.filter().kind == FilterKind::kFull ||
                    file.filter().kind == FilterKind::kPartitioned;
  const double bytes = file.filter().TotalSize();
  if (!used || bytes == 0) {
    ++facts->unfiltered;
    facts->filters.back().emplace_back();
    return absl::OkStatus();
  }
  if (!absl::StrContains(facts->policies, properties.filter_policy_name)) {
    absl::StrAppend(&facts->policies, facts->policies.empty() ? "" : ", ",
                    properties.filter_policy_name);
  }
  FilterSize filter = CurveOf(properties.filter_policy_name, curves)
                          .OfBits(8 * bytes / std::max(1.0, made.filter_keys),
                                  made.filter_keys);
  filter.bytes = bytes;
  facts->filters.back().push_back(filter);
  return absl::OkStatus();
}

// Fills in where the files of a family lie, and what is below them. `live` are
// in the order of ListLiveFiles(), newest runs first.
void PlaceFiles(const std::vector<LiveFile>& live, Tree* tree) {
  std::vector<FileRange> ranges;
  for (size_t i = 0; i < live.size(); ++i) {
    ranges.push_back({live[i].smallest, live[i].largest, tree->files[i].rows});
  }
  const std::vector<Stretch> places = PlacesOf(ranges, *live[0].comparator);
  for (size_t i = 0; i < live.size(); ++i) tree->files[i].place = places[i];
  for (size_t i = 0; i < live.size(); ++i) {
    TreeFile& file = tree->files[i];
    for (size_t j = i + 1; j < live.size(); ++j) {
      const bool same_run = live[i].level == live[j].level && live[i].level > 0;
      const Stretch& other = tree->files[j].place;
      const double common = std::min(file.place.end, other.end) -
                            std::max(file.place.begin, other.begin);
      if (same_run || common <= 0 || other.share() <= 0) continue;
      file.older_rows += tree->files[j].rows * common / other.share();
    }
  }
}

}  // namespace

absl::StatusOr<TreeFacts> ReadTreeFacts(absl::string_view flag,
                                        const std::string& folder,
                                        const std::string& column_family,
                                        const FilterCurves& curves) {
  ASSIGN_OR_RETURN(const std::vector<LiveFile> files,
                   ListLiveFiles(flag, folder, column_family));
  if (files.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat(flag, "='", folder,
                     "' has no SSTables: write or flush some rows first"));
  }
  TreeFacts facts;
  facts.files = files.size();
  const StoredOptions stored = LoadStoredOptions(folder);
  double most_rows = 0;
  for (auto begin = files.begin(); begin != files.end();) {
    const auto end = std::find_if(begin, files.end(), [&](const auto& file) {
      return file.column_family != begin->column_family;
    });
    rocksdb::BlockBasedTableOptions table;
    table.cache_index_and_filter_blocks = true;
    table.pin_l0_filter_and_index_blocks_in_cache = true;
    for (const auto& family : stored.families) {
      const auto* of_family = TableOptionsOf(family.options);
      if (family.name == begin->column_family && of_family != nullptr) {
        table = *of_family;
      }
    }
    facts.trees.emplace_back();
    facts.filters.emplace_back();
    const double rows = facts.rows;
    for (auto file = begin; file != end; ++file) {
      RETURN_IF_ERROR(CheckInterrupt());
      RETURN_IF_ERROR(AddFile(*file, curves, table.block_size, &facts));
    }
    PlaceFiles({begin, end}, &facts.trees.back());
    facts.trees.back().share = facts.rows - rows;
    if (facts.rows - rows >= most_rows) {
      most_rows = facts.rows - rows;
      facts.use = CacheUse::Of(table);
    }
    begin = end;
  }
  for (Tree& tree : facts.trees) tree.share /= std::max(1.0, facts.rows);
  return facts;
}

std::string BloomOptions(int bits) {
  return absl::StrCat("bloomfilter:", bits);
}
std::string RibbonOptions(int bits) {
  return absl::StrCat("ribbonfilter:", bits, ":-1");
}
std::string LinebloomOptions(int bits) {
  return absl::StrCat("linebloom:", bits);
}

absl::StatusOr<FilterCurves> FilterCurves::Make() {
  FilterCurves curves;
  ASSIGN_OR_RETURN(curves.bloom, FilterCurve::Of(BloomOptions));
  ASSIGN_OR_RETURN(curves.ribbon, FilterCurve::Of(RibbonOptions));
  ASSIGN_OR_RETURN(curves.linebloom, FilterCurve::Of(LinebloomOptions));
  return curves;
}

}  // namespace linebloom::tools
