// Filters whose bits depend on where missing keys are looked for.

#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "linebloom/filter_policy.h"
#include "linebloom/rebuild_filters.h"
#include "tests/rocksdb/tree_fixture.h"

namespace linebloom {
namespace {

class HeatAwareTest : public TreeTest {
 protected:
  HeatAwareTest() {
    // 100,000 rows make some 50 files.
    options_.target_file_size_base = 64 << 10;
    options_.max_compaction_bytes = 1 << 30;
  }

  // Few bits, so that the filters let enough keys through to compare.
  void UseHeat(bool heat_aware, FilterPolicyOptions options = {6}) {
    options.level_aware = true;
    options.heat_aware = heat_aware;
    UseOptions(options);
    UseListener();
  }

  // An odd number, 80 % of the time in the hot fifth from `hot` on.
  uint64_t DrawMissing(uint64_t hot) {
    const bool is_hot = random_() % 100 < 80;
    const uint64_t fifth = kRows.end / 5;
    uint64_t row = random_() % (is_hot ? fifth : 4 * fifth);
    if (is_hot) {
      row += hot;
    } else if (row >= hot) {
      row += fifth;
    }
    return row | 1;
  }

  void LookUp(int lookups, uint64_t hot) {
    for (int i = 0; i < lookups; ++i) {
      ASSERT_EQ("NotFound: ", GetText(db_.get(), RowKey(DrawMissing(hot))));
    }
  }

  // Missing keys that the filters let through, per lookup.
  double ReadsPerLookup(uint64_t hot) {
    constexpr int kLookups = 100'000;
    TakeCounts();
    LookUp(kLookups, hot);
    return static_cast<double>(TakeCounts().maybe) / kLookups;
  }

  void WriteTree() {
    WriteFile(kRows);
    RewriteTree();
    RewriteTree();  // the first one didn't know the sizes yet
  }

  // Rewrites all files, as a tree is in the course of time: a large last level
  // and a tenth of its rows above.
  void RewriteTree() {
    CompactAll();
    WriteFile(kRows, /*level=*/0, /*step=*/20);
  }

