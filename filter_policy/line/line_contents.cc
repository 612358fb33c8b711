#include "filter_policy/line/line_contents.h"

#include <bit>
#include <span>

#include "filter_policy/line/line_rate.h"
#include "filter_policy/line/little_endian.h"

namespace linebloom {
namespace {

// Takes probes and seeds from the word before a searched line's bits.
void ReadSeeds(uint64_t word, LineContents* contents) {
  contents->probes = static_cast<int>(word >> kSearchedProbesShift);
  contents->has_seeds = true;
  for (int g = 0; g < kGroups; ++g) {
    contents->seeds[g] =
        static_cast<uint8_t>(word >> (kSeedBits * g) & (kSeeds - 1));
  }
}

}  // namespace

LineContents ReadLine(const LineShape& shape, const uint8_t* line) {
  std::array<uint64_t, kWordsPerLine> words;
  for (int w = 0; w < kWordsPerLine; ++w) {
    words[w] = LoadLittleEndian<uint64_t>(line + 8 * w);
  }
  LineContents contents;
  std::span<const uint64_t> asked = words;
  if (shape.kind == LineKind::kPlain) {
    contents.probes = shape.probes;
  } else {
    ReadSeeds(words[0], &contents);
    asked = asked.subspan(kWordsPerLine - kSearchedWords);
  }
  for (const uint64_t word : asked) contents.bits_set += std::popcount(word);
  contents.bits = 64 * static_cast<int>(asked.size());
  contents.asked =
      contents.probes > 0 && (shape.kind == LineKind::kPlain ||
                              contents.probes < kReservedSearchedProbes);
  contents.rate = contents.asked ? LineRate(asked, contents.probes) : 1.0;
  return contents;
}

}  // namespace linebloom
