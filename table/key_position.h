// The positions of keys among others, as numbers.
#pragma once

#include <span>
#include <string_view>
#include <vector>

namespace linebloom {

// Where each of `keys`, in the order of their bytes or in reverse, lies between
// the first, at 0, and the last, at 1, if keys are spread uniformly.
//
// Reads keys as numbers whose digits are the bytes that keys consist of:
// decimal numbers, hexadecimal ones, words or any bytes. If each byte counted
// as one of 256 digits, a key midway between two decimal numbers would be a
// fiftieth of the way from one to the other.
std::vector<double> KeyPositions(std::span<const std::string_view> keys);

}  // namespace linebloom
