#include "linebloom/filter_policy.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <mutex>
#include <unordered_map>
#include <utility>

#include "filter_policy/filter/sizing.h"
#include "filter_policy/line/hash.h"
#include "filter_policy/line/kernel/line_kernel.h"
#include "filter_policy/listener/level_size_listener.h"
#include "filter_policy/policy/filter_bits_builder.h"
#include "filter_policy/policy/filter_bits_reader.h"
#include "filter_policy/policy/notes.h"
#include "filter_policy/policy/policy_options.h"
#include "filter_policy/policy/running_rocksdb.h"
#include "filter_policy/tree/ledger.h"
#include "filter_policy/tree/lookup_load.h"
#include "filter_policy/tree/new_file.h"
#include "rocksdb/comparator.h"
#include "rocksdb/env.h"
#include "rocksdb/utilities/object_registry.h"

namespace linebloom {
namespace {

using rocksdb::FilterBuildingContext;
using rocksdb::Slice;
using rocksdb::Status;

// What a policy has told the info logs of its databases. Thread-safe; a null
// log takes nothing.
class OncePerLog {
 public:
  // Call when RocksDB validates options, as it does for each database that is
  // opened: its log may have the address of an earlier one's. Databases that
  // share the policy are told again. `comparator` isn't empty if filters may
  // deny its rows.
  void NoteOpening(const std::string& comparator) {
    const std::lock_guard<std::mutex> lock(mutex_);
    told_.clear();
    if (!comparator.empty()) comparator_ = comparator;
  }

  // Of the column families that the policy is for, the last one noted. There is
  // no log when RocksDB validates its options, and later RocksDB doesn't say
  // whose family is whose: databases that share a policy each get the warning.
  std::string comparator() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return comparator_;
  }

  void Tell(rocksdb::InfoLogLevel level, rocksdb::Logger* info_log,
            const std::string& text) {
    if (IsNews(info_log, text)) {
      rocksdb::Log(level, info_log, "%s", text.c_str());
    }
  }

  // True if `what` is new to the log, or the bits of a block cache's new files,
  // or the hits that they stand on, have changed much since this was last true.
  // Rejected: by column family, which remembers all that ever were.
  bool IsNews(const rocksdb::Logger* info_log, const std::string& what,
              const AutoBits& chosen = {}) {
    if (info_log == nullptr) return false;
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto [told, is_first] = told_.try_emplace({info_log, what}, chosen);
    const AutoBits& last = told->second;
    if (!is_first && std::abs(chosen.average_bits - last.average_bits) < 0.5 &&
        std::abs(chosen.hits.least - last.hits.least) < 0.2 &&
        std::abs(chosen.hits.most - last.hits.most) < 0.2) {
      return false;
    }
    told->second = chosen;
    return true;
  }

