#include "filter_policy/filter/filter_block.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "filter_policy/line/solved_probes.h"

namespace linebloom {
namespace {

using namespace std::string_literals;
using namespace std::string_view_literals;
using enum BlockKind;

constexpr size_t kLines = 3;
constexpr size_t kLinesBytes = kLines * kLineBytes + 1;  // and a code

constexpr uint64_t kCanonicalKey = 0xfedcba9876543210;

FilterBlockInfo InfoOf(const FilterRequest& request) {
  return {.request = request,
          .shape = {LineKind::kSolved, 70, 3},
          .lines = kLines,
          .keys = 150,
          .expected_false_positive_rate = 0.0047F};
}

FilterBlockInfo SomeInfo() { return InfoOf({}); }

// As written by a policy with a rate, level_aware and a hash seed.
FilterBlockInfo SeededInfo(uint64_t canonical_key = 0) {
  return InfoOf({.millibits_per_key = 0,
                 .hash_seed = 0x0123456789abcdef,
                 .false_positive_rate = 0.01F,
                 .level_aware = true,
                 .canonical_key = canonical_key});
}

// With everything that metadata can contain.
FilterBlockInfo FullInfo() { return SeededInfo(kCanonicalKey); }

std::string SomeBlock(const FilterBlockInfo& info = SomeInfo()) {
  std::string block(kLinesBytes + FilterBlockOverhead(info.request), '\x5a');
  block[kLinesBytes - 1] = 0;  // the code of a small group
  WriteFilterBlockEnd(info, block.data() + kLinesBytes);
  return block;
}

// A block whose metadata have other bytes at a place, and further ones at their
// end, but a valid checksum.
std::string BlockWith(size_t at, const std::string& bytes,
                      std::string_view further = "") {
  std::string block = SomeBlock();
  block.resize(block.size() - 10);  // checksum, size and tail
  block.replace(kLinesBytes + at, bytes.size(), bytes) += further;
  const uint64_t hash =
      XXH3_64bits(block.data() + kLinesBytes, block.size() - kLinesBytes);
  for (int i = 0; i < 4; ++i) block += static_cast<char>(hash >> (8 * i));
  block += static_cast<char>(block.size() + 1 - kLinesBytes);
  return block + std::string("\xff\x4c\0\x4c\x42", 5);
}

ParsedFilter Parse(std::string_view block) {
  // Copied to its exact size, so that AddressSanitizer detects reads beyond it.
  const std::string exact(block);
  return ParseFilter(exact.data(), exact.size());
}

// Each optional field, and all.
TEST(FilterBlockTest, ReadsBackWhatWasWritten) {
  const FilterBlockInfo canonical = InfoOf({.canonical_key = kCanonicalKey});
  for (const auto& [info, size] :
       {std::pair(SomeInfo(), 31u), std::pair(SeededInfo(), 39u),
        std::pair(canonical, 39u), std::pair(FullInfo(), 47u)}) {
    const ParsedFilter parsed = Parse(SomeBlock(info));
    EXPECT_EQ(kLinebloom, parsed.kind);
    EXPECT_EQ(info, parsed.info);
    EXPECT_EQ(nullptr, parsed.problem);
    EXPECT_EQ(size, FilterBlockOverhead(info.request));
  }
}

// Unknown flags, and fields without room: readers would otherwise probe with
// keys that were hashed otherwise. Heat is skipped, so any is readable, and so
// are fields of later releases.
TEST(FilterBlockTest, FlagsAndTheirFields) {
  constexpr char kNoSeed[] = "the hash seed is missing";
  constexpr char kNoCanonicalKey[] = "the canonical key is missing";
  constexpr char kNoHeat[] = "the heat is missing";
  struct Case {
    uint8_t flags;
    std::string fields;
    const char* problem;
  };
  std::vector<Case> cases = {{0, "", nullptr},
                             {32, "", "a flag is unknown"},
                             {64, "", "a flag is unknown"},
                             {128, "", "a flag is unknown"},
                             {4, std::string(8, '\0'), kNoSeed},
                             {8, std::string(8, '\0'), kNoCanonicalKey},
                             {16, "\0\0\0\0"s, nullptr},
                             {16, "\0\0\xc0\x7f"s, nullptr},
                             {16, "\0\0\x80\x7f"s, nullptr},
                             {16, "\0\0\x80\xbf"s, nullptr}};
  for (size_t size = 0; size <= 20; ++size) {
    const std::string fields(size, 'x');
    cases.push_back({4, fields, size < 8 ? kNoSeed : nullptr});
    cases.push_back({8, fields, size < 8 ? kNoCanonicalKey : nullptr});
    cases.push_back({16, fields, size < 4 ? kNoHeat : nullptr});
    cases.push_back({28, fields,
                     size < 8    ? kNoSeed
                     : size < 16 ? kNoCanonicalKey
                     : size < 20 ? kNoHeat
                                 : nullptr});
  }
  for (const auto& [flags, fields, problem] : cases) {
    const ParsedFilter parsed =
        Parse(BlockWith(20, {static_cast<char>(flags)}, fields));
    EXPECT_STREQ(problem, parsed.problem)
        << int{flags} << " with " << fields.size() << " bytes";
    EXPECT_EQ(problem == nullptr ? kLinebloom : kUnusable, parsed.kind);
    if (problem != nullptr) continue;
    constexpr uint64_t kAll = 0x7878787878787878;  // "xxxxxxxx"
    FilterBlockInfo info = SomeInfo();
    if ((flags & 4) != 0) info.request.hash_seed = kAll;
    if ((flags & 8) != 0) info.request.canonical_key = kAll;
    EXPECT_EQ(info, parsed.info);
  }
}

TEST(FilterBlockTest, EveryDamagedByteOfTheEndIsNoticed) {
  const std::string block = SomeBlock(FullInfo());
  for (size_t at = kLinesBytes; at < block.size(); ++at) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string damaged = block;
      damaged[at] = static_cast<char>(damaged[at] ^ (1 << bit));
      const ParsedFilter parsed = Parse(damaged);
      EXPECT_EQ(kUnusable, parsed.kind) << "byte " << at << " bit " << bit;
      EXPECT_NE(nullptr, parsed.problem);
    }
  }
}

