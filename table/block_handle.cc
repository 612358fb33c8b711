#include "table/block_handle.h"

#include "absl/strings/str_cat.h"
#include "table/varint.h"

namespace linebloom {

bool ConsumeBlockHandle(absl::string_view* input, BlockHandle* handle) {
  absl::string_view rest = *input;
  BlockHandle result;
  if (!ConsumeVarint64(&rest, &result.offset) ||
      !ConsumeVarint64(&rest, &result.size)) {
    return false;
  }
  *input = rest;
  *handle = result;
  return true;
}

std::string ToString(const BlockHandle& handle) {
  return absl::StrCat(handle.size, " bytes at offset ", handle.offset);
}

}  // namespace linebloom