 private:
  mutable std::mutex mutex_;
  std::map<std::pair<const rocksdb::Logger*, std::string>, AutoBits> told_;
  std::string comparator_;
};

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
    Settle();
  }

  // Files have it among their properties, where the listener finds it again.
  const char* Name() const override { return NameOf(used_); }

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
    if (!problem_.ok()) {
      return problem_.IsInvalidArgument()
                 ? problem_
                 : Status::InvalidArgument("linebloom", problem_.ToString());
    }
    if (!SimdChoiceProblem().empty()) {
      return Status::InvalidArgument(SimdChoiceProblem());
    }
    if (options_.hash_seed == kRandomHashSeed && !DrawHashSeed()) {
      return NoEntropy();
    }
    const rocksdb::BlockBasedTableOptions* const table =
        TableOptionsOf(cf_options);
    if (IsAuto(options_) && HasListener(db_options) && table != nullptr &&
        CacheHoldsFilters(*table)) {
      CountReads(db_options.statistics, table->block_cache);
    }
    log_.NoteOpening(options_.canonical_key == nullptr &&
                             NeedsCanonicalKey(cf_options.comparator)
                         ? cf_options.comparator->Name()
                         : "");
    return FilterPolicy::ValidateOptions(db_options, cf_options);
  }

  rocksdb::FilterBitsBuilder* GetBuilderWithContext(
      const FilterBuildingContext& context) const override {
    // Take it even if unused; it describes only the file being created.
    const std::optional<NewFile> file = TakeNewFile(context);
    std::optional<AutoBits> chosen;
    std::optional<FilterRequest> request =
        RequestFor(used_, context.table_options, file, &chosen);
    // RocksDB before 9.8 doesn't validate the options of a family that it
    // creates.
    if (chosen && chosen->is_sampled) {
      CountReads(nullptr, context.table_options.block_cache);
    }
    WriteNotes(context, file, chosen);
    if (!request) return nullptr;
    if (request->hash_seed == kRandomHashSeed) {
      const std::optional<uint64_t> seed = DrawHashSeed();
      // There was entropy when the database was opened. An unseeded filter is
      // correct; it only lacks protection against chosen keys.
      request->hash_seed = seed.value_or(0);
      if (!seed) Warn(context, BuiltInstead(NoEntropy(), "hash_seed=0"));
    }
    const bool is_rounded = context.table_options.optimize_filters_for_memory;
    if (is_rounded && request->line == LineKind::kPlain) {
      return NewBloomBuilder(request->millibits_per_key, context.table_options);
    }
    const auto rounding = is_rounded ? rounding_ : nullptr;
    const bool detect_corruption =
        context.table_options.detect_filter_construct_corruption;
    return new LineFilterBitsBuilder(*request, rounding, detect_corruption,
                                     used_.canonical_key);
  }

  rocksdb::FilterBitsReader* GetFilterBitsReader(
      const Slice& contents) const override {
    const std::shared_ptr<AnswerSample> sample = Sample();
    if (sample != nullptr && !is_in_job) sample->SquaresOfGaps(true);
    return NewFilterBitsReader(contents, *built_in_, used_.canonical_key,
                               sample)
        .release();
  }

 protected:
  // RocksDB drops a policy's errors in table options and keeps the policy, so a
  // misspelt option would silently mean another filter. This sets each option
  // that is valid and remembers the error, and the database doesn't open.
  Status ConfigureOptions(
      const rocksdb::ConfigOptions& config,
      const std::unordered_map<std::string, std::string>& options,
      std::unordered_map<std::string, std::string>* unused) override {
    for (const auto& option : options) {
      const Status parsed = rocksdb::OptionTypeInfo::ParseType(
          config, {option}, FilterPolicyOptionTypes(), &options_, unused);
      if (problem_.ok() && !config.ignore_unknown_options) problem_ = parsed;
    }
    Settle();
    return problem_;
  }

 private:
  // Ends every change of the options. RocksDB doesn't validate options from
  // SstFileWriter, SetOptions() and, before 9.8, CreateColumnFamily(). Without
  // filters, every lookup would read the disk until somebody noticed.
  void Settle() {
    if (problem_.ok()) problem_ = Validate(options_);
    used_ = problem_.ok() ? options_ : InPlaceOf(options_);
  }

  // RocksDB's own builder rounds plain lines as RocksDB does: to sizes that the
  // filters before, of the same policy and bits, leave room for.
  rocksdb::FilterBitsBuilder* NewBloomBuilder(
      uint32_t millibits, rocksdb::BlockBasedTableOptions table) const {
    table.format_version = std::max(table.format_version, 5u);  // plain lines
    const std::lock_guard<std::mutex> lock(blooms_mutex_);
    auto& bloom = blooms_[millibits];
    if (bloom == nullptr) {
      bloom.reset(rocksdb::NewBloomFilterPolicy(static_cast<double>(millibits) /
                                                kMillibitsPerBit));
    }
    return bloom->GetBuilderWithContext(FilterBuildingContext(table));
  }

  // From here on reads of filters count, and without Statistics some answers.
  void CountReads(const std::shared_ptr<rocksdb::Statistics>& statistics,
                  const std::shared_ptr<rocksdb::Cache>& cache) const {
    auto sample = Ledger::OfProcess().SampleOf(statistics, cache);
    const std::lock_guard<std::mutex> lock(sample_mutex_);
    const auto before = sample_ == nullptr ? nullptr : sample_->cache.lock();
    if (before != nullptr && before != cache) sample->is_mixed = true;
    sample_ = std::move(sample);
  }

  std::shared_ptr<AnswerSample> Sample() const {
    const std::lock_guard<std::mutex> lock(sample_mutex_);
    return sample_;
  }

  void Warn(const FilterBuildingContext& context,
            const std::string& text) const {
    log_.Tell(rocksdb::InfoLogLevel::WARN_LEVEL, context.info_log, text);
  }

  void WriteNotes(const FilterBuildingContext& context,
                  const std::optional<NewFile>& file,
                  const std::optional<AutoBits>& chosen) const {
    if (!problem_.ok()) Warn(context, BuiltInstead(problem_, IdOf(used_)));
    const std::string comparator = log_.comparator();
    if (!comparator.empty()) Warn(context, MayDenyRows(comparator));
    // SstFileWriter, which calls no listener, has no level.
    if (!file && IsLevelAware(used_) && context.level_at_creation >= 0) {
      log_.Tell(IsAuto(used_) ? rocksdb::InfoLogLevel::INFO_LEVEL
                              : rocksdb::InfoLogLevel::WARN_LEVEL,
                context.info_log, NoListener(used_));
    }
    if (file && IsAuto(used_) && !CacheHoldsFilters(context.table_options)) {
      Warn(context, BesideCache());
    }
    const auto cache =
        reinterpret_cast<uintptr_t>(context.table_options.block_cache.get());
    if (chosen &&
        log_.IsNews(context.info_log, std::to_string(cache), *chosen)) {
      rocksdb::Log(rocksdb::InfoLogLevel::INFO_LEVEL, context.info_log, "%s",
                   ChosenBits(*chosen, ProcessName()).c_str());
    }
  }

  FilterPolicyOptions options_;
  FilterPolicyOptions used_;  // to build filters
  std::string wrong_id_;      // empty if the ID was valid
  Status problem_;            // of the option string or of its options
  const std::unique_ptr<const rocksdb::FilterPolicy> built_in_;
  const std::shared_ptr<AllocationRounding> rounding_ =
      std::make_shared<AllocationRounding>();
  mutable std::mutex blooms_mutex_;
  // By thousandths of a bit per key. Their builders refer to them.
  mutable std::map<uint32_t, std::unique_ptr<const rocksdb::FilterPolicy>>
      blooms_;
  mutable OncePerLog log_;
  mutable std::mutex sample_mutex_;
  // Null if nobody asks. Readers may outlive this.
  mutable std::shared_ptr<AnswerSample> sample_;
};

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
  return NewFilterPolicy(FilterPolicyOptions{.bits_per_key = bits_per_key});
}

