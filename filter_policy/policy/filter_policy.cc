#include "linebloom/filter_policy.h"

#include <map>
#include <mutex>
#include <set>
#include <unordered_map>
#include <utility>

#include "filter_policy/filter/sizing.h"
#include "filter_policy/levels/allocation.h"
#include "filter_policy/levels/level_size_listener.h"
#include "filter_policy/levels/new_file.h"
#include "filter_policy/line/hash.h"
#include "filter_policy/line/kernel/line_kernel.h"
#include "filter_policy/policy/filter_bits_builder.h"
#include "filter_policy/policy/filter_bits_reader.h"
#include "filter_policy/policy/policy_options.h"
#include "filter_policy/policy/running_rocksdb.h"
#include "rocksdb/comparator.h"
#include "rocksdb/env.h"
#include "rocksdb/utilities/object_registry.h"

namespace linebloom {
namespace {

using rocksdb::FilterBuildingContext;
using rocksdb::Slice;
using rocksdb::Status;

// What a policy reports to the info logs of its databases: each warning once,
// the bits of a budget when they have changed. Thread-safe; a null log takes
// nothing.
class InfoLog {
 public:
  // Call when RocksDB validates options, as it does for each database that is
  // opened: its log may have the address of an earlier one's, unless it is the
  // same. The log is null if RocksDB has yet to make it.
  void NoteOpening(const std::shared_ptr<rocksdb::Logger>& info_log) {
    const std::lock_guard<std::mutex> lock(mutex_);
    std::erase_if(logs_, [&info_log](const auto& state) {
      return info_log == nullptr || (state.first == info_log.get() &&
                                     state.second.log.lock() != info_log);
    });
    if (info_log != nullptr) logs_[info_log.get()].log = info_log;
  }

  void WarnOnce(rocksdb::Logger* info_log, const std::string& warning) {
    if (info_log == nullptr) return;
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      if (!logs_[info_log].warnings.insert(warning).second) return;
    }
    rocksdb::Warn(info_log, "%s", warning.c_str());
  }

  // Writes the average bits of new files if they have changed by a quarter
  // since the last line, or to or from the least.
  void WriteBudget(rocksdb::Logger* info_log, const std::string& budget,
                   double average_bits) {
    if (info_log == nullptr) return;
    const bool is_least = average_bits <= kMinBitsOfRun;
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      double& last = logs_[info_log].average_bits;
      if (average_bits < 1.25 * last && last < 1.25 * average_bits &&
          is_least == (last <= kMinBitsOfRun)) {
        return;
      }
      last = average_bits;
    }
    rocksdb::Log(is_least ? rocksdb::InfoLogLevel::WARN_LEVEL
                          : rocksdb::InfoLogLevel::INFO_LEVEL,
                 info_log,
                 "linebloom: %s: new files get %.2f bits per key on average%s",
                 budget.c_str(), average_bits,
                 is_least ? ", the least; filters may exceed the budget" : "");
  }

 private:
  struct LogState {
    std::weak_ptr<rocksdb::Logger> log;  // expired if unknown
    std::set<std::string> warnings;
    double average_bits = 0;
  };

  std::mutex mutex_;
  std::map<const rocksdb::Logger*, LogState> logs_;
};

Status NoEntropy() {
  return Status::InvalidArgument(
      "linebloom: hash_seed=random: the operating system gives no random "
      "numbers; set a number of your own");
}

class LineFilterPolicy final : public rocksdb::FilterPolicy {
 public:
  // `problem` is that of `wrong_id`, an ID in an option string.
  explicit LineFilterPolicy(const FilterPolicyOptions& options,
                            std::string wrong_id = "",
                            Status problem = Status::OK())
      : options_(options),
        wrong_id_(std::move(wrong_id)),
        problem_(std::move(problem)),
        built_in_(rocksdb::NewBloomFilterPolicy(10)) {
    RegisterOptions(kFilterPolicyName, &options_, &FilterPolicyOptionTypes());
  }

  const char* Name() const override { return kFilterPolicyName; }

  // RocksDB's own: a file's filter is found only under this name, so with
  // another one all existing files would lose theirs at the switch.
  const char* CompatibilityName() const override {
    return "rocksdb.BuiltinBloomFilter";
  }

  // Includes the bits, like the IDs of the built-in policies, so that comparing
  // OPTIONS files by ID alone still shows a change.
  std::string GetId() const override {
    return wrong_id_.empty() ? IdOf(options_) : wrong_id_;
  }

