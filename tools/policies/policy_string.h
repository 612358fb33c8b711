// Option strings of filter policies, read more strictly than RocksDB does.
#pragma once

#include <memory>
#include <string>

#include "rocksdb/filter_policy.h"
#include "rocksdb/options.h"

namespace linebloom::tools {

struct PolicyString {
  // The policy that RocksDB creates from the string; null for no filter.
  std::shared_ptr<const rocksdb::FilterPolicy> policy;
  // One sentence that begins with the string; empty if it yields what it says.
  std::string problem;
};

// Reads `text`, such as bloomfilter:10 or {id=linebloom;bits_per_key=10}, as
// RocksDB does in an options file. Left to itself RocksDB loads a name that it
// doesn't know as no filter, ignores options that it doesn't know, and moves
// bits per key into its range (tried with 7.8.3); each of these is a problem
// here, and so is a policy that `db` doesn't suit, for example for want of a
// listener. An empty `text` and `nullptr` yield no policy and no problem.
PolicyString ReadPolicyString(
    const std::string& text,
    const rocksdb::DBOptions& db = rocksdb::DBOptions());

}  // namespace linebloom::tools
