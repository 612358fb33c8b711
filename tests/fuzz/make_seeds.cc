// Writes the seeds that fuzzers start from: filters of linebloom and of every
// kind that RocksDB has, and small SSTables of every format_version with every
// kind of filter.
//
//   make_seeds tests/fuzz/corpus

#include <cstdint>
#include <cstdio>
#include <fstream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "filter_policy/filter/filter_block.h"
#include "filter_policy/rocksdb/rocksdb_filter_bits.h"
#include "linebloom/filter_policy.h"
#include "rocksdb/filter_policy.h"
#include "rocksdb/table.h"
#include "table/format.h"
#include "tests/filter_policy/ignored_case.h"
#include "tests/filter_policy/rocksdb/filter_bits.h"
#include "tests/fuzz/mend_filter_block.h"
#include "tests/table/sst_builder.h"

namespace linebloom::testing {
namespace {

std::vector<std::string> SomeKeys() { return NumberedKeys("k", 60); }

// In the format of filter_reader_fuzz.
std::string EncodeKeys() {
  std::string encoded;
  for (const std::string& key : SomeKeys()) {
    encoded += static_cast<char>(key.size());
    encoded += key;
  }
  return encoded;
}

std::string BuildLinebloom(const FilterPolicyOptions& options) {
  return BuildBlock(*MakePolicy(options), SomeKeys());
}

std::string BuildLegacyBloom() {
  rocksdb::BlockBasedTableOptions table;
  table.format_version = 4;
  return BuildBlock(*MakeBloom(), SomeKeys(), table);
}

// With 8 bytes that a later release might insert before the checksum.
std::string LongerMetadata() {
  constexpr size_t kFromEnd = 10;  // checksum, size and tail
  std::string block = BuildLinebloom({});
  block.insert(block.size() - kFromEnd, "12345678");
  block[block.size() - kFilterTailBytes - 1] = kFilterMetadataBytes + 8;
  MendFilterBlock(kMendChecksum, block.data(), block.size());
  return block;
}

// Adds each seed, by its path in the corpus.
using Seeds = std::vector<std::pair<std::string, std::string>>;

void AddFilterBlocks(Seeds* seeds) {
  const std::string no_mends(1, '\0');
  // The first 9 keys are "k0" to "k8", 3 bytes each.
  const std::string header =
      std::string(2, '\0') + '\x09' + EncodeKeys().substr(0, 27);
  for (const auto& [name, block] : Seeds{
           {"plain", BuildLinebloom({.line = Line::kPlain})},
           {"solved", BuildLinebloom({})},
           // With everything that metadata can contain for readers of keys.
           {"by_rate", BuildLinebloom({.hash_seed = 5,
                       .false_positive_rate = 0.02,
                       .level_aware = true})},
           {"canonical_key", BuildLinebloom({.hash_seed = 5,
                             .canonical_key = std::make_shared<LowerCase>()})},
           {"longer_metadata", LongerMetadata()},
           {"bloom", BuildBlock(*MakeBloom(), SomeKeys())},
           // With fewer keys RocksDB builds a Bloom filter instead.
           {"ribbon",
            BuildBlock(*OwnedPolicy(rocksdb::NewRibbonFilterPolicy(10, -1)),
                       NumberedKeys("k", 600))},
           {"legacy_bloom", BuildLegacyBloom()}}) {
    seeds->emplace_back("filter_block_fuzz/" + name, no_mends + block);
    seeds->emplace_back("filter_reader_fuzz/" + name, header + block);
  }
  // 10 bits per key, hash seed 0; changes the lowest bit of the 20th byte from
  // the end.
  for (const char line : {'\0', '\1'}) {
    seeds->emplace_back("filter_reader_fuzz/built_" + std::to_string(line),
                        std::string{'\1', line, '\x28', '\x23'} +
                            std::string(8, '\0') + '\x13' + '\1' +
                            EncodeKeys());
  }
}

constexpr char kFamily[] = "rocksdb.BuiltinBloomFilter";

std::string MakeProperties(bool delta_encoded) {
  return MakeBlock(
      {{"rocksdb.block.based.table.whole.key.filtering", "1"},
       {"rocksdb.external_sst_file.global_seqno", Le64(0)},
       {"rocksdb.filter.policy", "linebloom"},
       {"rocksdb.filter.size", Varint(200)},
       {"rocksdb.index.key.is.user.key", Varint(1)},
       {"rocksdb.index.value.is.delta.encoded", Varint(delta_encoded ? 1 : 0)},
       {"rocksdb.num.entries", Varint(300)},
       {"rocksdb.num.filter_entries", Varint(300)}},
      16);
}

// Of a filter block and of an empty one after it.
std::string MakeIndex(bool delta_encoded, const BlockHandle& first,
                      const BlockHandle& second) {
  if (delta_encoded) return MakeDeltaIndex({{"k1", first}, {"k2", second}}, 16);
  return MakeBlock({{"k1", Encode(first)}, {"k2", Encode(second)}}, 1);
}

std::string MakeFile(uint32_t version, const std::string& kind) {
  const bool delta_encoded = version >= 4;
  // Version 0 always has CRC32c.
  SstBuilder builder(version, version == 0
                                  ? ChecksumType::kCrc32c
                                  : static_cast<ChecksumType>(version % 5));
  const BlockHandle first = builder.AddBlock(BuildBlock(
      *(version % 2 == 0 ? MakePolicy() : MakeBloom()), NumberedKeys("k", 3)));
  const BlockHandle second = builder.AddBlock("");
  const BlockHandle properties =
      builder.AddBlock(MakeProperties(delta_encoded));
  if (kind == "partitionedfilter") {
    builder.AddMeta(absl::StrCat(kind, ".", kFamily),
                    builder.AddBlock(MakeIndex(delta_encoded, first, second)));
  } else if (kind != "none") {
    builder.AddMeta(absl::StrCat(kind, ".", kFamily), first);
  }
  builder.AddMeta("rocksdb.properties", properties);
  return builder.Finish();
}

void AddSstFiles(Seeds* seeds) {
  for (uint32_t version = 0; version <= 7; ++version) {
    for (const char* kind :
         {"none", "fullfilter", "filter", "partitionedfilter"}) {
      seeds->emplace_back(absl::StrCat("sst_file_fuzz/v", version, "_", kind),
                          MakeFile(version, kind));
    }
  }
}

int Main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: make_seeds CORPUS_FOLDER\n");
    return 2;
  }
  Seeds seeds;
  AddFilterBlocks(&seeds);
  AddSstFiles(&seeds);
  for (const auto& [name, bytes] : seeds) {
    const std::string path = absl::StrCat(argv[1], "/", name);
    std::ofstream out(path, std::ios::binary);
    out << bytes;
    out.close();
    if (out) continue;
    std::fprintf(stderr, "%s: cannot write\n", path.c_str());
    return 2;
  }
  return 0;
}

}  // namespace
}  // namespace linebloom::testing

int main(int argc, char** argv) { return linebloom::testing::Main(argc, argv); }
