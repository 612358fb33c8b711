// Reads any bytes as an SSTable, and its filter as linebloom dump and
// RebuildFilters do.
//
// Most mutations change one of the parts that lead to the filter, and mend the
// checksums: what a checksum catches isn't read any further.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/string_view.h"
#include "filter_policy/line/little_endian.h"
#include "table/file_facts.h"
#include "table/rebuild/evaluate.h"
#include "table/sst_file.h"
#include "table/status.h"
#include "tests/fuzz/fuzz_input.h"
#include "tests/table/wrap_memory.h"

// libFuzzer's; missing from programs that only replay inputs.
extern "C" [[gnu::weak]] size_t LLVMFuzzerMutate(uint8_t* data, size_t size,
                                                 size_t max_size);

namespace linebloom::testing {
namespace {

constexpr char kName[] = "x.sst";

void CheckError(const absl::Status& status) {
  Promise(status.code() == absl::StatusCode::kDataLoss ||
              status.code() == absl::StatusCode::kInvalidArgument ||
              status.code() == absl::StatusCode::kUnimplemented,
          "the kind of error");
  Promise(absl::StartsWith(status.message(), kName),
          "a message that names the file");
}

absl::Status CheckBlocks(const SstFile& file) {
  const FilterLocation& location = file.filter();
  absl::Status status;
  uint64_t end = 0;
  for (const BlockHandle& handle : location.blocks) {
    Promise(handle.offset >= end, "filter blocks in order, without overlap");
    Promise(EndsBefore(handle, file.size()), "filter blocks inside the file");
    end = handle.offset + handle.size + kBlockTrailerSize;
    const absl::StatusOr<Block> block = file.ReadFilterBlock(handle);
    status.Update(block.status());
    Promise(!block.ok() || block->payload.size() == handle.size,
            "a block's size");
  }
  Promise(location.TotalSize() <= file.size(), "no more filter than file");
  return status;
}

void CheckVerdict(const FileFacts& facts) {
  TargetFilter target;
  for (const bool may_shrink : {false, true}) {
    target.may_shrink = may_shrink;
    const Evaluation evaluation = Evaluate(facts, target);
    Promise(evaluation.rate_now >= 0 && evaluation.rate_now <= 1, "a rate now");
    Promise(evaluation.rate_after >= 0 && evaluation.rate_after <= 1,
            "a rate after it");
    Promise(std::isfinite(evaluation.bytes_after), "bytes after it");
    Promise(!evaluation.pays || evaluation.reason.has_value(),
            "a reason that pays");
    target.request.line = LineKind::kPlain;
  }
}

absl::Status CheckFacts(const SstFile& file) {
  ASSIGN_OR_RETURN(const FileFacts facts, ReadFileFacts(file));
  Promise(facts.rate >= 0 && facts.rate <= 1, "a rate");
  CheckVerdict(facts);
  return absl::OkStatus();
}

// Reads everything about the filter in an SSTable of these bytes. Returns the
// first error, and ends the process if a reader breaks a promise of its header.
absl::Status ReadWholeSst(absl::string_view bytes) {
  ASSIGN_OR_RETURN(const SstFile file, SstFile::Open(WrapMemory(kName, bytes)));
  const auto keys = file.ReadPartitionKeys();
  Promise(keys.ok() &&
              (keys->empty() || keys->size() == file.filter().blocks.size()),
          "the same partitions twice");
  RETURN_IF_ERROR(CheckBlocks(file));
  return CheckFacts(file);
}

// Offset and size of each part that can be found: the footer, the blocks that
// the metaindex names, with their types of compression, and partitions.
using Parts = std::vector<std::pair<size_t, size_t>>;
Parts PartsOf(absl::string_view bytes) {
  Parts parts;
  const auto file = WrapMemory(kName, bytes);
  const auto footer = ReadFooter(*file);
  if (!footer.ok()) return parts;
  parts.emplace_back(footer->offset, bytes.size() - footer->offset);
  const auto add = [&](const BlockHandle& handle) {
    if (!EndsBefore(handle, footer->offset)) return;
    parts.emplace_back(handle.offset, handle.size + 1);
  };
  add(footer->metaindex);
  const auto metaindex =
      ReadBlock(*file, *footer, footer->metaindex, "metaindex");
  if (!metaindex.ok()) return parts;
  EntryIterator entry(&*metaindex, ValueForm::kAnyBytes);
  while (entry.Next()) {
    BlockHandle handle;
    if (entry.NextHandle(&handle)) add(handle);
  }
  const auto sst = SstFile::Open(WrapMemory(kName, bytes));
  if (sst.ok()) {
    for (const BlockHandle& handle : sst->filter().blocks) add(handle);
  }
  return parts;
}

// Makes the checksums of the parts right, by the footer's type and context.
void Mend(const Parts& parts, char* bytes, size_t size) {
  constexpr size_t kFooterSize = 53;
  if (size < kFooterSize) return;
  char* const footer = bytes + size - kFooterSize;
  const auto type = static_cast<ChecksumType>(footer[0]);
  const bool has_context = LoadLittleEndian<uint32_t>(footer + 41) >= 6;
  const auto base = has_context ? LoadLittleEndian<uint32_t>(footer + 9) : 0;
  const auto sum_of = [&](size_t offset, size_t length) {
    return ComputeChecksum(type, {bytes + offset, length}) +
           ChecksumContext(base, offset);
  };
  for (const auto& [offset, length] : parts) {
    if (offset + length + 4 > size - kFooterSize) continue;
    StoreLittleEndian(bytes + offset + length, sum_of(offset, length));
  }
  if (!has_context) return;
  StoreLittleEndian(footer + 5, uint32_t{0});
  StoreLittleEndian(footer + 5, sum_of(size - kFooterSize, kFooterSize));
}

size_t Mutate(uint8_t* data, size_t size, size_t max_size, unsigned int seed) {
  auto* const bytes = reinterpret_cast<char*>(data);
  Parts parts = PartsOf({bytes, size});
  const size_t choice = seed % (parts.size() + 1);
  if (choice == parts.size()) return LLVMFuzzerMutate(data, size, max_size);
  // In place, since handles name the offsets of all other parts.
  const auto [offset, length] = parts[choice];
  LLVMFuzzerMutate(data + offset, length, length);
  // Footer, metaindex and index lead to other parts then.
  constexpr int kSteps = 4;
  for (int i = 0; i < kSteps; ++i) {
    Mend(parts, bytes, size);
    parts = PartsOf({bytes, size});
  }
  return size;
}

}  // namespace
}  // namespace linebloom::testing

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace linebloom::testing;  // NOLINT
  const absl::Status status =
      ReadWholeSst({reinterpret_cast<const char*>(data), size});
  if (!status.ok()) CheckError(status);
  return 0;
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size,
                                          size_t max_size, unsigned int seed) {
  return linebloom::testing::Mutate(data, size, max_size, seed);
}
