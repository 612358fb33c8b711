// Column families of one database, each with its own policy. The oracle covers
// a database in which one family changes its policy.

#include <string>
#include <vector>

#include "tests/rocksdb/db_fixture.h"

namespace linebloom {
namespace {

class ColumnFamilyTest : public DbTest {};

TEST_F(ColumnFamilyTest, OneBatchOverAll) {
  Reopen();
  std::vector<rocksdb::ColumnFamilyHandle*> families;
  for (PolicyKind kind : {PolicyKind::kBuiltinBloom, PolicyKind::kNone,
                          PolicyKind::kBuiltinRibbon, PolicyKind::kLinebloom}) {
    UsePolicy(kind);
    rocksdb::ColumnFamilyHandle* family = nullptr;
    ASSERT_OK(db_->CreateColumnFamily(
        OptionsWithTable(), std::to_string(families.size()), &family));
    families.push_back(family);
    for (uint64_t i = 0; i < 1000; i += 2) {
      ASSERT_OK(db_->Put({}, family, RowKey(i), family->GetName()));
    }
    ASSERT_OK(db_->Flush({}, family));
  }

  std::vector<std::string> keys;
  for (uint64_t i = 0; i < 400; ++i) keys.push_back(RowKey(i));
  std::vector<rocksdb::ColumnFamilyHandle*> asked;
  for (size_t i = 0; i < keys.size(); ++i) {
    asked.push_back(families[i / 2 % families.size()]);
  }
  TakeCounts();
  const std::vector<std::string> found = MultiGetTexts(db_.get(), keys, asked);
  const FilterCounts counts = TakeCounts();
  for (size_t i = 0; i < keys.size(); ++i) {
    EXPECT_EQ(found[i], i % 2 == 0 ? asked[i]->GetName() : "NotFound: ");
  }
  // Three of the four families have filters.
  EXPECT_EQ(counts.no + counts.maybe, 300);
  EXPECT_GE(counts.no, 140);
  EXPECT_EQ(counts.true_positive, 150);
  for (rocksdb::ColumnFamilyHandle* family : families) {
    ASSERT_OK(db_->DestroyColumnFamilyHandle(family));
  }
}

}  // namespace
}  // namespace linebloom
