// Golden blocks: small filters of known keys as annotated hexdumps, which
// people can read and tests compare byte by byte.
#pragma once

#include <string>
#include <vector>

#include "filter_policy/filter/filter_block.h"

namespace linebloom {

// A filter of the keys key0, key1, ..., which are canonical if the request has
// a canonical_key.
struct GoldenCase {
  const char* name;  // of the file, without .txt
  int keys;
  FilterRequest request;
};

const std::vector<GoldenCase>& GoldenCases();

// Builds the block of a case and dumps it, with its false positives.
std::string DumpGolden(const GoldenCase& golden);

}  // namespace linebloom
