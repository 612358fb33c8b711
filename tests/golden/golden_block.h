// Golden blocks: small filters of known keys as annotated hexdumps, which
// people can read and tests compare byte by byte.
#pragma once

#include <cstdint>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "filter_policy/line/line.h"

namespace linebloom {

// The input of a golden block: the keys key0, key1, ..., which are canonical if
// there is a canonical_key.
struct GoldenCase {
  const char* name;  // of the file, without .txt
  int keys;
  uint32_t millibits_per_key;
  Line line;
  uint64_t hash_seed;
  double false_positive_rate = 0;  // replaces bits
  bool level_aware = false;
  uint64_t canonical_key = 0;
  float heat = 0;
};

inline void PrintTo(const GoldenCase& golden, std::ostream* out) {
  *out << golden.name;
}

const std::vector<GoldenCase>& GoldenCases();

std::vector<std::string> GoldenKeys(const GoldenCase& golden);

// Builds the block of a case and dumps it.
std::string DumpGolden(const GoldenCase& golden);

// The bytes of a block, read from a dump.
std::string BytesOfDump(std::string_view dump);

// The false positives that a dump lists.
std::vector<std::string> FalsePositivesOfDump(std::string_view dump);

}  // namespace linebloom
