// RebuildFilters() gives old files today's filters and changes nothing else
// about them. See also rebuild_filters_test.cc.

#include "tests/rocksdb/oracle/cell.h"

namespace linebloom {
namespace {

size_t FilesWithRows(Oracle* o) {
  size_t count = 0;
  for (const auto& file : AllProperties(o->db())) {
    count += file->num_entries > file->num_range_deletions;
  }
  return count;
}

// Rebuilds all files except those without rows, and none a second time.
const Step kRebuild{
    "Rebuild", [](Oracle* o) {
      const auto before = ShapesOf(o->db());
      const RebuildFiltersReport report = Rebuild(o->db());
      EXPECT_EQ(report.files.size(), FilesWithRows(o));
      for (const FileRebuild& file : report.files) {
        EXPECT_EQ(file.outcome, RebuildOutcome::kRewritten) << file.message;
      }
      EXPECT_EQ(ShapesOf(o->db()), before);
      for (const FileRebuild& file : Rebuild(o->db()).files) {
        ADD_FAILURE() << file.path
                      << " once more: " << static_cast<int>(file.reason);
      }
    }};

const std::vector<Policy> kOld = {kNone, kBloom, kRibbon, kPlain, kSeed7};

std::vector<Step> SwitchTo(const Policy& policy) {
  return {kWrite,     kCompact,     kUpdate,  kDeleteRangeAlone, kDelete,
          kWriteEven, With(policy), kRebuild, kReopen,           kUpdate};
}

const Cell kRebuildCells[] = {
    {.name = "Leveled", .steps = SwitchTo(kLinebloom), .policies = kOld},
    {"Dynamic", SwitchTo(kLinebloom),
     Database("level_compaction_dynamic_level_bytes=true"), Filters::kWhole,
     kOld},
    {"Universal", SwitchTo(kLinebloom),
     Database("compaction_style=kCompactionStyleUniversal"), Filters::kWhole,
     kOld},
    {"Fifo",
     {kWrite, kUpdate, kDelete, With(kLinebloom), kRebuild, kReopen, kUpdate},
     Database("compaction_style=kCompactionStyleFIFO"),
     Filters::kWhole,
     kOld},
    {.name = "Prefixes",
     .steps = {kWrite, kCompact, kUpdate, With(kLinebloom), kRebuild},
     .setting =
         [](auto* o) {
           o->UseExtractor("fixed:12");
           o->table().whole_key_filtering = false;
         },
     .policies = {kBloom, kSeed7}},
    // RocksDB's own filters in place of solved lines; plain ones are that.
    {.name = "BackToBloom",
     .steps = SwitchTo(kBloom),
     .policies = {kLinebloom, kSeed7}},
    {.name = "BackToRibbon",
     .steps = SwitchTo(kRibbon),
     .policies = {kLinebloom}},
    {.name = "BackToLegacyBloom",
     .steps = SwitchTo(kLegacyBloom),
     .setting = Table("format_version=4"),
     .policies = {kLinebloom}},
};
INSTANTIATE_CELLS(Rebuild, kRebuildCells);

}  // namespace
}  // namespace linebloom
