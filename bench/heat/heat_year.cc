// Simulates a year of a tree of 1 TB whose hot range moves, and computes how
// much of what heat-aware filters save remains. Prints a table for
// docs/benchmarks.md.
//
//   heat_year [GB_PER_DAY [HALF_LIFE_DAYS]]
//
// GB_PER_DAY (default: 10) are overwritten at random, HALF_LIFE_DAYS (default:
// 1) is heat_half_life. Clock, lookups and compactions are simulated; heat and
// bits are those of the library's own code (FamilyHeat, PlanOfFile).
//
// The tree has full levels in leveled compaction: 900 GB, 90, 9 and 0.9, and 4
// files in level 0, with rows of 100 bytes in files of 512 MB. Of 10,000
// lookups of missing rows per second 80 % fall into a fifth of the keys, and
// RocksDB samples one in 1,024. Every two hours, files of the second-largest
// level are merged, one after another in the order of keys, into those of the
// largest level that they overlap, and the same a level above; the small levels
// are written anew.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "filter_policy/levels/family_heat.h"
#include "filter_policy/levels/file_budget.h"
#include "filter_policy/levels/tree_sizes.h"
#include "filter_policy/line/line.h"
#include "filter_policy/sizing/expected_rate.h"
#include "linebloom/filter_policy.h"
#include "rocksdb/metadata.h"
#include "rocksdb/table.h"

namespace linebloom {
namespace {

using Hours = std::chrono::duration<int64_t, std::ratio<3600>>;

constexpr double kRowBytes = 100;
constexpr double kFileRows = 512e6 / kRowBytes;
constexpr double kFlushRows = 64e6 / kRowBytes;
constexpr size_t kFlushes = 4;
constexpr int kLevels = 4;  // level 1 to 4
constexpr double kLastLevelRows = 900e9 / kRowBytes;
constexpr double kSizeRatio = 10;
constexpr double kHotKeys = 0.2;
constexpr double kHotLookups = 0.8;
constexpr double kLookupsPerHour = 10'000.0 * 3600;
constexpr double kSampled = 1024;  // one lookup in so many
constexpr int kHoursOfStep = 2;
constexpr int kHoursOfYear = 365 * 24;
constexpr int kHoursToWarmUp = 30 * 24;
constexpr int kHoursBetweenReports = 6;

// Keys are numbers from 0 to 1.
std::string KeyOf(double place) {
  char key[17];
  std::snprintf(
      key, sizeof(key), "%016llx",
      static_cast<unsigned long long>(std::min(place, 0.999999) * 0x1p63) * 2);
  return {key, 16};
}

double RateOf(uint32_t millibits) {
  static std::vector<double> rates(kMaxMillibits + 1, -1);
  double& rate = rates[millibits];
  if (rate < 0) {
    rate = ExpectedRate(LineKind::kSolved, millibits, 512e3 / millibits);
  }
  return rate;
}

// Where lookups fall.
struct Lookups {
  double hot_begin = 0;  // the hot range may continue at 0

  // The share of lookups between two places.
  double ShareOf(double from, double to) const {
    double hot = 0;
    for (const double turn : {0.0, 1.0}) {
      hot += std::max(0.0, std::min(to, hot_begin + kHotKeys - turn) -
                               std::max(from, hot_begin - turn));
    }
    return hot / kHotKeys * kHotLookups +
           (to - from - hot) / (1 - kHotKeys) * (1 - kHotLookups);
  }
};

struct File {
  double from = 0;
  double to = 0;
  uint32_t millibits = 0;
  rocksdb::LiveFileMetaData meta;
};

class Tree {
 public:
  Tree(bool heat_aware, double gb_per_day, double half_life_days)
      : context_(table_),
        rows_per_step_(gb_per_day * 1e9 / kRowBytes * kHoursOfStep / 24),
        half_life_(half_life_days * 24 * 3600),
        heat_aware_(heat_aware) {
    options_.bits_per_key = 10;
    options_.heat_aware = heat_aware;
    options_.level_aware = true;
    context_.column_family_name = "default";
    context_.num_levels = kLevels + 1;
    context_.reason = rocksdb::TableFileCreationReason::kCompaction;
    double rows = kLastLevelRows;
    for (int level = kLevels; level >= 1; --level, rows /= kSizeRatio) {
      std::vector<File>& files = levels_[level];
      files.resize(static_cast<size_t>(std::ceil(rows / kFileRows)));
      rows_[level] = rows;
      for (size_t i = 0; i < files.size(); ++i) {
        const auto count = static_cast<double>(files.size());
        files[i].from = static_cast<double>(i) / count;
        files[i].to = static_cast<double>(i + 1) / count;
        rocksdb::LiveFileMetaData& meta = files[i].meta;
        meta.level = level;
        meta.num_entries = static_cast<uint64_t>(rows / count);
        meta.smallestkey = KeyOf(files[i].from);
        meta.largestkey = KeyOf(files[i].to);
      }
    }
    // Twice: at first no filter has been built.
    for (int i = 0; i < 2; ++i) {
      for (int level = 1; level <= kLevels; ++level) {
        Rewrite(level, 0, levels_[level].size());
      }
    }
  }

