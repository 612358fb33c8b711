// Helpers for writing JSON.
#pragma once

#include <optional>

#include "nlohmann/json.hpp"

namespace linebloom::tools {

template <typename Value>
nlohmann::ordered_json OrNull(const std::optional<Value>& value) {
  return value.has_value() ? nlohmann::ordered_json(*value)
                           : nlohmann::ordered_json(nullptr);
}

}  // namespace linebloom::tools
