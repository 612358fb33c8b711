// Parses any bytes as a filter block, linebloom's or RocksDB's.
//
// Input: what to mend (a byte, mend_filter_block.h), then the block.

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "filter_policy/filter/filter_block.h"
#include "filter_policy/filter/filter_reader.h"
#include "filter_policy/filter/sizing.h"
#include "filter_policy/line/line.h"
#include "tests/fuzz/fuzz_input.h"
#include "tests/fuzz/mend_filter_block.h"

namespace linebloom::testing {
namespace {

constexpr size_t kFlagsAt = 20;

// The ranges in docs/format.md.
bool IsDocumented(const FilterBlockInfo& info) {
  const LineShape& shape = info.shape;
  return shape.kind == LineKind::kSolved && shape.base >= 64 &&
         shape.step >= 1 && shape.step <= 3;
}

// If the last group of solved lines is small, its code, right before the
// metadata, is 0.
bool HasSoundLastCode(const std::vector<char>& block, size_t lines_size,
                      const FilterBlockInfo& info) {
  return info.lines % 8 == 0 || block.data()[lines_size - 1] == 0;
}

void CheckReadable(const std::vector<char>& block,
                   const FilterBlockInfo& info) {
  const size_t lines_size = BytesOfLines(info.request.line, info.lines);
  Promise(info.version == 1 && info.lines >= 1, "a known version, lines");
  Promise(lines_size + kFilterBlockOverhead <= block.size(),
          "lines inside the block");
  Promise(HasSoundLastCode(block, lines_size, info), "a sound last code");
  const char* const end = block.data() + lines_size;
  std::array<char, kMaxFilterBlockOverhead> again;
  WriteFilterBlockEnd(info, again.data());
  // A rate or a seed of 0 is not written as such, and heat never.
  const size_t overhead = FilterBlockOverhead(info.request);
  if (again[kFlagsAt] != end[kFlagsAt]) return;
  const size_t fields_size =
      overhead - kFilterTailBytes - 5;  // to the checksum
  Promise(std::memcmp(end, again.data(), fields_size) == 0, "the same fields");
  if (lines_size + overhead == block.size()) {
    Promise(std::memcmp(end, again.data(), overhead) == 0, "the same end");
  }
}

ParsedFilter CheckParsed(const std::vector<char>& block) {
  const ParsedFilter parsed = ParseFilter(block.data(), block.size());
  Promise(block.size() > 0 || parsed.kind == BlockKind::kEmpty,
          "a block of no bytes has no keys");
  Promise((parsed.kind == BlockKind::kUnusable) == (parsed.problem != nullptr),
          "a problem of what is unusable");
  const bool documented = parsed.kind == BlockKind::kLinebloom;
  const bool is_plain = parsed.kind == BlockKind::kBloom;
  if (documented) {
    CheckReadable(block, parsed.info);
    Promise(IsDocumented(parsed.info), "a documented kind of line");
  }
  Promise(FilterReader::Make(block.data(), parsed, ChosenKernel(),
                             parsed.info.request.canonical_key)
                  .has_value() == (documented || is_plain),
          "a reader of lines, and of nothing else");
  Promise(
      FilterReader::Make(block.data(), parsed).has_value() ==
          ((documented || is_plain) && parsed.info.request.canonical_key == 0),
      "no reader of keys where canonical ones were hashed");
  return parsed;
}

void CheckBuiltIn(const std::vector<char>& block, const ParsedFilter& filter) {
  const size_t bits_size = block.size() - kFilterTailBytes;
  switch (filter.kind) {
    case BlockKind::kBloom:
      Promise(filter.probes >= 1 && filter.probes <= 30 &&
                  filter.line_bytes == 64 &&
                  bits_size == size_t{64} * filter.info.lines &&
                  filter.info.shape.base == filter.probes,
              "a sound Bloom filter");
      break;
    case BlockKind::kRibbon:
      Promise(filter.blocks >= 2 && bits_size % 16 == 0 && bits_size >= 16 &&
                  bits_size / 16 <= size_t{32} * filter.blocks * 4 / 3,
              "a sound Ribbon filter");
      break;
    case BlockKind::kLegacyBloom:
      Promise(filter.probes >= 1 && std::has_single_bit(filter.line_bytes) &&
                  bits_size % filter.line_bytes == 0,
              "a sound legacy Bloom filter");
      break;
    case BlockKind::kEmpty:
      Promise(block.size() == 0 || bits_size == 0, "no keys, no bits");
      break;
    default:
      break;
  }
}

}  // namespace
}  // namespace linebloom::testing

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace linebloom;           // NOLINT
  using namespace linebloom::testing;  // NOLINT
  FuzzInput input(data, size);
  const auto mends = input.Number<uint8_t>();
  std::vector<char> block = ExactCopy(input.Rest());
  MendFilterBlock(mends, block.data(), block.size());
  const ParsedFilter parsed = CheckParsed(block);
  CheckBuiltIn(block, parsed);
  if ((mends & kMendAll) != kMendAll || block.size() < kFilterBlockOverhead) {
    return 0;
  }
  const size_t lines_size = block.size() - kFilterBlockOverhead;
  const uint32_t lines = NumLinesInBytes(LineKind::kSolved, lines_size);
  if (lines > 0 && BytesOfLines(LineKind::kSolved, lines) == lines_size) {
    Promise((parsed.kind == BlockKind::kLinebloom) ==
                (IsDocumented(parsed.info) &&
                 HasSoundLastCode(block, lines_size, parsed.info)),
            "sound metadata");
  }
  return 0;
}
