// Parses any bytes as the blocks of an SSTable that describe its filter, in a
// file with a valid footer and checksums.
//
// Input: format_version, checksum type, kind of filter, length of the property
// block (a byte each), then the property block. The rest is the index over the
// partitions or, if the highest bit of the kind is set, the metaindex.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "absl/strings/string_view.h"
#include "table/format.h"
#include "tests/fuzz/read_sst.h"
#include "tests/table/sst_builder.h"

namespace linebloom::testing {
namespace {

constexpr size_t kHeaderSize = 4;
constexpr uint8_t kFuzzedMetaindex = 0x80;

constexpr std::array<absl::string_view, 4> kFilterNames = {
    "partitionedfilter.x", "fullfilter.x", "filter.x", "no filter"};

void Run(const uint8_t* header, absl::string_view input) {
  SstBuilder builder(header[0] % 8, static_cast<ChecksumType>(header[1] % 5));
  // Blocks that handles in the input can hit.
  builder.AddBlock("partition");
  builder.AddBlock("");
  const size_t properties_size = std::min<size_t>(header[3], input.size());
  const BlockHandle properties =
      builder.AddBlock(input.substr(0, properties_size));
  const BlockHandle rest = builder.AddBlock(input.substr(properties_size));
  if ((header[2] & kFuzzedMetaindex) != 0) {
    ReadWholeSst(builder.FinishWith(input.substr(properties_size)));
    return;
  }
  builder.AddMeta(kFilterNames[header[2] % kFilterNames.size()], rest);
  builder.AddMeta("rocksdb.properties", properties);
  ReadWholeSst(builder.Finish());
}

}  // namespace
}  // namespace linebloom::testing

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace linebloom::testing;  // NOLINT
  if (size < kHeaderSize) return 0;
  Run(data, absl::string_view(reinterpret_cast<const char*>(data) + kHeaderSize,
                              size - kHeaderSize));
  return 0;
}
