// The questions that filter_size answers.
#pragma once

#include <cstdint>
#include <optional>

#include "absl/status/status.h"
#include "filter_policy/sizing/expected_rate.h"

namespace linebloom::tools {

inline constexpr double kLeastBitsPerKey =
    1.0 * kMinMillibits / kMillibitsPerBit;
inline constexpr double kMostBitsPerKey =
    1.0 * kMaxMillibits / kMillibitsPerBit;

// The flags under their names. Two of them are given, and the others are to be
// computed.
struct Question {
  std::optional<uint64_t> keys;
  std::optional<double> rate;
  std::optional<uint64_t> bytes;
  std::optional<double> bits_per_key;
};

// InvalidArgument, with an explanation and what is possible, for values that
// can't be parsed or are out of range, and for flags that exclude each other.
absl::Status ValidateQuestion(const Question& question);

}  // namespace linebloom::tools
