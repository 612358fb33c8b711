// What filter_size is asked.
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

// The flags, by their names. Two of them are given: the rest is asked for.
struct Question {
  std::optional<uint64_t> keys;
  std::optional<double> rate;
  std::optional<uint64_t> bytes;
  std::optional<double> bits_per_key;
};

// InvalidArgument, with what is wrong and what is possible, for flags that
// don't go together.
absl::Status ValidateQuestion(const Question& question);

}  // namespace linebloom::tools
