// A filter's number of entries shows that repeats were dropped as RocksDB's own
// builders drop them: adjacent ones, and those between keys and prefixes.

#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "rocksdb/slice_transform.h"
#include "tests/rocksdb/db_fixture.h"

namespace linebloom {
namespace {

std::string Prefix(uint64_t prefix) {
  char text[24];
  std::snprintf(text, sizeof(text), "%04u", static_cast<unsigned>(prefix));
  return text;
}

std::string Key(uint64_t prefix, uint64_t row) {
  return Prefix(prefix) + ":" + std::to_string(row);
}

class FilterEntriesTest : public DbTest {
 protected:
  // The entries of a file with rows of all kinds, some of them in two versions.
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
