// The keys of one filter of the soak.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace linebloom {

enum class KeyForm {
  kEightBytes,  // the bytes of a number
  kSixteenBytes,
  kNumberedText,  // in load order: user00000000000000000042
  kUpTo40Bytes,   // including none
  kUpTo1000Bytes,
};
inline constexpr int kKeyForms = 5;

std::string_view NameOf(KeyForm form);

// Generates keys from numbers. Belongs to one thread.
class SoakKeys {
 public:
  SoakKeys(KeyForm form, uint64_t seed);

  // The same number gives the same key. Different numbers give different keys
  // if these have at least 8 bytes. Valid until the next call.
  std::string_view Make(uint64_t number);

 private:
  const KeyForm form_;
  const uint64_t seed_;
  std::string bytes_;
};

}  // namespace linebloom
