#include "tests/filter_policy/line/line_cases.h"

#include <algorithm>

#include "filter_policy/line/builder/line_builder.h"
#include "filter_policy/line/solved_probes.h"
#include "tests/filter_policy/random_hashes.h"

namespace linebloom {
namespace {

// 1 / odd modulo 2^64. Each step doubles the number of correct bits.
constexpr uint64_t Inverse(uint64_t odd) {
  uint64_t inverse = odd;  // 3 bits
  for (int i = 0; i < 5; ++i) inverse *= 2 - odd * inverse;
  return inverse;
}

constexpr uint64_t kHashOfMask = Inverse(kMaskMultiplier);
static_assert(kHashOfMask * kMaskMultiplier == 1);

// Hashes whose products are random in the bits of `free` and equal `fixed`
// elsewhere.
std::vector<uint64_t> HashesOfProducts(size_t count, uint64_t fixed,
                                       uint64_t free, uint64_t inverse) {
  std::vector<uint64_t> hashes = RandomHashes(count, count);
  for (uint64_t& hash : hashes) {
    hash = ((hash & free) | (fixed & ~free)) * inverse;
  }
  return hashes;
}

}  // namespace

LineShape ShapeFor(double bits_per_key) {
  constexpr uint32_t kLines = 1000;
  return SolvedShape(
      static_cast<uint64_t>(kLines * 8 * kLineBytes / bits_per_key), kLines);
}

std::vector<LineShape> SolvedShapes() {
  std::vector<LineShape> shapes = {
      {Line::kSolved, kMinSolvedBase, 1},
      {Line::kSolved, kMinSolvedBase, kMaxSolvedStep},
      {Line::kSolved, UINT8_MAX, 1},
      {Line::kSolved, UINT8_MAX, kMaxSolvedStep}};
  for (int bits_per_key = 1; bits_per_key <= 30; ++bits_per_key) {
    const LineShape shape = ShapeFor(bits_per_key);
    if (std::find(shapes.begin(), shapes.end(), shape) == shapes.end()) {
      shapes.push_back(shape);
    }
  }
  return shapes;
}

std::vector<LineShape> AllShapes() {
  std::vector<LineShape> shapes = SolvedShapes();
  for (const uint8_t probes : {1, 6, 16}) {
    shapes.push_back({Line::kPlain, probes, 0});
  }
  return shapes;
}

std::string NameOf(const LineShape& shape) {
  if (shape.kind == Line::kPlain) {
    return "Plain" + std::to_string(shape.base);
  }
  return "Solved" + std::to_string(shape.base) + "By" +
         std::to_string(shape.step);
}

std::vector<Crowd> Crowds(size_t count) {
  constexpr uint64_t kFixed = 0x5bd1e995a3c59ac3;
  std::vector<Crowd> crowds;
  crowds.push_back({"all equal", std::vector<uint64_t>(count, kFixed)});

  std::vector<uint64_t> hashes = RandomHashes(count, count);
  std::fill_n(hashes.begin(), count / 3, kFixed);
  crowds.push_back({"a third equal", hashes});

  hashes = RandomHashes(count, count);
  std::copy_n(hashes.begin(), count / 2, hashes.begin() + count / 2);
  crowds.push_back({"in twos", hashes});

  // Their first masks differ only in the header's bit.
  hashes = RandomHashes(count, count);
  for (size_t i = 1; i < count; i += 2) {
    hashes[i] = hashes[i - 1] ^ uint64_t { 1 } << 63;
  }
  crowds.push_back({"in opposites", hashes});

  crowds.push_back({"equal low halves of the mask",
                    HashesOfProducts(count, kFixed, uint64_t{0xffffffff} << 32,
                                     kHashOfMask)});
  crowds.push_back({"equal masks up to 9 bits",
                    HashesOfProducts(count, kFixed, 0x1ff, kHashOfMask)});
  crowds.push_back(
      {"equal masks up to the top bits",
       HashesOfProducts(count, kFixed, uint64_t{0x1ff} << 55, kHashOfMask)});
  crowds.push_back(
      {"masks of a few bits",
       HashesOfProducts(count, 0, uint64_t{0x1ff} << 40, kHashOfMask)});
  crowds.push_back({"equal fingerprints",
                    HashesOfProducts(count, kFixed, ~uint64_t{0xfffffff}, 1)});
  crowds.push_back({"equal fractions",
                    HashesOfProducts(count, 31 << 4, ~uint64_t{31 << 4}, 1)});

  hashes.resize(count);
  for (size_t i = 0; i < count; ++i) hashes[i] = i;
  crowds.push_back({"small numbers", hashes});
  for (size_t i = 0; i < count; ++i) hashes[i] = ~(uint64_t{1} << i % 64) - i;
  crowds.push_back({"nearly all bits", hashes});
  return crowds;
}

}  // namespace linebloom
