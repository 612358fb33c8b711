// Compares every kernel that this machine supports with the scalar one.
#include "filter_policy/line/kernel/line_kernel.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <memory>
#include <ostream>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "filter_policy/line/hash.h"
#include "filter_policy/line/line_contents.h"
#include "filter_policy/line/plain_probes.h"
#include "filter_policy/line/solved_probes.h"
#include "tests/filter_policy/line/line_cases.h"
#include "tests/filter_policy/random_hashes.h"

namespace linebloom {

void PrintTo(const LineKernel* kernel, std::ostream* out) {
  *out << kernel->name;
}

namespace {

const LineKernel& Reference() { return *SupportedKernels().back(); }

LineShape Plain(int probes) {
  return {Line::kPlain, static_cast<uint8_t>(probes), 0};
}

LineBytes RandomLine(uint64_t seed) {
  const std::vector<uint64_t> words = RandomHashes(kWordsPerLine, seed);
  LineBytes line;
  std::copy_n(reinterpret_cast<const uint8_t*>(words.data()), kLineBytes,
              line.begin());
  return line;
}

void SetHeader(int header, LineBytes* line) {
  for (int w = 0; w < kWordsPerLine; ++w) {
    uint8_t& byte = (*line)[8 * w + 7];
    byte = static_cast<uint8_t>((byte & 127) | (header >> w & 1) << 7);
  }
}

class LineKernelTest : public testing::TestWithParam<const LineKernel*> {
 protected:
  const LineKernel& kernel() const { return *GetParam(); }

  // Returns how many of the hashes match.
  int ExpectSameAnswers(const LineShape& shape, const LineBytes& line,
                        const std::vector<uint64_t>& hashes) const {
    int matches = 0;
    for (const uint64_t hash : hashes) {
      const bool expected =
          ProbesOf(Reference(), shape)
              .line_may_match({line.data(), 1, shape}, line.data(), hash);
      EXPECT_EQ(expected,
                ProbesOf(kernel(), shape)
                    .line_may_match({line.data(), 1, shape}, line.data(), hash))
          << NameOf(shape) << ", hash " << hash;
      matches += expected;
    }
    return matches;
  }

  // Builds the line with both kernels.
  LineBytes ExpectSameSolvedLine(const LineShape& shape,
                                 const std::vector<uint64_t>& hashes) {
    LineBytes expected;
    const int header = Reference().solve_line(
        shape, hashes, reference_space_.get(), expected.data());
    LineBytes line;
    EXPECT_EQ(header,
              kernel().solve_line(shape, hashes, space_.get(), line.data()));
    EXPECT_EQ(expected, line) << NameOf(shape);
    return line;
  }

