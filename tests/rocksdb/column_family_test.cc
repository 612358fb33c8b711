// Column families of one database, each with a policy of its own.

#include <map>
#include <string>
#include <vector>

#include "tests/rocksdb/db_fixture.h"

namespace linebloom {
namespace {

constexpr Rows kRows{0, 2000};
constexpr PolicyKind kKinds[] = {PolicyKind::kNone, PolicyKind::kBuiltinBloom,
                                 PolicyKind::kBuiltinRibbon,
                                 PolicyKind::kLinebloom};

class ColumnFamilyTest : public DbTest {
 protected:
  ~ColumnFamilyTest() override { CloseFamilies(); }

  // Opens the database with a column family for each kind of policy, each
  // named after the one it was made with; here with the policies in `now`.
  void OpenFamilies(const std::map<PolicyKind, PolicyKind>& now) {
    CloseFamilies();
    options_.create_missing_column_families = true;
    std::vector<rocksdb::ColumnFamilyDescriptor> descriptors;
    descriptors.emplace_back("default", OptionsWithTable());
    for (const auto& [made_with, open_with] : now) {
      UsePolicy(open_with);
      descriptors.emplace_back("of " + PolicyName(made_with),
                               OptionsWithTable());
    }
    std::vector<rocksdb::ColumnFamilyHandle*> handles;
    rocksdb::DB* db = nullptr;
    ASSERT_OK(
        rocksdb::DB::Open(options_, Path("db"), descriptors, &handles, &db));
    db_.reset(db);
    size_t next = 1;
    for (const auto& family : now) {
      families_[family.first] = handles[next++];
    }
    default_ = handles[0];
  }

  void CloseFamilies() {
    for (const auto& family : families_) {
      EXPECT_OK(db_->DestroyColumnFamilyHandle(family.second));
    }
    families_.clear();
    if (default_ != nullptr) {
      EXPECT_OK(db_->DestroyColumnFamilyHandle(default_));
      default_ = nullptr;
    }
    Close();
  }

  void WriteRows(rocksdb::ColumnFamilyHandle* family) {
    for (uint64_t i = kRows.begin; i < kRows.end; i += 2) {
      ASSERT_OK(db_->Put({}, family, RowKey(i), family->GetName()));
    }
    ASSERT_OK(db_->Flush({}, family));
  }

  // All rows are found, and the filters answered that to the missing ones.
  FilterCounts CountFamily(rocksdb::ColumnFamilyHandle* family) {
    std::string value;
    for (uint64_t i = kRows.begin; i < kRows.end; i += 2) {
      EXPECT_OK(db_->Get({}, family, RowKey(i), &value));
      EXPECT_EQ(value, family->GetName());
    }
    TakeCounts();
    for (uint64_t i = kRows.begin + 1; i + 1 < kRows.end; i += 2) {
      EXPECT_TRUE(db_->Get({}, family, RowKey(i), &value).IsNotFound());
    }
    return TakeCounts();
  }

  std::map<PolicyKind, rocksdb::ColumnFamilyHandle*> families_;
  rocksdb::ColumnFamilyHandle* default_ = nullptr;
};

TEST_F(ColumnFamilyTest, EachWithItsPolicy) {
  std::map<PolicyKind, PolicyKind> same;
  for (PolicyKind kind : kKinds) {
    same[kind] = kind;
  }
  OpenFamilies(same);
  for (const auto& family : families_) {
    WriteRows(family.second);
  }
  OpenFamilies(same);
  for (const auto& [kind, family] : families_) {
    SCOPED_TRACE(PolicyName(kind));
    const FilterCounts missing = CountFamily(family);
    if (kind == PolicyKind::kNone) {
      EXPECT_EQ(missing, FilterCounts());
    } else {
      EXPECT_EQ(missing.no + missing.maybe, kRows.missing());
      EXPECT_GE(missing.no, kRows.missing() * 96 / 100);
    }
    rocksdb::TablePropertiesCollection properties;
    ASSERT_OK(db_->GetPropertiesOfAllTables(family, &properties));
    ASSERT_EQ(properties.size(), 1);
    EXPECT_EQ(properties.begin()->second->filter_policy_name, PolicyName(kind));
  }
}

// All families move to linebloom, and those that had filters keep them.
TEST_F(ColumnFamilyTest, AllMoveToLinebloom) {
  std::map<PolicyKind, PolicyKind> same;
  std::map<PolicyKind, PolicyKind> moved;
  for (PolicyKind kind : kKinds) {
    same[kind] = kind;
    moved[kind] = PolicyKind::kLinebloom;
  }
  OpenFamilies(same);
  std::map<PolicyKind, FilterCounts> before;
  for (const auto& [kind, family] : families_) {
    WriteRows(family);
    before[kind] = CountFamily(family);
  }
  OpenFamilies(moved);
  for (const auto& [kind, family] : families_) {
    SCOPED_TRACE(PolicyName(kind));
    EXPECT_EQ(CountFamily(family), before[kind]);
  }
}

TEST_F(ColumnFamilyTest, CreatedAndDroppedWhileOpen) {
  Reopen();
  for (int round = 0; round < 3; ++round) {
    rocksdb::ColumnFamilyHandle* family = nullptr;
    ASSERT_OK(db_->CreateColumnFamily(OptionsWithTable(), "passing", &family));
    WriteRows(family);
    EXPECT_GE(CountFamily(family).no, kRows.missing() * 96 / 100);
    ASSERT_OK(db_->DropColumnFamily(family));
    EXPECT_GE(CountFamily(family).no, kRows.missing() * 96 / 100);
    ASSERT_OK(db_->DestroyColumnFamilyHandle(family));
  }
}

}  // namespace
}  // namespace linebloom