  Status ValidateOptions(
      const rocksdb::DBOptions& db_options,
      const rocksdb::ColumnFamilyOptions& cf_options) const override {
    const Status valid = ValidateOwn();
    if (!valid.ok()) return valid;
    if (!SimdChoiceProblem().empty()) {
      return Status::InvalidArgument(SimdChoiceProblem());
    }
    if (options_.hash_seed == kRandomHashSeed && !DrawHashSeed()) {
      return NoEntropy();
    }
    if (NeedsListener(options_)) {
      const rocksdb::EventListener* const listener =
          FindLevelSizeListener(db_options);
      if (listener == nullptr || !IsOfThisCopy(*listener)) {
        return ListenerMissing();
      }
    }
    const Status cache = ValidateCache(cf_options);
    if (!cache.ok()) return cache;
    info_log_.NoteOpening(db_options.info_log);
    if (options_.canonical_key == nullptr) NoteComparator(cf_options);
    return FilterPolicy::ValidateOptions(db_options, cf_options);
  }

  rocksdb::FilterBitsBuilder* GetBuilderWithContext(
      const FilterBuildingContext& context) const override {
    // Take it even if unused; it describes only the file being created.
    const std::optional<NewFile> file = TakeNewFile(context);
    const FilterPolicyOptions options = ValidOptions(context.info_log);
    WarnOfComparator(context.info_log);
    if (file) {
      WriteBudget(options, context, *file);
    } else {
      WarnOfListener(options, context);
    }
    std::optional<FilterRequest> request =
        RequestFor(options, context.table_options, file);
    if (!request) return nullptr;
    if (request->hash_seed == kRandomHashSeed) {
      const std::optional<uint64_t> seed = DrawHashSeed();
      // There was entropy when the database was opened. An unseeded filter is
      // correct; it only lacks protection against chosen keys.
      request->hash_seed = seed.value_or(0);
      if (!seed) WarnOfOptions(context.info_log, NoEntropy(), "hash_seed=0");
    }
    const auto rounding = context.table_options.optimize_filters_for_memory &&
                                  !options.memory_budget
                              ? rounding_
                              : nullptr;
    const bool detect_corruption =
        context.table_options.detect_filter_construct_corruption;
    if (options_.canonical_key != nullptr) {
      return new CanonicalFilterBitsBuilder(options_.canonical_key, *request,
                                            rounding, detect_corruption);
    }
    return new LineFilterBitsBuilder(*request, rounding, detect_corruption);
  }

  rocksdb::FilterBitsReader* GetFilterBitsReader(
      const Slice& contents) const override {
    return NewFilterBitsReader(contents, *built_in_, options_.canonical_key)
        .release();
  }

 protected:
  // RocksDB drops a policy's errors in table options and keeps the policy, so a
  // misspelt option would silently mean another filter. This remembers the
  // error, and the database doesn't open.
  Status ConfigureOptions(
      const rocksdb::ConfigOptions& config,
      const std::unordered_map<std::string, std::string>& options,
      std::unordered_map<std::string, std::string>* unused) override {
    const Status configured =
        FilterPolicy::ConfigureOptions(config, options, unused);
    // On error, RocksDB also resets the valid options.
    if (!configured.ok()) ParseEach(config, options);
    if (problem_.ok()) problem_ = configured;
    if (problem_.ok()) problem_ = Validate(options_);
    return problem_;
  }

 private:
  // RocksDB doesn't validate options from SstFileWriter, SetOptions() and,
  // before 9.8, CreateColumnFamily(). Without filters, every lookup would read
  // the disk until somebody noticed.
  FilterPolicyOptions ValidOptions(rocksdb::Logger* info_log) const {
    const Status valid = ValidateOwn();
    if (valid.ok()) return options_;
    const FilterPolicyOptions nearest = NearestValid(options_);
    WarnOfOptions(info_log, valid, IdOf(nearest));
    return nearest;
  }

  void WarnOfOptions(rocksdb::Logger* info_log, const Status& problem,
                     const std::string& instead) const {
    info_log_.WarnOnce(
        info_log, problem.ToString() +
                      ". Until this is changed, filters are built with " +
                      instead + "; the database will not open again as it is.");
  }