 private:
  std::unique_ptr<SolveSpace> space_ = std::make_unique<SolveSpace>();
  std::unique_ptr<SolveSpace> reference_space_ = std::make_unique<SolveSpace>();
};

INSTANTIATE_TEST_SUITE_P(Kernels, LineKernelTest,
                         testing::ValuesIn(SupportedKernels()),
                         [](const auto& test) { return test.param->name; });

// Dense lines, so that both answers occur.
TEST_P(LineKernelTest, ProbesPlainLinesTheSame) {
  for (int probes = 1; probes <= kMaxPlainProbes; ++probes) {
    int matches = 0;
    for (uint64_t i = 0; i < 64; ++i) {
      LineBytes line = RandomLine(i);
      for (uint64_t j = 0; j < i % 5; ++j) {
        const LineBytes denser = RandomLine(1000 * j + i);
        for (size_t b = 0; b < kLineBytes; ++b) line[b] |= denser[b];
      }
      matches += ExpectSameAnswers(Plain(probes), line, RandomHashes(300, i));
    }
    EXPECT_GT(matches, 0);
    EXPECT_LT(matches, 64 * 300);
  }
}

TEST_P(LineKernelTest, AddsToPlainLinesTheSame) {
  for (const uint32_t line_count : {1, 100}) {
    for (int probes = 1; probes <= kMaxPlainProbes; ++probes) {
      std::vector<uint8_t> lines(line_count * kLineBytes, 0);
      std::vector<uint8_t> expected = lines;
      const std::vector<uint64_t> hashes =
          RandomHashes(20 * line_count, probes);
      kernel().add_to_plain_lines(probes, hashes, line_count, lines.data());
      Reference().add_to_plain_lines(probes, hashes, line_count,
                                     expected.data());
      ASSERT_EQ(expected, lines) << probes;
    }
  }
}

// The rates must be the same doubles, because they are stored in the block.
TEST_P(LineKernelTest, ComputesTheSamePlainLineRate) {
  for (int probes = 1; probes <= kMaxPlainProbes; ++probes) {
    LineBytes line = RandomLine(probes);
    std::fill_n(line.begin() + 24, 7, 0);
    EXPECT_EQ(Reference().rate_of_plain_line(line.data(), probes),
              kernel().rate_of_plain_line(line.data(), probes));
  }
}

TEST_P(LineKernelTest, SolvesLinesTheSame) {
  for (const LineShape& shape : SolvedShapes()) {
    for (size_t keys = 0; keys <= kMaxSolvedKeys + 1; keys += 1 + keys / 20) {
      const std::vector<uint64_t> hashes = RandomHashes(keys, keys);
      const LineBytes line = ExpectSameSolvedLine(shape, hashes);
      ASSERT_EQ(static_cast<int>(keys), ExpectSameAnswers(shape, line, hashes));
      ExpectSameAnswers(shape, line, RandomHashes(50, keys + 1000));
    }
  }
}

TEST_P(LineKernelTest, SolvesLinesOfCrowdsTheSame) {
  for (const LineShape& shape : SolvedShapes()) {
    for (const size_t keys : {3, 40, 51, 64, 200}) {
      for (const Crowd& crowd : Crowds(keys)) {
        ExpectSameSolvedLine(shape, crowd.hashes);
      }
    }
  }
}

// Any 64 bytes are a line. Both answers occur for random hashes in crowded
// lines, and for the line's own keys in other lines with a changed bit.
TEST_P(LineKernelTest, ProbesAnySolvedLineTheSame) {
  for (const uint8_t step : {1, 2, 3}) {
    for (const uint8_t base : {64, 100, 160, 255}) {
      const LineShape shape = {Line::kSolved, base, step};
      int matches = 0;
      for (int header = 0; header <= kMaxHeader; ++header) {
        LineBytes line = RandomLine(header);
        SetHeader(header, &line);
        matches += ExpectSameAnswers(shape, line, RandomHashes(100, header));
      }
      EXPECT_GE(matches, 100);  // those with header 0
      EXPECT_LT(matches, 256 * 100);
    }
  }
}

TEST_P(LineKernelTest, ProbesLinesWithAChangedBitTheSame) {
  for (const LineShape& shape : SolvedShapes()) {
    const std::vector<uint64_t> hashes = RandomHashes(45, 1);
    LineBytes line = ExpectSameSolvedLine(shape, hashes);
    int matches = 0;
    for (size_t bit = 0; bit < 8 * kLineBytes; ++bit) {
      line[bit / 8] ^= static_cast<uint8_t>(1 << bit % 8);
      matches += ExpectSameAnswers(shape, line, hashes);
      line[bit / 8] ^= static_cast<uint8_t>(1 << bit % 8);
    }
    EXPECT_GT(matches, 0);
    EXPECT_LT(matches, 45 * 512);
  }
}

// The last line of a filter may end where the memory ends.
TEST_P(LineKernelTest, TouchesNothingAfterALine) {
  const size_t page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  void* const pages = mmap(nullptr, 2 * page, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(MAP_FAILED, pages);
  uint8_t* const end = static_cast<uint8_t*>(pages) + page;
  ASSERT_EQ(0, mprotect(end, page, PROT_NONE));
  uint8_t* const line = end - kLineBytes;
  const std::vector<uint64_t> hashes = RandomHashes(40, 1);
  const auto space = std::make_unique<SolveSpace>();
  for (const LineShape& shape : {ShapeFor(3), ShapeFor(10), ShapeFor(24)}) {
    kernel().solve_line(shape, hashes, space.get(), line);
    for (const uint64_t hash : hashes) {
      EXPECT_TRUE(kernel().solved.line_may_match({line, 1, shape}, line, hash));
    }
  }
  for (const int probes : {1, 6, 16}) {
    std::fill(line, end, 0);
    kernel().add_to_plain_lines(probes, hashes, 1, line);
    EXPECT_GT(kernel().rate_of_plain_line(line, probes), 0);
    for (const uint64_t hash : hashes) {
      EXPECT_TRUE(
          kernel().plain.line_may_match({line, 1, Plain(probes)}, line, hash));
    }
  }
  munmap(pages, 2 * page);
}

// Keys get the same answers as their hashes, alone or in batches.
TEST_P(LineKernelTest, AnswersKeysAndBatchesLikeSingleHashes) {
  constexpr uint32_t kLines = 3;
  for (const LineShape& shape : {Plain(1), Plain(6), Plain(16), ShapeFor(2.7),
                                 ShapeFor(4), ShapeFor(10)}) {
    // Unaligned lines, and the code of a small group.
    std::vector<uint8_t> bytes(1 + kLines * kLineBytes + 1);
    const FilterView filter(bytes.data() + 1, kLines, shape);
    std::vector<std::string> keys;
    for (size_t size = 0; size <= 100; ++size) {
      for (char c = 'a'; c <= 'f'; ++c) keys.emplace_back(size, c);
    }
    std::vector<std::vector<uint64_t>> hashes(kLines);
    std::vector<uint64_t> all;
    for (size_t i = 0; i < keys.size(); ++i) {
      const uint64_t hash = HashUnseeded(keys[i].data(), keys[i].size());
      all.push_back(hash);
      if (i % 3 == 0) hashes[LineOf(hash, kLines)].push_back(hash);
    }
    const auto space = std::make_unique<SolveSpace>();
    for (uint32_t i = 0; i < kLines; ++i) {
      uint8_t* const line = bytes.data() + 1 + i * kLineBytes;
      if (shape.kind == Line::kPlain) {
        kernel().add_to_plain_lines(shape.base, hashes[i], 1, line);
      } else {
        ASSERT_NE(0, kernel().solve_line(shape, hashes[i], space.get(), line))
            << NameOf(shape) << " " << hashes[i].size();
      }
    }
    const ProbeFunctions& probes = ProbesOf(kernel(), shape);
    const auto many = std::make_unique<bool[]>(all.size());
    for (size_t i = 0; i < all.size(); i += kMaxBatch) {
      const size_t count = std::min<size_t>(all.size() - i, kMaxBatch);
      probes.hashes_may_match(filter, &all[i], static_cast<int>(count),
                              &many[i]);
    }
    int matches = 0;
    for (size_t i = 0; i < keys.size(); ++i) {
      const bool expected = probes.line_may_match(
          filter, filter.lines + LineOf(all[i], kLines) * kLineBytes, all[i]);
      EXPECT_EQ(expected,
                probes.key_may_match(filter, keys[i].data(), keys[i].size()))
          << keys[i];
      EXPECT_EQ(expected, many[i]);
      matches += expected;
      EXPECT_TRUE(expected || i % 3 != 0) << keys[i];
    }
    EXPECT_LT(matches, static_cast<int>(keys.size()));
  }
}

// ctest runs these with each LINEBLOOM_SIMD: readers and builders get the
// requested kernel, or the choice says what is wrong.
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