TEST(FilterBlockTest, UnknownVersionsAndWrongSizes) {
  const auto problem_of = [](uint32_t lines, uint8_t version, char code) {
    FilterBlockInfo info = SomeInfo();
    info.lines = lines;
    info.version = version;
    std::string block = SomeBlock(info);
    block[kLinesBytes - 1] = code;
    const ParsedFilter parsed = Parse(block);
    EXPECT_EQ(kUnusable, parsed.kind);
    return parsed.problem;
  };
  EXPECT_STREQ("the version is unknown", problem_of(kLines, 2, 0));
  EXPECT_STREQ("the number of lines does not fit the size of the block",
               problem_of(kLines + 1, 1, 0));
  EXPECT_STREQ("there are no lines", problem_of(0, 1, 0));
  EXPECT_STREQ("the last group's code is damaged", problem_of(kLines, 1, 1));
}

TEST(FilterBlockTest, UnknownKindsOfLines) {
  for (const std::string& shape :
       {"\0\6\0"s, "\3\6\0"s, "\xff\6\0"s, "\0\x46\3"s, "\1\6\0"s, "\1\0\0"s,
        "\1\x46\3"s, std::string{2, kMinSolvedBase - 1, 3}, "\2\x46\0"s,
        std::string{2, 70, kMaxSolvedStep + 1}}) {
    std::string block = BlockWith(1, shape);
    // Kind 1 with the bytes of 0.2.0's plain lines, without codes.
    if (shape[0] == 1) block.erase(0, 1);
    EXPECT_STREQ("unknown kind of line", Parse(block).problem)
        << testing::PrintToString(shape);
  }
}

// ---------------------------------------------------------------------------
// RocksDB's own filters.

