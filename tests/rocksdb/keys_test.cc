// Databases whose keys are more than their bytes: comparators that call
// different bytes equal, and timestamps.

#include <cctype>
#include <memory>
#include <string>
#include <vector>

#include "linebloom/filter_policy.h"
#include "rocksdb/comparator.h"
#include "rocksdb/convenience.h"
#include "rocksdb/slice_transform.h"
#include "tests/filter_policy/ignored_case.h"
#include "tests/rocksdb/db_fixture.h"

namespace linebloom {
namespace {

// Written as row..., and looked up as ROW..., too. Both are taken for ROW...: a
// filter that had the keys as they are would reject one, a lookup of them as
// they are the other.
constexpr Rows kRows{0, 4000};

std::string Upper(std::string key) {
  for (char& c : key) c = static_cast<char>(std::toupper(c));
  return key;
}

std::string InEitherCase(uint64_t row) {
  return row / 2 % 3 == 0 ? Upper(RowKey(row)) : RowKey(row);
}

// Its name has the same length as LowerCase's.
class UpperCase final : public OneCase {
 public:
  UpperCase() : OneCase("ascii_upper_case", std::toupper) {}
};

class CanonicalKeyTest : public DbTest {
 protected:
  CanonicalKeyTest() {
    options_.comparator = &order_;
    // RocksDB then probes each new filter for its keys.
    table_.detect_filter_construct_corruption = true;
    UseFunction(true);
  }

  void UseFunction(bool use, uint64_t hash_seed = 0) {
    UseOptions(
        {.hash_seed = hash_seed,
         .canonical_key = use ? std::make_shared<UpperCase>() : nullptr});
  }

  void ExpectFound() {
    for (uint64_t i = 0; i < kRows.end; i += 2) {
      EXPECT_EQ(GetText(db_.get(), RowKey(i)), RowValue(i));
      EXPECT_EQ(GetText(db_.get(), Upper(RowKey(i))), RowValue(i));
    }
  }

  // The filters' answers to Gets of missing rows.
  FilterCounts CountMissing() {
    TakeCounts();
    for (uint64_t i = 1; i < kRows.end - 1; i += 2) {
      EXPECT_EQ(GetText(db_.get(), InEitherCase(i)), "NotFound: ");
    }
    return TakeCounts();
  }

  void ExpectMissingRejected() {
    const FilterCounts counts = CountMissing();
    EXPECT_GE(counts.no, kRows.missing() * 96 / 100);
    EXPECT_EQ(counts.no + counts.maybe, kRows.missing());
  }

  // Lines of the info log about comparators, after closing the database.
  int CountWarnings() {
    Close();
    return CountInLog({"[WARN]", "canonical_key", options_.comparator->Name()});
  }

