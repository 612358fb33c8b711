// Computes the answers of filter_size.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "tools/filter_size/question.h"

namespace linebloom::tools {

// A filter that answers a question.
struct FilterSize {
  std::optional<int> probes;
  std::optional<uint64_t> lines;
  uint64_t keys = 0;
  uint64_t bits = 0;  // of all its memory
  double rate = 0;    // expected

  uint64_t bytes() const { return (bits + 7) / 8; }
  double bits_per_key() const {
    return static_cast<double>(bits) / static_cast<double>(keys);
  }
};

struct Answer {
  std::string filter;  // "RocksDB Bloom"
  std::string name;    // in JSON: "rocksdb-bloom"
  // Nothing if no filter of this kind satisfies the request.
  std::optional<FilterSize> size;
};

// The formula for a Bloom filter whose probes may be anywhere: a rate of
// exp(-bits ln(2)^2), with the best number of probes, bits ln(2), not rounded.
std::optional<FilterSize> ClassicBloom(const Question& question);

// The classic formula, linebloom's two kinds of line, and RocksDB's Bloom and
// Ribbon filters. Fails only if RocksDB fails to build a filter in memory.
absl::StatusOr<std::vector<Answer>> AnswerQuestion(const Question& question);

}  // namespace linebloom::tools
