// The keys of one filter of the soak.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace linebloom {

enum class KeyForm {
  kEightBytes,  // a number's bytes
  kSixteenBytes,
  kNumberedText,  // in the order of a load: user00000000000000000042
  kUpTo40Bytes,   // from 0 on
  kUpTo1000Bytes,
};
inline constexpr int kKeyForms = 5;

std::string_view NameOf(KeyForm form);

// Makes keys from numbers. Belongs to one thread.
class SoakKeys {
 public:
  SoakKeys(KeyForm form, uint64_t seed);

  // The same key for the same number. Different numbers make different keys
  // where those have 8 bytes or more. Valid until the next call.
  std::string_view Make(uint64_t number);

 private:
  const KeyForm form_;
  const uint64_t seed_;
  std::string bytes_;
};

}  // namespace linebloom
