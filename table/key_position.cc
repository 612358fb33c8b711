#include "table/key_position.h"

#include <algorithm>

namespace linebloom {
namespace {

// A double can tell about this many digits apart.
constexpr size_t kDigits = 16;

// Keys that agree in this many places count as equal.
constexpr size_t kMaxPlaces = 64;

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

}  // namespace

KeyPosition::KeyPosition(std::span<const std::string_view> samples) {
  if (samples.empty()) return;
  common_ = samples[0].size();
  size_t longest = 0;
  for (const std::string_view sample : samples) {
    common_ = std::min(common_, CommonPrefix(samples[0], sample));
    longest = std::max(longest, sample.size());
  }
  places_.resize(std::min(longest - common_, kMaxPlaces));
  for (size_t i = 0; i < places_.size(); ++i) {
    std::array<bool, 256> occurs{};
    for (const std::string_view sample : samples) {
      const size_t at = common_ + i;
      if (at < sample.size()) Add(static_cast<uint8_t>(sample[at]), &occurs);
    }
    uint16_t digits = 0;
    for (size_t byte = 0; byte < occurs.size(); ++byte) {
      places_[i].digit[byte] = digits;
      digits += occurs[byte] ? 1 : 0;
    }
    places_[i].digits = digits;
  }
}

double KeyPosition::NumberFrom(std::string_view key, size_t from) const {
  double number = 0;
  const size_t end = std::min(places_.size(), from - common_ + kDigits);
  for (size_t i = from - common_; i < end; ++i) {
    number *= places_[i].digits;
    const size_t at = common_ + i;
    if (at < key.size()) {
      number += places_[i].digit[static_cast<uint8_t>(key[at])];
    }
  }
  return number;
}

double KeyPosition::Between(std::string_view begin, std::string_view end,
                            std::string_view key) const {
  if (key <= begin) return 0;
  if (key >= end) return 1;
  const size_t common = std::max(common_, CommonPrefix(begin, end));
  const double low = NumberFrom(begin, common);
  const double width = NumberFrom(end, common) - low;
  if (width <= 0) return 0;
  return std::clamp((NumberFrom(key, common) - low) / width, 0.0, 1.0);
}

}  // namespace linebloom
