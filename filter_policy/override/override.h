// What the functions that replace RocksDB's share. The environment variables of
// liblinebloom_override.so:
//
//   LINEBLOOM_OVERRIDE   options as in an option string; `off` changes nothing
//   LINEBLOOM_VERBOSE    if not empty, reports changes on stderr
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "filter_policy/rocksdb/rocksdb_filter_bits.h"
#include "linebloom/filter_policy.h"
#include "rocksdb/db.h"
#include "rocksdb/options.h"

namespace linebloom {

// True if anything is to be changed. False if LINEBLOOM_OVERRIDE is `off` or
// invalid (reported once on stderr), and in a RocksDB that this library was not
// built for, whose options must not even be copied.
bool OverrideIsOn();

// The options of the policy that replaces one with `bits_per_key`: those of
// LINEBLOOM_OVERRIDE, with these bits per key if it sets neither bits nor a
// rate. Nothing if the program keeps its own policy, for example because that
// has no filter, or more bits than linebloom allows.
std::optional<FilterPolicyOptions> OptionsInsteadOf(double bits_per_key);

// Prints `what` on stderr if LINEBLOOM_VERBOSE is set.
void SayIfVerbose(const std::string& what);

// Sets linebloom's policy for `family` if its tables are block-based and have
// no filter policy, and returns true if it did so. The table factory may be
// shared, so `family` gets a new one and the old one stays unchanged.
bool AddFilterPolicy(rocksdb::ColumnFamilyOptions* family);

// Does the same for each of `families` and returns the names of those changed.
std::vector<std::string> AddFilterPolicies(
    std::vector<rocksdb::ColumnFamilyDescriptor>* families);

// Reports in the info log of `db`, and on stderr if requested, that these
// families got a filter.
void ReportAddedPolicies(const std::vector<std::string>& families,
                         const rocksdb::DB& db);

// Returns the address of the function that the name of `ours`, which this
// library exports, would have if this library were not loaded.
void* NextAddress(void* ours);

// The same with types:
//
//   static auto* const next = NextFunction(&rocksdb::NewBloomFilterPolicy);
//
// Finds the function by address rather than by name, because names are mangled
// and change with the signature.
template <typename Function>
Function* NextFunction(Function* ours) {
  return reinterpret_cast<Function*>(
      NextAddress(reinterpret_cast<void*>(ours)));
}

// True if `address` is in this library.
bool IsInThisLibrary(const void* address);

// The functions that RocksDB's library exports return an opened database in
// this type. Since 9.11 the overloads with DB** exist only in its header.
#if LINEBLOOM_ROCKSDB_VERSION >= 911
using OpenedDatabase = std::unique_ptr<rocksdb::DB>*;
#else
using OpenedDatabase = rocksdb::DB**;
#endif

}  // namespace linebloom
