// Every kernel that this machine supports.
#include "filter_policy/line/kernel/line_kernel.h"

#include <gtest/gtest.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <ostream>
#include <random>
#include <string>
#include <vector>

#include "filter_policy/filter/filter_builder.h"
#include "filter_policy/filter/filter_reader.h"
#include "filter_policy/line/little_endian.h"
#include "filter_policy/line/solved_probes.h"
#include "tests/filter_policy/line/line_cases.h"
#include "tests/filter_policy/random_hashes.h"

namespace linebloom {

void PrintTo(const LineKernel* kernel, std::ostream* out) {
  *out << kernel->name;
}

namespace {

const LineKernel& Reference() { return *SupportedKernels().back(); }

LineBytes RandomLine(uint64_t seed) {
  const std::vector<uint64_t> words = RandomHashes(kWordsPerLine, seed);
  LineBytes line;
  std::copy_n(reinterpret_cast<const uint8_t*>(words.data()), kLineBytes,
              line.begin());
  return line;
}

class LineKernelTest : public testing::TestWithParam<const LineKernel*> {
 protected:
  const LineKernel& kernel() const { return *GetParam(); }
};

INSTANTIATE_TEST_SUITE_P(Kernels, LineKernelTest,
                         testing::ValuesIn(SupportedKernels()),
                         [](const auto& test) { return test.param->name; });

// Bytes on disk live for ever, and so do the answers to them: a checksum of
// lines of every shape, their rates, and what is answered after a bit has
// changed. tests/golden has whole filters, which another program reads too.
TEST_P(LineKernelTest, BytesAndAnswersAreThoseOfVersion1) {
  std::string all;
  std::mt19937_64 random(1);
  for (const LineShape& shape : AllShapes()) {
    for (size_t keys = 0; keys <= 260; keys += 1 + keys / 20) {
      std::vector<Crowd> crowds = {{"random", RandomHashes(keys, keys)}};
      if (keys % 5 == 2) crowds = Crowds(keys);
      for (const Crowd& crowd : crowds) {
        LineBytes line;
        const double rate =
            BuildLine(shape, crowd.hashes, line.data(), kernel());
        all.append(reinterpret_cast<const char*>(line.data()), line.size());
        char rate_bytes[sizeof(rate)];
        StoreLittleEndian(rate_bytes, rate);
        all.append(rate_bytes, sizeof(rate));
        for (const uint64_t hash : crowd.hashes) {
          LineBytes changed = line;
          changed[random() % line.size()] ^=
              static_cast<uint8_t>(1 << random() % 8);
          all += LineMayMatch(kernel(), shape, changed, hash) ? '+' : '-';
        }
      }
    }
  }
  EXPECT_EQ(0x8dbaca0ee5727e69, XXH3_64bits(all.data(), all.size()));
}

// Any 64 bytes are a line. Both answers occur for random hashes in crowded
// lines.
TEST_P(LineKernelTest, ProbesAnySolvedLineTheSame) {
  for (const uint8_t step : {1, 2, 3}) {
    for (const uint8_t base : {64, 100, 160, 255}) {
      const LineShape shape = {LineKind::kSolved, base, step};
      int matches = 0;
      for (int header = 0; header <= kMaxHeader; ++header) {
        LineBytes line = RandomLine(header);
        for (int w = 0; w < kWordsPerLine; ++w) {
          uint8_t& byte = line[8 * w + 7];
          byte = static_cast<uint8_t>((byte & 127) | (header >> w & 1) << 7);
        }
        for (const uint64_t hash : RandomHashes(100, header)) {
          const bool expected = LineMayMatch(Reference(), shape, line, hash);
          ASSERT_EQ(expected, LineMayMatch(kernel(), shape, line, hash))
              << NameOf(shape) << ", hash " << hash;
          matches += expected;
        }
      }
      EXPECT_GE(matches, 100);  // those with header 0
      EXPECT_LT(matches, 256 * 100);
    }
  }
}

// Keys get the same answers as their hashes, alone or in batches, wherever the
// filter starts.
TEST_P(LineKernelTest, AnswersKeysAndBatchesLikeSingleHashes) {
  for (const LineKind line : {LineKind::kPlain, LineKind::kSolved}) {
    const KeyHash hash_of = KeyHash(/*seed=*/0, line);
    for (const uint32_t millibits : {2700u, 4000u, 10000u, 24000u}) {
      std::vector<std::string> keys;
      std::vector<uint64_t> hashes;
      HashList added;
      for (size_t i = 0; i < 600; ++i) {
        keys.emplace_back(i / 6, static_cast<char>('a' + i % 6));
        hashes.push_back(hash_of(keys[i].data(), keys[i].size()));
        if (i % 3 == 0) added.Add(hashes[i]);
      }
      const FilterBlock built = BuildFilter(added, {millibits, line}, kernel());
      // Ends with the filter: AddressSanitizer sees a kernel that reads on.
      std::vector<char> unaligned(1 + built.size);
      std::copy_n(built.bytes.get(), built.size, &unaligned[1]);
      const auto reader = FilterReader::Make(
          &unaligned[1], ParseFilter(&unaligned[1], built.size), kernel());
      const auto batched = std::make_unique<bool[]>(keys.size());
      for (size_t i = 0; i < keys.size(); i += 30) {
        reader->MayMatch(&hashes[i], 30, &batched[i]);
      }
      size_t matches = 0;
      for (size_t i = 0; i < keys.size(); ++i) {
        const bool expected = reader->MayMatch(hashes[i]);
        EXPECT_EQ(expected, reader->MayMatch(keys[i].data(), keys[i].size()));
        EXPECT_EQ(expected, batched[i]) << keys[i];
        EXPECT_TRUE(expected || i % 3 != 0) << keys[i];
        matches += expected;
      }
      EXPECT_LT(matches, keys.size());
    }
  }
}

// ctest runs this with each LINEBLOOM_SIMD: readers and builders get the
// requested kernel, or the choice says what is wrong.
TEST(SimdChoiceTest, TheForcedKernelIsTheOneThatRuns) {
  const char* const wanted = std::getenv("LINEBLOOM_SIMD");
  const std::vector<const LineKernel*> kernels = SupportedKernels();
  const auto found =
      std::ranges::find_if(kernels, [&](const LineKernel* kernel) {
        return wanted != nullptr && wanted == std::string(kernel->name);
      });
  const bool is_known = found != kernels.end();
  EXPECT_EQ(is_known ? *found : kernels.front(), &ChosenKernel());
  const std::string& problem = SimdChoiceProblem();
  if (wanted == nullptr || is_known) {
    EXPECT_EQ("", problem);
  } else {
    EXPECT_NE(std::string::npos,
              problem.find("LINEBLOOM_SIMD=" + std::string(wanted)));
    EXPECT_NE(std::string::npos, problem.find("scalar"));
  }
}

}  // namespace
}  // namespace linebloom
