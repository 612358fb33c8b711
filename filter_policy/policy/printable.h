// Names of databases, column families and files are any bytes, and terminals
// obey some of them.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace linebloom {

// The bytes of the UTF-8 character at the front of `text`, 1 to 4. 0 if there
// is none, or a control character.
inline size_t PrintableSize(std::string_view text) {
  const auto first = static_cast<unsigned char>(text[0]);
  const auto ones = static_cast<size_t>(std::countl_one(first));
  const size_t size = std::max<size_t>(ones, 1);
  if (ones == 1 || size > 4 || size > text.size()) return 0;
  uint32_t code = first & (0x7f >> ones);
  for (size_t i = 1; i < size; ++i) {
    if ((text[i] & 0xc0) != 0x80) return 0;
    code = code << 6 | (text[i] & 0x3f);
  }
  constexpr uint32_t kLeast[] = {0, 0x20, 0xa0, 0x800, 0x10000};
  const bool is_surrogate = code >= 0xd800 && code < 0xe000;
  return code < kLeast[size] || code > 0x10ffff || code == 0x7f || is_surrogate
             ? 0
             : size;
}

// `text` with `\x1b` for each byte, here ESC, that is neither one of `keep` nor
// part of a printable UTF-8 character. Unlike U+FFFD for all of them, this
// keeps names apart. A second pass changes nothing.
inline std::string Printable(std::string_view text,
                             std::string_view keep = "") {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string printable;
  while (!text.empty()) {
    const auto byte = static_cast<unsigned char>(text[0]);
    const size_t size =
        keep.find(text[0]) != std::string_view::npos ? 1 : PrintableSize(text);
    if (size == 0) {
      printable += {'\\', 'x', kDigits[byte >> 4], kDigits[byte & 15]};
    } else {
      printable.append(text.substr(0, size));
    }
    text.remove_prefix(std::max<size_t>(size, 1));
  }
  return printable;
}

}  // namespace linebloom
