#include "filter_policy/levels/file_plan.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "filter_policy/filter/filter_block.h"
#include "filter_policy/filter/sizing.h"
#include "filter_policy/policy/policy_options.h"

namespace linebloom {

using rocksdb::FilterBuildingContext;
using rocksdb::TableFileCreationReason;

namespace {

thread_local std::optional<FileInTree> file_of_this_thread;
thread_local std::shared_ptr<const TreeState> tree_of_this_thread;

// What a file recovered from the log gets beyond the average. When it is
// written nobody knows its tree. One of 5,000 rows among 2 million made a third
// of the reads with the average, and with this a thirtieth.
constexpr double kMoreInRecovery = 3;

// In a load in key order RocksDB never rewrites a file, and nobody knows how
// many more will come. A file then gets a third of an equal share, and at most
// 12 bits per key. Rejected: equal shares, which read twice as much averaged
// over loads that end with 1/8 to 4 times the keys for which the budget has 10
// bits each; a half or a quarter of them; the rest of the budget divided by the
// present keys.
constexpr double kPartOfShareInOrder = 1.0 / 3;
constexpr double kMaxBitsInOrder = 12;

// A budget keeps half of what equal shares would have beyond this for keys to
// come, and never gives a tree more than the maximum. Then one lookup of a
// missing row in 50,000 reads a data block of each run.
constexpr double kUnsharedFrom = 10;
constexpr double kPartOfRest = 0.5;
constexpr double kMaxAverageOfBudget = 16;

// What flushed files keep of the bits they are to get if there is no room and a
// compaction is sure to merge them soon, because level 0 has enough files to
// start one. Rejected: half, because one or two files that are flushed while
// that compaction begins stay behind.
constexpr double kLeastOfShortLived = 0.75;

bool IsFlush(const FilterBuildingContext& context) {
  return context.reason == TableFileCreationReason::kFlush ||
         context.reason == TableFileCreationReason::kRecovery;
}

bool IsShortLived(const FilterBuildingContext& context,
                  const FileInTree& file) {
  return context.compaction_style == rocksdb::kCompactionStyleLevel &&
         file.level0_waiting >= kFilesOfLevel0;
}

// The keys to expect of a flush: as many as the last one had, or as wait to be
// flushed if they are fewer or if it is the first; 0 if unknown. Rejected: the
// last flush alone. After a very large one, a memory budget left a small one
// without a filter.
double KeysOfFlush(const FileInTree& file) {
  if (file.tree == nullptr) return 0;
  const double last = file.tree->last_flush;
  if (last <= 0) return file.input_keys;
  return file.input_keys > 0 ? std::min(last, file.input_keys) : last;
}

// 0 if the sizes don't tell.
double KeysOfRun(const FilterBuildingContext& context, const FileInTree& file) {
  if (IsFlush(context)) {
    return file.tree->in_order ? std::ranges::max(file.tree->Runs())
                               : KeysOfFlush(file);
  }
  const auto level = static_cast<size_t>(context.level_at_creation);
  if (level == 0) {
    const std::vector<double>& files = file.tree->level0_files;
    if (file.input_keys > 0 || files.empty()) return file.input_keys;
    return SumOf(files) / static_cast<double>(files.size());
  }
  const std::vector<double>& levels = file.tree->levels;
  return level <= levels.size() ? levels[level - 1] : 0;
}

// Aims at `average_bits`, which filters that aren't known are taken for.
// Nothing if no sizes are known; `file` is null without a listener.
std::optional<NewFile> NewFileOf(const FilterPolicyOptions& options,
                                 const FilterBuildingContext& context,
                                 const FileInTree* file, double average_bits) {
  NewFile found;
  found.average_bits = average_bits;
  found.has_budget = options.memory_budget.has_value();
  found.log_rate_per_bit = LogRatePerBit(options.line);
  if (file == nullptr || file->tree == nullptr) return std::nullopt;
  const TreeState& tree = *file->tree;
  found.runs = tree.Runs();
  if (found.runs.empty()) return std::nullopt;
  found.is_flush = IsFlush(context);
  found.largest = std::ranges::max(found.runs);
  found.run = KeysOfRun(context, *file);
  if (found.run <= 0) {
    if (found.is_flush) return std::nullopt;
    // The level was empty and its final size is unknown: use the fewest bits.
    found.run = found.largest;
  }
  const FilterTotals& filters = tree.filters;
  const double keys_of_row = filters.rows > 0 ? filters.keys / filters.rows : 1;
  const double unknown = filters.unknown * keys_of_row;
  found.other_keys = filters.keys + unknown;
  found.other_bits = filters.bits + unknown * average_bits;
  // With files of 64 KiB that is a tenth. A level that is to make up for it
  // would get only the average, and most reads.
  if (!found.has_budget) found.other_bits -= filters.overhead;
  found.job =
      keys_of_row * (found.is_flush ? KeysOfFlush(*file) : file->input_keys);
  if (context.compaction_style == rocksdb::kCompactionStyleLevel &&
      found.other_keys > 0) {
    found.runs = tree.RunsAtRest();
  }
  return found;
}

// The thousandths of a bit per key of a block that takes at most `bytes`, or of
// one line. A whole line more and the metadata would add a tenth to partitions
// of 1 KB.
uint32_t MillibitsWithin(double bytes, size_t keys) {
  const double of_lines =
      std::clamp(bytes - kMaxFilterBlockOverhead, 0.0,
                 static_cast<double>(kMaxLines) * (kLineBytes + 1));
  const uint32_t lines =
      LinesWithin(Line::kSolved, static_cast<size_t>(of_lines));
  return std::max(MillibitsFor(std::max(lines, uint32_t{1}), keys),
                  uint32_t{1});
}

double BudgetInBits(const FilterPolicyOptions& options) {
  return 8 * static_cast<double>(*options.memory_budget);
}

// Sets the bits that a file of a tree with a budget asks for. `share` is the
// bits per key if all keys had the same.
void AskForBits(const FilterPolicyOptions& options,
                const FilterBuildingContext& context, const FileInTree& file,
                double share, BudgetRequest* request) {
  const double average = AverageOfBudget(share);
  // Below 1 bit per key a filter rejects less per bit: 37 % of missing keys at
  // 1 bit, 14 % at half a bit. So files ask for 1 bit and go without if there
  // is no room.
  const double at_least_1 = std::max(average, kMinBitsOfRun);
  if (file.tree == nullptr) {
    request->bits_per_key =
        std::min(at_least_1, kDefaultBitsPerKey) + kMoreInRecovery;
    return;
  }
  if (file.tree->may_be_in_order && request->is_flush) {
    const double bits =
        std::clamp(share * kPartOfShareInOrder, kMinBitsOfRun, kMaxBitsInOrder);
    request->bits_per_key = bits;
    request->least_bits = std::min({bits / 2, share, kMinBitsOfRun});
    return;
  }
  const std::optional<NewFile> place =
      NewFileOf(options, context, &file, average);
  if (!place) {
    request->bits_per_key = at_least_1;
    request->least_bits = average;
    return;
  }
  const double bits = BitsOfFile(*place);
  request->bits_per_key = bits;
  request->least_bits = bits;
  if (IsShortLived(context, file)) {
    request->least_bits *= kLeastOfShortLived;
  } else if (!request->is_flush) {
    request->least_bits = std::min(bits, average);
    request->is_of_largest_run = place->run >= place->largest;
  }
}

}  // namespace

bool FileInTree::Matches(const FilterBuildingContext& context) const {
  return column_family == context.column_family_name &&
         reason == context.reason && context.level_at_creation >= 0 &&
         (info_log == nullptr || context.info_log == nullptr ||
          info_log == context.info_log);
}

void BeginFile(FileInTree file) {
  if (tree_of_this_thread != nullptr) {
    file.tree = tree_of_this_thread;
    file.input_keys = 0;
  }
  file_of_this_thread = std::move(file);
}

void WriteIntoTree(std::shared_ptr<const TreeState> tree) {
  tree_of_this_thread = std::move(tree);
}

void EndFile() { file_of_this_thread.reset(); }

std::optional<FileInTree> TakeFileInTree() {
  return std::exchange(file_of_this_thread, std::nullopt);
}

std::optional<FilterPlan> PlanOfFile(
    const FilterPolicyOptions& options, const FilterBuildingContext& context,
    const std::optional<FileInTree>& file_of_thread) {
  const FileInTree* const file =
      file_of_thread && file_of_thread->Matches(context) ? &*file_of_thread
                                                         : nullptr;
  FilterRequest request = RequestOf(options);
  double bits = BitsPerKeyOf(options);
  std::optional<NewFile> place;
  if (IsLevelAware(options)) place = NewFileOf(options, context, file, bits);
  if (options.false_positive_rate) {
    const double asked = *options.false_positive_rate;
    request.false_positive_rate =
        std::max(place ? RateOfRun(place->run, place->runs, asked) : asked,
                 LowestRate(request.line));
    request.millibits_per_key =
        BitsForRate(request.line, request.false_positive_rate)
            .value_or(kMaxMillibits);
    return FilterPlan{request};
  }
  if (place) {
    bits = BitsOfFile(*place);
  } else if (file != nullptr && IsLevelAware(options) &&
             context.reason == TableFileCreationReason::kRecovery) {
    bits = std::min(bits + kMoreInRecovery, kMaxBitsOfRun);
  }
  request.millibits_per_key = MillibitsOf(bits);
  if (request.millibits_per_key == 0) return std::nullopt;
  return FilterPlan{request};
}

double AverageOfBudget(double share) {
  const double average = std::min(share, kUnsharedFrom) +
                         kPartOfRest * std::max(0.0, share - kUnsharedFrom);
  return std::min(average, kMaxAverageOfBudget);
}

BudgetState StateOfBudget(const FilterPolicyOptions& options,
                          const FilterBuildingContext& context,
                          const FileInTree& file) {
  BudgetState state;
  state.filters = file.account->Live();
  // Nobody says so if a database is closed that has only recovered.
  if (context.reason != TableFileCreationReason::kRecovery) {
    state.other_budget =
        file.account->NoteBudget(file.place.database, *options.memory_budget);
  }
  double keys = state.filters.all_keys();
  if (file.tree != nullptr) {
    if (IsFlush(context)) keys += KeysOfFlush(file);
    // The listener may expect more keys than there are yet.
    keys = std::max(keys, file.tree->Total());
  }
  state.average_bits = BudgetInBits(options) / std::max(keys, 1.0);
  return state;
}

std::optional<FilterPlan> PlanWithinBudget(const FilterPolicyOptions& options,
                                           const FilterBuildingContext& context,
                                           const FileInTree& file,
                                           const BudgetState& state) {
  BudgetRequest request;
  request.budget = BudgetInBits(options);
  request.is_flush = IsFlush(context);
  request.is_recovery = context.reason == TableFileCreationReason::kRecovery;
  if (request.is_flush) request.expected_keys = KeysOfFlush(file);
  AskForBits(options, context, file, state.average_bits, &request);
  const double estimate = file.account->Reserve(file.place, request);
  if (estimate < kMinBitsOfRun) return std::nullopt;
  // A full filter has all keys of the file.
  if (!context.table_options.partition_filters) request.expected_keys = 0;
  FilterPlan plan;
  plan.request = RequestOf(options);
  plan.request.millibits_per_key = MillibitsOf(estimate);
  plan.fit = [request, account = file.account, place = file.place](
                 size_t keys, FilterRequest* fitted) {
    BudgetRequest of_filter = request;
    of_filter.keys = static_cast<double>(keys);
    const double reserved = account->Reserve(place, of_filter);
    // Other files may have taken the room since: build a single line.
    fitted->millibits_per_key =
        reserved < kMinBitsOfRun
            ? 1
            : MillibitsWithin(reserved / 8 * of_filter.keys, keys);
  };
  return plan;
}

}  // namespace linebloom
