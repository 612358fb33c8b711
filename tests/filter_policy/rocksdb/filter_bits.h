// Filters through RocksDB's interface, as RocksDB itself uses a policy.
#pragma once

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

inline std::vector<std::string> NumberedKeys(const std::string& prefix,
                                             int count) {
  std::vector<std::string> keys;
  keys.reserve(count);
  for (int i = 0; i < count; ++i) keys.push_back(prefix + std::to_string(i));
  return keys;
}

}  // namespace linebloom
