// What filter_size is asked.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/statusor.h"

namespace linebloom::tools {

// The flags, by their names, as they were given; "" where not.
struct FilterSizeConfig {
  std::string keys;
  std::string rate;
  std::string bytes;
  std::string bits_per_key;
  std::string json;  // "-" for stdout instead of the text
};

// Two of these are known: the other two are asked for.
struct Question {
  std::optional<uint64_t> keys;
  std::optional<double> rate;
  std::optional<uint64_t> bytes;
  std::optional<double> bits_per_key;  // in whole thousandths
};

// InvalidArgument, with what is wrong and what is possible, for values that
// can't be read or are out of range, and for flags that don't go together.
absl::StatusOr<Question> ParseQuestion(const FilterSizeConfig& config);

// The values of the command line's flags.
FilterSizeConfig ConfigFromFlags();

}  // namespace linebloom::tools