Status Use(rocksdb::DBOptions* database, rocksdb::ColumnFamilyOptions* family,
           const FilterPolicyOptions& filter) {
  if (!RocksDbMismatch().empty()) {
    return Status::InvalidArgument("linebloom", RocksDbMismatch());
  }
  const Status valid = Validate(filter);
  if (!valid.ok()) return valid;
  const rocksdb::BlockBasedTableOptions* const table = TableOptionsOf(*family);
  // A factory that wraps a block-based one has the options of that, and would
  // be lost with them.
  const std::string factory =
      family->table_factory == nullptr ? "" : family->table_factory->Name();
  if (!factory.empty() &&
      (table == nullptr ||
       factory != rocksdb::TableFactory::kBlockBasedTableName())) {
    return Status::InvalidArgument(
        "linebloom::Use: only block-based tables have filter policies, not " +
        factory +
        (table == nullptr ? ""
                          : ": set filter_policy in the table that it wraps"));
  }
  auto with_filter =
      table == nullptr ? rocksdb::BlockBasedTableOptions() : *table;
  with_filter.filter_policy.reset(NewFilterPolicy(filter));
  family->table_factory.reset(rocksdb::NewBlockBasedTableFactory(with_filter));
  if (!HasListener(*database)) {
    std::erase_if(database->listeners, [](const auto& listener) {
      return listener != nullptr &&
             listener->Name() == std::string(kLevelSizeListenerName);
    });
    database->listeners.push_back(NewLevelSizeListener());
  }
  return Status::OK();
}

Status Use(rocksdb::Options* options, const FilterPolicyOptions& filter) {
  return Use(options, options, filter);
}

std::shared_ptr<rocksdb::EventListener> NewLevelSizeListener() {
  if (!RocksDbMismatch().empty()) return nullptr;
  return NewOwnedLevelSizeListener();
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
