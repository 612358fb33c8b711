// The two RocksDB interfaces that a filter policy hands out.
//
// Since 7.0 RocksDB's public headers only forward-declare FilterBitsBuilder and
// FilterBitsReader; the declarations stand in
// table/block_based/filter_policy_internal.h, which is not installed. A policy
// with filters of its own has to declare them itself, with the same virtual
// functions in the same order, or calls would land in the wrong function. They
// have had three shapes:
//
//   7.0 - 9.5    AddKey, EstimateEntriesAdded, Finish twice, MaybePostVerify,
//                ApproximateNumEntries
//   9.6 - 10.8   + AddKeyAndAlt behind AddKey
//   10.9 - 11.9  + CalculateSpace, EstimatedFpRate behind ApproximateNumEntries
//
// For a version that is not in this list, compare the declarations of that
// version with these, run the tests under it, and raise the bound below. There
// too: whether FilterPolicy itself is as refusing_policy.h says.
#pragma once

#include <cstddef>
#include <memory>

#include "rocksdb/filter_policy.h"
#include "rocksdb/slice.h"
#include "rocksdb/status.h"
#include "rocksdb/version.h"

#define LINEBLOOM_ROCKSDB_VERSION (ROCKSDB_MAJOR * 100 + ROCKSDB_MINOR)

#if LINEBLOOM_ROCKSDB_VERSION < 700 || LINEBLOOM_ROCKSDB_VERSION > 1109
#error \
    "linebloom knows the filter interfaces of RocksDB 7.0 to 11.9 only: \
compare table/block_based/filter_policy_internal.h of this RocksDB with \
filter_policy/rocksdb/rocksdb_filter_bits.h, and rocksdb_filterpolicy_t in \
db/c.cc with filter_policy/policy/policy_for_c.h; then run the tests and raise \
the bound"
#endif

// `override` where this RocksDB has the function, nothing where it has not: a
// class may then declare the functions of every version.
#if LINEBLOOM_ROCKSDB_VERSION >= 906
#define LINEBLOOM_OVERRIDE_9_6 override
#else
#define LINEBLOOM_OVERRIDE_9_6
#endif
#if LINEBLOOM_ROCKSDB_VERSION >= 1009
#define LINEBLOOM_OVERRIDE_10_9 override
#else
#define LINEBLOOM_OVERRIDE_10_9
#endif

namespace ROCKSDB_NAMESPACE {

class FilterBitsBuilder {
 public:
  virtual ~FilterBitsBuilder() = default;
  virtual void AddKey(const Slice& key) = 0;
#if LINEBLOOM_ROCKSDB_VERSION >= 906
  virtual void AddKeyAndAlt(const Slice& key, const Slice& alt) = 0;
#endif
  virtual size_t EstimateEntriesAdded() = 0;
  virtual Slice Finish(std::unique_ptr<const char[]>* buf) = 0;
  virtual Slice Finish(std::unique_ptr<const char[]>* buf, Status*) {
    return Finish(buf);
  }
  virtual Status MaybePostVerify(const Slice&) { return Status::OK(); }
  virtual size_t ApproximateNumEntries(size_t bytes) = 0;
#if LINEBLOOM_ROCKSDB_VERSION >= 1009
  virtual size_t CalculateSpace(size_t num_entries) = 0;
  virtual double EstimatedFpRate(size_t num_entries, size_t bytes) = 0;
#endif
};

class FilterBitsReader {
 public:
  virtual ~FilterBitsReader() = default;
  virtual bool MayMatch(const Slice& entry) = 0;
  virtual void MayMatch(int num_keys, Slice** keys, bool* may_match) {
    for (int i = 0; i < num_keys; ++i) may_match[i] = MayMatch(*keys[i]);
  }
};

}  // namespace ROCKSDB_NAMESPACE
