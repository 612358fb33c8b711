// Prefixes in the filter, with whole keys beside them and alone.

#include <cstdio>
#include <string>
#include <vector>

#include "rocksdb/slice_transform.h"
#include "tests/rocksdb/db_fixture.h"

namespace linebloom {
namespace {

using rocksdb::ReadOptions;

// Prefixes of four digits: even ones exist, with rows 0, 2, 4, 6 and 8.
constexpr uint64_t kPrefixes = 1000;
constexpr uint64_t kRowsOfPrefix = 5;

std::string Prefix(uint64_t prefix) {
  char text[24];
  std::snprintf(text, sizeof(text), "%04u", static_cast<unsigned>(prefix));
  return text;
}

std::string Key(uint64_t prefix, uint64_t row) {
  return Prefix(prefix) + ":" + std::to_string(row);
}

class PrefixFilterTest : public PolicyTest {
 protected:
  PrefixFilterTest() {
    options_.prefix_extractor.reset(rocksdb::NewFixedPrefixTransform(4));
  }

  void WritePrefixes() {
    for (uint64_t prefix = 0; prefix < kPrefixes; prefix += 2) {
      for (uint64_t row = 0; row < kRowsOfPrefix; ++row) {
        ASSERT_OK(db_->Put({}, Key(prefix, 2 * row), "there"));
      }
    }
    Flush();
  }

