// Reads SSTables made by hand, in every format_version and with errors that
// RocksDB never makes, and damages every byte of them and of RocksDB's own:
// the reader gives the right answer or an error, never a wrong answer, a crash
// or a hang.

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "table/sst_file.h"
#include "tests/table/rocksdb_files.h"
#include "tests/table/sst_builder.h"
#include "tests/table/wrap_memory.h"
#include "tests/temporary_folder.h"

namespace linebloom {
namespace {

using ::linebloom::testing::Encode;
using ::linebloom::testing::Entry;
using ::linebloom::testing::Le32;
using ::linebloom::testing::Le64;
using ::linebloom::testing::MakeBlock;
using ::linebloom::testing::MakeDeltaIndex;
using ::linebloom::testing::Partition;
using ::linebloom::testing::SstBuilder;
using ::linebloom::testing::Varint;
using ::testing::HasSubstr;
using ::testing::StartsWith;

using Entries = std::vector<Entry>;

constexpr absl::StatusCode kDamaged = absl::StatusCode::kDataLoss;
constexpr absl::StatusCode kNotATable = absl::StatusCode::kInvalidArgument;
constexpr absl::StatusCode kTooNew = absl::StatusCode::kUnimplemented;

// Everything that a tool learns about a file's filter.
struct Answer {
  FilterKind kind = FilterKind::kNone;
  std::string compatibility_name = {};
  std::vector<std::string> blocks = {};
  std::vector<std::string> partition_keys = {};
  std::string filter_policy_name = {};
  uint64_t num_entries = 0;

