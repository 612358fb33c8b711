// Numbers as text, the same in every locale: printf's have a decimal comma
// after setlocale() in half of Europe.
#pragma once

#include <array>
#include <charconv>
#include <string>

namespace linebloom {

// `how` is what std::to_chars takes after the number: nothing for the shortest
// text that parses back to the same double.
template <typename... How>
std::string NumberText(double number, How... how) {
  std::array<char, 400> text;  // 1e308 has 309 digits before the point
  const auto result =
      std::to_chars(text.data(), text.data() + text.size(), number, how...);
  return std::string(text.data(), result.ptr);
}

// With so many decimals, as of %.2f.
inline std::string FixedText(double number, int decimals) {
  return NumberText(number, std::chars_format::fixed, decimals);
}

}  // namespace linebloom
