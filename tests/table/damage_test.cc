// Reads SSTables made by hand, in every format_version and with errors that
// RocksDB never makes, and damages every byte of them and of RocksDB's own:
// the reader gives the right answer or an error, never a wrong answer, a crash
// or a hang.

#include <cstddef>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "table/sst_file.h"
#include "table/status.h"
#include "tests/table/rocksdb_files.h"
#include "tests/table/sst_builder.h"
#include "tests/table/wrap_memory.h"
#include "tests/temporary_folder.h"

namespace linebloom::testing {
namespace {

using ::testing::StartsWith;

using Entries = std::vector<Entry>;

constexpr absl::StatusCode kDamaged = absl::StatusCode::kDataLoss;
constexpr absl::StatusCode kNotATable = absl::StatusCode::kInvalidArgument;
constexpr absl::StatusCode kTooNew = absl::StatusCode::kUnimplemented;

// Everything that a tool learns about a file's filter.
absl::StatusOr<std::string> ReadAll(const std::string& bytes) {
  ASSIGN_OR_RETURN(const SstFile file,
                   SstFile::Open(WrapMemory("x.sst", bytes)));
  const Properties& properties = file.properties();
  std::string all = absl::StrCat(
      ToString(file.filter().kind), " ", file.filter().compatibility_name, " [",
      absl::StrJoin(file.ReadPartitionKeys().value(), " "), "] ",
      properties.filter_policy_name, " ", properties.num_entries);
  for (const BlockHandle& handle : file.filter().blocks) {
    ASSIGN_OR_RETURN(const Block block, file.ReadFilterBlock(handle));
    absl::StrAppend(&all, " ", block.payload);
  }
  return all;
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

std::string WithMeta(const Entries& meta, uint32_t version = 5,
                     ChecksumType type = ChecksumType::kXxh3) {
  SstBuilder builder = NewSst(version, type);
  for (const Entry& entry : meta) builder.AddMeta(entry.key, entry.value);
  return builder.Finish();
}

std::string WithMetaindex(const std::string& payload) {
  return NewSst().FinishWith(payload);
}

// The index over filter partitions is the third block.
std::string WithIndex(SstBuilder builder, const std::string& index,
                      const Entries& properties) {
  builder.AddMetaBlock("partitionedfilter.some", index);
  builder.AddMetaBlock("rocksdb.properties", MakeBlock(properties, 16));
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

// Four partitions. What format_version 8 added: a prefix of all keys that is
// stored once, and partitions that don't follow one another.
std::string WithDeltaIndex(uint32_t version, ChecksumType type, size_t interval,
                           std::string prefix) {
  SstBuilder builder = NewSst(version, type);
  if (version < 8) {
    prefix.clear();
  } else {
    builder.AddBlock("a gap");
  }
  const BlockHandle third = builder.AddBlock("a longer one");
  const BlockHandle fourth = builder.AddBlock("4");
  std::vector<Partition> partitions = {
      {"k1", kFirst}, {"k2", kSecond}, {"k30", third}, {"k31", fourth}};
  return WithIndex(builder,
                   MakeDeltaIndex(partitions, interval, version, prefix),
                   kDifferences);
}

TEST(HandmadeTableTest, IsReadInEveryVersionWithEveryChecksum) {
  // RocksDB 11 sets bit 29 of the number of restart points for index blocks
  // whose keys are spread evenly.
  std::string uniform = MakePlainIndex({{"k", kFirst}});
  uniform.replace(uniform.size() - 4, 4, Le32(1 | (1U << 29)));
  for (uint32_t version = 1; version <= kNewestFormatVersion; ++version) {
    for (int number = 0; number <= 4; ++number) {
      SCOPED_TRACE(absl::StrCat("version ", version, ", checksum ", number));
      const auto type = static_cast<ChecksumType>(number);
      const std::string first = Encode(kFirst);
      const std::string second = Encode(kSecond);
      SstBuilder empty(version, type);
      empty.AddMetaBlock("fullfilter.some", "");
      for (const auto& [bytes, all] : {
               std::pair(WithMeta({{"rocksdb.index", first}}, version, type),
                         "none  []  0"),
               {WithMeta({{"fullfilter.some.Policy", second}}, version, type),
                "full some.Policy []  0 filter two"},
               {WithMeta({{"filter.old", first}}, version, type),
                "block-based old []  0 filter one"},
               {empty.Finish(), "full some []  0 "},
               // With internal keys.
               {WithIndex(NewSst(version, type),
                          MakePlainIndex({{"k1\1\1\1\1\1\1\1\1", kFirst},
                                          {"12345678", kSecond}}),
                          {}),
                "partitioned some [k1 ]  0 filter one filter two"},
               {WithIndex(NewSst(version, type), uniform, kUserKeys),
                "partitioned some [k]  0 filter one"},
               // RocksDB writes this if no key was added to the filter.
               {WithIndex(NewSst(version, type), "", {}),
                "partitioned some []  0"},
           }) {
        EXPECT_EQ(ReadAll(bytes).value(), all);
      }
      for (const size_t interval : {1, 2, 4}) {
        for (const std::string prefix : {"", "k"}) {
          EXPECT_EQ(
              ReadAll(WithDeltaIndex(version, type, interval, prefix)).value(),
              "partitioned some [k1 k2 k30 k31] bloomfilter 1000 filter one "
              "filter two a longer one 4");
        }
      }
    }
  }
}

TEST(HandmadeTableTest, WhatOldRocksDbsDontSay) {
  const Properties properties =
      SstFile::Open(WrapMemory("x.sst", WithMeta({})))->properties();
  EXPECT_FALSE(properties.num_filter_entries.has_value());
  EXPECT_TRUE(properties.whole_key_filtering && properties.prefix_filtering);
}

// A file without checksums whose last bytes begin with `with`, `from_end` bytes
// before its end.
std::string Replaced(size_t from_end, const std::string& with,
                     uint32_t version = 5) {
  std::string bytes = NewSst(version, ChecksumType::kNone).Finish();
  return bytes.replace(bytes.size() - from_end, with.size(), with);
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
  const std::string head(100, '\0');
  return {
      {"", "not an SSTable: it has 0 bytes", kNotATable},
      {std::string(52, 'a'), "not an SSTable: it has 52 bytes", kNotATable},
      {std::string(100, 'a'), "offset 92: not an SSTable", kNotATable},
      {head + Le64(0x8242229663bf9564), "a plain table", kNotATable},
      {head + Le64(0x4f3418eb7a8f13b8), "a plain table", kNotATable},
      {head + Le64(0x926789d0c5f17873), "a cuckoo table", kNotATable},
      {head + Le64(0xdb4775248b80fb57), "format_version 0", kNotATable},
      {WithMetaindex(MakeBlock({}, 1)), "without properties", kNotATable},
      {Replaced(12, "\x09"), "format_version 9 is newer", kTooNew},
      {Replaced(12, std::string(1, '\0')), "damaged format_version"},
      {Replaced(53, "\x05"), "type of checksum"},
      {Replaced(52, "\x7a"), "offset 122: metaindex: no block of 31 bytes"},
      {Replaced(51, "\x7a"), "metaindex: no block of 122 bytes"},
      {Replaced(52, std::string(40, '\xff')), "footer: damaged handles"},
      // RocksDB reads the index too, and allocates what its handle says.
      {Replaced(50, std::string("\0\x80\x80\x80\x80\x80\x02", 7)),
       "offset 0: index: no block of 68719476736 bytes fits"},
      {Replaced(50, std::string(11, '\xff')), "footer: damaged handles"},
      {Replaced(51, "\1", 6), "what format_version 6"},
      {Replaced(44, Le32(0), 6), "what format_version 6"},
      {Replaced(48, "r", 6), "footer: wrong checksum"},
      {Replaced(20, "r", 6), "offset 112: footer: the file uses a", kTooNew},
      {Replaced(40, Le32(75), 6), "footer: the metaindex is larger"},
      {Replaced(40, Le32(UINT32_MAX), 6), "offset 92: footer: the metaindex"}};
}

std::vector<Damage> DamagedEntries() {
  std::vector<Damage> all;
  for (const std::string& payload :
       {std::string(), std::string("abc"), Le32(1), Le32(0) + Le32(UINT32_MAX),
        Le32(0) + Le32(1U << 30),
        // Prefixes of all keys that don't end before the restart points.
        "prefix" + Le32(6) + Le32(1), "prefix" + Le32(UINT32_MAX) + Le32(1)}) {
    all.push_back({WithMetaindex(payload),
                   "offset 30: metaindex: damaged restart points"});
  }
  // Cut, with more shared, unshared or value bytes than there are.
  for (const std::string& entry :
       {std::string("\x80"), std::string("\1\1\1kv"), std::string("\0\1", 2),
        std::string("\0\x09\1k", 4), std::string("\0\1\x09kv", 5)}) {
    all.push_back({WithMetaindex(entry + Le32(0) + Le32(1)),
                   "offset 30: metaindex: a damaged entry"});
  }
  // The second of two shares what neither the first nor the prefix has.
  const std::string second("\0\1\1kv\5\1\1kv", 10);
  all.push_back({WithMetaindex(second + Le32(0) + Le32(1)),
                 "offset 35: metaindex: a damaged entry"});
  all.push_back({WithMetaindex("prefix" + second + Le32(6) + Le32(1)),
                 "offset 41: metaindex: a damaged entry"});
  return all;
}

std::vector<Damage> DamagedMetaindexes() {
  std::vector<Damage> all = {
      {WithMeta({{"fullfilter.a", Encode(kFirst)},
                 {"partitionedfilter.a", Encode(kFirst)}}),
       "metaindex: a second filter"},
      {WithMeta({{"rocksdb.properties", Encode(kFirst)},
                 {"rocksdb.properties", Encode(kFirst)}}),
       "metaindex: a second filter or property block"},
      {WithMeta({{"fullfilter.a", "\x80"}}), "metaindex: damaged handle"},
      {WithMeta({{"partitionedfilter.a", Encode(kFirst)},
                 {"rocksdb.properties", Encode({0, 1000})}}),
       "properties: no block of 1000 bytes fits here"},
      {CompressedFilter(), "offset 9: filter: compressed"},
      {MovedBlock(), "filter: wrong checksum"}};
  for (const BlockHandle& handle :
       {BlockHandle{0, 1000}, BlockHandle{1000, 1}, BlockHandle{0, UINT64_MAX},
        BlockHandle{UINT64_MAX, 1}, BlockHandle{UINT64_MAX, UINT64_MAX}}) {
    for (const char* name :
         {"fullfilter.a", "filter.a", "partitionedfilter.a"}) {
      all.push_back({WithMeta({{name, Encode(handle)}}), " fits here"});
    }
  }
  for (const Entry& property :
       Entries{{"rocksdb.num.entries", ""},
               {"rocksdb.num.filter_entries", "\xff"},
               {"rocksdb.block.based.table.whole.key.filtering", "yes"},
               {"rocksdb.block.based.table.prefix.filtering", ""},
               {"rocksdb.index.key.is.user.key", ""},
               {"rocksdb.lsm.info.at.creation", ""},
               {"rocksdb.external_sst_file.global_seqno", "1234567"}}) {
    all.push_back({WithIndex(NewSst(), "", {property}),
                   absl::StrCat("properties: damaged ", property.key)});
  }
  return all;
}

std::vector<Damage> DamagedIndexes() {
  std::vector<Damage> all = {
      {WithIndex(NewSst(), MakePlainIndex({{"1234567", kFirst}}), {}),
       "too short an internal key"},
      {WithIndex(NewSst(), MakeBlock({{"a", "\1"}}, 1), kUserKeys),
       "damaged handle"},
      {WithIndex(NewSst(), std::string("\0\1a\x80", 4) + Le32(0) + Le32(1),
                 kDifferences),
       "a damaged entry"},
      // A difference that makes a size negative.
      {WithIndex(NewSst(),
                 MakeDeltaIndex({{"aa", kFirst}, {"ab", {15, UINT64_MAX}}}, 16),
                 kDifferences),
       "damaged handle"}};
  for (const std::vector<Partition>& partitions :
       {std::vector<Partition>{{"a", kFirst}, {"b", {14, 10}}},  // in a trailer
        {{"a", kFirst}, {"b", kFirst}},
        {{"a", kSecond}, {"b", kFirst}},
        {{"a", {kSecond.offset, kThirdOffset - kSecond.offset - 4}}},
        {{"a", {UINT64_MAX, UINT64_MAX}}},
        {{"a", {1, UINT64_MAX}}}}) {
    all.push_back({WithIndex(NewSst(), MakePlainIndex(partitions), kUserKeys),
                   "index of the filter partitions: damaged handle"});
  }
  return all;
}

TEST(HandmadeTableTest, ErrorsNameFileAndPlace) {
  for (const auto& cases : {DamagedFooters(), DamagedEntries(),
                            DamagedMetaindexes(), DamagedIndexes()}) {
    for (const auto& [bytes, words, code] : cases) {
      const absl::Status status = ReadAll(bytes).status();
      EXPECT_EQ(status.code(), code) << words;
      EXPECT_THAT(std::string(status.message()), StartsWith("x.sst: "));
      EXPECT_THAT(std::string(status.message()), ::testing::HasSubstr(words));
    }
  }
}

std::string WriteWithRocksDb(const FileSpec& spec, int keys) {
  const TemporaryFolder folder;
  WriteSst(folder.File("file.sst"), spec, keys);
  return ReadFileBytes(folder.File("file.sst"));
}

std::vector<std::string> Samples() {
  const std::string golden = LINEBLOOM_GOLDEN_DIR "/sst/";
  return {WriteWithRocksDb({}, 40),
          WriteWithRocksDb({2, ChecksumType::kCrc32c}, 40),
          WriteWithRocksDb({.filter_kind = FilterKind::kPartitioned}, 600),
          ReadFileBytes(golden + "v6_partitioned.sst"),
          ReadFileBytes(golden + "v8_partitioned.sst"),
          WithDeltaIndex(1, ChecksumType::kXxHash32, 4, ""),
          WithDeltaIndex(7, ChecksumType::kXxHash64, 4, ""),
          WithDeltaIndex(8, ChecksumType::kXxh3, 4, "k")};
}

TEST(DamageTest, EveryChangedByteIsReportedOrHarmless) {
  for (const std::string& bytes : Samples()) {
    const absl::StatusOr<std::string> whole = ReadAll(bytes);
    ASSERT_TRUE(whole.ok()) << whole.status();
    EXPECT_FALSE(ReadAll(bytes.substr(1)).ok());
    int reported = 0;
    for (size_t i = 0; i < bytes.size(); ++i) {
      // Every value in the footers of the small samples, made by hand.
      const bool every_value = i + 53 >= bytes.size() && bytes.size() < 500;
      for (int flip = 1; flip < 256; ++flip) {
        const bool one_bit = (flip & (flip - 1)) == 0;
        if (!one_bit && flip != 0xff && !every_value) continue;
        std::string damaged = bytes;
        damaged[i] = static_cast<char>(damaged[i] ^ flip);
        const absl::StatusOr<std::string> answer = ReadAll(damaged);
        SCOPED_TRACE(absl::StrCat("byte ", i, " ^ ", flip));
        if (answer.ok()) {
          ASSERT_EQ(*answer, *whole);
        } else {
          ++reported;
          ASSERT_THAT(std::string(answer.status().message()),
                      StartsWith("x.sst: offset "));
        }
      }
    }
    EXPECT_GT(reported, 500);
  }
}

}  // namespace
}  // namespace linebloom::testing
