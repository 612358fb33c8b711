// Every kernel that this machine has, against the scalar one.
#include "filter_policy/line/kernel/line_kernel.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string_view>

#include "filter_policy/filter/filter_block.h"
#include "filter_policy/filter/filter_builder.h"
#include "filter_policy/filter/filter_reader.h"
#include "filter_policy/line/builder/line_builder.h"
#include "filter_policy/line/line_rate.h"
#include "tests/filter_policy/random_hashes.h"

namespace linebloom {

void PrintTo(const LineKernel* kernel, std::ostream* out) {
  *out << kernel->name;
}

namespace {

const LineKernel& Reference() { return *SupportedKernels().back(); }

class LineKernelTest : public testing::TestWithParam<const LineKernel*> {
 protected:
  const LineKernel& kernel() const { return *GetParam(); }

  // Random lines with each number of probes that its 4 bits can say, so the
  // reserved ones too, and random hashes. Dense lines, so that both answers
  // occur.
  void ExpectSameAnswers(const AskFunctions& ask, const AskFunctions& reference,
                         const LineShape& shape) {
    int matches = 0;
    for (uint64_t i = 0; i < 64; ++i) {
      std::vector<uint64_t> line = RandomHashes(8, i);
      for (const uint64_t denser : RandomHashes(i % 5, i + 1000)) {
        for (uint64_t& word : line) word |= denser;
      }
      line[0] = (line[0] & ~(uint64_t{15} << 60)) | (i % 16) << 60;
      const auto* const bytes = reinterpret_cast<const uint8_t*>(line.data());
      for (const uint64_t hash : RandomHashes(500, i)) {
        const bool expected = reference.line_may_match(shape, bytes, hash);
        ASSERT_EQ(expected, ask.line_may_match(shape, bytes, hash))
            << "line " << i << " hash " << hash;
        matches += expected;
      }
    }
    EXPECT_GT(matches, 0);
  }
};

INSTANTIATE_TEST_SUITE_P(Kernels, LineKernelTest,
                         testing::ValuesIn(SupportedKernels()),
                         [](const auto& test) { return test.param->name; });

TEST_P(LineKernelTest, AsksPlainLinesTheSame) {
  for (uint8_t probes = 1; probes <= kMaxPlainProbes; ++probes) {
    ExpectSameAnswers(kernel().plain, Reference().plain,
                      {LineKind::kPlain, probes, 0});
  }
}

TEST_P(LineKernelTest, AsksSearchedLinesTheSame) {
  for (uint8_t rotation_bits = 0; rotation_bits <= kSeedBits; ++rotation_bits) {
    ExpectSameAnswers(kernel().solved, Reference().solved,
                      {LineKind::kSolved, 0, 64, rotation_bits});
  }
}

TEST_P(LineKernelTest, AddsToPlainLinesTheSame) {
  for (int probes = 1; probes <= kMaxPlainProbes; ++probes) {
    std::vector<uint8_t> line(kLineBytes, 0);
    std::vector<uint8_t> expected(kLineBytes, 0);
    for (const uint64_t hash : RandomHashes(20, probes)) {
      const std::span<const uint64_t> hashes(&hash, 1);
      kernel().add_to_plain_lines(probes, hashes, 1, line.data());
      Reference().add_to_plain_lines(probes, hashes, 1, expected.data());
      ASSERT_EQ(expected, line) << probes;
    }
  }
}

TEST_P(LineKernelTest, AddsToManyPlainLinesTheSame) {
  constexpr uint32_t kLines = 100;
  std::vector<uint8_t> lines(kLines * kLineBytes, 0);
  std::vector<uint8_t> expected = lines;
  const std::vector<uint64_t> hashes = RandomHashes(3000, 1);
  kernel().add_to_plain_lines(6, hashes, kLines, lines.data());
  Reference().add_to_plain_lines(6, hashes, kLines, expected.data());
  EXPECT_EQ(expected, lines);
}

// To the last digit: the rate is a part of the block.
TEST_P(LineKernelTest, HasTheSameRateOfALine) {
  for (int probes = 1; probes <= kMaxPlainProbes; ++probes) {
    std::vector<uint64_t> words = RandomHashes(kPlainWords, probes);
    words[3] = 0x7f;
    EXPECT_EQ(LineRate(words, probes), kernel().rate_of_line(words, probes));
  }
}

TEST_P(LineKernelTest, MakesTheSamePatterns) {
  for (uint32_t rotation_bits = 0; rotation_bits <= kSeedBits;
       ++rotation_bits) {
    for (int probes = 1; probes <= kMaxSearchedProbes; ++probes) {
      PatternTable table(rotation_bits);
      PatternTable expected(rotation_bits);
      const std::vector<uint64_t> hashes = RandomHashes(40, probes);
      kernel().search.make_patterns(hashes, probes, &table);
      Reference().search.make_patterns(hashes, probes, &expected);
      for (int group = 0; group < kGroups; ++group) {
        for (uint32_t word = 0; word < kSearchedWords; ++word) {
          for (uint32_t base = 0; base < table.bases(); ++base) {
            const uint32_t at = word * table.stride() + base;
            ASSERT_EQ(expected.Group(group)[at], table.Group(group)[at])
                << rotation_bits << " " << probes << " " << group << " " << word
                << " " << base;
          }
        }
      }
    }
  }
}

TEST_P(LineKernelTest, FindsTheSameCandidates) {
  for (uint32_t rotation_bits = 0; rotation_bits <= kSeedBits;
       ++rotation_bits) {
    PatternTable table(rotation_bits);
    Reference().search.make_patterns(RandomHashes(60, rotation_bits), 8,
                                     &table);
    const std::vector<uint64_t> bits = RandomHashes(kSearchedWords, 77);
    for (int group = 0; group < kGroups; ++group) {
      std::vector<Candidate> all(kSeeds);
      std::vector<Candidate> expected(kSeeds);
      kernel().search.all_candidates(bits.data(), table, group, all.data());
      Reference().search.all_candidates(bits.data(), table, group,
                                        expected.data());
      ASSERT_EQ(expected, all) << rotation_bits << " " << group;
      ASSERT_EQ(Reference().search.best_candidate(bits.data(), table, group),
                kernel().search.best_candidate(bits.data(), table, group));
    }
  }
}

TEST_P(LineKernelTest, BuildsTheSameBlocksAndReadsThem) {
  for (const LineKind line : {LineKind::kPlain, LineKind::kSolved}) {
    for (const uint32_t millibits : {2000u, 10000u, 24000u}) {
      std::vector<uint64_t> hashes = RandomHashes(2000, millibits);
      const FilterSettings settings = {millibits, line, 0};
      const FilterBlock block =
          BuildFilter(HashList(hashes), settings, kernel());
      const FilterBlock expected =
          BuildFilter(HashList(hashes), settings, Reference());
      ASSERT_EQ(std::string_view(expected.bytes.get(), expected.size),
                std::string_view(block.bytes.get(), block.size));
      const FilterReader reader =
          FilterReader::Make(block.bytes.get(),
                             ParseFilterBlock(block.bytes.get(), block.size),
                             kernel())
              .value();
      for (const uint64_t hash : hashes) ASSERT_TRUE(reader.MayMatch(hash));
    }
  }
}

// ctest runs these under each LINEBLOOM_SIMD: the kernel that was asked for is
// the one that readers and builders get, or the choice says what is wrong.
TEST(SimdChoiceTest, TheForcedKernelIsTheOneThatRuns) {
  const char* const wanted = std::getenv("LINEBLOOM_SIMD");
  if (wanted == nullptr) {
    EXPECT_EQ(SupportedKernels().front(), &ChosenKernel());
    EXPECT_EQ("", SimdChoiceProblem());
    return;
  }
  for (const LineKernel* kernel : SupportedKernels()) {
    if (std::string_view(kernel->name) != wanted) continue;
    EXPECT_EQ(kernel, &ChosenKernel());
    EXPECT_EQ("", SimdChoiceProblem());
    return;
  }
  EXPECT_EQ(SupportedKernels().front(), &ChosenKernel());
  EXPECT_NE(std::string::npos,
            SimdChoiceProblem().find("LINEBLOOM_SIMD=" + std::string(wanted)));
  EXPECT_NE(std::string::npos, SimdChoiceProblem().find("scalar"));
}

}  // namespace
}  // namespace linebloom