  const IgnoreCase order_;
};

TEST_F(CanonicalKeyTest, EqualKeysAreFoundAndMissingOnesRejected) {
  for (const bool partitioned : {false, true}) {
    SCOPED_TRACE(partitioned);
    if (partitioned) UsePartitions(512);
    UseFunction(true, partitioned ? 7 : 0);
    DestroyAndReopen();
    WriteFile(kRows);
    TakeCounts();
    ExpectFound();
    EXPECT_EQ(TakeCounts(),
              (FilterCounts{0, 2 * kRows.present(), 2 * kRows.present()}));
    std::vector<std::string> keys;
    for (uint64_t i = 0; i < kRows.end - 1; ++i) {
      keys.push_back(InEitherCase(i));
    }
    const std::vector<std::string> found = MultiGetTexts(db_.get(), keys);
    for (size_t i = 0; i < keys.size(); ++i) {
      EXPECT_EQ(found[i], i % 2 == 0 ? RowValue(i) : "NotFound: ");
    }
    const FilterCounts counts = TakeCounts();
    EXPECT_GE(counts.no, kRows.missing() * 96 / 100);
    EXPECT_EQ(counts.true_positive, kRows.present());
    // From the file, after the process that wrote it.
    Reopen();
    ExpectFound();
    ExpectMissingRejected();
  }
}

// Rows are lost without the function, but never because only one side has it.
TEST_F(CanonicalKeyTest, FiltersOfOthersRejectNothing) {
  const auto with = table_.filter_policy;
  UsePolicy(kLinebloom);
  const auto without = table_.filter_policy;
  UsePolicy(kBloom);
  const auto bloom = table_.filter_policy;
  UseOptions({.canonical_key = std::make_shared<LowerCase>()});
  const auto lower = table_.filter_policy;
  for (const auto& [written, read] :
       {std::pair(without, with), std::pair(with, without),
        std::pair(bloom, with), std::pair(with, bloom), std::pair(lower, with),
        std::pair(with, lower)}) {
    table_.filter_policy = written;
    DestroyAndReopen();
    WriteFile(kRows);
    const bool is_lost = written == without || written == bloom;
    EXPECT_EQ(GetText(db_.get(), Upper(RowKey(2))),
              is_lost ? "NotFound: " : RowValue(2));
    table_.filter_policy = read;
    Reopen();
    ExpectFound();
    EXPECT_EQ(CountMissing().no, 0);
    if (read != with) continue;
    CompactAll();
    ExpectFound();
    ExpectMissingRejected();
  }
}

// Prefixes of ten rows each, of which those with an even tens digit exist.
TEST_F(CanonicalKeyTest, PrefixesOfEqualKeysAreFound) {
  options_.prefix_extractor.reset(rocksdb::NewFixedPrefixTransform(12));
  for (const bool whole_keys : {false, true}) {
    SCOPED_TRACE(whole_keys);
    table_.whole_key_filtering = whole_keys;
    DestroyAndReopen();
    for (uint64_t i = 0; i < kRows.end; i += 20)
      PutRows({i, i + 10}, nullptr, 1);
    Flush();
    // Not prefix_same_as_start: RocksDB itself then compares prefixes by bytes.
    const auto seek = [this](uint64_t tens) {
      const std::unique_ptr<rocksdb::Iterator> rows(db_->NewIterator({}));
      rows->Seek(InEitherCase(tens));
      EXPECT_OK(rows->status());
      return rows->Valid() ? rows->key().ToString() : "";
    };
    TakeCounts();
    for (uint64_t tens = 0; tens < kRows.end - 20; tens += 20) {
      for (uint64_t i = tens; i < tens + 10; ++i) {
        EXPECT_EQ(GetText(db_.get(), InEitherCase(i)), RowValue(i));
      }
      EXPECT_EQ(seek(tens), RowKey(tens));
    }
    EXPECT_EQ(TakeCounts().no, 0);
    uint64_t missing = 0;
    for (uint64_t tens = 10; tens < kRows.end - 20; tens += 20, missing += 2) {
      EXPECT_EQ(GetText(db_.get(), InEitherCase(tens)), "NotFound: ");
      seek(tens);
    }
    EXPECT_GE(TakeCounts().no, missing * 96 / 100);
  }
}

// Each time a database is opened, also with one log for all of them.
TEST_F(CanonicalKeyTest, OneWarningOfAComparatorThatNeedsTheFunction) {
  UseFunction(false);
  ASSERT_OK(rocksdb::CreateLoggerFromOptions(Path("db"), options_,
                                             &options_.info_log));
  for (int opened = 0; opened < 3; ++opened) {
    Reopen();
    WriteFile(kRows);
    WriteFile(kRows);
  }
  EXPECT_EQ(3, CountWarnings());
  options_.info_log = nullptr;
  UseFunction(true);
  DestroyAndReopen();
  WriteFile(kRows);
  EXPECT_EQ(0, CountWarnings());
  // RocksDB's comparators need none.
  UseFunction(false);
  for (const char* name :
       {"leveldb.BytewiseComparator", "rocksdb.ReverseBytewiseComparator"}) {
    ASSERT_OK(rocksdb::Comparator::CreateFromString(
        rocksdb::ConfigOptions(), name, &options_.comparator));
    DestroyAndReopen();
    WriteFile({0, 2});
    EXPECT_EQ(0, CountWarnings()) << name;
  }
}

TEST_F(CanonicalKeyTest, TimestampsAreNotInTheFilter) {
  ASSERT_OK(rocksdb::Comparator::CreateFromString(
      rocksdb::ConfigOptions(), "leveldb.BytewiseComparator.u64ts",
      &options_.comparator));
  UseFunction(false);
  Reopen();
  const rocksdb::Slice times[] = {"1.......", "2.......", "3......."};
  for (const rocksdb::Slice& time : times) {
    for (uint64_t i = 0; i < kRows.end; i += 2) {
      ASSERT_OK(db_->Put({}, RowKey(i), time, time));
    }
  }
  Flush();
  EXPECT_EQ(AllProperties(db_.get()).at(0)->num_filter_entries,
            kRows.present());
  for (const rocksdb::Slice& time : times) {
    rocksdb::ReadOptions read;
    read.timestamp = &time;
    TakeCounts();
    for (uint64_t i = 0; i < kRows.end; i += 2) {
      EXPECT_EQ(GetText(db_.get(), RowKey(i), read), time);
      EXPECT_EQ(GetText(db_.get(), RowKey(i + 1), read), "NotFound: ");
    }
    const FilterCounts counts = TakeCounts();
    EXPECT_EQ(counts.true_positive, kRows.present());
    EXPECT_GE(counts.no, kRows.missing() * 96 / 100);
  }
  EXPECT_EQ(0, CountWarnings());
}

}  // namespace
}  // namespace linebloom