  void WarnOfListener(const FilterPolicyOptions& options,
                      const FilterBuildingContext& context) const {
    if (!IsLevelAware(options)) return;
    const std::string policy = "linebloom: " + IdOf(options) + ": ";
    if (context.level_at_creation < 0) {
      info_log_.WarnOnce(
          context.info_log,
          policy +
              "SstFileWriter calls no listener: filters of its files get " +
              (options.memory_budget ? "10 bits per key." : "the average."));
    } else if (options.memory_budget) {
      WarnOfOptions(context.info_log, ListenerMissing(),
                    "10 bits per key in every file");
    } else {
      info_log_.WarnOnce(
          context.info_log,
          policy +
              "level_aware=true without the listener linebloom_level_sizes "
              "among DBOptions::listeners, or with one that another copy of "
              "the library made: every filter gets the average, whatever its "
              "level. Set NewLevelSizeListener() of "
              "linebloom/level_size_listener.h, or "
              "listeners=linebloom_level_sizes in an option string.");
    }
  }

  // A column family that the policy is for. There is no log when RocksDB
  // validates its options, and later RocksDB doesn't say whose family is whose:
  // databases that share a policy each get the warning.
  void NoteComparator(const rocksdb::ColumnFamilyOptions& options) const {
    if (!NeedsCanonicalKey(options.comparator)) return;
    const std::lock_guard<std::mutex> lock(comparator_mutex_);
    comparator_ = options.comparator->Name();
  }

  void WarnOfComparator(rocksdb::Logger* info_log) const {
    std::string comparator;
    {
      const std::lock_guard<std::mutex> lock(comparator_mutex_);
      comparator = comparator_;
    }
    if (comparator.empty()) return;
    info_log_.WarnOnce(
        info_log,
        "linebloom: the comparator '" + comparator +
            "' may call keys of different bytes equal, but filters tell "
            "them apart: a lookup by other bytes than those that were "
            "written may not find its row. Set "
            "FilterPolicyOptions::canonical_key or, if equal keys always "
            "have equal bytes, let the comparator's "
            "CanKeysWithDifferentByteContentsBeEqual() return false.");
  }

  void WriteBudget(const FilterPolicyOptions& options,
                   const FilterBuildingContext& context,
                   const NewFile& file) const {
    if (!options.memory_budget) return;
    const rocksdb::BlockBasedTableOptions& table = context.table_options;
    const uint64_t bytes = BytesOf(*options.memory_budget, table);
    std::string text = "memory_budget=" + BudgetText(*options.memory_budget);
    if (options.memory_budget->percent_of_cache > 0) {
      text += ", " + BudgetText(bytes) +
              (table.cache_index_and_filter_blocks
                   ? " of the block cache"
                   : " besides the block cache, which holds no filters "
                     "(cache_index_and_filter_blocks=false)");
    }
    info_log_.WriteBudget(context.info_log, text,
                          AverageOfBudget(file, static_cast<double>(bytes)));
  }

  Status ValidateCache(const rocksdb::ColumnFamilyOptions& family) const {
    const auto* const table = TableOptionsOf(family);
    if (!options_.memory_budget || table == nullptr ||
        options_.memory_budget->percent_of_cache == 0 ||
        table->block_cache != nullptr) {
      return Status::OK();
    }
    return Status::InvalidArgument(
        "linebloom: memory_budget=" + BudgetText(*options_.memory_budget) +
        " needs a block cache, but no_block_cache=true: give bytes, such as "
        "memory_budget=512M");
  }

  Status ListenerMissing() const {
    return Status::InvalidArgument(
        "linebloom: " + IdOf(options_) +
        ": memory_budget needs the listener linebloom_level_sizes among "
        "DBOptions::listeners: NewLevelSizeListener() of "
        "linebloom/level_size_listener.h, or "
        "listeners=linebloom_level_sizes in an option string, from C by "
        "rocksdb_get_options_from_string(). It must be made by the same copy "
        "of the library. If it is named there: RocksDB drops the whole list "
        "where it lacks another listener of it, such as db_bench's "
        "ErrorHandlerListener");
  }

  Status ValidateOwn() const {
    if (problem_.ok()) return Validate(options_);
    if (problem_.IsInvalidArgument()) return problem_;
    return Status::InvalidArgument("linebloom", problem_.ToString());
  }

  // Sets each option that is valid, or at least a number.
  void ParseEach(const rocksdb::ConfigOptions& config,
                 const std::unordered_map<std::string, std::string>& options) {
    for (const auto& option : options) {
      (void)rocksdb::OptionTypeInfo::ParseType(
          config, {option}, FilterPolicyOptionTypes(), &options_);
    }
  }

