// Solves lines for any keys: all kernels build the same bytes, none rejects a
// key, and all give the same answers, also for a damaged line.
//
// Input: base and step of the shape (a byte each), the number of keys to draw
// from a seed (a byte, and 8), the bit of the line to flip at the end (2
// bytes), then hashes of up to 64 further keys (8 bytes each).

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include "filter_policy/line/kernel/line_kernel.h"
#include "filter_policy/line/line.h"
#include "filter_policy/line/solved_probes.h"
#include "tests/filter_policy/line/line_cases.h"
#include "tests/fuzz/fuzz_input.h"

namespace linebloom::testing {
namespace {

LineShape TakeShape(FuzzInput* input) {
  LineShape shape;
  shape.kind = LineKind::kSolved;
  shape.base = std::max<uint8_t>(input->Number<uint8_t>(), kMinSolvedBase);
  shape.step =
      static_cast<uint8_t>(1 + input->Number<uint8_t>() % kMaxSolvedStep);
  return shape;
}

// The scalar one, the reference, comes last.
const std::vector<const LineKernel*>& Kernels() {
  static const std::vector<const LineKernel*> kernels = SupportedKernels();
  return kernels;
}

void CheckAnswers(const LineShape& shape, const LineBytes& line,
                  const std::vector<uint64_t>& hashes, bool are_keys) {
  for (const uint64_t hash : hashes) {
    const int yes = static_cast<int>(
        std::ranges::count_if(Kernels(), [&](const LineKernel* kernel) {
          return LineMayMatch(*kernel, shape, line, hash);
        }));
    Promise(yes == std::ssize(Kernels()) || (yes == 0 && !are_keys),
            "the same answer from every kernel, and no key is rejected");
  }
}

void Run(FuzzInput input) {
  const LineShape shape = TakeShape(&input);
  // One in four lines is crowded; such a line takes ten times as long.
  int drawn = input.Number<uint8_t>();
  if (drawn < 192) drawn %= 96;
  std::mt19937_64 random(input.Number<uint64_t>());
  const auto flipped = input.Number<uint16_t>() % (8 * kLineBytes);
  std::vector<uint64_t> hashes(drawn);
  for (uint64_t& hash : hashes) hash = random();
  for (int i = 0; i < 64 && !input.empty(); ++i) {
    hashes.push_back(input.Number<uint64_t>());
  }

  LineBytes line;
  BuildLine(shape, hashes, line.data(), *Kernels().back());
  for (const LineKernel* kernel : Kernels()) {
    if (kernel == Kernels().back()) continue;
    LineBytes other;
    BuildLine(shape, hashes, other.data(), *kernel);
    Promise(other == line, "the same bytes from every kernel");
  }
  CheckAnswers(shape, line, hashes, /*are_keys=*/true);
  line[flipped / 8] ^= static_cast<uint8_t>(1 << flipped % 8);
  CheckAnswers(shape, line, hashes, /*are_keys=*/false);
}

}  // namespace
}  // namespace linebloom::testing

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  linebloom::testing::Run(linebloom::testing::FuzzInput(data, size));
  return 0;
}
