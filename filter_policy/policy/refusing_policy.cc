#include "filter_policy/policy/refusing_policy.h"

#include "filter_policy/rocksdb/running_rocksdb.h"
#include "linebloom/filter_policy.h"
#include "rocksdb/status.h"

namespace linebloom {
namespace {

// Doesn't call RegisterOptions(), whose parameters have changed between
// releases.
class RefusingFilterPolicy final : public rocksdb::FilterPolicy {
 public:
  const char* Name() const override { return kFilterPolicyName; }
  const char* CompatibilityName() const override { return kFilterPolicyName; }

  rocksdb::Status ValidateOptions(
      const rocksdb::DBOptions& /*db_options*/,
      const rocksdb::ColumnFamilyOptions& /*family_options*/) const override {
    return rocksdb::Status::InvalidArgument("linebloom", RocksDbMismatch());
  }

  rocksdb::FilterBitsBuilder* GetBuilderWithContext(
      const rocksdb::FilterBuildingContext& /*context*/) const override {
    return nullptr;
  }

  // Never called, because no file has a filter under this name. RocksDB treats
  // null as 'may match'.
  rocksdb::FilterBitsReader* GetFilterBitsReader(
      const rocksdb::Slice& /*contents*/) const override {
    return nullptr;
  }
};

}  // namespace

const rocksdb::FilterPolicy* NewRefusingFilterPolicy() {
  return new RefusingFilterPolicy();
}

}  // namespace linebloom
