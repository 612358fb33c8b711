#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "table/block.h"
#include "tests/table/sst_builder.h"

namespace linebloom {
namespace {

using ::linebloom::testing::Le32;
using ::linebloom::testing::MakeBlock;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr uint64_t kOffset = 1000;

Block Wrap(std::string payload) {
  return {std::move(payload), kOffset, "metaindex", "x.sst"};
}

std::vector<std::string> Walk(EntryIterator* entry) {
  std::vector<std::string> seen;
  while (entry->Next()) {
    seen.push_back(absl::StrCat(entry->key(), "=", entry->value()));
  }
  return seen;
}

TEST(EntryIteratorTest, WalksEntriesWhateverTheRestartInterval) {
  for (const int restart_interval : {1, 2, 3, 100}) {
    const Block block = Wrap(
        MakeBlock({{"apple", "1"}, {"apples", ""}, {"apt", "33"}, {"bee", "4"}},
                  restart_interval));
    EntryIterator entry(&block, ValueLength::kStored);
    EXPECT_THAT(Walk(&entry),
                ElementsAre("apple=1", "apples=", "apt=33", "bee=4"));
    EXPECT_TRUE(entry.status().ok()) << entry.status();
  }
}

TEST(EntryIteratorTest, ValueOffsetIsThePositionOfTheValue) {
  const Block block = Wrap(MakeBlock({{"a", "one"}, {"ab", "two"}}, 16));
  EntryIterator entry(&block, ValueLength::kStored);
  while (entry.Next()) {
    EXPECT_EQ(block.payload.substr(entry.value_offset(), 3), entry.value());
  }
}

TEST(EntryIteratorTest, EmptyBlockHasNoEntries) {
  const Block block = Wrap(MakeBlock({}, 1));
  EntryIterator entry(&block, ValueLength::kStored);
  EXPECT_THAT(Walk(&entry), IsEmpty());
  EXPECT_TRUE(entry.status().ok()) << entry.status();
}

// RocksDB 11 sets bit 29 of the number of restart points for index blocks whose
// keys are spread evenly.
TEST(EntryIteratorTest, UniformKeysBitIsNotPartOfTheNumber) {
  const std::string entries = MakeBlock({{"k", "v"}}, 1);
  const Block block =
      Wrap(entries.substr(0, entries.size() - 4) + Le32(1 | (1U << 29)));
  EntryIterator entry(&block, ValueLength::kStored);
  EXPECT_THAT(Walk(&entry), ElementsAre("k=v"));
  EXPECT_TRUE(entry.status().ok()) << entry.status();
}

TEST(EntryIteratorTest, DamageNamesFileOffsetAndWhatWasExpected) {
  const std::string tail = Le32(0) + Le32(1);
  const struct {
    std::string payload;
    std::string message;
  } cases[] = {
      {"", "offset 1000: metaindex: expected at least 4 bytes, found 0"},
      {"abc", "offset 1000: metaindex: expected at least 4 bytes, found 3"},
      {Le32(1), "offset 1000: metaindex: expected a number of restart points"},
      {Le32(0) + Le32(0xffffffff), "offset 1004: metaindex: expected a number"},
      {Le32(0) + Le32(1U << 30), "offset 1004: metaindex: expected a number"},
      {"\x80" + tail, "offset 1000: metaindex: expected the lengths of a key"},
      {"\x01\x01\x01kv" + tail, "shares at most the 0 bytes"},
      {absl::StrCat(absl::string_view("\0\1", 2), tail), "length of a value"},
      {absl::StrCat(absl::string_view("\0\x09\x01k", 4), tail),
       "an entry with 9 bytes of key, but 1 are left"},
      {absl::StrCat(absl::string_view("\0\x01\x09kv", 5), tail),
       "an entry with a value of 9 bytes, but 1 are left"},
      // The second entry is the damaged one.
      {absl::StrCat(absl::string_view("\0\1\1kv\5\1\1kv", 10), tail),
       "offset 1005: metaindex: expected a key that shares at most the 1 "
       "bytes of the one before, found 5"},
  };
  for (const auto& [payload, message] : cases) {
    const Block block = Wrap(payload);
    EntryIterator entry(&block, ValueLength::kStored);
    Walk(&entry);
    EXPECT_EQ(entry.status().code(), absl::StatusCode::kDataLoss) << message;
    EXPECT_THAT(std::string(entry.status().message()), HasSubstr("x.sst: "));
    EXPECT_THAT(std::string(entry.status().message()), HasSubstr(message));
    EXPECT_FALSE(entry.Next()) << "goes on after damage";
  }
}

}  // namespace
}  // namespace linebloom
