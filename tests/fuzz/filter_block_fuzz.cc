// Parses any bytes as a filter block, linebloom's or RocksDB's, and checks the
// answers of RocksDB's interface for them, and for valid blocks with damage
// after the lines.
//
// Input: a byte, 0 for any bytes, otherwise for a block to build. Then
//   any bytes: what to mend (a byte, kMendTail and so on), number of keys (a
//     byte, modulo 33), the keys (each after a byte of length), the block;
//   a block to build: line (a byte, modulo 2), bits per key (2 bytes), hash
//     seed (8 bytes), which byte to change, from the end, and how (a byte
//     each), the keys.

#define XXH_INLINE_ALL
#include <sys/mman.h>
#include <unistd.h>
#include <xxhash.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "filter_policy/filter/filter_block.h"
#include "filter_policy/filter/filter_reader.h"
#include "filter_policy/filter/sizing.h"
#include "filter_policy/line/kernel/line_kernel.h"
#include "filter_policy/line/line.h"
#include "filter_policy/line/little_endian.h"
#include "filter_policy/policy/rocksdb_filter_bits.h"
#include "linebloom/filter_policy.h"
#include "rocksdb/filter_policy.h"
#include "rocksdb/slice.h"
#include "tests/filter_policy/policy/filter_bits.h"
#include "tests/fuzz/fuzz_input.h"

