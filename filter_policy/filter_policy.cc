#include "linebloom/filter_policy.h"

#include <memory>
#include <string>

#include "filter_policy/filter_bits_builder.h"
#include "filter_policy/filter_bits_reader.h"
#include "filter_policy/line_kernel.h"
#include "filter_policy/policy_options.h"
#include "rocksdb/convenience.h"
#include "rocksdb/table.h"

namespace linebloom {
namespace {

using rocksdb::FilterBuildingContext;
using rocksdb::Slice;
using rocksdb::Status;

class LineFilterPolicy final : public rocksdb::FilterPolicy {
 public:
  explicit LineFilterPolicy(const FilterPolicyOptions& options)
      : options_(options), built_in_(rocksdb::NewBloomFilterPolicy(10)) {
    RegisterOptions(kFilterPolicyName, &options_, &FilterPolicyOptionTypes());
  }

  const char* Name() const override { return kFilterPolicyName; }

  // RocksDB's own family name. A file's filter is found under this one name
  // only, so with a name of our own every existing file would silently lose
  // its filter on the day a user switches. What RocksDB makes of our blocks
  // without us is in docs/format.md.
  const char* CompatibilityName() const override {
    return "rocksdb.BuiltinBloomFilter";
  }

  // With the bits, as the built-in policies have it: an OPTIONS file that is
  // compared by id alone then still shows a change of them.
  std::string GetId() const override {
    return std::string(kFilterPolicyName) + ":" +
           BitsPerKeyText(options_.bits_per_key);
  }

  Status ValidateOptions(
      const rocksdb::DBOptions& db_options,
      const rocksdb::ColumnFamilyOptions& cf_options) const override {
    const Status valid = Validate(options_);
    if (!valid.ok()) return valid;
    if (!SimdChoiceProblem().empty()) {
      return Status::InvalidArgument(SimdChoiceProblem());
    }
    return FilterPolicy::ValidateOptions(db_options, cf_options);
  }

  rocksdb::FilterBitsBuilder* GetBuilderWithContext(
      const FilterBuildingContext& context) const override {
    FilterSettings settings;
    // Options that were never validated (SstFileWriter does not) build no
    // filter rather than one of a size that nobody asked for.
    if (!Validate(options_).ok()) return nullptr;
    settings.millibits_per_key = MillibitsOf(options_.bits_per_key);
    if (settings.millibits_per_key == 0) return nullptr;
    settings.effort = options_.build_effort;
    settings.hash_seed = options_.hash_seed;
    return new FilterBitsBuilder(
        settings, context.table_options.detect_filter_construct_corruption);
  }

  rocksdb::FilterBitsReader* GetFilterBitsReader(
      const Slice& contents) const override {
    return NewFilterBitsReader(contents, *built_in_).release();
  }

 private:
  FilterPolicyOptions options_;
  const std::unique_ptr<const rocksdb::FilterPolicy> built_in_;
};

}  // namespace

const rocksdb::FilterPolicy* NewFilterPolicy(
    const FilterPolicyOptions& options) {
  return new LineFilterPolicy(options);
}

const rocksdb::FilterPolicy* NewFilterPolicy(double bits_per_key) {
  FilterPolicyOptions options;
  options.bits_per_key = bits_per_key;
  return NewFilterPolicy(options);
}

}  // namespace linebloom
