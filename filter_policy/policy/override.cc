// The functions that liblinebloom_override.so replaces. Its environment
// variables:
//
//   LINEBLOOM_OVERRIDE   options as in an option string; `off` changes nothing
//   LINEBLOOM_VERBOSE    if not empty, reports changes on stderr
#include <dlfcn.h>

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "filter_policy/policy/policy_for_c.h"
#include "filter_policy/policy/policy_options.h"
#include "filter_policy/policy/rocksdb_filter_bits.h"
#include "filter_policy/policy/running_rocksdb.h"
#include "linebloom/export.h"
#include "linebloom/filter_policy.h"
#include "rocksdb/c.h"
#include "rocksdb/comparator.h"
#include "rocksdb/db.h"
#include "rocksdb/env.h"
#include "rocksdb/filter_policy.h"
#include "rocksdb/options.h"
#include "rocksdb/slice_transform.h"
#include "rocksdb/status.h"
#include "rocksdb/table.h"
#include "rocksdb/utilities/transaction_db.h"

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
  Status status = ParseFilterPolicyOptions(text, &options);
  if (status.ok() && NeedsListener(options)) {
    status = Status::InvalidArgument(
        "linebloom: memory_budget and heat_aware need a listener, which only "
        "the program could set");
  }
  if (status.ok()) return options;
  fprintf(stderr,
          "linebloom_override: LINEBLOOM_OVERRIDE=%s: %s; nothing is changed\n",
          text.c_str(), status.ToString().c_str());
  return std::nullopt;
}

// The same, read on the first use of RocksDB, so that other programs print
// nothing. Nothing, too, in a RocksDB that this library was not built for,
// whose options must not even be copied.
const std::optional<FilterPolicyOptions>& TheOptions() {
  static const auto* const options = new std::optional(ReadOptions());
  return *options;
}

using rocksdb::BlockBasedTableOptions;
using rocksdb::TableFactory;

// Null if `factory` is not the block-based one. Compares the name and not the
// type: a factory that wraps another one forwards its options but is more than
// that.
const BlockBasedTableOptions* BlockBasedOptions(const TableFactory* factory) {
  if (factory == nullptr) return nullptr;
  const std::string_view name = factory->Name();
  if (name != TableFactory::kBlockBasedTableName()) return nullptr;
  return factory->GetOptions<BlockBasedTableOptions>();
}

