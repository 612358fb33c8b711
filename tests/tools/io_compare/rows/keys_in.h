// A table of keys as a vector.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tools/io_compare/rows/keys.h"

namespace linebloom::tools {

inline std::vector<std::string> KeysIn(const KeyTable& table) {
  std::vector<std::string> keys(table.size());
  for (uint64_t i = 0; i < table.size(); ++i) table.Get(i, &keys[i]);
  return keys;
}

}  // namespace linebloom::tools
