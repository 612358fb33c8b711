// Parses any bytes as an SSTable. Checksums stop most of what a fuzzer tries
// here; in files of checksum type 0 it gets through, and sst_blocks_fuzz mends
// them.

#include <cstddef>
#include <cstdint>

#include "tests/fuzz/read_sst.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  linebloom::testing::ReadWholeSst(
      absl::string_view(reinterpret_cast<const char*>(data), size));
  return 0;
}
