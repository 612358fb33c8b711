#include "linebloom/filter_policy.h"

#include <map>
#include <mutex>
#include <set>
#include <unordered_map>
#include <utility>

#include "filter_policy/filter/sizing.h"
#include "filter_policy/levels/file_plan.h"
#include "filter_policy/levels/level_size_listener.h"
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

// Filters take whole lines, and files are written at the same time.
constexpr double kOver = 1.1;

// True if one is more than `factor` times the other.
bool Differ(double before, double now, double factor) {
  return now > factor * before || before > factor * now;
}

bool AverageHasChanged(double before, double now) {
  return Differ(before, now, 1.25) ||
         (before >= kMinBitsOfRun) != (now >= kMinBitsOfRun);
}

// What a policy reports to the info logs of its databases: each warning once,
// each figure when it has changed.
//
// Thread-safe. A null info log takes nothing.
//
// A database is known by its log's address, which the next database's log may
// get. So whenever one is opened, all is forgotten except for logs known to
// live: one that stays open may get a line again.
class InfoLog {
 public:
  // Call when RocksDB validates options. `info_log` is null if a database is
  // being opened that will make its own.
  void NoteOpening(const std::shared_ptr<rocksdb::Logger>& info_log) {
    const std::lock_guard<std::mutex> lock(mutex_);
    std::erase_if(told_, [&info_log](const auto& entry) {
      const Told& told = entry.second;
      return told.log.expired() && (told.is_known || info_log == nullptr);
    });
    if (info_log == nullptr) return;
    Told& told = told_[info_log.get()];
    if (told.is_known) return;
    told = Told();
    told.log = info_log;
    told.is_known = true;
  }

