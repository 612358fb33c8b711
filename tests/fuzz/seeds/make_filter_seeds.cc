// Writes the seeds that fuzzers start from into corpus/filter_block_fuzz and
// corpus/filter_reader_fuzz: filters of linebloom and of every kind that
// RocksDB has.
//
//   make_filter_seeds tests/fuzz/corpus

#include <memory>
#include <string>
#include <vector>

#include "filter_policy/filter/filter_block.h"
#include "filter_policy/rocksdb/rocksdb_filter_bits.h"
#include "linebloom/filter_policy.h"
#include "rocksdb/filter_policy.h"
#include "rocksdb/table.h"
#include "tests/filter_policy/ignored_case.h"
#include "tests/filter_policy/rocksdb/filter_bits.h"
#include "tests/fuzz/mend_filter_block.h"
#include "tests/fuzz/seeds/seed_file.h"

namespace linebloom::testing {
namespace {

using Policy = std::unique_ptr<const rocksdb::FilterPolicy>;

struct Seed {
  std::string name;
  std::string block;
};

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

std::string BuildLinebloom(Line line) {
  FilterPolicyOptions options;
  options.line = line;
  return BuildBlock(*Policy(NewFilterPolicy(options)), SomeKeys());
}

std::string BuildLegacyBloom() {
  rocksdb::BlockBasedTableOptions table;
  table.format_version = 4;
  const rocksdb::FilterBuildingContext context(table);
  const Policy policy(rocksdb::NewBloomFilterPolicy(10));
  const std::unique_ptr<rocksdb::FilterBitsBuilder> builder(
      policy->GetBuilderWithContext(context));
  for (const std::string& key : SomeKeys()) builder->AddKey(key);
  return FinishToString(builder.get());
}

// With everything that metadata can contain for readers of keys.
std::string BuildByRate() {
  FilterPolicyOptions options;
  options.false_positive_rate = 0.02;
  options.level_aware = true;
  options.hash_seed = 5;
  return BuildBlock(*Policy(NewFilterPolicy(options)), SomeKeys());
}

std::string BuildCanonical() {
  FilterPolicyOptions options;
  options.hash_seed = 5;
  options.canonical_key = std::make_shared<LowerCase>();
  return BuildBlock(*Policy(NewFilterPolicy(options)), SomeKeys());
}

// With 8 bytes that a later release might insert before the checksum.
std::string LongerMetadata() {
  constexpr size_t kFromEnd = 10;  // checksum, size and tail
  std::string block = BuildLinebloom(Line::kSolved);
  block.insert(block.size() - kFromEnd, "12345678");
  block[block.size() - kFilterTailBytes - 1] = kFilterMetadataBytes + 8;
  MendFilterBlock(kMendChecksum, block.data(), block.size());
  return block;
}

std::vector<Seed> MakeBlocks() {
  return {{"plain", BuildLinebloom(Line::kPlain)},
          {"solved", BuildLinebloom(Line::kSolved)},
          {"by_rate", BuildByRate()},
          {"canonical_key", BuildCanonical()},
          {"longer_metadata", LongerMetadata()},
          {"bloom",
           BuildBlock(*Policy(rocksdb::NewBloomFilterPolicy(10)), SomeKeys())},
          // With fewer keys RocksDB builds a Bloom filter instead.
          {"ribbon", BuildBlock(*Policy(rocksdb::NewRibbonFilterPolicy(10, -1)),
                                NumberedKeys("k", 600))},
          {"legacy_bloom", BuildLegacyBloom()}};
}

bool WriteBlocks(const std::string& dir) {
  for (const Seed& seed : MakeBlocks()) {
    const std::string no_mends(1, '\0');
    // The first 9 keys are "k0" to "k8", 3 bytes each.
    const std::string header =
        std::string(2, '\0') + '\x09' + EncodeKeys().substr(0, 27);
    if (!WriteSeed(dir + "/filter_block_fuzz/" + seed.name,
                   no_mends + seed.block) ||
        !WriteSeed(dir + "/filter_reader_fuzz/" + seed.name,
                   header + seed.block)) {
      return false;
    }
  }
  return true;
}

// 10 bits per key, hash seed 0; changes the lowest bit of the 20th byte from
// the end.
bool WriteBuiltBlocks(const std::string& dir) {
  for (const char line : {'\0', '\1'}) {
    const std::string input = std::string{'\1', line, '\x28', '\x23'} +
                              std::string(8, '\0') + '\x13' + '\1' +
                              EncodeKeys();
    if (!WriteSeed(dir + "/filter_reader_fuzz/built_" + std::to_string(line),
                   input)) {
      return false;
    }
  }
  return true;
}

bool WriteAll(const std::string& dir) {
  return WriteBlocks(dir) && WriteBuiltBlocks(dir);
}

}  // namespace
}  // namespace linebloom::testing

int main(int argc, char** argv) {
  return linebloom::testing::MakeSeeds(argc, argv,
                                       linebloom::testing::WriteAll);
}
