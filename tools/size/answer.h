// The questions of linebloom size and their answers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "filter_policy/filter/sizing.h"
#include "filter_policy/line/line.h"

namespace linebloom::tools {

inline constexpr double kMinBitsPerKey = 1.0 * kMinMillibits / kMillibitsPerBit;
inline constexpr double kMaxBitsPerKey = 1.0 * kMaxMillibits / kMillibitsPerBit;

// The flags under their names. Two of them are given, and the others are to be
// computed.
struct Question {
  std::optional<uint64_t> keys;
  std::optional<double> rate;
  std::optional<uint64_t> bytes;
  std::optional<double> bits_per_key;

  // The bits per key that are given, or that follow from keys and bytes;
  // nothing with a rate.
  std::optional<double> bits() const;
};

// InvalidArgument, with an explanation and what is possible, for values that
// can't be parsed or are out of range, and for flags that exclude each other.
absl::Status ValidateQuestion(const Question& question);

// A filter that answers a question.
struct SizedFilter {
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
  std::optional<SizedFilter> size;
};

// A filter of that kind of line; plain ones are RocksDB's Bloom filter.
// Nothing if a rate is out of reach or not even a single line fits.
std::optional<SizedFilter> SizeLineFilter(LineKind line,
                                          const Question& question);

// The classic formula, linebloom's two kinds of line, and RocksDB's Bloom and
// Ribbon filters.
std::vector<Answer> AnswerQuestion(const Question& question);

}  // namespace linebloom::tools
