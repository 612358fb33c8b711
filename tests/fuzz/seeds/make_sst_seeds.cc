// Writes the seeds that fuzzers start from into corpus/sst_file_fuzz and
// corpus/sst_blocks_fuzz: small SSTables of every format_version with every
// kind of filter, and the blocks of some.
//
//   make_sst_seeds tests/fuzz/corpus

#include <cstdint>
#include <string>

#include "absl/strings/str_cat.h"
#include "table/format.h"
#include "tests/fuzz/seeds/seed_file.h"
#include "tests/table/sst_builder.h"

namespace linebloom::testing {
namespace {

constexpr char kFamily[] = "rocksdb.BuiltinBloomFilter";

std::string MakeProperties(bool delta_encoded) {
  return MakeBlock(
      {{"rocksdb.block.based.table.whole.key.filtering", "1"},
       {"rocksdb.external_sst_file.global_seqno", Le64(0)},
       {"rocksdb.filter.policy", "linebloom"},
       {"rocksdb.index.key.is.user.key", Varint(1)},
       {"rocksdb.index.value.is.delta.encoded", Varint(delta_encoded ? 1 : 0)},
       {"rocksdb.num.entries", Varint(300)}},
      16);
}

// Both kinds of files start alike: a block of 9 bytes, then an empty one.
std::string MakeIndex(bool delta_encoded) {
  const BlockHandle first{0, 9};
  const BlockHandle second{14, 0};
  if (delta_encoded) return MakeDeltaIndex({{"k1", first}, {"k2", second}}, 16);
  return MakeBlock({{"k1", Encode(first)}, {"k2", Encode(second)}}, 1);
}

std::string MakeFile(uint32_t version, ChecksumType type,
                     const std::string& kind) {
  const bool delta_encoded = version >= 4;
  SstBuilder builder(version, type);
  const BlockHandle first = builder.AddBlock("partition");
  builder.AddBlock("");
  const BlockHandle properties =
      builder.AddBlock(MakeProperties(delta_encoded));
  if (kind == "partitionedfilter") {
    builder.AddMeta(absl::StrCat(kind, ".", kFamily),
                    builder.AddBlock(MakeIndex(delta_encoded)));
  } else if (kind != "none") {
    builder.AddMeta(absl::StrCat(kind, ".", kFamily), first);
  }
  builder.AddMeta("rocksdb.properties", properties);
  return builder.Finish();
}

bool WriteFiles(const std::string& dir) {
  for (uint32_t version = 0; version <= 7; ++version) {
    // Without checksums, so that a fuzzer gets anywhere; version 0 always has
    // them.
    const ChecksumType type =
        version == 0 ? ChecksumType::kCrc32c : ChecksumType::kNone;
    for (const char* kind :
         {"none", "fullfilter", "filter", "partitionedfilter"}) {
      if (!WriteSeed(absl::StrCat(dir, "/sst_file_fuzz/v", version, "_", kind),
                     MakeFile(version, type, kind))) {
        return false;
      }
    }
  }
  return true;
}

bool WriteBlocks(const std::string& dir) {
  for (const bool delta_encoded : {false, true}) {
    const std::string properties = MakeProperties(delta_encoded);
    const std::string header{5, 4, 0, static_cast<char>(properties.size())};
    if (!WriteSeed(absl::StrCat(dir, "/sst_blocks_fuzz/",
                                delta_encoded ? "delta" : "plain", "_index"),
                   header + properties + MakeIndex(delta_encoded))) {
      return false;
    }
  }
  const std::string metaindex =
      MakeBlock({{absl::StrCat("fullfilter.", kFamily), Encode({0, 9})},
                 {"rocksdb.properties", Encode({19, 4})}},
                1);
  return WriteSeed(dir + "/sst_blocks_fuzz/metaindex",
                   std::string{6, 4, '\x80', 4} + Le32(0) + metaindex);
}

bool WriteAll(const std::string& dir) {
  return WriteFiles(dir) && WriteBlocks(dir);
}

}  // namespace
}  // namespace linebloom::testing

int main(int argc, char** argv) {
  return linebloom::testing::MakeSeeds(argc, argv,
                                       linebloom::testing::WriteAll);
}
