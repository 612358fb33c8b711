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

// RocksDB's largest batch.
constexpr size_t kKeys = 32;

// On average one of 100 missing keys passes.
constexpr size_t kMaxPassed = 8;

// For 32 keys of 10 bits each RocksDB takes 69 bytes.
constexpr size_t kMaxBytes = 1000;

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

std::string CheckReader(const FilterPolicy& policy, const Slice& block,
                        const std::vector<std::string>& keys) {
  const std::unique_ptr<rocksdb::FilterBitsReader> reader(
      policy.GetFilterBitsReader(block));
  if (reader == nullptr) return "its policy makes no reader";
  if (CountMatches(reader.get(), keys) != 2 * keys.size()) {
    return "its reader denies keys that were added";
  }
  if (CountMatches(reader.get(), MakeKeys("missing")) > 2 * kMaxPassed) {
    return "its reader denies no keys";
  }
  return "";
}

// Functions without harmless arguments, called once Finish is known to be in
// its place. A template, so that functions may be missing.
template <typename Builder>
std::string CheckCounts(Builder* builder) {
  if (builder->EstimateEntriesAdded() != kKeys) {
    return "EstimateEntriesAdded does not return the number of keys added";
  }
  const size_t entries = builder->ApproximateNumEntries(kMaxBytes);
  if (entries < kKeys || entries > 8 * kMaxBytes) {
    return "ApproximateNumEntries does not return how many keys fit";
  }
  if constexpr (DeclaresCalculateSpace<Builder>) {
    const size_t space = builder->CalculateSpace(kKeys);
    if (space < kKeys || space > kMaxBytes) {
      return "CalculateSpace does not return the size of a filter";
    }
  }
  if constexpr (DeclaresAddKeyAndAlt<Builder>) {
    builder->AddKeyAndAlt("another key", "its prefix");
    if (builder->EstimateEntriesAdded() != kKeys + 2) {
      return "AddKeyAndAlt does not add a key and a prefix";
    }
  }
  return "";
}

// Builds a filter with RocksDB's own Bloom policy and probes it through our
// declarations: empty, or which answers are wrong. A fork may have a release's
// number but other virtual functions; nothing makes a call to them safe, so the
// least harmful come first, and a wrong answer ends the check.
std::string CheckFilterInterfaces() {
  const std::unique_ptr<const FilterPolicy> policy(
      rocksdb::NewBloomFilterPolicy(10));
  const std::vector<std::string> keys = MakeKeys("key");
  const auto builder = NewBuilderWith(*policy, keys);
  if (builder == nullptr) return "its policy makes no builder";
  std::unique_ptr<const char[]> bytes;
  const Slice block = builder->Finish(&bytes);
  if (bytes == nullptr || block.data() != bytes.get() || block.size() < kKeys ||
      block.size() > kMaxBytes) {
    return "Finish makes no filter";
  }
  std::string problem = CheckReader(*policy, block, keys);
  if (!problem.empty()) return problem;
  return CheckCounts(NewBuilderWith(*policy, keys).get());
}

constexpr char kConsequence[] =
    "; the filter policy stays unregistered and builds and reads no filters. ";

std::string CompareVersions(const std::string& running) {
  const std::string built_for =
      std::to_string(ROCKSDB_MAJOR) + "." + std::to_string(ROCKSDB_MINOR) + ".";
  if (running.compare(0, built_for.size(), built_for) == 0) return "";
  return "built for RocksDB " + built_for + "x but running in RocksDB " +
         running + kConsequence +
         "Build linebloom against the headers of that version.";
}

// Checks versions first: with another version the interfaces may differ, so
// they must not be called.
std::string FindMismatch() {
  const std::string running = rocksdb::GetRocksVersionAsString();
  std::string mismatch = CompareVersions(running);
  if (mismatch.empty()) {
    const std::string wrong = CheckFilterInterfaces();
    if (wrong.empty()) return "";
    mismatch = "RocksDB " + running + " was asked for a filter and " + wrong +
               ": it has another filter interface than the RocksDB of that "
               "version" +
               kConsequence +
               "Build linebloom against the headers of this RocksDB, and "
               "compare its table/block_based/filter_policy_internal.h with "
               "filter_policy/policy/declared_filter_bits.h.";
  }
  fprintf(stderr, "linebloom: %s\n", mismatch.c_str());
  return mismatch;
}

}  // namespace

const std::string& RocksDbMismatch() {
  // Never destroyed: a program may create a policy while it exits.
  static const auto* const mismatch = new std::string(FindMismatch());
  return *mismatch;
}

}  // namespace linebloom
