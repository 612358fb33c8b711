// Filter policies by name, as in --policies, and the filters that they build.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "rocksdb/filter_policy.h"
#include "rocksdb/options.h"

namespace linebloom::tools {

// Null for no filter.
using FilterPolicyPtr = std::shared_ptr<const rocksdb::FilterPolicy>;

// Reads `text`, such as bloomfilter:10, as RocksDB does in an options file.
// To RocksDB (7.8.3) an unknown name means no filter; it ignores unknown
// options and moves bits per key into its range. Here each is an error, a
// sentence that begins with `text`. "" and nullptr yield no policy.
absl::StatusOr<FilterPolicyPtr> ReadPolicyString(const std::string& text);

// The 10 in the ID bloomfilter:10:false, also with braces. Nothing if the ID
// has no bits.
std::optional<double> BitsInId(absl::string_view id);

// The policy that new filters of a column family are to have, by its stored
// options: its own if it is linebloom's, else linebloom without a number.
FilterPolicyPtr PolicyToBuild(const rocksdb::ColumnFamilyOptions& stored);

// Splits a list at semicolons, except those in braces, and trims blanks.
// InvalidArgument if an entry is empty or braces don't match.
absl::StatusOr<std::vector<std::string>> SplitPolicies(absl::string_view list);

// The policy called `name`: none, which is null, or RocksDB's option string.
// InvalidArgument, with RocksDB's message, if there is no such policy or its
// options are out of range.
absl::StatusOr<FilterPolicyPtr> MakePolicy(const std::string& name);

// A policy as people say it: "linebloom:8 levels". That of an option string,
// such as {id=linebloom;bits_per_key=8;level_aware=true}; OPTIONS files spell
// out every option, and others than linebloom's stay as they are.
std::string PolicyName(const rocksdb::FilterPolicy& policy);
std::string ShortPolicyName(const std::string& policy);

}  // namespace linebloom::tools
