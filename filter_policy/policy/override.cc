// The three functions that liblinebloom_override.so replaces. Each names a
// Bloom filter. Its environment variables:
//
//   LINEBLOOM_OVERRIDE   options as in an option string; `off` changes nothing
//   LINEBLOOM_VERBOSE    if not empty, reports changes on stderr
//
// Rejected: adding filters to column families that have none. Programs without
// a filter are rare, adding one can change results (comparators for which keys
// of different bytes are equal, scans with a prefix extractor), and it took
// every way to open a database, by private names of RocksDB's.
#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>

#include "filter_policy/policy/policy_options.h"
#include "filter_policy/policy/rocksdb_filter_bits.h"
#include "filter_policy/policy/running_rocksdb.h"
#include "linebloom/export.h"
#include "linebloom/filter_policy.h"
#include "rocksdb/c.h"
#include "rocksdb/filter_policy.h"
#include "rocksdb/status.h"

namespace linebloom {
namespace {

using rocksdb::Status;

std::string Environment(const char* name) {
  const char* const value = getenv(name);
  return value == nullptr ? "" : value;
}

// The options in LINEBLOOM_OVERRIDE; nothing if nothing is to be changed. A
// trial must not break the program: with invalid options it runs as if this
// library were not there.
std::optional<FilterPolicyOptions> ReadOptions() {
  std::string text = Environment("LINEBLOOM_OVERRIDE");
  if (text == "off" || !RocksDbMismatch().empty()) return std::nullopt;
  if (text.empty()) text = kFilterPolicyName;
  FilterPolicyOptions options;
  const Status status = ParseFilterPolicyOptions(text, &options);
  if (status.ok()) return options;
  fprintf(stderr,
          "linebloom_override: LINEBLOOM_OVERRIDE=%s: %s; nothing is changed\n",
          text.c_str(), status.ToString().c_str());
  return std::nullopt;
}

// The same, read on the first use of RocksDB, so that other programs print
// nothing. Nothing, too, in a RocksDB that this library was not built for,
// whose options must not even be copied.
const std::optional<FilterPolicyOptions>& DefaultOptions() {
  static const auto* const options = new std::optional(ReadOptions());
  return *options;
}

// Returns the options of LINEBLOOM_OVERRIDE, with these bits if it sets neither
// bits nor a rate; nothing if the program keeps its policy, because it wants no
// filter, too many bits, or too few for level_aware.
std::optional<FilterPolicyOptions> OptionsInsteadOf(double bits_per_key) {
  const FilterPolicyOptions requested = {.bits_per_key = bits_per_key};
  if (!DefaultOptions() || !Validate(requested).ok()) return std::nullopt;
  // A program without a filter keeps none, whatever LINEBLOOM_OVERRIDE says.
  if (RoundToMillibits(bits_per_key) == 0) return std::nullopt;
  FilterPolicyOptions options = *DefaultOptions();
  if (!options.bits_per_key && !options.false_positive_rate) {
    options.bits_per_key = bits_per_key;
  }
  if (!Validate(options).ok()) return std::nullopt;
  return options;
}

// Prints `what` on stderr if LINEBLOOM_VERBOSE is set.
void SayIfVerbose(const std::string& what) {
  static const bool verbose = !Environment("LINEBLOOM_VERBOSE").empty();
  if (verbose) fprintf(stderr, "linebloom_override: %s\n", what.c_str());
}

// Returns the function that the name of `ours`, which this library exports,
// would have if this library were not loaded.
template <typename Function>
Function* NextFunction(Function* ours) {
  Dl_info info = {};
  dladdr(reinterpret_cast<void*>(ours), &info);
  const char* const name = info.dli_sname;
  void* const next = name == nullptr ? nullptr : dlsym(RTLD_NEXT, name);
  if (next != nullptr) return reinterpret_cast<Function*>(next);
  // Happens only if LD_PRELOAD did not load this library before RocksDB. The
  // program called a RocksDB function that doesn't exist, so there is no way to
  // continue.
  fprintf(stderr, "linebloom_override: found no %s in RocksDB\n",
          name == nullptr ? "function" : name);
  abort();
}

// True if `address` is in this library.
bool IsInThisLibrary(const void* address) {
  Dl_info there;
  Dl_info here;
  return dladdr(address, &there) != 0 &&
         dladdr(reinterpret_cast<void*>(&SayIfVerbose), &here) != 0 &&
         there.dli_fbase == here.dli_fbase;
}

// Null to keep RocksDB's own policy.
const rocksdb::FilterPolicy* PolicyInsteadOf(double bits_per_key) {
  const std::optional<FilterPolicyOptions> options =
      OptionsInsteadOf(bits_per_key);
  if (!options) return nullptr;
  const rocksdb::FilterPolicy* const policy = NewFilterPolicy(*options);
  SayIfVerbose("the program asks for a Bloom filter of " +
               BitsPerKeyText(bits_per_key) + " bits per key and gets " +
               policy->GetId());
  return policy;
}

rocksdb_filterpolicy_t* PolicyForCInsteadOf(
    rocksdb_filterpolicy_t* (*next)(double), double bits_per_key) {
  const rocksdb::FilterPolicy* const policy = PolicyInsteadOf(bits_per_key);
  return policy == nullptr ? next(bits_per_key) : PolicyForC(policy);
}

}  // namespace
}  // namespace linebloom

namespace ROCKSDB_NAMESPACE {

LINEBLOOM_EXPORT const FilterPolicy* NewBloomFilterPolicy(
    double bits_per_key, bool use_block_based_builder) {
  static auto* const next = linebloom::NextFunction(&NewBloomFilterPolicy);
  // linebloom's own policy creates one of RocksDB's, to read RocksDB's filters.
  const bool for_linebloom =
      linebloom::IsInThisLibrary(__builtin_return_address(0));
  const FilterPolicy* const policy =
      for_linebloom ? nullptr : linebloom::PolicyInsteadOf(bits_per_key);
  if (policy != nullptr) return policy;
  return next(bits_per_key, use_block_based_builder);
}

}  // namespace ROCKSDB_NAMESPACE

// RocksDB's function would wrap linebloom's policy, which works but loses its
// id, so the OPTIONS file would not contain its bits per key.
extern "C" LINEBLOOM_EXPORT rocksdb_filterpolicy_t*
rocksdb_filterpolicy_create_bloom(double bits_per_key) {
  static auto* const next =
      linebloom::NextFunction(&rocksdb_filterpolicy_create_bloom);
  return linebloom::PolicyForCInsteadOf(next, bits_per_key);
}

extern "C" LINEBLOOM_EXPORT rocksdb_filterpolicy_t*
rocksdb_filterpolicy_create_bloom_full(double bits_per_key) {
  static auto* const next =
      linebloom::NextFunction(&rocksdb_filterpolicy_create_bloom_full);
  return linebloom::PolicyForCInsteadOf(next, bits_per_key);
}
