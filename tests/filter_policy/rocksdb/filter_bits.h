// Filters through RocksDB's interface, as RocksDB itself uses a policy.
#pragma once

#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "filter_policy/rocksdb/rocksdb_filter_bits.h"
#include "linebloom/filter_policy.h"
#include "rocksdb/table.h"

namespace linebloom {

// `context` refers to these options; keep them alive while it is used.
inline std::unique_ptr<rocksdb::FilterBitsBuilder> NewBuilder(
    const rocksdb::FilterPolicy& policy, bool detect_corruption = false) {
  rocksdb::BlockBasedTableOptions table;
  table.detect_filter_construct_corruption = detect_corruption;
  table.format_version = 5;
  const rocksdb::FilterBuildingContext context(table);
  return std::unique_ptr<rocksdb::FilterBitsBuilder>(
      policy.GetBuilderWithContext(context));
}

inline std::unique_ptr<rocksdb::FilterBitsReader> NewReader(
    const rocksdb::FilterPolicy& policy, const rocksdb::Slice& block) {
  return std::unique_ptr<rocksdb::FilterBitsReader>(
      policy.GetFilterBitsReader(block));
}

// A finished block's bytes.
inline std::string FinishToString(rocksdb::FilterBitsBuilder* builder) {
  std::unique_ptr<const char[]> bytes;
  return builder->Finish(&bytes).ToString();
}

inline std::string BuildBlock(const rocksdb::FilterPolicy& policy,
                              const std::vector<std::string>& keys) {
  const auto builder = NewBuilder(policy);
  for (const std::string& key : keys) builder->AddKey(key);
  return FinishToString(builder.get());
}

inline int CountMatches(rocksdb::FilterBitsReader* reader,
                        const std::vector<std::string>& keys) {
  int matches = 0;
  for (const std::string& key : keys) matches += reader->MayMatch(key) ? 1 : 0;
  return matches;
}

// Probes for all keys at once. RocksDB's own readers take at most 32.
inline std::vector<bool> MatchBatch(rocksdb::FilterBitsReader* reader,
                                    const std::vector<std::string>& keys) {
  std::vector<rocksdb::Slice> slices(keys.begin(), keys.end());
  std::vector<rocksdb::Slice*> pointers;
  for (rocksdb::Slice& slice : slices) pointers.push_back(&slice);
  const auto may_match = std::make_unique<bool[]>(keys.size() + 1);
  may_match[keys.size()] = true;  // must stay unchanged
  reader->MayMatch(static_cast<int>(keys.size()), pointers.data(),
                   may_match.get());
  if (!may_match[keys.size()]) std::abort();
  return std::vector<bool>(may_match.get(), may_match.get() + keys.size());
}

inline std::vector<std::string> NumberedKeys(const std::string& prefix,
                                             int count) {
  std::vector<std::string> keys;
  keys.reserve(count);
  for (int i = 0; i < count; ++i) keys.push_back(prefix + std::to_string(i));
  return keys;
}

}  // namespace linebloom