  // Lookups of a step.
  void Look(const Lookups& lookups, std::mt19937_64* random) {
    for (File& file : levels_[kLevels]) {
      const double samples = kHoursOfStep * kLookupsPerHour / kSampled *
                             lookups.ShareOf(file.from, file.to);
      file.meta.num_reads_sampled +=
          static_cast<uint64_t>(kSampled) *
          std::poisson_distribution<uint64_t>(samples)(*random);
    }
  }

  // Compactions of a step.
  void Compact(int hour) {
    if (heat_aware_) {
      std::vector<const rocksdb::LiveFileMetaData*> files;
      for (const auto& level : levels_) {
        for (const File& file : level) files.push_back(&file.meta);
      }
      heat_.Update(files, std::chrono::duration<double>(half_life_),
                   FamilyHeat::Clock::time_point(Hours(hour)));
    }
    for (int level = 1; level < kLevels - 1; ++level) {
      Rewrite(level, 0, levels_[level].size());
    }
    for (int level = kLevels - 1; level <= kLevels; ++level) {
      // Rows come down as a part of the level above.
      const double share =
          rows_per_step_ / (rows_[level] / kSizeRatio) + left_over_[level];
      const auto files = static_cast<double>(levels_[level].size());
      const auto count = static_cast<size_t>(share * files);
      left_over_[level] = share - static_cast<double>(count) / files;
      const size_t size = levels_[level].size();
      const size_t each = static_cast<size_t>(kSizeRatio) + 1;
      for (size_t done = 0; done < count;) {
        const size_t begin = next_[level];
        const size_t end = std::min({begin + each, begin + count - done, size});
        Rewrite(level, begin, end);
        done += end - begin;
        next_[level] = end % size;
      }
    }
  }

  // Data blocks read per lookup of a missing row.
  double ReadsPerLookup(const Lookups& lookups) const {
    double reads = kFlushes * RateOf(flush_millibits_);
    for (const auto& level : levels_) {
      for (const File& file : level) {
        reads += lookups.ShareOf(file.from, file.to) * RateOf(file.millibits);
      }
    }
    return reads;
  }

  double BitsPerKey() const { return sums_.bits / sums_.keys; }

 private:
  // Writes files `begin` to `end` of the level anew, in one compaction.
  void Rewrite(int level, size_t begin, size_t end) {
    std::vector<File>& files = levels_[level];
    auto tree = std::make_shared<TreeSizes>();
    tree->level0_files.assign(kFlushes, kFlushRows);
    tree->flush = tree->last_flush = kFlushRows;
    tree->levels.assign(std::begin(rows_) + 1, std::end(rows_));
    FileInTree file;
    file.column_family = context_.column_family_name;
    file.reason = context_.reason;
    file.heat = heat_.profile();
    for (size_t i = begin; i < end; ++i) {
      const auto rows = static_cast<double>(files[i].meta.num_entries);
      file.input_keys += rows;
      if (files[i].millibits > 0) Count(rows, files[i].millibits, -1);
    }
    tree->filters = sums_;
    file.tree = std::move(tree);
    file.range =
        KeyRange{files[begin].meta.smallestkey, files[end - 1].meta.largestkey};
    context_.level_at_creation = level;
    context_.is_bottommost = level == kLevels;
    const FilterPlan plan = PlanOf(context_, file);
    for (size_t i = begin; i < end; ++i) {
      rocksdb::LiveFileMetaData& meta = files[i].meta;
      files[i].millibits = plan.SizeOf({static_cast<size_t>(meta.num_entries),
                                        meta.smallestkey, meta.largestkey})
                               .millibits_per_key;
      Count(static_cast<double>(meta.num_entries), files[i].millibits, 1);
      meta.name = "/" + std::to_string(++last_file_) + ".sst";
      meta.num_reads_sampled = 0;
    }
    // Flushed files reach everywhere, so heat doesn't change their bits.
    if (level > 1) return;
    rocksdb::FilterBuildingContext flush = context_;
    flush.level_at_creation = 0;
    flush.reason = file.reason = rocksdb::TableFileCreationReason::kFlush;
    flush.is_bottommost = false;
    file.heat = nullptr;
    flush_millibits_ = PlanOf(flush, file).settings.millibits_per_key;
  }