  size_t CountScan(const rocksdb::Slice& from, const ReadOptions& read) {
    std::unique_ptr<rocksdb::Iterator> it(db_->NewIterator(read));
    it->Seek(from);
    return KeysFrom(it.get()).size();
  }
};
INSTANTIATE_POLICY_TEST(PrefixFilterTest);

TEST_P(PrefixFilterTest, ScansOfMissingPrefixesAreFiltered) {
  ReadOptions read;
  read.prefix_same_as_start = true;
  for (bool whole_key : {true, false}) {
    SCOPED_TRACE(whole_key);
    table_.whole_key_filtering = whole_key;
    DestroyAndReopen();
    WritePrefixes();
    TakeCounts();
    for (uint64_t prefix = 0; prefix < kPrefixes; prefix += 2) {
      EXPECT_EQ(CountScan(Prefix(prefix), read), kRowsOfPrefix);
    }
    EXPECT_EQ(TakeCounts(), (FilterCounts{0, kPrefixes / 2, 0}));
    for (uint64_t prefix = 1; prefix < kPrefixes; prefix += 2) {
      EXPECT_EQ(CountScan(Prefix(prefix), read), 0);
    }
    const FilterCounts missing = TakeCounts();
    EXPECT_EQ(missing.no + missing.maybe, kPrefixes / 2);
    EXPECT_LE(missing.maybe, kPrefixes / 2 / 20);
  }
}

TEST_P(PrefixFilterTest, GetsAskForThePrefixWhereThereAreNoWholeKeys) {
  table_.whole_key_filtering = false;
  Reopen();
  WritePrefixes();
  for (uint64_t prefix = 0; prefix < kPrefixes; ++prefix) {
    TakeCounts();
    const bool exists = prefix % 2 == 0;
    EXPECT_EQ(GetText(db_.get(), Key(prefix, 4)),
              exists ? "there" : "NotFound: ");
    EXPECT_EQ(GetText(db_.get(), Key(prefix, 5)), "NotFound: ");
    if (exists) {
      EXPECT_EQ(TakeCounts(), (FilterCounts{0, 2, 1}));
    }
  }
  TakeCounts();
  for (uint64_t prefix = 1; prefix + 1 < kPrefixes; prefix += 2) {
    EXPECT_EQ(GetText(db_.get(), Key(prefix, 4)), "NotFound: ");
  }
  const FilterCounts missing = TakeCounts();
  EXPECT_EQ(missing.no + missing.maybe, kPrefixes / 2 - 1);
  EXPECT_LE(missing.maybe, kPrefixes / 2 / 20);
}

TEST_P(PrefixFilterTest, GetsAskForTheWholeKeyWhereItIsThere) {
  Reopen();
  WritePrefixes();
  TakeCounts();
  for (uint64_t prefix = 0; prefix < kPrefixes; prefix += 2) {
    EXPECT_EQ(GetText(db_.get(), Key(prefix, 4)), "there");
  }
  EXPECT_EQ(TakeCounts(), (FilterCounts{0, kPrefixes / 2, kPrefixes / 2}));
  // The prefix exists, the key doesn't.
  for (uint64_t prefix = 0; prefix < kPrefixes; prefix += 2) {
    EXPECT_EQ(GetText(db_.get(), Key(prefix, 5)), "NotFound: ");
  }
  const FilterCounts missing = TakeCounts();
  EXPECT_EQ(missing.no + missing.maybe, kPrefixes / 2);
  EXPECT_LE(missing.maybe, kPrefixes / 2 / 20);
}

TEST_P(PrefixFilterTest, TotalOrderSeekAsksNoFilter) {
  Reopen();
  WritePrefixes();
  ReadOptions read;
  read.total_order_seek = true;
  TakeCounts();
  EXPECT_EQ(CountScan(Prefix(0), read), kPrefixes / 2 * kRowsOfPrefix);
  EXPECT_EQ(CountScan(Prefix(1), read), (kPrefixes / 2 - 1) * kRowsOfPrefix);
  EXPECT_EQ(TakeCounts(), FilterCounts());
}

// With auto_prefix_mode a seek asks the filter when its upper bound shows that
// one prefix is all it is about, and gives the rows of total order always.
TEST_P(PrefixFilterTest, AutoPrefixMode) {
  Reopen();
  WritePrefixes();
  ReadOptions read;
  read.auto_prefix_mode = true;
  TakeCounts();
  for (uint64_t prefix = 0; prefix + 1 < kPrefixes; ++prefix) {
    const std::string bound_text = Prefix(prefix) + ":9";
    const rocksdb::Slice bound = bound_text;
    read.iterate_upper_bound = &bound;
    EXPECT_EQ(CountScan(Key(prefix, 0), read),
              prefix % 2 == 0 ? kRowsOfPrefix : 0);
  }
  const FilterCounts one_prefix = TakeCounts();
  EXPECT_EQ(one_prefix.no + one_prefix.maybe, kPrefixes - 1);
  EXPECT_GE(one_prefix.no, kPrefixes / 2 * 95 / 100);

  const rocksdb::Slice far = "9";
  read.iterate_upper_bound = &far;
  EXPECT_EQ(CountScan(Key(1, 0), read), (kPrefixes / 2 - 1) * kRowsOfPrefix);
  read.iterate_upper_bound = nullptr;
  EXPECT_EQ(CountScan(Key(1, 0), read), (kPrefixes / 2 - 1) * kRowsOfPrefix);
  EXPECT_EQ(TakeCounts(), FilterCounts());
}

TEST_P(PrefixFilterTest, BackwardScans) {
  Reopen();
  WritePrefixes();
  ReadOptions read;
  read.prefix_same_as_start = true;
  for (uint64_t prefix = 0; prefix + 2 < kPrefixes; ++prefix) {
    std::unique_ptr<rocksdb::Iterator> it(db_->NewIterator(read));
    it->SeekForPrev(Key(prefix, 9));
    size_t rows = 0;
    for (; it->Valid(); it->Prev()) {
      ++rows;
    }
    EXPECT_OK(it->status());
    EXPECT_EQ(rows, prefix % 2 == 0 ? kRowsOfPrefix : 0) << prefix;
  }
}

// Keys that have no prefix are in the filter as whole keys, or not at all.
TEST_P(PrefixFilterTest, KeysWithoutPrefix) {
  for (bool whole_key : {true, false}) {
    SCOPED_TRACE(whole_key);
    table_.whole_key_filtering = whole_key;
    DestroyAndReopen();
    const std::vector<std::string> keys = {"",    "0",    "00",     "000",
                                           "001", "0010", "0010:1", "01",
                                           "zz",  "zzz",  "zzzz",   "zzzzz"};
    for (const std::string& key : keys) {
      ASSERT_OK(db_->Put({}, key, "of " + key));
    }
    Flush();
    for (const std::string& key : keys) {
      EXPECT_EQ(GetText(db_.get(), key), "of " + key);
      std::unique_ptr<rocksdb::Iterator> it(db_->NewIterator({}));
      it->Seek(key);
      ASSERT_TRUE(it->Valid()) << key;
      EXPECT_EQ(it->key().ToString(), key);
    }
    for (const char* key : {"002", "0011", "1", "yy"}) {
      EXPECT_EQ(GetText(db_.get(), key), "NotFound: ");
    }
  }
}

// The number of entries says that repeats were dropped as RocksDB does it:
// next to each other, and between keys and prefixes.
class FilterEntriesTest : public DbTest {
 protected:
  // The entries of a file with rows of all kinds of keys, some of them in two
  // versions.
  uint64_t Entries(PolicyKind kind) {
    UsePolicy(kind);
    DestroyAndReopen();
    for (uint64_t prefix = 0; prefix < 300; ++prefix) {
      for (uint64_t row = 0; row < prefix % 4; ++row) {
        EXPECT_OK(db_->Put({}, Key(prefix, row), "old"));
      }
      EXPECT_OK(db_->Put({}, Prefix(prefix), "a key that is its own prefix"));
    }
    const rocksdb::Snapshot* snapshot = db_->GetSnapshot();
    for (uint64_t prefix = 0; prefix < 300; prefix += 3) {
      EXPECT_OK(db_->Put({}, Key(prefix, 1), "new"));
      EXPECT_OK(db_->Put({}, Prefix(prefix).substr(0, 3), "without prefix"));
    }
    Flush();
    db_->ReleaseSnapshot(snapshot);
    return SumOfFilterEntries(db_.get());
  }
};

TEST_F(FilterEntriesTest, AreCountedLikeTheBuiltinFilters) {
  using Extractor = std::shared_ptr<const rocksdb::SliceTransform>;
  const std::vector<Extractor> extractors = {
      nullptr, Extractor(rocksdb::NewFixedPrefixTransform(4)),
      Extractor(rocksdb::NewCappedPrefixTransform(4)),
      Extractor(rocksdb::NewNoopTransform())};
  for (const Extractor& extractor : extractors) {
    for (bool whole_key : {true, false}) {
      for (bool partitioned : {false, true}) {
        SCOPED_TRACE(testing::Message()
                     << (extractor ? extractor->Name() : "no prefix")
                     << ", whole keys " << whole_key << ", partitioned "
                     << partitioned);
        options_.prefix_extractor = extractor;
        table_.whole_key_filtering = whole_key;
        table_.partition_filters = partitioned;
        table_.index_type =
            partitioned ? table_.kTwoLevelIndexSearch : table_.kBinarySearch;
        EXPECT_EQ(Entries(PolicyKind::kLinebloom),
                  Entries(PolicyKind::kBuiltinBloom));
      }
    }
  }
}

}  // namespace
}  // namespace linebloom