// Returns the options of LINEBLOOM_OVERRIDE, with these bits if it sets neither
// bits nor a rate; nothing if the program keeps its policy, because it wants no
// filter, too many bits, or too few for level_aware.
std::optional<FilterPolicyOptions> OptionsInsteadOf(double bits_per_key) {
  const FilterPolicyOptions requested = {.bits_per_key = bits_per_key};
  if (!TheOptions() || !Validate(requested).ok()) return std::nullopt;
  // A program without a filter keeps none, whatever LINEBLOOM_OVERRIDE says.
  if (MillibitsOf(bits_per_key) == 0) return std::nullopt;
  FilterPolicyOptions options = *TheOptions();
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

// What would get other answers in a family that had no filter before; empty if
// nothing would.
std::string ChangedByFilters(const rocksdb::ColumnFamilyOptions& family) {
  // A lookup would miss a row that was written by other bytes.
  if (NeedsCanonicalKey(family.comparator)) {
    return std::string("lookups with the comparator ") +
           family.comparator->Name();
  }
  // By default a scan skips files whose filter rejects its first key's prefix,
  // and with them all keys of later prefixes. Rejected: filters of keys alone.
  // Where there is an extractor, RocksDB adds prefixes to every filter and asks
  // it for them, and a policy isn't told which are which.
  if (family.prefix_extractor != nullptr) {
    return std::string("scans with the prefix extractor ") +
           family.prefix_extractor->Name();
  }
  return "";
}

// Sets linebloom's policy for `family` if its tables are block-based and have
// no filter policy, and if that changes no answers; returns true if it did so.
// The table factory may be shared, so `family` gets a new one and the old one
// stays unchanged.
bool AddFilterPolicy(rocksdb::ColumnFamilyOptions* family) {
  const BlockBasedTableOptions* const without =
      BlockBasedOptions(family->table_factory.get());
  if (without == nullptr || without->filter_policy != nullptr) return false;
  const std::optional<FilterPolicyOptions> options =
      OptionsInsteadOf(kDefaultBitsPerKey);
  if (!options) return false;
  const std::string changed = ChangedByFilters(*family);
  if (!changed.empty()) {
    SayIfVerbose("a column family without a filter policy stays so: " +
                 changed + " would change");
    return false;
  }
  // Keeps the block cache, even if the first factory created it.
  BlockBasedTableOptions with = *without;
  with.filter_policy.reset(NewFilterPolicy(*options));
  family->table_factory.reset(rocksdb::NewBlockBasedTableFactory(with));
  return true;
}

// Reports in the info log of `db`, and on stderr if requested, that these
// families got a filter.
void ReportAddedPolicies(const std::vector<std::string>& families,
                         const rocksdb::DB& db) {
  const rocksdb::DBOptions options = db.GetDBOptions();
  for (const std::string& family : families) {
    const std::string what = "column family [" + family + "] of " +
                             db.GetName() +
                             " had no filter policy and gets linebloom";
    SayIfVerbose(what);
    rocksdb::Info(options.info_log, "linebloom_override: %s", what.c_str());
  }
}

// Returns the address of the function that the name of `ours`, which this
// library exports, would have if this library were not loaded.
void* NextAddress(void* ours) {
  Dl_info info;
  const bool named = dladdr(ours, &info) != 0 && info.dli_sname != nullptr;
  void* const next = named ? dlsym(RTLD_NEXT, info.dli_sname) : nullptr;
  if (next != nullptr) return next;
  // Happens only if LD_PRELOAD did not load this library before RocksDB. The
  // program called a RocksDB function that doesn't exist, so there is no way to
  // continue.
  fprintf(stderr, "linebloom_override: found no %s in RocksDB\n",
          named ? info.dli_sname : "function");
  abort();
}

// True if `address` is in this library.
bool IsInThisLibrary(const void* address) {
  Dl_info there;
  Dl_info here;
  return dladdr(address, &there) != 0 &&
         dladdr(reinterpret_cast<void*>(&NextAddress), &here) != 0 &&
         there.dli_fbase == here.dli_fbase;
}

// Returns it with the type of `ours`, which is found by its address, because
// mangled names change with the signature.
template <typename Function>
Function* NextFunction(Function* ours) {
  return reinterpret_cast<Function*>(
      NextAddress(reinterpret_cast<void*>(ours)));
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

using linebloom::AddFilterPolicy;
using linebloom::NextFunction;
using linebloom::ReportAddedPolicies;
using linebloom::TheOptions;

// Declared only to name three functions. It has no data and no virtual
// functions, and no object of it is ever created.
class DBImpl {
 public:
  LINEBLOOM_EXPORT Status CreateColumnFamily(const ColumnFamilyOptions& options,
                                             const std::string& name,
                                             ColumnFamilyHandle** handle);
  LINEBLOOM_EXPORT Status CreateColumnFamilies(
      const ColumnFamilyOptions& options, const std::vector<std::string>& names,
      std::vector<ColumnFamilyHandle*>* handles);
  LINEBLOOM_EXPORT Status
  CreateColumnFamilies(const std::vector<ColumnFamilyDescriptor>& families,
                       std::vector<ColumnFamilyHandle*>* handles);

 private:
  // DB is at the start of DBImpl; otherwise the vtables would point to thunks
  // instead of these functions.
  const DB& Database() const { return *reinterpret_cast<const DB*>(this); }

  // Calls `create` with the options that replace `options`, and reports it.
  template <typename Create>
  Status WithFilter(const ColumnFamilyOptions& options,
                    const std::vector<std::string>& names,
                    Create create) const {
    if (!TheOptions()) return create(options);
    ColumnFamilyOptions with_filter = options;
    const bool changed = AddFilterPolicy(&with_filter);
    const Status status = create(with_filter);
    if (status.ok() && changed) ReportAddedPolicies(names, Database());
    return status;
  }
};

namespace {

using Families = std::vector<ColumnFamilyDescriptor>;
using Handles = std::vector<ColumnFamilyHandle*>;
using Names = std::vector<std::string>;

// The functions that RocksDB's library exports return an opened database in
// this type. Since 9.11 the overloads with DB** exist only in its header.
#if LINEBLOOM_ROCKSDB_VERSION >= 911
using Opened = std::unique_ptr<DB>*;
#else
using Opened = DB**;
#endif

// Calls `open` with the families that replace `families`, and reports the
// changes.
template <typename Open, typename Database>
Status OpenWithFilters(const Families& families, Database* opened, Open open) {
  if (!TheOptions()) return open(families);
  Families with_filters = families;
  Names changed;
  for (ColumnFamilyDescriptor& family : with_filters) {
    if (AddFilterPolicy(&family.options)) changed.push_back(family.name);
  }
  const Status status = open(with_filters);
  if (status.ok()) ReportAddedPolicies(changed, **opened);
  return status;
}

template <typename Class>
using CreateOne = Status (Class::*)(const ColumnFamilyOptions&,
                                    const std::string&, ColumnFamilyHandle**);
template <typename Class>
using CreateNamed = Status (Class::*)(const ColumnFamilyOptions&, const Names&,
                                      Handles*);
template <typename Class>
using CreateDescribed = Status (Class::*)(const Families&, Handles*);

// Fails to compile if the public signatures change.
[[maybe_unused]] constexpr CreateOne<DB> kOne = &DB::CreateColumnFamily;
[[maybe_unused]] constexpr CreateNamed<DB> kNamed = &DB::CreateColumnFamilies;
[[maybe_unused]] constexpr CreateDescribed<DB> kDescribed =
    &DB::CreateColumnFamilies;

// NextFunction() for member functions. In the Itanium C++ ABI, which all
// compilers for this platform follow, a pointer to a non-virtual member
// function is its address and a zero.
template <typename Member>
Member NextMember(Member ours) {
  struct {
    void* address;
    std::ptrdiff_t adjustment;
  } parts;
  static_assert(sizeof(parts) == sizeof(ours));
  std::memcpy(&parts, &ours, sizeof(parts));
  parts.address = linebloom::NextAddress(parts.address);
  std::memcpy(&ours, &parts, sizeof(parts));
  return ours;
}

}  // namespace

LINEBLOOM_EXPORT const FilterPolicy* NewBloomFilterPolicy(
    double bits_per_key, bool use_block_based_builder) {
  static auto* const next = NextFunction(&NewBloomFilterPolicy);
  // linebloom's own policy creates one of RocksDB's, to read RocksDB's filters.
  const bool for_linebloom =
      linebloom::IsInThisLibrary(__builtin_return_address(0));
  const FilterPolicy* const policy =
      for_linebloom ? nullptr : linebloom::PolicyInsteadOf(bits_per_key);
  if (policy != nullptr) return policy;
  return next(bits_per_key, use_block_based_builder);
}

// All other ways to open a database (the shorter overloads,
// OptimisticTransactionDB, DBWithTTL, the C API) call one of these through the
// dynamic linker, as Debian builds RocksDB; tests/override/ tries each.

LINEBLOOM_EXPORT Status DB::Open(const DBOptions& options,
                                 const std::string& name,
                                 const Families& families, Handles* handles,
                                 Opened opened) {
  static auto* const next = NextFunction(
      static_cast<Status (*)(const DBOptions&, const std::string&,
                             const Families&, Handles*, Opened)>(&DB::Open));
  return OpenWithFilters(families, opened, [&](const Families& with_filters) {
    return next(options, name, with_filters, handles, opened);
  });
}

LINEBLOOM_EXPORT Status DB::OpenForReadOnly(const DBOptions& options,
                                            const std::string& name,
                                            const Families& families,
                                            Handles* handles, Opened opened,
                                            bool error_if_wal_file_exists) {
  static auto* const next = NextFunction(
      static_cast<Status (*)(const DBOptions&, const std::string&,
                             const Families&, Handles*, Opened, bool)>(
          &DB::OpenForReadOnly));
  return OpenWithFilters(families, opened, [&](const Families& with_filters) {
    return next(options, name, with_filters, handles, opened,
                error_if_wal_file_exists);
  });
}

// Doesn't call the longer overload.
LINEBLOOM_EXPORT Status DB::OpenForReadOnly(const Options& options,
                                            const std::string& name,
                                            Opened opened,
                                            bool error_if_wal_file_exists) {
  static auto* const next = NextFunction(
      static_cast<Status (*)(const Options&, const std::string&, Opened, bool)>(
          &DB::OpenForReadOnly));
  if (!TheOptions()) {
    return next(options, name, opened, error_if_wal_file_exists);
  }
  const Families families{{kDefaultColumnFamilyName, options}};
  return OpenWithFilters(families, opened, [&](const Families& with_filters) {
    return next(Options(options, with_filters[0].options), name, opened,
                error_if_wal_file_exists);
  });
}

LINEBLOOM_EXPORT Status DB::OpenAsSecondary(const DBOptions& options,
                                            const std::string& name,
                                            const std::string& secondary_path,
                                            const Families& families,
                                            Handles* handles, Opened opened) {
  static auto* const next = NextFunction(
      static_cast<Status (*)(const DBOptions&, const std::string&,
                             const std::string&, const Families&, Handles*,
                             Opened)>(&DB::OpenAsSecondary));
  return OpenWithFilters(families, opened, [&](const Families& with_filters) {
    return next(options, name, secondary_path, with_filters, handles, opened);
  });
}

// Doesn't call DB::Open().
LINEBLOOM_EXPORT Status TransactionDB::Open(
    const DBOptions& options, const TransactionDBOptions& transaction_options,
    const std::string& name, const Families& families, Handles* handles,
    TransactionDB** opened) {
  static auto* const next = NextFunction(
      static_cast<Status (*)(const DBOptions&, const TransactionDBOptions&,
                             const std::string&, const Families&, Handles*,
                             TransactionDB**)>(&TransactionDB::Open));
  return OpenWithFilters(families, opened, [&](const Families& with_filters) {
    return next(options, transaction_options, name, with_filters, handles,
                opened);
  });
}

// Adds linebloom to column families without a filter that a program creates in
// an open database.
//
// Programs create them through virtual functions of DB. For every kind of
// database these end in DBImpl, a private class of RocksDB's. But DBImpl's
// functions are exported under the names that their public signatures give
// them, and RocksDB's vtables refer to them by name, so the dynamic linker
// binds those entries to the functions here. In a RocksDB built differently
// these functions are never called, and such a family gets its filter when the
// database is opened the next time.
//
// Rejected: returning a wrapper around the database (StackableDB), because
// RocksDB's own functions cast a DB to DBImpl. An EventListener isn't told
// about column families, and SetOptions() can't change a policy before RocksDB
// 9.8.

Status DBImpl::CreateColumnFamily(const ColumnFamilyOptions& options,
                                  const std::string& name,
                                  ColumnFamilyHandle** handle) {
  static const auto next =
      NextMember<CreateOne<DBImpl>>(&DBImpl::CreateColumnFamily);
  return WithFilter(options, {name},
                    [&](const ColumnFamilyOptions& with_filter) {
                      return (this->*next)(with_filter, name, handle);
                    });
}

Status DBImpl::CreateColumnFamilies(const ColumnFamilyOptions& options,
                                    const Names& names, Handles* handles) {
  static const auto next =
      NextMember<CreateNamed<DBImpl>>(&DBImpl::CreateColumnFamilies);
  return WithFilter(options, names,
                    [&](const ColumnFamilyOptions& with_filter) {
                      return (this->*next)(with_filter, names, handles);
                    });
}

Status DBImpl::CreateColumnFamilies(const Families& families,
                                    Handles* handles) {
  static const auto next =
      NextMember<CreateDescribed<DBImpl>>(&DBImpl::CreateColumnFamilies);
  const DB* const db = &Database();
  return OpenWithFilters(families, &db, [&](const Families& with_filters) {
    return (this->*next)(with_filters, handles);
  });
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
