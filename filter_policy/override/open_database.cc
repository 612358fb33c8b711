// Adds linebloom to column families without a filter when a database is opened.
//
// All other ways to open a database call one of these functions: the shorter
// overloads, OptimisticTransactionDB, DBWithTTL and RocksDB's C API. As Debian
// builds RocksDB, these calls go through the dynamic linker; tests/override/
// tries each of them.
#include <string>
#include <vector>

#include "filter_policy/override/override.h"
#include "linebloom/export.h"
#include "rocksdb/db.h"
#include "rocksdb/utilities/transaction_db.h"

namespace ROCKSDB_NAMESPACE {
namespace {

using Families = std::vector<ColumnFamilyDescriptor>;
using Handles = std::vector<ColumnFamilyHandle*>;
using Opened = linebloom::OpenedDatabase;

// Calls `open` with the families that replace `families`, and reports the
// changes.
template <typename Open, typename Database>
Status OpenWithFilters(const Families& families, Database* opened, Open open) {
  if (!linebloom::OverrideIsOn()) return open(families);
  Families with_filters = families;
  const std::vector<std::string> changed =
      linebloom::AddFilterPolicies(&with_filters);
  const Status status = open(with_filters);
  if (status.ok()) linebloom::ReportAddedPolicies(changed, **opened);
  return status;
}

}  // namespace

LINEBLOOM_EXPORT Status DB::Open(const DBOptions& options,
                                 const std::string& name,
                                 const Families& families, Handles* handles,
                                 Opened opened) {
  static auto* const next = linebloom::NextFunction(
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
  static auto* const next = linebloom::NextFunction(
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
  static auto* const next = linebloom::NextFunction(
      static_cast<Status (*)(const Options&, const std::string&, Opened, bool)>(
          &DB::OpenForReadOnly));
  if (!linebloom::OverrideIsOn()) {
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
  static auto* const next = linebloom::NextFunction(
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
  static auto* const next = linebloom::NextFunction(
      static_cast<Status (*)(const DBOptions&, const TransactionDBOptions&,
                             const std::string&, const Families&, Handles*,
                             TransactionDB**)>(&TransactionDB::Open));
  return OpenWithFilters(families, opened, [&](const Families& with_filters) {
    return next(options, transaction_options, name, with_filters, handles,
                opened);
  });
}

}  // namespace ROCKSDB_NAMESPACE
