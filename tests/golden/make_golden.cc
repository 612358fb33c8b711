// Writes the golden blocks: `build/release/tests/make_golden tests/golden`. For
// new cases and new versions of the format. Golden files of a released version
// are never rewritten.
#include <cstdio>
#include <fstream>
#include <string>

#include "tests/golden/golden_block.h"

int main(int argc, char** argv) {
  if (argc != 2) {
    fprintf(stderr, "usage: make_golden DIRECTORY\n");
    return 2;
  }
  for (const linebloom::GoldenCase& golden : linebloom::GoldenCases()) {
    const std::string path = std::string(argv[1]) + "/" + golden.name + ".txt";
    std::ofstream file(path);
    file << linebloom::DumpGolden(golden);
    file.close();
    if (!file) {
      fprintf(stderr, "make_golden: cannot write %s\n", path.c_str());
      return 2;
    }
  }
}
