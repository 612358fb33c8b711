#include "linebloom/filter_policy.h"

#include <memory>
#include <optional>
#include <string>
#include <unordered_map>

#include "filter_policy/levels/file_budget.h"
#include "filter_policy/line/kernel/line_kernel.h"
#include "filter_policy/policy/policy_from_id.h"
#include "filter_policy/policy/refusing_policy.h"
#include "filter_policy/rocksdb/filter_bits_builder.h"
#include "filter_policy/rocksdb/filter_bits_reader.h"
#include "filter_policy/rocksdb/policy_options.h"
#include "filter_policy/rocksdb/running_rocksdb.h"
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

  // Of an id in an option string that is no right one.
  LineFilterPolicy(const std::string& wrong_id, const Status& problem)
      : LineFilterPolicy(FilterPolicyOptions()) {
    wrong_id_ = wrong_id;
    problem_ = problem;
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
    if (!wrong_id_.empty()) return wrong_id_;
    return IdOf(options_);
  }

  Status ValidateOptions(
      const rocksdb::DBOptions& db_options,
      const rocksdb::ColumnFamilyOptions& cf_options) const override {
    const Status valid = ValidateOwn();
    if (!valid.ok()) return valid;
    if (!SimdChoiceProblem().empty()) {
      return Status::InvalidArgument(SimdChoiceProblem());
    }
    return FilterPolicy::ValidateOptions(db_options, cf_options);
  }

  rocksdb::FilterBitsBuilder* GetBuilderWithContext(
      const FilterBuildingContext& context) const override {
    // To be taken in any case: it is of this file and no other.
    const std::optional<FileInTree> file = TakeFileInTree();
    // Options that were never validated (SstFileWriter does not) build no
    // filter rather than one of a size that nobody asked for.
    if (!ValidateOwn().ok()) return nullptr;
    const std::optional<FilterSettings> settings =
        SettingsOfFile(options_, context, file);
    if (!settings.has_value()) return nullptr;
    return new FilterBitsBuilder(
        *settings, context.table_options.detect_filter_construct_corruption);
  }

  rocksdb::FilterBitsReader* GetFilterBitsReader(
      const Slice& contents) const override {
    return NewFilterBitsReader(contents, *built_in_).release();
  }

 protected:
  // RocksDB drops the errors of a filter policy in the options of a table, as
  // an OPTIONS file has them, and keeps the policy. A misspelt option would
  // then silently mean another filter or none; so the policy remembers what was
  // wrong, and the database does not open.
  Status ConfigureOptions(
      const rocksdb::ConfigOptions& config,
      const std::unordered_map<std::string, std::string>& options,
      std::unordered_map<std::string, std::string>* unused) override {
    const Status configured =
        FilterPolicy::ConfigureOptions(config, options, unused);
    if (problem_.ok()) problem_ = configured;
    if (problem_.ok()) problem_ = Validate(options_);
    return problem_;
  }

 private:
  Status ValidateOwn() const {
    if (problem_.ok()) return Validate(options_);
    if (problem_.IsInvalidArgument()) return problem_;
    return Status::InvalidArgument("linebloom", problem_.ToString());
  }

  FilterPolicyOptions options_;
  std::string wrong_id_;  // empty if the id was right
  Status problem_;        // with the option string
  const std::unique_ptr<const rocksdb::FilterPolicy> built_in_;
};

}  // namespace

std::unique_ptr<const rocksdb::FilterPolicy> NewFilterPolicyFromId(
    const std::string& id) {
  FilterPolicyOptions options;
  const Status parsed = ParseId(id, &options);
  if (!parsed.ok()) return std::make_unique<LineFilterPolicy>(id, parsed);
  return std::make_unique<LineFilterPolicy>(options);
}

const rocksdb::FilterPolicy* NewFilterPolicy(
    const FilterPolicyOptions& options) {
  if (!RocksDbMismatch().empty()) return NewRefusingFilterPolicy();
  return new LineFilterPolicy(options);
}

const rocksdb::FilterPolicy* NewFilterPolicy(double bits_per_key) {
  FilterPolicyOptions options;
  options.bits_per_key = bits_per_key;
  return NewFilterPolicy(options);
}

}  // namespace linebloom
