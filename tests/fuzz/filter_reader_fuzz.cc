// Checks the answers of RocksDB's interface for any bytes as a filter block,
// and for valid blocks with damage after the lines.
//
// Input: a byte, 0 for any bytes, otherwise for a block to build. Then
//   any bytes: what to mend (a byte, mend_filter_block.h), number of keys (a
//     byte, modulo 33), the keys (each after a byte of length), the block;
//   a block to build: line (a byte, modulo 2), bits per key (2 bytes), hash
//   seed
//     (8 bytes), which byte to change, from the end, and how (a byte each), the
//     keys.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "filter_policy/filter/built_in_filter.h"
#include "filter_policy/filter/filter_block.h"
#include "filter_policy/filter/filter_reader.h"
#include "filter_policy/rocksdb/rocksdb_filter_bits.h"
#include "linebloom/filter_policy.h"
#include "rocksdb/filter_policy.h"
#include "tests/filter_policy/rocksdb/filter_bits.h"
#include "tests/fuzz/ask_filter.h"
#include "tests/fuzz/exact_copy.h"
#include "tests/fuzz/fuzz_input.h"
#include "tests/fuzz/guarded_copy.h"
#include "tests/fuzz/mend_filter_block.h"
#include "tests/fuzz/promise.h"

namespace {

using ::linebloom::FilterBlockKind;
using ::linebloom::testing::Ask;
using ::linebloom::testing::CheckKernels;
using ::linebloom::testing::ExactCopy;
using ::linebloom::testing::FuzzInput;
using ::linebloom::testing::FuzzKeys;
using ::linebloom::testing::GuardedCopy;
using ::linebloom::testing::Promise;
using ::rocksdb::FilterPolicy;
using ::rocksdb::Slice;

const FilterPolicy& BuiltIn() {
  static const std::unique_ptr<const FilterPolicy> policy(
      rocksdb::NewBloomFilterPolicy(10));
  return *policy;
}

// Reads every block alike, whatever it is set to build.
const FilterPolicy& Linebloom() {
  static const std::unique_ptr<const FilterPolicy> policy(
      linebloom::NewFilterPolicy(10));
  return *policy;
}

bool All(const std::vector<bool>& answers, bool answer) {
  return std::count(answers.begin(), answers.end(), !answer) == 0;
}

// docs/format.md, "When a reader answers 'may match' for everything".
void CheckAnswers(const ExactCopy& block, const FuzzKeys& keys,
                  const std::vector<bool>& answers) {
  const linebloom::ParsedFilterBlock parsed =
      linebloom::ParseFilterBlock(block.data(), block.size());
  if (parsed.kind == FilterBlockKind::kNoKeys) {
    Promise(All(answers, false), "no keys, no match");
  } else if (parsed.kind == FilterBlockKind::kForeign) {
    const bool sound =
        linebloom::ParseBuiltInFilter(block.data(), block.size()).kind !=
        linebloom::BuiltInFilterKind::kInconsistent;
    Promise(sound ? answers ==
                        Ask(BuiltIn(), Slice(block.data(), block.size()), keys)
                  : All(answers, true),
            "RocksDB's answers from its own filters");
  } else if (linebloom::FilterReader::Make(block.data(), parsed).has_value()) {
    CheckKernels({block.data(), block.size()}, keys, answers);
  } else {
    Promise(All(answers, true), "'may match' from what can't be read");
  }
}

void RunAnyBytes(FuzzInput* input) {
  const auto mends = input->Number<uint8_t>();
  const FuzzKeys keys(input, input->Number<uint8_t>() % 33);
  ExactCopy block(input->Rest());
  linebloom::testing::MendFilterBlock(mends, block.data(), block.size());
  const Slice contents(block.data(), block.size());
  const std::vector<bool> answers = Ask(Linebloom(), contents, keys);
  CheckAnswers(block, keys, answers);
  const GuardedCopy guarded(contents.ToStringView());
  Promise(
      answers == Ask(Linebloom(), Slice(guarded.data(), guarded.size()), keys),
      "the same answers from a block elsewhere in memory");
}

linebloom::FilterPolicyOptions TakeOptions(FuzzInput* input) {
  linebloom::FilterPolicyOptions options;
  options.line = static_cast<linebloom::Line>(1 + input->Number<uint8_t>() % 2);
  options.bits_per_key = 1 + input->Number<uint16_t>() % 29001 / 1000.0;
  options.hash_seed = input->Number<uint64_t>();
  // Every other one is built for a rate instead, from 2^-10 to 0.5.
  if (options.hash_seed % 2 == 1) {
    options.false_positive_rate =
        std::exp2(-0.7 - 5 * *options.bits_per_key / 16);
    options.bits_per_key.reset();
  }
  return options;
}

std::string Build(const linebloom::FilterPolicyOptions& options,
                  const FuzzKeys& keys) {
  const std::unique_ptr<const FilterPolicy> policy(
      linebloom::NewFilterPolicy(options));
  const auto builder = linebloom::NewBuilder(*policy);
  for (const Slice& key : keys.slices()) builder->AddKey(key);
  return linebloom::FinishToString(builder.get());
}

// Changes one byte of metadata or tail in any way. By design, damage to the
// lines can't be detected, nor truncation within them; SSTables have block
// checksums for that.
void Damage(ExactCopy* block, uint8_t from_end, uint8_t change) {
  const size_t at =
      block->size() - 1 - from_end % linebloom::kFilterBlockOverhead;
  block->data()[at] = static_cast<char>(block->data()[at] ^ change);
}

void RunBuiltBlock(FuzzInput* input) {
  const linebloom::FilterPolicyOptions options = TakeOptions(input);
  const auto from_end = input->Number<uint8_t>();
  const auto change = input->Number<uint8_t>();
  const FuzzKeys keys(input, 1000);
  ExactCopy block(Build(options, keys));
  Promise(keys.slices().empty() == (block.size() == 0), "a block for any keys");
  if (block.size() == 0) return;
  const Slice contents(block.data(), block.size());
  const std::vector<bool> answers = Ask(Linebloom(), contents, keys);
  Promise(All(answers, true), "no added key denied");
  CheckKernels(contents.ToStringView(), keys, answers);
  Damage(&block, from_end, change);
  Promise(All(Ask(Linebloom(), contents, keys), true),
          "no added key denied by a damaged block");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  FuzzInput input(data, size);
  if (input.Number<uint8_t>() == 0) {
    RunAnyBytes(&input);
  } else {
    RunBuiltBlock(&input);
  }
  return 0;
}