  static constexpr Rows kRows{0, 200'000};
  static constexpr int kWarm = 1'000'000;
  std::mt19937_64 random_{1};
};

TEST_F(HeatAwareTest, HotKeysGetMoreBits) {
  UseHeat(false);
  DestroyAndReopen();
  WriteTree();
  const double level_aware = ReadsPerLookup(0);
  const double level_aware_bits = Now().bits_per_key();

  UseHeat(true);
  DestroyAndReopen();
  WriteTree();
  const double cold = ReadsPerLookup(0);
  LookUp(kWarm, 0);
  RewriteTree();
  RebuildFiltersReport report;
  ASSERT_OK(RebuildFilters(db_.get(), {}, {}, &report));
  EXPECT_EQ(0, report.files.size());
  const double warm = ReadsPerLookup(0);
  printf(
      "reads per missing key: level_aware %.5f, %.2f bits per key; "
      "heat_aware %.5f before and %.5f after, %.2f bits per key\n",
      level_aware, level_aware_bits, cold, warm, Now().bits_per_key());
  EXPECT_NEAR(1, cold / level_aware, 0.1);
  EXPECT_GE(CountInLog({"sampled misses", "the hottest"}), 1);
  // At best 0.435.
  EXPECT_LT(warm, 0.55 * level_aware);
  EXPECT_NEAR(level_aware_bits, Now().bits_per_key(), 0.2);
  ExpectRows(kRows);

  // The hot range moves, and the filters follow.
  const uint64_t moved = kRows.end / 2;
  LookUp(3 * kWarm, moved);
  RewriteTree();
  EXPECT_LT(ReadsPerLookup(moved), level_aware);
}

// Their lookups can't be told apart.
TEST_F(HeatAwareTest, AWarningIfColumnFamiliesShareAPolicy) {
  UseHeat(true);
  Reopen();
  WriteFile({0, 2000});
  rocksdb::ColumnFamilyHandle* other = nullptr;
  ASSERT_OK(db_->CreateColumnFamily(OptionsWithTable(), "other", &other));
  for (int file = 0; file < 2; ++file) {
    EXPECT_EQ(file, CountInLog({"[WARN]", "several column families share"}));
    ASSERT_OK(db_->Put({}, other, "key", "value"));
    ASSERT_OK(db_->Flush({}, other));
  }
  EXPECT_EQ(1, CountInLog({"[WARN]", "several column families share"}));
  ASSERT_OK(db_->DestroyColumnFamilyHandle(other));
}

// Most lookups find a row of the first half; the others miss in the second.
TEST_F(HeatAwareTest, HitsDontCount) {
  const auto reads_per_miss = [this](int lookups) {
    constexpr uint64_t kHalf = kRows.end / 2;
    TakeCounts();
    int misses = 0;
    for (int i = 0; i < lookups; ++i) {
      const bool miss = random_() % 5 == 0;
      const uint64_t row = random_() % kHalf;
      const uint64_t number = miss ? kHalf + (row | 1) : row & ~1ULL;
      EXPECT_EQ(GetText(db_.get(), RowKey(number)),
                miss ? "NotFound: " : RowValue(number));
      misses += miss;
    }
    const auto found = static_cast<uint64_t>(lookups - misses);
    return static_cast<double>(TakeCounts().maybe - found) / misses;
  };
  double reads[2];
  for (const bool heat_aware : {false, true}) {
    UseHeat(heat_aware);
    DestroyAndReopen();
    WriteTree();
    reads_per_miss(kWarm / 2);
    RewriteTree();
    reads[heat_aware] = reads_per_miss(200'000);
  }
  printf("reads for nothing per miss: level_aware %.5f, heat_aware %.5f\n",
         reads[0], reads[1]);
  // With RocksDB's samples of all lookups it was 1.6.
  EXPECT_LT(reads[1], reads[0]);
}

TEST_F(HeatAwareTest, WithinAMemoryBudget) {
  const uint64_t budget = kRows.present() * 6 / 8;
  UseHeat(true, {.memory_budget = budget});
  DestroyAndReopen();
  WriteTree();
  const double before = ReadsPerLookup(0);
  LookUp(kWarm, 0);
  RewriteTree();
  const double after = ReadsPerLookup(0);
  const double used = Now().bytes / static_cast<double>(budget);
  printf("reads per missing key: %.5f before, %.5f after, %.3f of the budget\n",
         before, after, used);
  // The files of level 0, which have few bits, stay as they are.
  EXPECT_LT(after, 0.8 * before);
  EXPECT_LE(used, 1.1);
}

// A small file that most lookups fall on, and a large one with nine times as
// many rows. The small one has the longer values, so that it is worth less for
// each of its bytes if lookups fall evenly.
class HotSmallFileTest : public HeatAwareTest {
 protected:
  static constexpr Rows kSmall{0, 4'000};
  static constexpr Rows kLarge{4'000, 40'000};

  HotSmallFileTest() { options_.target_file_size_base = 64 << 20; }

  // Both with a poor filter, in the last level.
  void WriteFiles() {
    UseOptions({2});
    DestroyAndReopen();
    for (const auto& [rows, bytes] :
         {std::pair(kSmall, 200), std::pair(kLarge, 20)}) {
      for (uint64_t i = rows.begin; i < rows.end; i += 2) {
        ASSERT_OK(db_->Put({}, RowKey(i), std::string(bytes, 'v')));
      }
      Flush();
      ASSERT_OK(db_->CompactFiles({}, {Files()[0].name}, 6));
    }
  }

  RebuildFiltersReport DryRun() {
    RebuildFiltersOptions options;
    options.dry_run = true;
    RebuildFiltersReport report;
    EXPECT_OK(RebuildFilters(db_.get(), options, {}, &report));
    return report;
  }

  // Leaves out the flushed file.
  static bool SmallComesFirst(const RebuildFiltersReport& report) {
    std::vector<uint64_t> rows;
    for (const FileRebuild& file : report.files) {
      if (file.level > 0) rows.push_back(file.rows);
    }
    return rows.at(0) < rows.at(1);
  }
};

TEST_F(HotSmallFileTest, ComesFirstAsLookupsFallNow) {
  WriteFiles();
  UseHeat(true);
  Reopen();
  const RebuildFiltersReport cold = DryRun();
  EXPECT_EQ(LookupSource::kEven, cold.reads.at(0).lookups);
  EXPECT_FALSE(SmallComesFirst(cold));

  // The first filter tells the listener that the column family uses heat.
  ASSERT_OK(db_->Put({}, RowKey(kLarge.end), "value"));
  Flush();
  for (int i = 0; i < kWarm; ++i) {
    EXPECT_EQ("NotFound: ",
              GetText(db_.get(), RowKey((random_() % kSmall.end) | 1)));
  }
  RebuildFiltersReport warm;
  ASSERT_OK(RebuildFilters(db_.get(), {}, {}, &warm));
  EXPECT_EQ(LookupSource::kListener, warm.reads.at(0).lookups);
  EXPECT_TRUE(SmallComesFirst(warm));
  EXPECT_GT(warm.files.at(0).saved_reads, 0.2);  // of 0.3
  EXPECT_LT(warm.files.at(0).rate_after, 0.5 * warm.files.at(1).rate_after);
  EXPECT_EQ(RebuildOutcome::kRewritten, warm.files.at(1).outcome);

  // Another process, which has seen no lookups, reads what the filters say.
  // RocksDB's policy makes no use of them.
  options_.listeners.clear();
  UsePolicy(kBloom);
  Reopen();
  const RebuildFiltersReport recorded = DryRun();
  EXPECT_EQ(LookupSource::kFilters, recorded.reads.at(0).lookups);
  EXPECT_TRUE(SmallComesFirst(recorded));
}

}  // namespace
}  // namespace linebloom
