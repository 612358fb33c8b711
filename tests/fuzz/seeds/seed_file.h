// Writes the inputs that fuzzers start from.
#pragma once

#include <cstdio>
#include <fstream>
#include <string>

namespace linebloom::testing {

// Reports on stderr what could not be written.
inline bool WriteSeed(const std::string& path, const std::string& bytes) {
  std::ofstream out(path, std::ios::binary);
  out << bytes;
  out.close();
  if (!out) std::fprintf(stderr, "%s: cannot write\n", path.c_str());
  return out.good();
}

// The main function of a program that writes seeds. `write` gets the corpus
// folder and returns true if everything was written.
inline int MakeSeeds(int argc, char** argv,
                     bool (*write)(const std::string& dir)) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: %s CORPUS_DIR\n", argv[0]);
    return 2;
  }
  return write(argv[1]) ? 0 : 2;
}

}  // namespace linebloom::testing