  friend bool operator==(const Answer&, const Answer&) = default;
};

absl::StatusOr<Answer> ReadAll(const std::string& bytes) {
  const absl::StatusOr<SstFile> file =
      SstFile::Open(WrapMemory("x.sst", bytes));
  if (!file.ok()) return file.status();
  Answer answer{file->filter().kind,
                file->filter().compatibility_name,
                {},
                file->ReadPartitionKeys().value(),
                file->properties().filter_policy_name,
                file->properties().num_entries};
  for (const BlockHandle& handle : file->filter().blocks) {
    absl::StatusOr<Block> block = file->ReadFilterBlock(handle);
    if (!block.ok()) return block.status();
    answer.blocks.push_back(block->payload);
  }
  return answer;
}

const BlockHandle kFirst{0, 10};
const BlockHandle kSecond{15, 10};
constexpr uint64_t kThirdOffset = 30;

// A file that starts with two filter blocks at kFirst and kSecond.
SstBuilder NewSst(uint32_t version = 5,
                  ChecksumType type = ChecksumType::kXxh3) {
  SstBuilder builder(version, type);
  builder.AddBlock("filter one");
  builder.AddBlock("filter two");
  return builder;
}

std::string WithMeta(const Entries& meta, uint32_t version = 5) {
  SstBuilder builder = NewSst(version);
  for (const Entry& entry : meta) builder.AddMeta(entry.key, entry.value);
  return builder.Finish();
}

std::string WithMetaindex(const std::string& payload) {
  return NewSst().FinishWith(payload);
}

std::string WithProperties(
    const Entries& properties,
    const std::string& properties_name = "rocksdb.properties") {
  SstBuilder builder = NewSst();
  builder.AddMeta(properties_name, builder.AddBlock(MakeBlock(properties, 16)));
  return builder.Finish();
}

// The index over filter partitions is the third block.
std::string WithIndex(SstBuilder builder, const std::string& index,
                      const Entries& properties) {
  builder.AddMeta("partitionedfilter.some", builder.AddBlock(index));
  builder.AddMeta("rocksdb.properties",
                  builder.AddBlock(MakeBlock(properties, 16)));
  return builder.Finish();
}

const Entries kUserKeys = {{"rocksdb.index.key.is.user.key", Varint(1)}};
const Entries kDifferences = {
    {"rocksdb.filter.policy", "bloomfilter"},
    {"rocksdb.index.key.is.user.key", Varint(1)},
    {"rocksdb.index.value.is.delta.encoded", Varint(1)},
    {"rocksdb.num.entries", Varint(1000)}};

std::string MakePlainIndex(const std::vector<Partition>& partitions) {
  Entries entries;
  for (const Partition& p : partitions) {
    entries.push_back({p.key, Encode(p.handle)});
  }
  return MakeBlock(entries, 1);
}

TEST(HandmadeTableTest, IsReadInEveryVersionWithEveryChecksum) {
  for (uint32_t version = 0; version <= kNewestFormatVersion; ++version) {
    for (int type = 0; type <= 4; ++type) {
      if (version == 0 && type != 1) continue;  // has no other
      SCOPED_TRACE(absl::StrCat("version ", version, ", checksum ", type));
      const auto make = [version, type] {
        return NewSst(version, static_cast<ChecksumType>(type));
      };
      const auto with_meta = [make](const std::string& name,
                                    const BlockHandle& handle) {
        SstBuilder builder = make();
        builder.AddMeta(name, handle);
        return builder.Finish();
      };
      SstBuilder empty = make();
      empty.AddMeta("fullfilter.some", empty.AddBlock(""));
      const std::vector<std::string> both = {"filter one", "filter two"};
      const struct {
        std::string bytes;
        Answer answer;
      } cases[] = {
          {with_meta("rocksdb.index", kFirst), {}},
          {with_meta("fullfilter.some.Policy", kSecond),
           {.kind = FilterKind::kFull,
            .compatibility_name = "some.Policy",
            .blocks = {both[1]}}},
          {with_meta("filter.old", kFirst),
           {.kind = FilterKind::kObsoleteBlockBased,
            .compatibility_name = "old",
            .blocks = {both[0]}}},
          {empty.Finish(),
           {.kind = FilterKind::kFull,
            .compatibility_name = "some",
            .blocks = {""}}},
          {WithIndex(
               make(),
               MakeDeltaIndex({{"k1", kFirst}, {"k2", kSecond}}, 16, version),
               kDifferences),
           {FilterKind::kPartitioned,
            "some",
            both,
            {"k1", "k2"},
            "bloomfilter",
            1000}},
          // With internal keys.
          {WithIndex(make(),
                     MakePlainIndex({{"k1\1\1\1\1\1\1\1\1", kFirst},
                                     {"12345678", kSecond}}),
                     {}),
           {.kind = FilterKind::kPartitioned,
            .compatibility_name = "some",
            .blocks = both,
            .partition_keys = {"k1", ""}}},
          // RocksDB writes this if no key was added to the filter.
          {WithIndex(make(), "", {}),
           {.kind = FilterKind::kPartitioned, .compatibility_name = "some"}}};
      for (const auto& [bytes, answer] : cases) {
        const absl::StatusOr<Answer> got = ReadAll(bytes);
        ASSERT_TRUE(got.ok()) << got.status();
        EXPECT_TRUE(*got == answer) << answer.compatibility_name;
      }
    }
  }
}

TEST(HandmadeTableTest, WhatOldAndNewRocksDbsWriteIsKnown) {
  const std::string stats =
      WithProperties({{"rocksdb.num.entries", Varint(9)}}, "rocksdb.stats");
  EXPECT_EQ(ReadAll(stats)->num_entries, 9);
  const Properties properties =
      SstFile::Open(WrapMemory("x.sst", stats))->properties();
  EXPECT_FALSE(properties.num_filter_entries.has_value());
  EXPECT_TRUE(properties.whole_key_filtering && properties.prefix_filtering);
  // RocksDB 11 sets bit 29 of the number of restart points for index blocks
  // whose keys are spread evenly.
  std::string index = MakePlainIndex({{"k", kFirst}});
  index.replace(index.size() - 4, 4, Le32(1 | (1U << 29)));
  EXPECT_EQ(ReadAll(WithIndex(NewSst(), index, kUserKeys))->blocks.size(), 1);
}

// What format_version 8 added: a prefix of all keys that is stored once, and
// partitions that don't follow one another.
TEST(HandmadeTableTest, PrefixesAndGapsOfVersion8) {
  SstBuilder builder(8, ChecksumType::kXxh3);
  std::vector<Partition> partitions;
  Answer expected{.kind = FilterKind::kPartitioned,
                  .compatibility_name = "some"};
  for (const int i : {10, 11, 12, 13, 14, 15}) {
    const std::string filter(i % 3 * 100 + 1, 'f');
    if (i % 2 == 0) builder.AddBlock("other");
    partitions.push_back({absl::StrCat("key", i), builder.AddBlock(filter)});
    expected.blocks.push_back(filter);
    expected.partition_keys.push_back(partitions.back().key);
  }
  for (const size_t interval : {1, 2, 4, 16}) {
    for (const std::string prefix : {"", "k", "key1"}) {
      SCOPED_TRACE(absl::StrCat(interval, " keys, ", prefix));
      const std::string bytes =
          WithIndex(builder, MakeDeltaIndex(partitions, interval, 8, prefix),
                    {kDifferences[1], kDifferences[2]});
      const absl::StatusOr<Answer> got = ReadAll(bytes);
      ASSERT_TRUE(got.ok()) << got.status();
      EXPECT_TRUE(*got == expected);
    }
  }
}

std::string WithByte(std::string bytes, size_t from_end, int value) {
  bytes[bytes.size() - from_end] = static_cast<char>(value);
  return bytes;
}

std::string Replaced(std::string bytes, size_t from_end,
                     const std::string& with) {
  return bytes.replace(bytes.size() - from_end, with.size(), with);
}

// The bytes of a footer of version 6 with checksums off, so that any field can
// be set freely.
std::string ExtendedFooter(absl::string_view magic, uint32_t base,
                           uint32_t metaindex_size, uint64_t reserved) {
  return absl::StrCat(absl::string_view("\0", 1), magic,
                      Le32(ChecksumContext(base, 0)), Le32(base),
                      Le32(metaindex_size), std::string(16, 'r'),
                      Le64(reserved), Le32(6), Le64(0x88e241b785f4cff7));
}

// A filter whose type says that it is compressed, with a valid checksum.
std::string CompressedFilter() {
  const std::string summed = "filter on\4";
  std::string bytes = WithMeta({{"fullfilter.a", Encode({0, 9})}});
  return bytes.replace(
      0, 14, summed + Le32(ComputeChecksum(ChecksumType::kXxh3, summed)));
}

std::string MovedBlock() {
  std::string bytes = WithMeta({{"fullfilter.a", Encode(kFirst)}}, 6);
  return bytes.replace(0, 15, bytes, 15, 15);
}

struct Damage {
  std::string bytes;
  std::string words;  // of the message
  absl::StatusCode code = kDamaged;
};

std::vector<Damage> DamagedFooters() {
  constexpr absl::string_view kMagic("\x3e\x00\x7a\x00", 4);
  const std::string head(100, '\0');
  const std::string file = WithMeta({});
  std::vector<Damage> all = {
      {"", "x.sst: expected an SSTable, which has at least 48 bytes",
       kNotATable},
      {std::string(100, 'a'),
       "offset 92: expected the magic number 88e241b785f4cff7", kNotATable},
      {head + Le64(0x8242229663bf9564), "a plain table", kNotATable},
      {head + Le64(0x4f3418eb7a8f13b8), "a plain table", kNotATable},
      {head + Le64(0x926789d0c5f17873), "a cuckoo table", kNotATable},
      {head.substr(60) + Le64(0x88e241b785f4cff7), "shorter than its footer",
       kNotATable},
      {WithByte(file, 12, 9), "expected a format_version of at most 8, found 9",
       kTooNew},
      {WithByte(file, 12, 0), "a format_version of 1 or more, found 0"},
      {WithByte(file, 53, 5), "a checksum type of 0 to 4, found 5"},
      {WithByte(file, 52, 90),
       "offset 43: footer: expected a metaindex that ends before it, found 8 "
       "bytes at offset 90"},
      {WithByte(file, 51, 9), "found 9 bytes at offset 30"},
      {Replaced(file, 52, std::string(40, '\xff')),
       "expected the metaindex's handle, two varints"},
      {ExtendedFooter("\x3e\x01\x7a\x01", 1, 0, 0),
       "offset 1: footer of format_version 6: expected the bytes 3e 00 7a 00"},
      {ExtendedFooter(kMagic, 0, 0, 0),
       "offset 9: footer: expected a base context checksum"},
      {ExtendedFooter(kMagic, 1, 0, 1),
       "offset 33: footer: expected 8 bytes of 0", kTooNew}};
  for (const uint32_t size : {uint32_t{0}, uint32_t{1}, UINT32_MAX}) {
    all.push_back({ExtendedFooter(kMagic, 1, size, 0),
                   "offset 13: footer: expected a metaindex that fits before"});
  }
  // RocksDB reads the index too, and allocates what its handle says.
  for (const uint32_t version : {0, 1, 5}) {
    const std::string whole = NewSst(version, ChecksumType::kCrc32c).Finish();
    const size_t index = version == 0 ? 46 : 50;
    all.push_back(
        {Replaced(whole, index, std::string("\0\x80\x80\x80\x80\x80\x02", 7)),
         "footer: expected an index that ends before it, found 68719476736 "
         "bytes at offset 0"});
    all.push_back({Replaced(whole, index, std::string(11, '\xff')),
                   "footer: expected the index's handle, two varints"});
  }
  return all;
}

std::vector<Damage> DamagedEntries() {
  const std::string tail = Le32(0) + Le32(1);
  const auto entry = [&tail](const std::string& lengths_and_bytes) {
    return WithMetaindex(lengths_and_bytes + tail);
  };
  return {
      {WithMetaindex(""),
       "offset 30: metaindex: expected at least 4 bytes, found 0"},
      {WithMetaindex("abc"), "expected at least 4 bytes, found 3"},
      {WithMetaindex(Le32(1)),
       "offset 30: metaindex: expected a number of restart points"},
      {WithMetaindex(Le32(0) + Le32(0xffffffff)),
       "offset 34: metaindex: expected a number of restart points"},
      {WithMetaindex(Le32(0) + Le32(1U << 30)),
       "offset 34: metaindex: expected a number of restart points"},
      {entry("\x80"), "offset 30: metaindex: expected the lengths of a key"},
      {entry("\1\1\1kv"), "shares 0 to 0 bytes of the one before, found 1"},
      {entry(std::string("\0\1", 2)), "length of a value"},
      {entry(std::string("\0\x09\1k", 4)),
       "an entry with 9 bytes of key, but 1 are left"},
      {entry(std::string("\0\1\x09kv", 5)),
       "an entry with a value of 9 bytes, but 1 are left"},
      // The second entry is the damaged one.
      {entry(std::string("\0\1\1kv\5\1\1kv", 10)),
       "offset 35: metaindex: expected a key that shares 0 to 1 bytes of the "
       "one before, found 5"},
      // Keys with a prefix.
      {WithMetaindex("prefix" + Le32(6) + Le32(1)),
       "offset 36: metaindex: expected a prefix of its keys that ends before, "
       "found 6 bytes"},
      {WithMetaindex("prefix" + Le32(UINT32_MAX) + Le32(1)),
       "ends before, found 4294967295 bytes"},
      {WithMetaindex(absl::StrCat("prefix", std::string("\0\1\1kv\5\1\1kv", 10),
                                  Le32(6), Le32(1))),
       "offset 41: metaindex: expected a key that shares 6 to 7 bytes of the "
       "one before, found 5"}};
}

std::vector<Damage> DamagedMetaindexes() {
  std::vector<Damage> all = {
      {WithMeta({{"fullfilter.a", Encode(kFirst)},
                 {"partitionedfilter.a", Encode(kFirst)}}),
       "expected one filter, found two"},
      {WithMeta({{"rocksdb.properties", Encode(kFirst)},
                 {"rocksdb.stats", Encode(kFirst)}}),
       "expected one property block, found two"},
      {WithMeta({{"fullfilter.a", "\x80"}}),
       "expected a block handle, two varints"},
      {WithMeta({{"partitionedfilter.a", Encode(kFirst)},
                 {"rocksdb.properties", Encode({0, 1000})}}),
       "properties: expected a block that ends"},
      {CompressedFilter(),
       "offset 9: filter: expected compression type 0 (none), found type 4"},
      {MovedBlock(), "filter: expected XXH3 "}};
  for (const BlockHandle& handle :
       {BlockHandle{0, 1000}, BlockHandle{1000, 1}, BlockHandle{0, UINT64_MAX},
        BlockHandle{UINT64_MAX, 1}, BlockHandle{UINT64_MAX, UINT64_MAX}}) {
    for (const char* name : {"fullfilter.a", "filter.a"}) {
      all.push_back(
          {WithMeta({{name, Encode(handle)}}),
           "metaindex: expected a filter that ends before the footer"});
    }
    all.push_back({WithMeta({{"partitionedfilter.a", Encode(handle)}}),
                   "index of the filter partitions: expected a block that ends "
                   "before the footer"});
  }
  SstBuilder cut = NewSst();
  cut.AddMeta("rocksdb.properties", cut.AddBlock("abc"));
  all.push_back({cut.Finish(), "properties: expected at least 4 bytes"});
  for (const Entry& property :
       Entries{{"rocksdb.num.entries", ""},
               {"rocksdb.num.filter_entries", "\xff"},
               {"rocksdb.block.based.table.whole.key.filtering", "yes"},
               {"rocksdb.block.based.table.prefix.filtering", ""},
               {"rocksdb.index.key.is.user.key", ""},
               {"rocksdb.external_sst_file.global_seqno", "1234567"}}) {
    all.push_back({WithProperties({property}),
                   absl::StrCat("properties: ", property.key, ": expected ")});
  }
  return all;
}

std::vector<Damage> DamagedIndexes() {
  std::vector<Damage> all = {
      {WithIndex(NewSst(), MakePlainIndex({{"1234567", kFirst}}), {}),
       "internal key of at least 8 bytes, found 7"},
      {WithIndex(NewSst(), MakeBlock({{"a", "\1"}}, 1), kUserKeys),
       "expected a block handle, two varints"},
      {WithIndex(NewSst(), std::string("\0\1a\x80", 4) + Le32(0) + Le32(1),
                 kDifferences),
       "an entry whose value is a block handle"},
      // A difference that makes a size negative.
      {WithIndex(NewSst(),
                 MakeDeltaIndex({{"aa", kFirst}, {"ab", {15, UINT64_MAX}}}, 16),
                 kDifferences),
       "expected a partition between the offsets 15 and 30"}};
  for (const std::vector<Partition>& partitions :
       {std::vector<Partition>{{"a", kFirst}, {"b", {14, 10}}},  // in a trailer
        {{"a", kFirst}, {"b", kFirst}},
        {{"a", kSecond}, {"b", kFirst}},
        {{"a", {kSecond.offset, kThirdOffset - kSecond.offset - 4}}},
        {{"a", {UINT64_MAX, UINT64_MAX}}},
        {{"a", {1, UINT64_MAX}}}}) {
    all.push_back(
        {WithIndex(NewSst(), MakePlainIndex(partitions), kUserKeys),
         "index of the filter partitions: expected a partition between the "
         "offsets"});
  }
  return all;
}

TEST(HandmadeTableTest, ErrorsNameFilePlaceAndWhatWasExpected) {
  for (const auto& cases : {DamagedFooters(), DamagedEntries(),
                            DamagedMetaindexes(), DamagedIndexes()}) {
    for (const auto& [bytes, words, code] : cases) {
      const absl::Status status = ReadAll(bytes).status();
      EXPECT_EQ(status.code(), code) << words;
      EXPECT_THAT(std::string(status.message()), StartsWith("x.sst: "));
      EXPECT_THAT(std::string(status.message()), HasSubstr(words));
    }
  }
}

std::string WriteWithRocksDb(const testing::FileSpec& spec, int keys) {
  const TemporaryFolder folder;
  testing::WriteSst(folder.File("file.sst"), spec, keys);
  return ReadFileBytes(folder.File("file.sst"));
}

std::string WriteByHand(uint32_t version, ChecksumType type) {
  return WithIndex(NewSst(version, type),
                   MakeDeltaIndex({{"k1", kFirst}, {"k2", kSecond}}, 16,
                                  version, version >= 8 ? "k" : ""),
                   kDifferences);
}

struct Sample {
  const char* name;
  std::string (*make)();
};

const Sample kSamples[] = {
    {"RocksDbFullXxh3", [] { return WriteWithRocksDb({}, 40); }},
    {"RocksDbFullCrc32c",
     [] {
       return WriteWithRocksDb(
           {.format_version = 2, .checksum_type = ChecksumType::kCrc32c}, 40);
     }},
    {"RocksDbPartitioned",
     [] {
       return WriteWithRocksDb({.filter_kind = FilterKind::kPartitioned}, 600);
     }},
    {"RocksDbNoFilter",
     [] { return WriteWithRocksDb({.filter_kind = FilterKind::kNone}, 40); }},
    {"RocksDb9Partitioned",
     [] {
       return ReadFileBytes(LINEBLOOM_GOLDEN_DIR "/sst/v6_partitioned.sst");
     }},
    {"RocksDb11Partitioned",
     [] {
       return ReadFileBytes(LINEBLOOM_GOLDEN_DIR "/sst/v8_partitioned.sst");
     }},
    {"Version0", [] { return WriteByHand(0, ChecksumType::kCrc32c); }},
    {"Version1", [] { return WriteByHand(1, ChecksumType::kXxHash32); }},
    {"Version6", [] { return WriteByHand(6, ChecksumType::kXxh3); }},
    {"Version7", [] { return WriteByHand(7, ChecksumType::kXxHash64); }},
    {"Version8", [] { return WriteByHand(8, ChecksumType::kXxh3); }},
};

class DamageTest : public ::testing::TestWithParam<Sample> {
 protected:
  DamageTest() : bytes_(GetParam().make()), whole_(ReadAll(bytes_)) {}