  // Warns, once per database.
  void WarnOnce(rocksdb::Logger* info_log, const std::string& warning) {
    if (info_log == nullptr) return;
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      if (!told_[info_log].warnings.insert(warning).second) return;
    }
    rocksdb::Warn(info_log, "%s", warning.c_str());
  }

  // Notes a column family that the policy is for, when RocksDB validates its
  // options. There is no log then.
  void NoteComparator(const rocksdb::Comparator* comparator) {
    if (!NeedsCanonicalKey(comparator)) return;
    const std::lock_guard<std::mutex> lock(mutex_);
    comparator_ = comparator->Name();
  }

  // Warns if a comparator that was noted may call keys of different bytes
  // equal. RocksDB doesn't say whose column family is whose, so databases that
  // share a policy each get the warning.
  void WarnOfComparator(rocksdb::Logger* info_log) {
    std::string comparator;
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      comparator = comparator_;
    }
    if (comparator.empty()) return;
    WarnOnce(info_log,
             "linebloom: the comparator '" + comparator +
                 "' may call keys of different bytes equal, but filters tell "
                 "them apart: a lookup by other bytes than those that were "
                 "written may not find its row. Set "
                 "FilterPolicyOptions::canonical_key or, if equal keys always "
                 "have equal bytes, let the comparator's "
                 "CanKeysWithDifferentByteContentsBeEqual() return false.");
  }

  // Writes what a memory budget comes to, if the bits of new files have changed
  // by a quarter since the last line or filters have begun or ceased to exceed
  // it. A warning below one bit per key, above the budget, and, once per
  // database, if another policy of the listener has another one.
  void WriteBudget(rocksdb::Logger* info_log, uint64_t budget,
                   const BudgetState& state) {
    if (info_log == nullptr) return;
    const std::string option = "memory_budget=" + ByteCountText(budget);
    if (state.other_budget > 0) {
      WarnOnce(info_log,
               "linebloom: policies with " + option + " and " +
                   ByteCountText(state.other_budget) +
                   " share a listener, which counts all filters for both: the "
                   "smaller one may be used up by the files of the other. Give "
                   "them the same budget, or databases a listener each.");
    }
    const double bytes = state.filters.bits / 8;
    const bool is_over = bytes > kOver * static_cast<double>(budget);
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      Told& told = told_[info_log];
      if (is_over == told.was_over &&
          !AverageHasChanged(told.last_average, state.average_bits)) {
        return;
      }
      told.last_average = state.average_bits;
      told.was_over = is_over;
    }
    const bool too_small = state.average_bits < kMinBitsOfRun;
    rocksdb::Log(
        is_over || too_small ? rocksdb::InfoLogLevel::WARN_LEVEL
                             : rocksdb::InfoLogLevel::INFO_LEVEL,
        info_log,
        "linebloom: %s: filters of %.0f keys take %.0f bytes, those of %.0f "
        "further keys are not known; new files get %.2f bits per key on "
        "average%s%s",
        option.c_str(), state.filters.keys, bytes, state.filters.unknown,
        state.average_bits,
        too_small ? "; with less than one bit per key some files get "
                    "no filter"
                  : "",
        is_over ? "; flushed files get at most a third of what is left up to "
                  "1.35 times the budget until compactions or "
                  "linebloom::RebuildFilters give memory back"
                : "");
  }

 private:
  // What a log was told.
  struct Told {
    // The log itself, if it is known: one that expired had its address.
    std::weak_ptr<rocksdb::Logger> log;
    bool is_known = false;
    std::set<std::string> warnings;
    double last_average = 0;
    bool was_over = false;
  };

  std::mutex mutex_;
  std::map<const rocksdb::Logger*, Told> told_;
  std::string comparator_;  // empty: none to warn of
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
    info_log_.NoteOpening(db_options.info_log);
    if (options_.canonical_key == nullptr) {
      info_log_.NoteComparator(cf_options.comparator);
    }
    return FilterPolicy::ValidateOptions(db_options, cf_options);
  }

  rocksdb::FilterBitsBuilder* GetBuilderWithContext(
      const FilterBuildingContext& context) const override {
    // Take it even if unused; it describes only the file being created.
    const std::optional<FileInTree> file = TakeFileInTree();
    FilterPolicyOptions options = ValidOptions(context.info_log);
    info_log_.WarnOfComparator(context.info_log);
    if (!file.has_value()) {
      WarnOfListener(options, context);
      options = WithoutListener(options);
    } else if (!file->Matches(context)) {
      // A merge operator or the like writes this file while the listener's is
      // being written. There may be a listener for it as well.
      options = WithoutListener(options);
    }
    std::optional<FilterPlan> plan = PlanOf(options, context, file);
    if (!plan.has_value()) return nullptr;
    if (plan->request.hash_seed == kRandomHashSeed) {
      const std::optional<uint64_t> seed = DrawHashSeed();
      // There was entropy when the database was opened. An unseeded filter is
      // correct; it only lacks protection against chosen keys.
      plan->request.hash_seed = seed.value_or(0);
      if (!seed) WarnOfOptions(context.info_log, NoEntropy(), "hash_seed=0");
    }
    const bool detect_corruption =
        context.table_options.detect_filter_construct_corruption;
    if (options_.canonical_key != nullptr) {
      return new CanonicalFilterBitsBuilder(
          options_.canonical_key, std::move(*plan), detect_corruption);
    }
    return new LineFilterBitsBuilder(std::move(*plan), detect_corruption);
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
    if (!configured.ok()) TakeEach(config, options);
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
    const std::string instead =
        IdOf(WithoutListener(options)) + " and level_aware=true";
    // Not by the reason, whose values differ between versions.
    const bool is_outside_tree = context.level_at_creation < 0;
    if (NeedsListener(options) && is_outside_tree) {
      info_log_.WarnOnce(context.info_log,
                         "linebloom: " + IdOf(options) +
                             ": files outside any tree, by SstFileWriter or "
                             "RepairDB(), are built with " +
                             instead + ".");
    } else if (NeedsListener(options)) {
      WarnOfOptions(context.info_log, ListenerMissing(), instead);
    } else if (options.level_aware && !is_outside_tree) {
      info_log_.WarnOnce(
          context.info_log,
          "linebloom: " + IdOf(options) +
              ": level_aware=true without the listener linebloom_level_sizes "
              "among DBOptions::listeners, or with one that another copy of "
              "the library made: every filter gets the average, whatever its "
              "level. Set NewLevelSizeListener() of "
              "linebloom/level_size_listener.h, or "
              "listeners=linebloom_level_sizes in an option string.");
    }
  }

  static FilterPolicyOptions WithoutListener(FilterPolicyOptions options) {
    options.level_aware = IsLevelAware(options);
    options.memory_budget.reset();
    return options;
  }

  // `file` must be the one that `context` describes if the options need the
  // listener.
  std::optional<FilterPlan> PlanOf(
      const FilterPolicyOptions& options, const FilterBuildingContext& context,
      const std::optional<FileInTree>& file) const {
    if (options.memory_budget) {
      const BudgetState state = StateOfBudget(options, context, *file);
      info_log_.WriteBudget(context.info_log, *options.memory_budget, state);
      return PlanWithinBudget(options, context, *file, state);
    }
    std::optional<FilterPlan> plan = PlanOfFile(options, context, file);
    if (plan && context.table_options.optimize_filters_for_memory) {
      plan->rounding = rounding_;
    }
    return plan;
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
  void TakeEach(const rocksdb::ConfigOptions& config,
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
