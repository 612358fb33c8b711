#include "filter_policy/rocksdb/byte_count.h"

#include <array>
#include <cctype>
#include <charconv>
#include <system_error>
#include <utility>

namespace linebloom {
namespace {

// The largest first.
constexpr std::array<std::pair<char, int>, 4> kUnits{{
    {'T', 40},
    {'G', 30},
    {'M', 20},
    {'K', 10},
}};

}  // namespace

std::optional<uint64_t> ParseByteCount(std::string_view text) {
  int shift = 0;
  if (!text.empty()) {
    const int last = std::toupper(static_cast<unsigned char>(text.back()));
    for (const auto& [unit, unit_shift] : kUnits) {
      if (last == unit) shift = unit_shift;
    }
  }
  if (shift > 0) text.remove_suffix(1);
  const char* const end = text.data() + text.size();
  uint64_t number = 0;
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || rest != end) return std::nullopt;
  if (number > UINT64_MAX >> shift) return std::nullopt;
  return number << shift;
}

std::string ByteCountText(uint64_t bytes) {
  for (const auto& [unit, shift] : kUnits) {
    if (bytes > 0 && (bytes >> shift) << shift == bytes) {
      return std::to_string(bytes >> shift) + unit;
    }
  }
  return std::to_string(bytes);
}

}  // namespace linebloom
