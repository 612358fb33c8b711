// An application's own policy that delegates to others, as RocksDB intends:
// here to linebloom on some levels and to a built-in filter on the others.

#include <memory>
#include <string>

#include "linebloom/filter_policy.h"
#include "tests/rocksdb/db_fixture.h"

namespace linebloom {
namespace {

class ByLevelPolicy : public rocksdb::FilterPolicy {
 public:
  const char* Name() const override { return "test.ByLevel"; }
  const char* CompatibilityName() const override {
    return linebloom_->CompatibilityName();
  }
  rocksdb::FilterBitsBuilder* GetBuilderWithContext(
      const rocksdb::FilterBuildingContext& context) const override {
    const bool on_top = context.level_at_creation == 0;
    return (on_top == linebloom_on_top_ ? linebloom_ : ribbon_)
        ->GetBuilderWithContext(context);
  }
  rocksdb::FilterBitsReader* GetFilterBitsReader(
      const rocksdb::Slice& contents) const override {
    return linebloom_->GetFilterBitsReader(contents);
  }

  explicit ByLevelPolicy(bool linebloom_on_top)
      : linebloom_on_top_(linebloom_on_top) {}

 private:
  const bool linebloom_on_top_;
  const std::shared_ptr<const rocksdb::FilterPolicy> linebloom_ =
      MakePolicy(PolicyKind::kLinebloom);
  const std::shared_ptr<const rocksdb::FilterPolicy> ribbon_ =
      MakePolicy(PolicyKind::kBuiltinRibbon);
};

class CustomPolicyTest : public DbTest {};

TEST_F(CustomPolicyTest, ChoosesByLevel) {
  const Rows rows{0, 4000};
  for (bool linebloom_on_top : {true, false}) {
    SCOPED_TRACE(linebloom_on_top);
    table_.filter_policy = std::make_shared<ByLevelPolicy>(linebloom_on_top);
    DestroyAndReopen();
    WriteFile(rows);
    CompactAll();
    WriteFile(rows);
    ExpectFilterWorks(rows, 2);

    // Each policy alone reads its own filters; linebloom reads all of them.
    UsePolicy(PolicyKind::kLinebloom);
    Reopen();
    ExpectFilterWorks(rows, 2);
    UsePolicy(PolicyKind::kBuiltinBloom);
    Reopen();
    ExpectRows(rows);
    const FilterCounts builtin = CountMissing(rows);
    EXPECT_EQ(builtin.no + builtin.maybe, 2 * rows.missing());
    EXPECT_GE(builtin.no, rows.missing() * 96 / 100);
    EXPECT_GE(builtin.maybe, rows.missing());
  }
}

}  // namespace
}  // namespace linebloom
