#include "filter_policy/levels/compaction_in_tree.h"

#include <algorithm>
#include <utility>

namespace linebloom {
namespace {

using rocksdb::CompactionJobInfo;

// The table properties contain the entries of each input file.
double KeysOfInput(const CompactionJobInfo& job, size_t input) {
  const auto found = job.table_properties.find(job.input_files[input]);
  return found == job.table_properties.end()
             ? 0
             : static_cast<double>(found->second->num_entries);
}

// True if there is no level between those of the inputs, as in leveled
// compaction.
bool ReadsTwoLevels(const CompactionJobInfo& job) {
  return std::all_of(
      job.input_file_infos.begin(), job.input_file_infos.end(),
      [](const rocksdb::CompactionFileInfo& file) { return file.level <= 1; });
}

// CompactionFileInfo::level is an index into the levels that are read: the
// first and the last in leveled compaction, and all levels between them in
// universal.
int LevelOfInput(const CompactionJobInfo& job, size_t input, bool two_levels) {
  const int index = job.input_file_infos[input].level;
  if (index == 0) return job.base_input_level;
  return two_levels ? job.output_level
                    : std::min(job.base_input_level + index, job.output_level);
}

}  // namespace

CompactionInTree Finish(const CompactionJobInfo& job, const KnownFilters& known,
                        TreeSizes tree) {
  double input_keys = 0;
  const bool two_levels = ReadsTwoLevels(job);
  for (size_t i = 0; i < job.input_files.size(); ++i) {
    const double keys = KeysOfInput(job, i);
    tree.Remove(keys, LevelOfInput(job, i, two_levels));
    if (tree.filters.has_value()) {
      RemoveFile(known, FileNameOf(job.input_files[i]), keys, &*tree.filters);
    }
    input_keys += keys;
  }
  tree.Add(input_keys, job.output_level);
  return {std::make_shared<const TreeSizes>(std::move(tree)), input_keys, {}};
}

FilterTotals FiltersOfInputs(const CompactionJobInfo& job) {
  FilterTotals totals;
  for (const auto& [path, properties] : job.table_properties) {
    const KnownFilter filter = FilterOf(*properties);
    totals.keys += filter.budget_keys;
    totals.bits += filter.bits;
  }
  return totals;
}

bool MovedFlushedFiles(const CompactionJobInfo& job) {
  return job.base_input_level == 0 && !job.input_files.empty() &&
         job.input_files == job.output_files;
}

}  // namespace linebloom
