// Reads an SSTable for the fuzz targets.
#pragma once

#include <cstdint>

#include "absl/strings/match.h"
#include "absl/strings/string_view.h"
#include "table/sst_file.h"
#include "tests/fuzz/fuzz_input.h"

namespace linebloom::testing {
inline constexpr char kName[] = "x.sst";

inline void ExpectGoodError(const absl::Status& status) {
  Promise(status.code() == absl::StatusCode::kDataLoss ||
              status.code() == absl::StatusCode::kInvalidArgument ||
              status.code() == absl::StatusCode::kUnimplemented,
          "the kind of error");
  Promise(absl::StartsWith(status.message(), kName) &&
              absl::StrContains(status.message(), "expected "),
          "a message that names the file and what was expected");
}

inline void CheckBlocks(const SstFile& file) {
  const FilterLocation& location = file.filter();
  uint64_t end = 0;
  for (const BlockHandle& handle : location.blocks) {
    Promise(handle.offset >= end, "filter blocks in order, without overlap");
    Promise(EndsBefore(handle, file.size()), "filter blocks inside the file");
    end = handle.offset + handle.size + kBlockTrailerSize;
    const absl::StatusOr<Block> block = file.ReadFilterBlock(handle);
    if (block.ok()) {
      Promise(block->payload.size() == handle.size, "a block's size");
    } else {
      ExpectGoodError(block.status());
    }
  }
  Promise(location.TotalSize() <= file.size(), "no more filter than file");
}

// Reads everything about the filter in an SSTable of these bytes, and ends the
// process if the reader breaks a promise of its headers.
inline void ReadWholeSst(absl::string_view bytes) {
  const absl::StatusOr<SstFile> file = SstFile::Open(WrapMemory(kName, bytes));
  if (!file.ok()) {
    ExpectGoodError(file.status());
    return;
  }
  CheckBlocks(*file);
  if (file->filter().kind != FilterKind::kPartitioned) return;
  const auto keys = file->ReadPartitionKeys();
  Promise(keys.ok() && keys->size() == file->filter().blocks.size(),
          "the same partitions twice");
}

}  // namespace linebloom::testing
