// The two RocksDB interfaces that a filter policy hands out.
//
// Since 7.0 RocksDB's public headers only forward-declare FilterBitsBuilder and
// FilterBitsReader. They are declared in table/block_based/
// filter_policy_internal.h, which is not installed. A build of RocksDB with
// linebloom as its plugin has that header, and the compiler checks below what
// it declares, whatever its version. Any other build has to declare them itself
// (declared_filter_bits.h), with the same virtual functions in the same order,
// or calls would land in the wrong function. They have had three shapes:
//
//   7.3 - 9.5     AddKey, EstimateEntriesAdded, Finish twice, MaybePostVerify,
//                 ApproximateNumEntries
//   9.6 - 10.8    + AddKeyAndAlt after AddKey
//   10.9 - 11.12  + CalculateSpace, EstimatedFpRate after ApproximateNumEntries
//
// For a version that is not in this list, `tests/plugin/run.sh SOURCE
// --interfaces` says whether it has the last shape; then run the tests with
// that version and raise the bound below. LINEBLOOM_NEWER_ROCKSDB lifts it, and
// leaves only what RocksDbMismatch() tries.
#pragma once

#include "rocksdb/version.h"

#define LINEBLOOM_ROCKSDB_VERSION (ROCKSDB_MAJOR * 100 + ROCKSDB_MINOR)

// 7.2 and earlier lack functions of OptionTypeInfo.
#if LINEBLOOM_ROCKSDB_VERSION < 703
#error "linebloom needs RocksDB 7.3 or later"
#elif defined(LINEBLOOM_ROCKSDB_PLUGIN)
#include "table/block_based/filter_policy_internal.h"
#elif LINEBLOOM_ROCKSDB_VERSION > 1112 && !defined(LINEBLOOM_NEWER_ROCKSDB)
#error \
    "linebloom knows the filter interfaces of RocksDB up to 11.12. With a newer \
one compile it as RocksDB's plugin, or, at your own risk, with \
-DLINEBLOOM_NEWER_ROCKSDB: before the policy registers, it tries the \
interfaces with a filter of RocksDB's own."
#else
#include "filter_policy/policy/declared_filter_bits.h"
#endif

namespace linebloom {

// The functions that RocksDB has had since 7.0, with exactly these types.
template <typename B>
concept KnownFilterBitsBuilder = requires {
  static_cast<void (B::*)(const rocksdb::Slice&)>(&B::AddKey);
  static_cast<size_t (B::*)()>(&B::EstimateEntriesAdded);
  static_cast<rocksdb::Slice (B::*)(std::unique_ptr<const char[]>*)>(
      &B::Finish);
  static_cast<rocksdb::Slice (B::*)(std::unique_ptr<const char[]>*,
                                    rocksdb::Status*)>(&B::Finish);
  static_cast<rocksdb::Status (B::*)(const rocksdb::Slice&)>(
      &B::MaybePostVerify);
  static_cast<size_t (B::*)(size_t)>(&B::ApproximateNumEntries);
};

template <typename R>
concept KnownFilterBitsReader = requires {
  static_cast<bool (R::*)(const rocksdb::Slice&)>(&R::MayMatch);
  static_cast<void (R::*)(int, rocksdb::Slice**, bool*)>(&R::MayMatch);
};

template <typename P, typename C>
concept KnownFilterPolicy = requires(const C& context) {
  static_cast<const char* (P::*)() const>(&P::CompatibilityName);
  static_cast<rocksdb::FilterBitsBuilder* (P::*)(const C&) const>(
      &P::GetBuilderWithContext);
  static_cast<rocksdb::FilterBitsReader* (P::*)(const rocksdb::Slice&) const>(
      &P::GetFilterBitsReader);
  context.table_options;
  context.column_family_name;
  context.compaction_style;
  context.num_levels;
  context.info_log;
  context.level_at_creation;
  context.is_bottommost;
  context.reason;
};

static_assert(KnownFilterBitsBuilder<rocksdb::FilterBitsBuilder>,
              "linebloom doesn't know FilterBitsBuilder of this RocksDB, which "
              "lacks a function: compare its table/block_based/"
              "filter_policy_internal.h with filter_policy/policy/"
              "declared_filter_bits.h");
static_assert(KnownFilterBitsReader<rocksdb::FilterBitsReader>,
              "linebloom doesn't know FilterBitsReader of this RocksDB, which "
              "lacks a function: compare its table/block_based/"
              "filter_policy_internal.h with filter_policy/policy/"
              "declared_filter_bits.h");
static_assert(
    KnownFilterPolicy<rocksdb::FilterPolicy, rocksdb::FilterBuildingContext>,
    "linebloom doesn't know FilterPolicy or FilterBuildingContext of "
    "this RocksDB, which lacks a member: compare its include/rocksdb/"
    "filter_policy.h with that of RocksDB 11.12");

template <typename B>
concept DeclaresAddKeyAndAlt = requires {
  static_cast<void (B::*)(const rocksdb::Slice&, const rocksdb::Slice&)>(
      &B::AddKeyAndAlt);
};
template <typename B>
concept DeclaresCalculateSpace = requires {
  static_cast<size_t (B::*)(size_t)>(&B::CalculateSpace);
};

// RocksDB's builder, with the functions that this version of it may lack: one
// class can then override those of every version. Where RocksDB has them, these
// override them.
class FilterBitsBuilderOfAnyVersion : public rocksdb::FilterBitsBuilder {
 public:
  // NOLINTBEGIN(modernize-use-override)
  virtual void AddKeyAndAlt(const rocksdb::Slice& key,
                            const rocksdb::Slice& alt) = 0;
  virtual size_t CalculateSpace(size_t num_entries) = 0;
  virtual double EstimatedFpRate(size_t num_entries, size_t bytes) = 0;
  // NOLINTEND(modernize-use-override)
};

}  // namespace linebloom
