// Switching to linebloom: files written with RocksDB's own filters keep them.

#include <functional>
#include <ostream>

#include "rocksdb/sst_file_writer.h"
#include "tests/rocksdb/switch_fixture.h"

namespace linebloom {
namespace {

struct Written {
  const char* name;
  std::function<void(rocksdb::BlockBasedTableOptions*)> with;
};
std::ostream& operator<<(std::ostream& out, const Written& written) {
  return out << written.name;
}

const Written kWritten[] = {
    {"Bloom",
     [](auto* table) {
       table->filter_policy = MakePolicy(PolicyKind::kBuiltinBloom);
     }},
    {"Ribbon",
     [](auto* table) {
       table->filter_policy = MakePolicy(PolicyKind::kBuiltinRibbon);
     }},
    {"BloomAboveRibbon",  // Bloom in level 0, Ribbon in the last
     [](auto* table) {
       table->filter_policy.reset(rocksdb::NewRibbonFilterPolicy(10, 1));
     }},
    {"PartitionedBloom",
     [](auto* table) {
       table->filter_policy = MakePolicy(PolicyKind::kBuiltinBloom);
       UsePartitions(table);
     }},
    {"PartitionedRibbon",
     [](auto* table) {
       table->filter_policy = MakePolicy(PolicyKind::kBuiltinRibbon);
       UsePartitions(table);
     }},
    {"LegacyBloom",  // of RocksDB before 6.6
     [](auto* table) {
       table->filter_policy = MakePolicy(PolicyKind::kBuiltinBloom);
       table->format_version = 4;
     }},
    {"BloomOfManyBits",
     [](auto* table) {
       table->filter_policy = MakePolicy(PolicyKind::kBuiltinBloom, 40);
     }},
};

class WrittenWithBuiltinTest : public SwitchTest,
                               public testing::WithParamInterface<Written> {};
INSTANTIATE_TEST_SUITE_P(As, WrittenWithBuiltinTest,
                         testing::ValuesIn(kWritten), [](const auto& written) {
                           return written.param.name;
                         });

TEST_P(WrittenWithBuiltinTest, KeepsTheEffectOfItsFilters) {
  const rocksdb::BlockBasedTableOptions plain = table_;
  GetParam().with(&table_);
  WriteFiles();
  const Reads before = ReadAll();
  EXPECT_GE(before.missing.no, kRows.missing());
  EXPECT_GE(before.scans.no, 100);

  // With all but the policy as before, and with the defaults.
  table_.filter_policy = MakePolicy(PolicyKind::kLinebloom);
  Reopen();
  EXPECT_EQ(ReadAll(), before);
  table_ = plain;
  Reopen();
  EXPECT_EQ(ReadAll(), before);

  // And back.
  GetParam().with(&table_);
  Reopen();
  EXPECT_EQ(ReadAll(), before);
}

TEST_P(WrittenWithBuiltinTest, GetsLinebloomWhenItIsRewritten) {
  GetParam().with(&table_);
  WriteFiles();
  UsePolicy(PolicyKind::kLinebloom);
  Reopen();
  AddFiles();  // now there are files of both
  const Reads mixed = ReadAll();
  EXPECT_GE(mixed.missing.no, kRows.missing() * 4);
  CompactAll();
  for (const auto& properties : AllProperties(db_.get())) {
    EXPECT_EQ(properties->filter_policy_name, "linebloom");
  }
  const Reads rewritten = ReadAll();
  EXPECT_EQ(rewritten.present.no, 0);
  EXPECT_GE(rewritten.missing.no, kRows.missing() * 95 / 100);
  EXPECT_GE(rewritten.scans.no, 140);
}

TEST_F(SwitchTest, MixedFilesWithEitherPolicy) {
  UsePolicy(PolicyKind::kBuiltinBloom);
  Reopen();
  WriteFile(kRows);
  CompactAll();
  UsePolicy(PolicyKind::kLinebloom);
  Reopen();
  WriteFile(kRows);
  UsePolicy(PolicyKind::kBuiltinRibbon);
  Reopen();
  WriteFile(kRows);

  UsePolicy(PolicyKind::kLinebloom);
  Reopen();
  ExpectFilterWorks(kRows, 3);
  UsePolicy(PolicyKind::kBuiltinBloom);
  Reopen();
  ExpectRows(kRows);
  const FilterCounts builtin = CountMissing(kRows);
  EXPECT_EQ(builtin.no + builtin.maybe, 3 * kRows.missing());
  EXPECT_GE(builtin.no, 2 * kRows.missing() * 95 / 100);
  EXPECT_GE(builtin.maybe, kRows.missing());
}

TEST_F(SwitchTest, IngestedFileOfABuiltinPolicy) {
  UsePolicy(PolicyKind::kBuiltinBloom);
  rocksdb::SstFileWriter writer(rocksdb::EnvOptions(), OptionsWithTable());
  ASSERT_OK(writer.Open(Path("bloom.sst")));
  for (uint64_t i = kRows.begin; i < kRows.end; i += 2) {
    ASSERT_OK(writer.Put(RowKey(i), RowValue(i)));
  }
  ASSERT_OK(writer.Finish());
  UsePolicy(PolicyKind::kLinebloom);
  Reopen();
  WriteFile(kRows);
  ASSERT_OK(db_->IngestExternalFile({Path("bloom.sst")}, {}));
  ExpectFilterWorks(kRows, 2);
}

// A database that had no filters gets them file by file.
TEST_F(SwitchTest, DatabaseWithoutFilters) {
  UsePolicy(PolicyKind::kNone);
  Reopen();
  WriteFile(kRows);
  UsePolicy(PolicyKind::kLinebloom);
  Reopen();
  EXPECT_EQ(CountMissing(kRows), FilterCounts());
  WriteFile(kRows);
  ExpectFilterWorks(kRows);
  CompactAll();
  ExpectFilterWorks(kRows);
}

}  // namespace
}  // namespace linebloom