  FilterPlan PlanOf(const rocksdb::FilterBuildingContext& context,
                    const FileInTree& file) const {
    std::optional<FilterPlan> plan = PlanOfFile(options_, context, file);
    if (!plan.has_value()) std::abort();  // bits_per_key is not 0
    return *std::move(plan);
  }

  void Count(double rows, uint32_t millibits, double sign) {
    sums_.rows += sign * rows;
    sums_.keys += sign * rows;
    sums_.bits += sign * rows * millibits / 1000;
  }

  FilterPolicyOptions options_;
  rocksdb::BlockBasedTableOptions table_;
  rocksdb::FilterBuildingContext context_;
  const double rows_per_step_;
  const double half_life_;  // in seconds
  const bool heat_aware_;
  std::vector<File> levels_[kLevels + 1];
  double rows_[kLevels + 1] = {};
  double left_over_[kLevels + 1] = {};  // of the share, from steps before
  size_t next_[kLevels + 1] = {};
  uint32_t flush_millibits_ = 0;
  uint64_t last_file_ = 0;
  FilterSums sums_;
  FamilyHeat heat_;
};

struct Year {
  double level_reads = 0;
  double heat_reads = 0;
  double level_bits = 0;
  double heat_bits = 0;
};

// `days_between` moves of the hot range; 0: it stays.
Year Simulate(double gb_per_day, double half_life_days, int days_between) {
  Tree levels(false, gb_per_day, half_life_days);
  Tree heat(true, gb_per_day, half_life_days);
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> place;
  Lookups lookups{place(random)};
  Year year;
  double reports = 0;
  for (int hour = 0; hour < kHoursToWarmUp + kHoursOfYear;
       hour += kHoursOfStep) {
    if (days_between > 0 && hour > 0 && hour % (24 * days_between) == 0) {
      lookups.hot_begin = place(random);
    }
    heat.Look(lookups, &random);
    heat.Compact(hour);
    levels.Compact(hour);
    if (hour < kHoursToWarmUp || hour % kHoursBetweenReports != 0) continue;
    ++reports;
    year.level_reads += levels.ReadsPerLookup(lookups);
    year.heat_reads += heat.ReadsPerLookup(lookups);
    year.level_bits += levels.BitsPerKey();
    year.heat_bits += heat.BitsPerKey();
  }
  for (double* sum : {&year.level_reads, &year.heat_reads, &year.level_bits,
                      &year.heat_bits}) {
    *sum /= reports;
  }
  return year;
}

void Run(double gb_per_day, double half_life_days) {
  std::printf(
      "| %g GB a day, hot range moves | bits per key: level, heat | reads per "
      "1,000 missing rows: level, heat | ratio | of the benefit remains |\n"
      "| --- | ---: | ---: | ---: | ---: |\n",
      gb_per_day);
  double benefit = 0;  // while the range stays
  for (const int days : {0, 90, 30, 7, 1}) {
    const Year year = Simulate(gb_per_day, half_life_days, days);
    const double ratio = year.heat_reads / year.level_reads;
    if (days == 0) benefit = 1 - ratio;
    const std::string moves =
        days == 0 ? "never"
                  : "every " + (days == 1 ? std::string("day")
                                          : std::to_string(days) + " days");
    std::printf("| %s | %.2f, %.2f | %.2f, %.2f | %.2f | %.0f %% |\n",
                moves.c_str(), year.level_bits, year.heat_bits,
                1000 * year.level_reads, 1000 * year.heat_reads, ratio,
                100 * (1 - ratio) / benefit);
    std::fflush(stdout);
  }
}

}  // namespace
}  // namespace linebloom

int main(int argc, char** argv) {
  const double gb_per_day = argc > 1 ? std::atof(argv[1]) : 10;
  const double half_life_days = argc > 2 ? std::atof(argv[2]) : 1;
  if (argc > 3 || gb_per_day <= 0 || half_life_days <= 0) {
    std::fprintf(stderr, "usage: heat_year [GB_PER_DAY [HALF_LIFE_DAYS]]\n");
    return 2;
  }
  linebloom::Run(gb_per_day, half_life_days);
}