namespace linebloom::testing {
namespace {

using ::rocksdb::FilterPolicy;
using ::rocksdb::Slice;

// The parts to mend; docs/format.md describes the fields.
constexpr uint8_t kMendTail = 1;
constexpr uint8_t kMendMetadataSize = 2;
constexpr uint8_t kMendVersion = 4;  // and the reserved bytes
constexpr uint8_t kMendLines = 8;
constexpr uint8_t kMendChecksum = 16;

constexpr size_t kSeededMetadataBytes = 34;  // with a hash seed
constexpr size_t kFullMetadataBytes = 46;    // with every field

constexpr char kTail[] = "\xff\x4c\x00\x4c\x42";

// Mends metadata that ends before `end`.
void MendMetadata(uint8_t mends, char* block, char* end) {
  const size_t metadata_size = static_cast<uint8_t>(end[-1]);
  const auto before = static_cast<size_t>(end - block);
  if (metadata_size < kFilterMetadataBytes || metadata_size > before) return;
  char* const metadata = end - metadata_size;
  if ((mends & kMendVersion) != 0) {
    metadata[0] = kFilterBlockVersion;
    // Clears flags that are unknown or that the metadata has no room for, and
    // that of the canonical key, with which readers of keys answer nothing.
    metadata[20] &= metadata_size < kSeededMetadataBytes ? 3
                    : metadata_size < kFullMetadataBytes ? 7
                                                         : 7 | 16;
  }
  if ((mends & kMendLines) != 0) {
    StoreLittleEndian(metadata + 4, NumLinesInBytes(LineKind::kSolved,
                                                    before - metadata_size));
  }
  if ((mends & kMendChecksum) != 0) {
    StoreLittleEndian(end - 5, static_cast<uint32_t>(
                                   XXH3_64bits(metadata, metadata_size - 5)));
  }
}

// Leaves alone what doesn't fit the block.
void MendFilterBlock(uint8_t mends, char* block, size_t size) {
  if (size < kFilterBlockOverhead) return;
  char* const end = block + size - kFilterTailBytes;
  if ((mends & kMendTail) != 0) std::memcpy(end, kTail, kFilterTailBytes);
  if ((mends & kMendMetadataSize) != 0) end[-1] = kFilterMetadataBytes;
  MendMetadata(mends, block, end);
}

constexpr size_t kFlagsAt = 20;

void CheckReadable(const std::vector<char>& block,
                   const FilterBlockInfo& info) {
  const size_t lines_size = BytesOfLines(info.request.line, info.lines);
  Promise(info.version == 1 && info.lines >= 1, "a known version, lines");
  Promise(lines_size + kFilterBlockOverhead <= block.size(),
          "lines inside the block");
  const LineShape& shape = info.shape;
  Promise(shape.kind == LineKind::kSolved && shape.base >= 64 &&
              shape.step >= 1 && shape.step <= 3,
          "a documented kind of line");
  Promise(info.lines % 8 == 0 || block[lines_size - 1] == 0,
          "the code 0 if the last group is small");
  const char* const end = block.data() + lines_size;
  std::array<char, kFullMetadataBytes + kFilterTailBytes> again;
  WriteFilterBlockEnd(info, again.data());
  // A rate or a seed of 0 is not written as such, and heat never.
  const size_t overhead = FilterBlockOverhead(info.request);
  if (again[kFlagsAt] != end[kFlagsAt] ||
      lines_size + overhead != block.size()) {
    return;
  }
  Promise(std::memcmp(end, again.data(), overhead) == 0, "the same end");
}

// Of any bytes.
void CheckParsed(const std::vector<char>& block) {
  const ParsedFilter parsed = ParseFilter(block.data(), block.size());
  Promise(block.size() > 0 || parsed.kind == BlockKind::kEmpty,
          "a block of no bytes has no keys");
  Promise((parsed.kind == BlockKind::kUnusable) == (parsed.problem != nullptr),
          "a problem of what is unusable");
  const uint64_t canonical_key = parsed.info.request.canonical_key;
  const bool has_lines =
      parsed.kind == BlockKind::kLinebloom || parsed.kind == BlockKind::kBloom;
  if (parsed.kind == BlockKind::kLinebloom) CheckReadable(block, parsed.info);
  Promise(
      FilterReader::Make(block.data(), parsed, ChosenKernel(), canonical_key)
              .has_value() == has_lines,
      "a reader of lines, and of nothing else");
  Promise(FilterReader::Make(block.data(), parsed).has_value() ==
              (has_lines && canonical_key == 0),
          "no reader of keys where canonical ones were hashed");
}

// A copy that inaccessible memory follows, valid until the next call.
//
// Serves as ExactCopy() for code built without AddressSanitizer, such as the
// distribution's RocksDB: a read beyond the copy ends the process.
std::string_view GuardedCopy(std::string_view bytes) {
  static constexpr size_t kRoom = size_t{1} << 20;
  static char* const end = [] {
    const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
    void* const mapped = mmap(nullptr, kRoom + page, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS, /*fd=*/-1,
                              /*offset=*/0);
    if (mapped == MAP_FAILED) std::abort();
    char* const guard = static_cast<char*>(mapped) + kRoom;
    if (mprotect(guard, page, PROT_NONE) != 0) std::abort();
    return guard;
  }();
  bytes = bytes.substr(0, kRoom);
  std::copy(bytes.begin(), bytes.end(), end - bytes.size());
  return {end - bytes.size(), bytes.size()};
}

using Keys = std::vector<std::vector<char>>;

// Up to `max` keys from the front of the input.
Keys TakeKeys(FuzzInput* input, size_t max) {
  Keys keys;
  while (keys.size() < max && !input->empty()) {
    keys.push_back(ExactCopy(input->ShortBytes()));
  }
  return keys;
}

// A policy's answer for each key. Ends the process if a batch gets other
// answers. RocksDB's own readers take batches of at most 32 keys.
std::vector<bool> Ask(const FilterPolicy& policy, const Slice& block,
                      const Keys& keys) {
  const auto reader = NewReader(policy, block);
  std::vector<Slice> slices;
  for (const auto& key : keys) slices.emplace_back(key.data(), key.size());
  std::vector<Slice*> pointers;
  for (Slice& slice : slices) pointers.push_back(&slice);
  // Not std::vector<bool>, and of exactly the right size.
  const auto batch = std::make_unique<bool[]>(slices.size());
  reader->MayMatch(static_cast<int>(slices.size()), pointers.data(),
                   batch.get());
  std::vector<bool> answers;
  for (size_t i = 0; i < slices.size(); ++i) {
    answers.push_back(reader->MayMatch(slices[i]));
    Promise(batch[i] == answers[i], "a batch answers like single probes");
  }
  return answers;
}

// Ends the process unless linebloom's readers give these answers with every
// kernel of this machine. `block` must be a readable linebloom block.
void CheckKernels(std::string_view block, const Keys& keys,
                  const std::vector<bool>& answers) {
  static const std::vector<const LineKernel*> kernels = SupportedKernels();
  const ParsedFilter parsed = ParseFilter(block.data(), block.size());
  for (const LineKernel* kernel : kernels) {
    const std::optional<FilterReader> reader =
        FilterReader::Make(block.data(), parsed, *kernel);
    Promise(reader.has_value(), "a reader of a block that can be read");
    for (size_t i = 0; i < answers.size(); ++i) {
      const std::vector<char>& key = keys[i];
      const uint64_t hash = reader->hash()(key.data(), key.size());
      Promise(reader->MayMatch(key.data(), key.size()) == answers[i] &&
                  reader->MayMatch(hash) == answers[i],
              "the same answer from every kernel");
    }
  }
}

// Reads every block alike, whatever it is set to build.
const FilterPolicy& Linebloom() {
  static const OwnedPolicy policy = MakePolicy();
  return *policy;
}

bool All(const std::vector<bool>& answers, bool answer) {
  return std::count(answers.begin(), answers.end(), !answer) == 0;
}

// docs/format.md, "When a reader returns 'may match' for everything".
void CheckAnswers(const std::vector<char>& block, const Keys& keys,
                  const std::vector<bool>& answers) {
  static const OwnedPolicy built_in = MakeBloom();
  const ParsedFilter parsed = ParseFilter(block.data(), block.size());
  if (parsed.kind == BlockKind::kEmpty) {
    Promise(All(answers, false), "no keys, no match");
  } else if (IsOfRocksDb(parsed.kind)) {
    Promise(answers == Ask(*built_in, Slice(block.data(), block.size()), keys),
            "RocksDB's answers from its own filters");
    if (parsed.kind == BlockKind::kBloom) {
      CheckKernels({block.data(), block.size()}, keys, answers);
    }
  } else if (FilterReader::Make(block.data(), parsed).has_value()) {
    CheckKernels({block.data(), block.size()}, keys, answers);
  } else {
    Promise(All(answers, true), "'may match' from what can't be read");
  }
}

void RunAnyBytes(FuzzInput* input) {
  const auto mends = input->Number<uint8_t>();
  const Keys keys = TakeKeys(input, input->Number<uint8_t>() % 33);
  std::vector<char> block = ExactCopy(input->Rest());
  MendFilterBlock(mends, block.data(), block.size());
  CheckParsed(block);
  const Slice contents(block.data(), block.size());
  const std::vector<bool> answers = Ask(Linebloom(), contents, keys);
  CheckAnswers(block, keys, answers);
  Promise(
      answers == Ask(Linebloom(), GuardedCopy(contents.ToStringView()), keys),
      "the same answers from a block elsewhere in memory");
}

FilterPolicyOptions TakeOptions(FuzzInput* input) {
  FilterPolicyOptions options;
  options.line = static_cast<LineKind>(1 + input->Number<uint8_t>() % 2);
  options.bits_per_key = 1 + input->Number<uint16_t>() % 29001 / 1000.0;
  const auto seed = input->Number<uint64_t>();
  if (options.line == LineKind::kPlain) return options;
  options.hash_seed = seed;
  // Every other one is built for a rate instead, from 2^-10 to 0.5.
  if (options.hash_seed % 2 == 1) {
    options.false_positive_rate =
        std::exp2(-0.7 - 5 * *options.bits_per_key / 16);
    options.bits_per_key.reset();
  }
  return options;
}

std::string Build(const FilterPolicy& policy, const Keys& keys) {
  rocksdb::BlockBasedTableOptions table;
  table.format_version = 5;
  table.optimize_filters_for_memory = false;
  return BuildBlock(policy, keys, table);
}

// Changes one byte of metadata or tail in any way. By design, damage to the
// lines can't be detected, nor truncation within them; SSTables have block
// checksums for that.
void Damage(std::vector<char>* block, uint8_t from_end, uint8_t change) {
  const size_t at = block->size() - 1 - from_end % kFilterBlockOverhead;
  (*block)[at] = static_cast<char>((*block)[at] ^ change);
}

void RunBuiltBlock(FuzzInput* input) {
  const FilterPolicyOptions options = TakeOptions(input);
  const auto from_end = input->Number<uint8_t>();
  const auto change = input->Number<uint8_t>();
  // At 29 bits each, these fill a group of lines and begin another.
  const Keys keys = TakeKeys(input, 150);
  std::vector<char> block = ExactCopy(Build(*MakePolicy(options), keys));
  if (keys.empty()) return;
  const Slice contents(block.data(), block.size());
  const std::vector<bool> answers = Ask(Linebloom(), contents, keys);
  Promise(All(answers, true), "no added key denied");
  CheckKernels(contents.ToStringView(), keys, answers);
  // RocksDB's format notices no damage.
  if (ParseFilter(block.data(), block.size()).kind == BlockKind::kBloom) {
    if (!options.bits_per_key) return;
    Promise(contents == Build(*MakeBloom(*options.bits_per_key), keys),
            "the bytes of RocksDB's Bloom filter");
    return;
  }
  Damage(&block, from_end, change);
  Promise(All(Ask(Linebloom(), contents, keys), true),
          "no added key denied by a damaged block");
}

}  // namespace
}  // namespace linebloom::testing

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace linebloom::testing;  // NOLINT
  FuzzInput input(data, size);
  if (input.Number<uint8_t>() == 0) {
    RunAnyBytes(&input);
  } else {
    RunBuiltBlock(&input);
  }
  return 0;
}
