// Names of databases, column families and files are any bytes, and terminals
// obey some of them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

namespace linebloom {

// The bytes of the UTF-8 character at the front of `text`, 1 to 4 (table 3-7 of
// the Unicode Standard). 0 if there is none, or a control character.
inline size_t PrintableSize(std::string_view text) {
  const auto byte = [text](size_t i) -> unsigned {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0;
  };
  const unsigned first = byte(0);
  if (first < 0x80) return first >= 0x20 && first != 0x7f ? 1 : 0;
  if (first < 0xc2 || first > 0xf4) return 0;
  unsigned min = 0x80;
  unsigned max = 0xbf;
  if (first == 0xc2 || first == 0xe0) min = 0xa0;  // controls; 2 bytes do
  if (first == 0xed) max = 0x9f;                   // surrogates
  if (first == 0xf0) min = 0x90;                   // 3 bytes do
  if (first == 0xf4) max = 0x8f;                   // U+10FFFF is the last
  if (byte(1) < min || byte(1) > max) return 0;
  const size_t size = first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  for (size_t i = 2; i < size; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
  }
  return size;
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