  FilterPolicyOptions options_;
  std::string wrong_id_;  // empty if the ID was valid
  Status problem_;        // of the option string
  const std::unique_ptr<const rocksdb::FilterPolicy> built_in_;
  const std::shared_ptr<AllocationRounding> rounding_ =
      std::make_shared<AllocationRounding>();
  mutable InfoLog info_log_;
  mutable std::mutex comparator_mutex_;
  mutable std::string comparator_;  // to warn of; empty: none
};

static_assert(
    !std::is_abstract_v<LineFilterPolicy>,
    "linebloom doesn't know FilterPolicy of this RocksDB, which has a "
    "pure virtual function that linebloom's lacks: compare its "
    "include/rocksdb/filter_policy.h with that of RocksDB 11.12");

// For a RocksDB that linebloom was not built for. No database opens with it;
// callers that don't validate, such as SstFileWriter, get no filters.
//
// FilterPolicy has the same virtual functions and data members from 7.0.3 to
// 11.8.1, so any of them takes this. It doesn't call RegisterOptions(), whose
// parameters have changed.
class RefusingFilterPolicy final : public rocksdb::FilterPolicy {
 public:
  const char* Name() const override { return kFilterPolicyName; }
  const char* CompatibilityName() const override { return kFilterPolicyName; }

  Status ValidateOptions(
      const rocksdb::DBOptions& /*db_options*/,
      const rocksdb::ColumnFamilyOptions& /*family_options*/) const override {
    return Status::InvalidArgument("linebloom", RocksDbMismatch());
  }

  rocksdb::FilterBitsBuilder* GetBuilderWithContext(
      const FilterBuildingContext& /*context*/) const override {
    return nullptr;
  }

  // Never called, because no file has a filter under this name. RocksDB treats
  // null as 'may match'.
  rocksdb::FilterBitsReader* GetFilterBitsReader(
      const Slice& /*contents*/) const override {
    return nullptr;
  }
};

// `id` is that of an option string.
const rocksdb::FilterPolicy* MakeFromId(
    const std::string& id, std::unique_ptr<const rocksdb::FilterPolicy>* guard,
    std::string* /*error*/) {
  FilterPolicyOptions options;
  const Status parsed = ParseId(id, &options);
  *guard = std::make_unique<LineFilterPolicy>(options, parsed.ok() ? "" : id,
                                              parsed);
  return guard->get();
}

rocksdb::EventListener* MakeListener(
    const std::string& /*id*/, std::unique_ptr<rocksdb::EventListener>* guard,
    std::string* /*error*/) {
  *guard = NewOwnedLevelSizeListener();
  return guard->get();
}

// Adds the policy and its listener to a library of factories. Returns how many
// factories that is.
int AddFactories(rocksdb::ObjectLibrary* library) {
  // For the const type, which RocksDB looks up. We parse all after the colon,
  // so that a bad number is an error and not an unknown policy, which RocksDB
  // may ignore.
  library->AddFactory<const rocksdb::FilterPolicy>(
      rocksdb::ObjectLibrary::PatternEntry(kFilterPolicyName, true)
          .AddSeparator(":", false),
      MakeFromId);
  library->AddFactory<rocksdb::EventListener>(kLevelSizeListenerName,
                                              MakeListener);
  return 2;
}

}  // namespace

const rocksdb::FilterPolicy* NewFilterPolicy(
    const FilterPolicyOptions& options) {
  if (!RocksDbMismatch().empty()) return new RefusingFilterPolicy();
  return new LineFilterPolicy(options);
}

const rocksdb::FilterPolicy* NewFilterPolicy(double bits_per_key) {
  FilterPolicyOptions options;
  options.bits_per_key = bits_per_key;
  return NewFilterPolicy(options);
}

void RegisterFilterPolicy() {
  static std::once_flag once;
  std::call_once(once, [] {
    if (!RocksDbMismatch().empty()) return;
    AddFactories(rocksdb::ObjectLibrary::Default().get());
  });
}

}  // namespace linebloom

#ifdef LINEBLOOM_ROCKSDB_PLUGIN
// Where RocksDB's own build compiles linebloom: linebloom.mk names this
// function, and the registry of each program calls it before its first look-up.
extern "C" int linebloom_register(rocksdb::ObjectLibrary& library,
                                  const std::string& /*argument*/) {
  return linebloom::AddFactories(&library);
}
#endif
