// Reads files of a RocksDB that may be newer than the one these tests are built
// with; tests/golden/sst/README.md says how they were made.
// transcripts/dump.txt has every kind of file that the installed one writes.
#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "table/format.h"
#include "table/sst_file.h"
#include "tests/filter_policy/policy/filter_bits.h"

namespace linebloom {
namespace {

// db_bench's keys: 8 bytes, highest first.
std::vector<std::string> GoldenKeys() {
  std::vector<std::string> keys(400, std::string(8, '\0'));
  for (size_t i = 0; i < keys.size(); ++i) {
    keys[i][6] = static_cast<char>(i >> 8);
    keys[i][7] = static_cast<char>(i);
  }
  return keys;
}

// In the only block, or in the first partition whose key is not less.
void ExpectKeysInFilter(const SstFile& file) {
  const FilterLocation& filter = file.filter();
  const auto last_keys = file.ReadPartitionKeys();
  ASSERT_TRUE(last_keys.ok()) << last_keys.status();
  const auto policy = MakePolicy();  // reads RocksDB's filters too
  for (const std::string& key : GoldenKeys()) {
    const auto partition =
        std::ranges::lower_bound(*last_keys, key) - last_keys->begin();
    const auto block = file.ReadFilterBlock(filter.blocks.at(partition));
    ASSERT_TRUE(block.ok()) << block.status();
    EXPECT_TRUE(NewReader(*policy, block->payload)->MayMatch(key)) << key;
  }
}

TEST(GoldenSstTest, Versions6And8) {
  for (const uint32_t version : {6, 8}) {
    for (const bool full : {true, false}) {
      const auto file =
          SstFile::Open(absl::StrCat(LINEBLOOM_GOLDEN_DIR, "/sst/v", version,
                                     full ? "_full.sst" : "_partitioned.sst"));
      ASSERT_TRUE(file.ok()) << file.status();
      EXPECT_EQ(file->footer().format_version, version);
      EXPECT_EQ(file->footer().checksum_type, ChecksumType::kXxh3);
      EXPECT_NE(file->footer().base_context_checksum, 0);
      const Properties& properties = file->properties();
      EXPECT_EQ(properties.num_filter_entries, 400);
      EXPECT_EQ(properties.filter_size, full ? 517 : version == 6 ? 876 : 609);
      EXPECT_EQ(properties.level_at_creation,
                version == 6 ? std::nullopt : std::optional(6));
      EXPECT_EQ(file->filter().kind,
                full ? FilterKind::kFull : FilterKind::kPartitioned);
      EXPECT_EQ(file->filter().TotalSize(), properties.filter_size);
      EXPECT_EQ(file->filter().compatibility_name,
                "rocksdb.BuiltinBloomFilter");
      ExpectKeysInFilter(*file);
    }
  }
}

}  // namespace
}  // namespace linebloom
