#include "filter_policy/policy/running_rocksdb.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <memory>
#include <vector>

#include "filter_policy/policy/rocksdb_filter_bits.h"
#include "rocksdb/table.h"
#include "rocksdb/version.h"

namespace linebloom {
namespace {

using rocksdb::FilterPolicy;
using rocksdb::Slice;

// RocksDB's largest batch. With 10 bits each RocksDB takes 69 bytes, and one of
// 100 missing keys passes.
constexpr size_t kKeys = 32;
constexpr size_t kMaxBytes = 1000;
constexpr size_t kMaxPassed = 8;

std::vector<std::string> MakeKeys(const std::string& prefix) {
  std::vector<std::string> keys;
  for (size_t i = 0; i < kKeys; ++i) keys.push_back(prefix + std::to_string(i));
  return keys;
}

std::unique_ptr<rocksdb::FilterBitsBuilder> NewBuilderWith(
    const FilterPolicy& policy, const std::vector<std::string>& keys) {
  const rocksdb::BlockBasedTableOptions table;
  const rocksdb::FilterBuildingContext context(table);
  std::unique_ptr<rocksdb::FilterBitsBuilder> builder(
      policy.GetBuilderWithContext(context));
  if (builder == nullptr) return nullptr;
  for (const std::string& key : keys) builder->AddKey(key);
  return builder;
}

// Counts the keys that match, probed individually and in a batch.
size_t CountMatches(rocksdb::FilterBitsReader* reader,
                    const std::vector<std::string>& keys) {
  std::vector<Slice> slices(keys.begin(), keys.end());
  size_t matches = 0;
  for (const Slice& key : slices) matches += reader->MayMatch(key) ? 1 : 0;
  std::array<Slice*, kKeys> batch{};
  std::array<bool, kKeys> answers{};
  for (size_t i = 0; i < kKeys; ++i) batch[i] = &slices[i];
  reader->MayMatch(kKeys, batch.data(), answers.data());
  return matches + std::ranges::count(answers, true);
}

// Functions without harmless arguments, called once Finish is known to be in
// its place. A template, so that functions may be missing.
template <typename Builder>
bool Counts(Builder* builder) {
  const size_t entries = builder->ApproximateNumEntries(kMaxBytes);
  if (builder->EstimateEntriesAdded() != kKeys || entries < kKeys ||
      entries > 8 * kMaxBytes) {
    return false;
  }
  if constexpr (requires { builder->CalculateSpace(kKeys); }) {
    const size_t space = builder->CalculateSpace(kKeys);
    if (space < kKeys || space > kMaxBytes) return false;
  }
  if constexpr (requires { builder->AddKeyAndAlt("key", "prefix"); }) {
    builder->AddKeyAndAlt("another key", "its prefix");
    return builder->EstimateEntriesAdded() == kKeys + 2;
  }
  return true;
}

// Builds a filter with RocksDB's own Bloom policy and probes it through our
// declarations: true if all answers are right. A fork may have a release's
// number but other virtual functions; nothing makes a call to them safe, so the
// least harmful come first, and a wrong answer ends the check.
bool InterfacesAnswer() {
  const std::unique_ptr<const FilterPolicy> policy(
      rocksdb::NewBloomFilterPolicy(10));
  const std::vector<std::string> keys = MakeKeys("key");
  const auto builder = NewBuilderWith(*policy, keys);
  if (builder == nullptr) return false;
  std::unique_ptr<const char[]> bytes;
  const Slice block = builder->Finish(&bytes);
  if (bytes == nullptr || block.data() != bytes.get() || block.size() < kKeys ||
      block.size() > kMaxBytes) {
    return false;
  }
  const std::unique_ptr<rocksdb::FilterBitsReader> reader(
      policy->GetFilterBitsReader(block));
  return reader != nullptr && CountMatches(reader.get(), keys) == 2 * kKeys &&
         CountMatches(reader.get(), MakeKeys("missing")) <= 2 * kMaxPassed &&
         Counts(NewBuilderWith(*policy, keys).get());
}

// Empty, or the problem. Compares versions first: with another one the
// interfaces may differ, so they must not be called.
std::string FindMismatch() {
  const std::string running = rocksdb::GetRocksVersionAsString();
  const std::string built_for =
      std::to_string(ROCKSDB_MAJOR) + "." + std::to_string(ROCKSDB_MINOR) + ".";
  std::string problem;
  std::string advice;
  if (!running.starts_with(built_for)) {
    problem = "built for RocksDB " + built_for + "x but running in RocksDB " +
              running;
    advice = "that version.";
  } else if (!InterfacesAnswer()) {
    problem = "RocksDB " + running +
              " was asked for a filter and answered wrongly: it has another "
              "filter interface than the RocksDB of that version";
    advice =
        "this RocksDB, and compare its table/block_based/"
        "filter_policy_internal.h with filter_policy/policy/"
        "declared_filter_bits.h.";
  }
  if (problem.empty()) return "";
  problem +=
      "; the filter policy stays unregistered and builds and reads no filters. "
      "Build linebloom against the headers of " +
      advice;
  fprintf(stderr, "linebloom: %s\n", problem.c_str());
  return problem;
}

}  // namespace

const std::string& RocksDbMismatch() {
  // Never destroyed: a program may create a policy while it exits.
  static const auto* const mismatch = new std::string(FindMismatch());
  return *mismatch;
}

}  // namespace linebloom
