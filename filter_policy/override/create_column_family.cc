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
#include <cstddef>
#include <cstring>
#include <string>
#include <vector>

#include "filter_policy/override/override.h"
#include "linebloom/export.h"
#include "rocksdb/db.h"

namespace ROCKSDB_NAMESPACE {

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
};

namespace {

using linebloom::AddFilterPolicies;
using linebloom::AddFilterPolicy;
using linebloom::OverrideIsOn;
using linebloom::ReportAddedPolicies;

using Handles = std::vector<ColumnFamilyHandle*>;
using Names = std::vector<std::string>;
using Families = std::vector<ColumnFamilyDescriptor>;

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

Status DBImpl::CreateColumnFamily(const ColumnFamilyOptions& options,
                                  const std::string& name,
                                  ColumnFamilyHandle** handle) {
  static const auto next =
      NextMember<CreateOne<DBImpl>>(&DBImpl::CreateColumnFamily);
  if (!OverrideIsOn()) return (this->*next)(options, name, handle);
  ColumnFamilyOptions with_filter = options;
  const bool changed = AddFilterPolicy(&with_filter);
  const Status status = (this->*next)(with_filter, name, handle);
  if (status.ok() && changed) ReportAddedPolicies({name}, Database());
  return status;
}

Status DBImpl::CreateColumnFamilies(const ColumnFamilyOptions& options,
                                    const Names& names, Handles* handles) {
  static const auto next =
      NextMember<CreateNamed<DBImpl>>(&DBImpl::CreateColumnFamilies);
  if (!OverrideIsOn()) return (this->*next)(options, names, handles);
  ColumnFamilyOptions with_filter = options;
  const bool changed = AddFilterPolicy(&with_filter);
  const Status status = (this->*next)(with_filter, names, handles);
  if (status.ok() && changed) ReportAddedPolicies(names, Database());
  return status;
}

Status DBImpl::CreateColumnFamilies(const Families& families,
                                    Handles* handles) {
  static const auto next =
      NextMember<CreateDescribed<DBImpl>>(&DBImpl::CreateColumnFamilies);
  if (!OverrideIsOn()) return (this->*next)(families, handles);
  Families with_filters = families;
  const Names changed = AddFilterPolicies(&with_filters);
  const Status status = (this->*next)(with_filters, handles);
  if (status.ok()) ReportAddedPolicies(changed, Database());
  return status;
}

}  // namespace ROCKSDB_NAMESPACE
