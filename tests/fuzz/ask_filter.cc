#include "tests/fuzz/ask_filter.h"

#include <cstdint>
#include <memory>
#include <optional>

#include "filter_policy/filter/filter_block.h"
#include "filter_policy/filter/filter_reader.h"
#include "filter_policy/line/kernel/line_kernel.h"
#include "filter_policy/rocksdb/rocksdb_filter_bits.h"
#include "tests/filter_policy/rocksdb/filter_bits.h"
#include "tests/fuzz/promise.h"

namespace linebloom::testing {

using ::rocksdb::FilterBitsReader;
using ::rocksdb::Slice;

FuzzKeys::FuzzKeys(FuzzInput* input, int most) {
  for (int i = 0; i < most && !input->empty(); ++i) {
    bytes_.emplace_back(input->ShortBytes());
    slices_.emplace_back(bytes_.back().data(), bytes_.back().size());
  }
}

std::vector<bool> Ask(const rocksdb::FilterPolicy& policy, const Slice& block,
                      const FuzzKeys& keys) {
  const std::unique_ptr<FilterBitsReader> reader = NewReader(policy, block);
  std::vector<Slice> slices = keys.slices();
  std::vector<Slice*> pointers;
  for (Slice& slice : slices) pointers.push_back(&slice);
  // Not std::vector<bool>, and of exactly the right size.
  const auto batch = std::make_unique<bool[]>(slices.size());
  reader->MayMatch(static_cast<int>(slices.size()), pointers.data(),
                   batch.get());
  std::vector<bool> answers;
  for (size_t i = 0; i < slices.size(); ++i) {
    answers.push_back(reader->MayMatch(slices[i]));
    Promise(batch[i] == answers[i], "a batch answers like single probes");
  }
  return answers;
}

void CheckKernels(std::string_view block, const FuzzKeys& keys,
                  const std::vector<bool>& answers) {
  static const std::vector<const LineKernel*> kernels = SupportedKernels();
  const ParsedFilterBlock parsed = ParseFilterBlock(block.data(), block.size());
  for (const LineKernel* kernel : kernels) {
    const std::optional<FilterReader> reader =
        FilterReader::Make(block.data(), parsed, *kernel);
    Promise(reader.has_value(), "a reader of a block that can be read");
    for (size_t i = 0; i < answers.size(); ++i) {
      const Slice& key = keys.slices()[i];
      const uint64_t hash = reader->hash()(key.data(), key.size());
      Promise(reader->MayMatch(key.data(), key.size()) == answers[i] &&
                  reader->MayMatch(hash) == answers[i],
              "the same answer from every kernel");
    }
  }
}

}  // namespace linebloom::testing
