// A key's position between two others, as a number.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace linebloom {

// Reads keys as numbers whose digits are the bytes that keys consist of:
// decimal numbers, hexadecimal ones, words or any bytes. If each byte counted
// as one of 256 digits, a key midway between two decimal numbers would be a
// fiftieth of the way from one to the other.
class KeyPosition {
 public:
  // `samples` are some of the keys.
  explicit KeyPosition(std::span<const std::string_view> samples);

  // The position of `key` between `begin` and `end`, from 0 to 1, if keys are
  // spread uniformly.
  double Between(std::string_view begin, std::string_view end,
                 std::string_view key) const;

 private:
  struct Place {
    std::array<uint16_t, 256> digit{};  // of each byte
    double digits = 0;
  };

  double NumberFrom(std::string_view key, size_t from) const;

  size_t common_ = 0;  // bytes at the beginning of all samples
  std::vector<Place> places_;
};

}  // namespace linebloom
