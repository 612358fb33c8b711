// Filters through RocksDB's interface, as RocksDB itself uses a policy.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "filter_policy/filter/filter_block.h"
#include "filter_policy/policy/rocksdb_filter_bits.h"
#include "linebloom/filter_policy.h"
#include "rocksdb/env.h"
#include "rocksdb/table.h"

namespace linebloom {

using OwnedPolicy = std::unique_ptr<const rocksdb::FilterPolicy>;

inline OwnedPolicy MakePolicy(const FilterPolicyOptions& options = {}) {
  return OwnedPolicy(NewFilterPolicy(options));
}

inline OwnedPolicy MakeBloom(double bits_per_key = 10) {
  return OwnedPolicy(rocksdb::NewBloomFilterPolicy(bits_per_key));
}

inline std::unique_ptr<rocksdb::FilterBitsBuilder> NewBuilder(
    const rocksdb::FilterPolicy& policy,
    const rocksdb::BlockBasedTableOptions& table = {}) {
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

inline std::string BuildBlock(
    const rocksdb::FilterPolicy& policy, const auto& keys,
    const rocksdb::BlockBasedTableOptions& table = {}) {
  const auto builder = NewBuilder(policy, table);
  for (const auto& key : keys) builder->AddKey({key.data(), key.size()});
  return FinishToString(builder.get());
}

inline FilterBlockInfo InfoOf(const std::string& block) {
  return ParseFilter(block.data(), block.size()).info;
}

inline int CountMatches(rocksdb::FilterBitsReader* reader,
                        const std::vector<std::string>& keys) {
  int matches = 0;
  for (const std::string& key : keys) matches += reader->MayMatch(key) ? 1 : 0;
  return matches;
}

// Probes for all keys, in batches of 32, RocksDB's largest.
inline std::vector<bool> MatchInBatches(rocksdb::FilterBitsReader* reader,
                                        const std::vector<std::string>& keys) {
  constexpr size_t kRocksDbsBatch = 32;
  std::vector<bool> matches;
  for (size_t begin = 0; begin < keys.size(); begin += kRocksDbsBatch) {
    const size_t count = std::min(kRocksDbsBatch, keys.size() - begin);
    rocksdb::Slice slices[kRocksDbsBatch];
    rocksdb::Slice* pointers[kRocksDbsBatch];
    for (size_t i = 0; i < count; ++i) {
      slices[i] = keys[begin + i];
      pointers[i] = &slices[i];
    }
    bool may_match[kRocksDbsBatch + 1];
    may_match[count] = true;  // must stay unchanged
    reader->MayMatch(static_cast<int>(count), pointers, may_match);
    if (!may_match[count]) std::abort();
    matches.insert(matches.end(), may_match, may_match + count);
  }
  return matches;
}

inline std::vector<std::string> NumberedKeys(const std::string& prefix,
                                             int count) {
  std::vector<std::string> keys;
  keys.reserve(count);
  for (int i = 0; i < count; ++i) keys.push_back(prefix + std::to_string(i));
  return keys;
}

// What a policy says in a database's info log.
class Log final : public rocksdb::Logger {
 public:
  using rocksdb::Logger::Logv;
  void Logv(const char* format, va_list arguments) override {
    char line[500];
    vsnprintf(line, sizeof(line), format, arguments);
    lines.emplace_back(line);
  }
  std::vector<std::string> lines;
};

}  // namespace linebloom
