#include "table/key_position.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace linebloom {
namespace {

// A double can tell about this many digits apart.
constexpr size_t kDigits = 16;

// If one of these bytes occurs, the others may too.
constexpr std::string_view kAlphabets[] = {
    "0123456789",
    "abcdef",
    "abcdefghijklmnopqrstuvwxyz",
    "ABCDEF",
    "ABCDEFGHIJKLMNOPQRSTUVWXYZ",
};

bool IsPrintable(uint8_t byte) { return byte >= 0x20 && byte < 0x7f; }

// Adds the alphabet of `byte`, the smallest if there are several.
void Add(uint8_t byte, std::array<bool, 256>* occurs) {
  if (!IsPrintable(byte)) {
    occurs->fill(true);
    return;
  }
  (*occurs)[byte] = true;
  for (const std::string_view alphabet : kAlphabets) {
    if (alphabet.find(static_cast<char>(byte)) == std::string_view::npos) {
      continue;
    }
    for (const char letter : alphabet) {
      (*occurs)[static_cast<uint8_t>(letter)] = true;
    }
    return;
  }
}

size_t CommonPrefix(std::string_view a, std::string_view b) {
  return static_cast<size_t>(
      std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first - a.begin());
}

// A place of the number.
struct Place {
  std::array<uint16_t, 256> digit{};  // of each byte
  double digits = 0;
};

// The `at`-th place of keys such as `keys`.
Place PlaceAt(size_t at, std::span<const std::string_view> keys) {
  std::array<bool, 256> occurs{};
  for (const std::string_view key : keys) {
    if (at < key.size()) Add(static_cast<uint8_t>(key[at]), &occurs);
  }
  Place place;
  for (size_t byte = 0; byte < occurs.size(); ++byte) {
    place.digit[byte] = static_cast<uint16_t>(place.digits);
    place.digits += occurs[byte] ? 1 : 0;
  }
  return place;
}

}  // namespace

std::vector<double> KeyPositions(std::span<const std::string_view> keys) {
  if (keys.empty()) return {};
  const auto [smallest, largest] = std::minmax(keys.front(), keys.back());
  const bool is_reversed = keys.back() < keys.front();
  std::vector<double> numbers(keys.size());
  const size_t common = CommonPrefix(smallest, largest);
  for (size_t at = common; at < common + kDigits; ++at) {
    const Place place = PlaceAt(at, keys);
    if (place.digits == 0) break;  // beyond the end of all keys
    for (size_t i = 0; i < keys.size(); ++i) {
      numbers[i] *= place.digits;
      if (at < keys[i].size()) {
        numbers[i] += place.digit[static_cast<uint8_t>(keys[i][at])];
      }
    }
  }
  const auto [low, high] = std::minmax(numbers.front(), numbers.back());
  std::vector<double> positions;
  for (size_t i = 0; i < keys.size(); ++i) {
    const double position =
        keys[i] <= smallest  ? 0
        : keys[i] >= largest ? 1
        : high <= low        ? 0
                      : std::clamp((numbers[i] - low) / (high - low), 0.0, 1.0);
    positions.push_back(is_reversed ? 1 - position : position);
  }
  return positions;
}

}  // namespace linebloom