TEST(FilterBlockTest, KindsOfRocksDbsFilters) {
  struct Case {
    size_t bits_size;
    std::string_view tail;
    BlockKind kind;
  };
  const Case cases[] = {
      {0, "", kEmpty},
      {640, "\xff\x00\x06\x00\x00"sv, kBloom},
      {639, "\xff\x00\x06\x00\x00"sv, kInconsistent},
      {16 * 70, "\xfe\x07\x0a\x00\x00"sv, kRibbon},
      {16 * 70 + 1, "\xfe\x07\x0a\x00\x00"sv, kInconsistent},
      // Only some of the 10 blocks have a column.
      {16 * 7, "\xfe\x07\x0a\x00\x00"sv, kRibbon},
      {0, "\xfe\x07\x0a\x00\x00"sv, kInconsistent},
      {16, "\xfe\x07\x01\x00\x00"sv, kReserved},  // a single block
      // At most 32 for each of 10 blocks, and a third more.
      {16 * 426, "\xfe\x07\x0a\x00\x00"sv, kRibbon},
      {16 * 427, "\xfe\x07\x0a\x00\x00"sv, kInconsistent},
      {64 * 11, "\x06\x0b\x00\x00\x00"sv, kLegacyBloom},
      {64 * 11, "\x06\x0c\x00\x00\x00"sv, kInconsistent},
      {64 * 11, "\x06\x00\x00\x00\x00"sv, kInconsistent},
      {16 * 11, "\x06\x0b\x00\x00\x00"sv, kInconsistent},
      {32 * 11, "\x06\x0b\x00\x00\x00"sv, kLegacyBloom},
      {96 * 11, "\x06\x0b\x00\x00\x00"sv, kInconsistent},
      {256 * 11, "\x06\x0b\x00\x00\x00"sv, kLegacyBloom},
      {512 * 11, "\x06\x0b\x00\x00\x00"sv, kInconsistent},
      {64, "\xff\x01\x06\x00\x00"sv, kReserved},
      {64, "\xff\x00\x1f\x00\x00"sv, kReserved},
      {640, "\xff\x00\x26\x00\x00"sv, kReserved},  // lines of 128 bytes
      {640, "\xff\x00\x06\x01\x00"sv, kReserved},
      {64, "\xfd\x00\x06\x00\x00"sv, kReserved},
      {64, "\x00\x00\x06\x00\x00"sv, kReserved},
      // If no key was added, RocksDB's Bloom builders write only a tail. No
      // other tail passes, although RocksDB would accept any: it may be the
      // beginning of a truncated linebloom block.
      {0, "\xff\x00\x06\x00\x00"sv, kEmpty},
      {0, "\x06\x00\x00\x00\x00"sv, kEmpty},
      {0, "\xff\x01\x06\x00\x00"sv, kInconsistent},
      {0, "\xff\x00\x1f\x00\x00"sv, kInconsistent},
      {0, "\xff\x00\x06\x00\x01"sv, kInconsistent},
      {0, "\xfe\x00\x00\x00\x00"sv, kInconsistent},
      {0, "\xfd\x00\x00\x00\x00"sv, kInconsistent},
      {0, "\x00\x00\x00\x00\x00"sv, kInconsistent},
      {0, "\x06\x00\x00\x00\x01"sv, kInconsistent},
      {0, "\x1f\x00\x00\x00\x00"sv, kInconsistent},
      {0, "any six", kInconsistent},
      {0, "\xff"sv, kUnusable},
      {0, "\xff\x00\x06\x00"sv, kUnusable},
  };
  for (const auto& [bits_size, tail, kind] : cases) {
    const ParsedFilter filter =
        Parse(std::string(bits_size, '\x5a') + std::string(tail));
    EXPECT_EQ(kind, filter.kind) << bits_size << testing::PrintToString(tail);
    if (kind == kRibbon) {
      EXPECT_EQ(10u, filter.blocks);
    }
    if (kind == kBloom || (kind == kLegacyBloom && bits_size == 64 * 11)) {
      EXPECT_EQ(6, filter.probes);
      EXPECT_EQ(64u, filter.line_bytes);
    }
  }
}

// Readers number lines with 32 bits. Of a mapping that large only the end is
// there.
TEST(FilterBlockTest, MoreLinesThanReadersCanNumber) {
  constexpr size_t kMost = size_t{UINT32_MAX} * kLineBytes;
  constexpr size_t kMapped = kMost + kLineBytes + kFilterTailBytes;
  void* const mapped = mmap(nullptr, kMapped, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapped == MAP_FAILED) GTEST_SKIP() << "too few addresses";
  auto* const block = static_cast<char*>(mapped);
  for (const size_t lines_bytes : {kMost + kLineBytes, kMost}) {
    std::memcpy(block + lines_bytes, kEmptyFilterBlock, kFilterTailBytes);
    const ParsedFilter parsed =
        ParseFilter(block, lines_bytes + kFilterTailBytes);
    const bool fits = lines_bytes == kMost;
    EXPECT_EQ(fits ? kBloom : kInconsistent, parsed.kind);
    EXPECT_EQ(fits ? UINT32_MAX : 0, parsed.info.lines);
  }
  munmap(mapped, kMapped);
}

}  // namespace
}  // namespace linebloom