  void SetUp() override { ASSERT_TRUE(whole_.ok()) << whole_.status(); }

  // For each byte, whether it is in a block that describes the filter, or in
  // the block's trailer.
  std::vector<bool> Describing() const {
    const SstFile file = *SstFile::Open(WrapMemory("x.sst", bytes_));
    std::vector<BlockHandle> blocks = file.filter().blocks;
    if (file.filter().kind == FilterKind::kPartitioned) {
      blocks.push_back(file.filter().index);
    }
    std::vector<bool> describing(bytes_.size());
    for (const BlockHandle& block : blocks) {
      std::fill_n(describing.begin() + block.offset,
                  block.size + kBlockTrailerSize, true);
    }
    // The properties, the first name of which follows three lengths, and the
    // metaindex.
    const BlockHandle metaindex = file.footer().metaindex;
    std::fill(describing.begin() + bytes_.find("rocksdb.") - 3,
              describing.begin() + metaindex.offset + metaindex.size +
                  kBlockTrailerSize,
              true);
    return describing;
  }

  std::string bytes_;
  absl::StatusOr<Answer> whole_;
};

INSTANTIATE_TEST_SUITE_P(Samples, DamageTest, ::testing::ValuesIn(kSamples),
                         [](const auto& test) {
                           return std::string(test.param.name);
                         });

TEST_P(DamageTest, EveryTruncationAndMissingHeadIsReported) {
  for (size_t length = 0; length < bytes_.size(); ++length) {
    EXPECT_EQ(ReadAll(bytes_.substr(0, length)).status().code(), kNotATable)
        << length;
    if (length == 0) continue;
    EXPECT_FALSE(ReadAll(bytes_.substr(length)).ok()) << length;
  }
}

TEST_P(DamageTest, EveryChangedByteIsReportedOrHarmless) {
  const std::vector<bool> describing = Describing();
  const std::string name = "external_sst_file.global_seqno";
  // No checksum covers the eight bytes of an ingested file's sequence number.
  const size_t sequence_number =
      std::min(bytes_.find(name), bytes_.size()) + name.size();
  int reported = 0;
  for (size_t i = 0; i < bytes_.size(); ++i) {
    // Every value in the footers of the small samples, which are made by hand.
    const bool every_value =
        i + 53 >= bytes_.size() && absl::StartsWith(GetParam().name, "Version");
    for (int flip = 1; flip < 256; ++flip) {
      const bool one_bit = (flip & (flip - 1)) == 0;
      if (!one_bit && flip != 0xff && !every_value) continue;
      std::string damaged = bytes_;
      damaged[i] = static_cast<char>(damaged[i] ^ flip);
      const absl::StatusOr<Answer> answer = ReadAll(damaged);
      SCOPED_TRACE(absl::StrCat("byte ", i, " ^ ", flip));
      if (answer.ok()) {
        ASSERT_TRUE(*answer == *whole_) << "wrong answer";
        ASSERT_TRUE(!describing[i] || i - sequence_number < 8);
      } else {
        ++reported;
        const std::string message(answer.status().message());
        ASSERT_THAT(message, StartsWith("x.sst: offset "));
        ASSERT_THAT(message, HasSubstr("expected "));
        if (describing[i]) {
          ASSERT_EQ(answer.status().code(), kDamaged);
        }
      }
    }
  }
  EXPECT_GT(reported, 500);
}

}  // namespace
}  // namespace linebloom
