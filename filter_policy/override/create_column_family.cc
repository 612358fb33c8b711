// linebloom for column families without a filter that are created in a database
// that is open.
//
// A program creates them by virtual functions of DB. Behind every kind of
// database these end in DBImpl, RocksDB's own and private class; but there they
// are exported under the names that the public signatures give them, and
// RocksDB's tables of virtual functions refer to them by name. So the dynamic
// linker puts these in their place. Where a RocksDB is built otherwise they are
// never called, and such a family gets its filter when the database is next
// opened.
//
// Rejected: to hand the program a wrapper around its database (StackableDB).
// RocksDB's own functions cast a DB to DBImpl. An EventListener hears nothing
// of families, and SetOptions() can't change a policy before RocksDB 9.8.
#include <cstddef>
#include <cstring>
#include <string>
#include <vector>

#include "filter_policy/override/column_families.h"
#include "filter_policy/override/next_function.h"
#include "filter_policy/override/settings.h"
#include "linebloom/export.h"
#include "rocksdb/db.h"

namespace ROCKSDB_NAMESPACE {

// Declared for the names of three functions, and for nothing else: there is no
// data here and nothing virtual, and no object is ever made.
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
  // DB stands at the beginning of DBImpl, or RocksDB's tables would have thunks
  // in place of these functions.
  const DB& Database() const { return *reinterpret_cast<const DB*>(this); }
};

namespace {

using linebloom::GiveFilter;
using linebloom::GiveFilters;
using linebloom::OverrideIsOn;
using linebloom::ReportGivenFilters;

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

// These are still the signatures of the public functions.
[[maybe_unused]] constexpr CreateOne<DB> kOne = &DB::CreateColumnFamily;
[[maybe_unused]] constexpr CreateNamed<DB> kNamed = &DB::CreateColumnFamilies;
[[maybe_unused]] constexpr CreateDescribed<DB> kDescribed =
    &DB::CreateColumnFamilies;

// NextFunction() for a function of a class. In the Itanium C++ ABI, which all
// compilers of this platform follow, a pointer to one that isn't virtual is its
// address and a zero.
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
  const bool changed = GiveFilter(&with_filter);
  const Status status = (this->*next)(with_filter, name, handle);
  if (status.ok() && changed) ReportGivenFilters({name}, Database());
  return status;
}

Status DBImpl::CreateColumnFamilies(const ColumnFamilyOptions& options,
                                    const Names& names, Handles* handles) {
  static const auto next =
      NextMember<CreateNamed<DBImpl>>(&DBImpl::CreateColumnFamilies);
  if (!OverrideIsOn()) return (this->*next)(options, names, handles);
  ColumnFamilyOptions with_filter = options;
  const bool changed = GiveFilter(&with_filter);
  const Status status = (this->*next)(with_filter, names, handles);
  if (status.ok() && changed) ReportGivenFilters(names, Database());
  return status;
}

Status DBImpl::CreateColumnFamilies(const Families& families,
                                    Handles* handles) {
  static const auto next =
      NextMember<CreateDescribed<DBImpl>>(&DBImpl::CreateColumnFamilies);
  if (!OverrideIsOn()) return (this->*next)(families, handles);
  Families with_filters = families;
  const Names changed = GiveFilters(&with_filters);
  const Status status = (this->*next)(with_filters, handles);
  if (status.ok()) ReportGivenFilters(changed, Database());
  return status;
}

}  // namespace ROCKSDB_NAMESPACE
