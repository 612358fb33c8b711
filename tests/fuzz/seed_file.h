// Writing the inputs from which fuzzers start.
#pragma once

#include <cstdio>
#include <fstream>
#include <string>

namespace linebloom::testing {

// Says on stderr what could not be written.
inline bool WriteSeed(const std::string& path, const std::string& bytes) {
  std::ofstream out(path, std::ios::binary);
  out << bytes;
  out.close();
  if (!out) std::fprintf(stderr, "%s: cannot write\n", path.c_str());
  return out.good();
}

}  // namespace linebloom::testing
