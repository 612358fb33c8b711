// Keys as a vector.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tools/io_compare/rows/keys.h"

namespace linebloom::tools {

inline std::vector<std::string> KeysIn(const Keys& keys) {
  std::vector<std::string> all;
  for (uint64_t i = 0; i < keys.size; ++i) all.push_back(keys.at(i));
  return all;
}
inline std::vector<std::string> KeysIn(const KeyList& keys) {
  return KeysIn(KeysOf(keys));
}

}  // namespace linebloom::tools
