#include "tests/soak/soak_keys.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "tools/shared/numbers.h"

namespace linebloom {
namespace {

using tools::Mix;

constexpr size_t kLongest = 1000;

}  // namespace

std::string_view NameOf(KeyForm form) {
  constexpr std::array<std::string_view, kKeyForms> kNames = {
      "8 bytes", "16 bytes", "numbered text", "0 to 40 bytes",
      "0 to 1000 bytes"};
  return kNames[static_cast<size_t>(form)];
}

SoakKeys::SoakKeys(KeyForm form, uint64_t seed)
    : form_(form), seed_(seed), bytes_(kLongest, '\0') {
  for (size_t i = 0; i < kLongest; ++i) {
    bytes_[i] = static_cast<char>(Mix(seed, i));
  }
  if (form == KeyForm::kNumberedText) bytes_.replace(0, 4, "user");
}

std::string_view SoakKeys::Make(uint64_t number) {
  if (form_ == KeyForm::kNumberedText) {
    constexpr size_t kDigits = 20;
    for (size_t i = 0; i < kDigits; ++i) {
      bytes_[3 + kDigits - i] = static_cast<char>('0' + number % 10);
      number /= 10;
    }
    return std::string_view(bytes_).substr(0, 4 + kDigits);
  }
  const uint64_t mixed = Mix(seed_ ^ number);  // one to one
  size_t size = sizeof(mixed);
  if (form_ == KeyForm::kSixteenBytes) size = 16;
  if (form_ == KeyForm::kUpTo40Bytes) size = mixed % 41;
  if (form_ == KeyForm::kUpTo1000Bytes) size = mixed % (kLongest + 1);
  std::memcpy(bytes_.data(), &mixed, std::min(size, sizeof(mixed)));
  return std::string_view(bytes_).substr(0, size);
}

}  // namespace linebloom
