#include "table/properties.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "table/sst_file.h"
#include "tests/table/sst_builder.h"

namespace linebloom {
namespace {

using ::linebloom::testing::Entry;
using ::linebloom::testing::Le64;
using ::linebloom::testing::MakeBlock;
using ::linebloom::testing::SstBuilder;
using ::linebloom::testing::Varint;
using ::testing::HasSubstr;

absl::StatusOr<Properties> Parse(const std::vector<Entry>& entries) {
  return ParseProperties(
      Block{MakeBlock(entries, 1 << 30), 0, "properties", "x.sst"});
}

TEST(PropertiesTest, MissingPropertiesHaveTheirDefaults) {
  const absl::StatusOr<Properties> p = Parse({});
  ASSERT_TRUE(p.ok()) << p.status();
  EXPECT_EQ(p->num_entries, 0);
  EXPECT_FALSE(p->num_filter_entries.has_value());
  EXPECT_FALSE(p->global_sequence_number.has_value());
  EXPECT_TRUE(p->whole_key_filtering);
  EXPECT_TRUE(p->prefix_filtering);
  EXPECT_FALSE(p->index_key_is_user_key);
  EXPECT_FALSE(p->index_value_is_delta_encoded);
  EXPECT_EQ(p->filter_policy_name, "");
}

TEST(PropertiesTest, ReadsKnownPropertiesAndIgnoresOthers) {
  const absl::StatusOr<Properties> p = Parse({
      {"a.users.own", "\xff\xff"},
      {"rocksdb.block.based.table.prefix.filtering", "0"},
      {"rocksdb.block.based.table.whole.key.filtering", "0"},
      {"rocksdb.column.family.name", "default"},
      {"rocksdb.comparator", "nullptr"},
      {"rocksdb.external_sst_file.global_seqno", Le64(42)},
      {"rocksdb.filter.policy", "linebloom"},
      {"rocksdb.index.key.is.user.key", Varint(1)},
      {"rocksdb.index.value.is.delta.encoded", Varint(1)},
      {"rocksdb.num.entries", Varint(UINT64_MAX)},
      {"rocksdb.num.filter_entries", Varint(0)},
      {"rocksdb.prefix.extractor.name", "rocksdb.FixedPrefix.4"},
  });
  ASSERT_TRUE(p.ok()) << p.status();
  EXPECT_FALSE(p->prefix_filtering);
  EXPECT_FALSE(p->whole_key_filtering);
  EXPECT_EQ(p->column_family_name, "default");
  EXPECT_EQ(p->comparator_name, "");
  EXPECT_EQ(p->global_sequence_number, 42);
  EXPECT_EQ(p->filter_policy_name, "linebloom");
  EXPECT_TRUE(p->index_key_is_user_key);
  EXPECT_TRUE(p->index_value_is_delta_encoded);
  EXPECT_EQ(p->num_entries, UINT64_MAX);
  EXPECT_EQ(p->num_filter_entries, 0);
  EXPECT_EQ(p->prefix_extractor_name, "rocksdb.FixedPrefix.4");
}

TEST(PropertiesTest, ValuesThatBreakTheFormatAreDamage) {
  const Entry wrong[] = {
      {"rocksdb.num.entries", ""},
      {"rocksdb.num.filter_entries", "\xff"},
      {"rocksdb.block.based.table.whole.key.filtering", "yes"},
      {"rocksdb.block.based.table.prefix.filtering", ""},
      {"rocksdb.index.key.is.user.key", ""},
      {"rocksdb.external_sst_file.global_seqno", "1234567"},
  };
  for (const Entry& entry : wrong) {
    const absl::StatusOr<Properties> p = Parse({entry});
    EXPECT_EQ(p.status().code(), absl::StatusCode::kDataLoss) << entry.key;
    EXPECT_THAT(std::string(p.status().message()),
                HasSubstr("properties: " + entry.key + ": expected "));
  }
}

// The result of ingestion with `write_global_seqno`: eight changed bytes under
// the old checksum.
class IngestedTest : public ::testing::Test {
 protected:
  static constexpr char kName[] = "rocksdb.external_sst_file.global_seqno";

  // The bytes of a file whose sequence number was 0 when its checksum was
  // computed.
  static std::string MakeFile() {
    SstBuilder builder(5, ChecksumType::kXxh3);
    const BlockHandle properties = builder.AddBlock(
        MakeBlock({{kName, Le64(0)}, {"rocksdb.num.entries", Varint(3)}}, 16));
    builder.AddMeta("rocksdb.properties", properties);
    return builder.Finish();
  }

  static absl::StatusOr<Properties> Read(const std::string& bytes) {
    const absl::StatusOr<SstFile> file =
        SstFile::Open(WrapMemory("x.sst", bytes));
    if (!file.ok()) return file.status();
    return file->ReadProperties();
  }

  // Three lengths of a byte each, then the key.
  static constexpr size_t kValueAt = 3 + sizeof(kName) - 1;
};

TEST_F(IngestedTest, SequenceNumberWrittenLaterIsNotDamage) {
  const std::string bytes = MakeFile().replace(kValueAt, 8, Le64(77));
  const absl::StatusOr<Properties> p = Read(bytes);
  ASSERT_TRUE(p.ok()) << p.status();
  EXPECT_EQ(p->global_sequence_number, 77);
  EXPECT_EQ(p->num_entries, 3);
}

}  // namespace
}  // namespace linebloom
