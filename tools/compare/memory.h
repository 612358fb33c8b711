// Compares policies whose filters share a block cache with indexes and data.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "tools/compare/report.h"

namespace linebloom::tools {

// The least block cache to try, in bytes: less has no room for some data blocks
// and partitions.
inline constexpr uint64_t kMinMemory = 64 << 10;

// The most to try: the machine's memory, in bytes.
uint64_t MemoryOfMachine();

// The bits per key that policies with a * try.
inline constexpr int kMinTriedBits = 3;
inline constexpr int kMaxTriedBits = 16;

// The sizes in a list such as "1MB,2MB,4MB", in bytes. InvalidArgument unless
// they rise, from 64 KiB up to the memory of this machine.
absl::StatusOr<std::vector<uint64_t>> ParseMemory(absl::string_view list);

// `policy` with 3 to 16 in place of its asterisk; itself if it has none.
std::vector<std::string> PoliciesOf(const std::string& policy);

// For each policy and size of --memory: looks up keys until the cache has
// settled, and then those that count. A policy with an asterisk stands for all
// of 3 to 16 bits per key. InvalidArgument if a shard of the cache can't hold a
// filter or an index; else as RunComparison().
absl::StatusOr<Outcome> RunMemoryComparison(const CompareConfig& config);

}  // namespace linebloom::tools
