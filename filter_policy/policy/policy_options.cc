#include "filter_policy/policy/policy_options.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <functional>
#include <iterator>
#include <limits>
#include <system_error>
#include <type_traits>
#include <utility>
#include <vector>

#include "filter_policy/filter/sizing.h"
#include "filter_policy/levels/allocation.h"
#include "filter_policy/line/hash.h"
#include "filter_policy/policy/rocksdb_cache.h"
#include "rocksdb/convenience.h"

namespace linebloom {
namespace {

using rocksdb::ConfigOptions;
using rocksdb::OptionType;
using rocksdb::OptionTypeFlags;
using rocksdb::OptionTypeInfo;
using rocksdb::OptionVerificationType;
using rocksdb::Status;
using Options = FilterPolicyOptions;

// Serialized form of an option without a value.
constexpr std::string_view kUnset = "unset";

// hash_seed, kRandomHashSeed.
constexpr std::string_view kRandom = "random";

constexpr std::pair<std::string_view, LineKind> kLineKinds[] = {
    {"solved", LineKind::kSolved},
    {"plain", LineKind::kPlain},
};

// 2^10, 2^20, 2^30 and 2^40 bytes; parsed in either case.
constexpr std::string_view kByteUnits = "KMGTkmgt";

// What an ID begins with, and the option whose value follows. Only one of these
// options may be set.
constexpr std::pair<std::string_view, const char*> kIdForms[] = {
    {"linebloom:budget:", "memory_budget"},
    {"linebloom:rate:", "false_positive_rate"},
    {"linebloom:", "bits_per_key"},
};

// The numbers that an option may have.
struct Range {
  double min;
  double max;

  // False for NaN.
  bool operator()(double number) const {
    return number >= min && number <= max;
  }
};
constexpr Range kBits{0, 30};
// More than 0.
constexpr Range kShares{std::numeric_limits<double>::denorm_min(), 100};
// More than 0 and less than 1.
constexpr Range kRates{std::numeric_limits<double>::denorm_min(),
                       1 - std::numeric_limits<double>::epsilon() / 2};

Status OutOfRange(std::string_view option, std::string_view value,
                  std::string_view range) {
  return Status::InvalidArgument("linebloom: " + std::string(option) + "=" +
                                 std::string(value) + ": must be " +
                                 std::string(range));
}

// The number that all of `text` is; nothing if it is none.
template <typename Number, typename... Base>
std::optional<Number> NumberIn(std::string_view text, Base... base) {
  const char* const end = text.data() + text.size();
  Number number = 0;
  const auto [rest, error] = std::from_chars(text.data(), end, number, base...);
  if (error != std::errc() || rest != end) return std::nullopt;
  return number;
}

// The shortest text that parses back to the same double.
std::string NumberText(double number) {
  std::array<char, 32> text;
  const auto result =
      std::to_chars(text.data(), text.data() + text.size(), number);
  return std::string(text.data(), result.ptr);
}

std::optional<bool> ParseSwitch(std::string_view text) {
  if (text == "true" || text == "1") return true;
  if (text == "false" || text == "0") return false;
  return std::nullopt;
}

std::string SwitchText(bool on) { return on ? "true" : "false"; }

std::optional<LineKind> ParseLine(std::string_view text) {
  for (const auto& [name, line] : kLineKinds) {
    if (text == name) return line;
  }
  return std::nullopt;
}

std::string LineText(LineKind line) {
  for (const auto& [name, value] : kLineKinds) {
    if (line == value) return std::string(name);
  }
  return std::to_string(static_cast<int>(line));
}

std::optional<uint64_t> ParseHashSeed(std::string_view text) {
  if (text == kRandom) return kRandomHashSeed;
  const bool hex = text.starts_with("0x") || text.starts_with("0X");
  const auto seed = NumberIn<uint64_t>(text.substr(hex ? 2 : 0), hex ? 16 : 10);
  return seed == kRandomHashSeed ? std::nullopt : seed;
}

std::string HashSeedText(uint64_t seed) {
  return seed == kRandomHashSeed ? std::string(kRandom) : std::to_string(seed);
}

// An option as text.
struct TextOption {
  std::string name;
  std::string range;
  // False if the text is not in the range. Stores numbers out of it
  // nevertheless, for NearestValid(). Options that exclude each other may come
  // in any order; Validate() checks them.
  std::function<bool(std::string_view, Options*)> store;
  std::function<std::string(const Options&)> print;

  Status Parse(std::string_view text, Options* options) const {
    return store(text, options) ? Status::OK() : OutOfRange(name, text, range);
  }
};

// `Member` is Value, or an optional one that may be unset.
template <typename Value, typename Member>
TextOption OptionOf(
    const char* name, const char* range, Member Options::*member,
    std::optional<Value> (*parse)(std::string_view),
    std::string (*print)(Value),
    std::function<bool(Value)> is_in_range = [](Value) { return true; }) {
  TextOption option;
  option.name = name;
  option.range = range;
  option.store = [=](std::string_view text, Options* options) {
    if (std::is_same_v<Member, std::optional<Value>> && text == kUnset) {
      options->*member = Member();
      return true;
    }
    const std::optional<Value> value = parse(text);
    if (value) options->*member = *value;
    return value && is_in_range(*value);
  };
  option.print = [=](const Options& options) {
    const std::optional<Value> value = options.*member;
    return value ? print(*value) : std::string(kUnset);
  };
  return option;
}

TextOption BitsPerKeyOption() {
  TextOption bits = OptionOf<double>(
      "bits_per_key", "a number from 0 to 30 (below 0.5: no filter)",
      &Options::bits_per_key, NumberIn<double>, NumberText, kBits);
  // Prints the default unless a rate or budget is set.
  bits.print = [](const Options& options) {
    const bool is_unset =
        !options.bits_per_key &&
        (options.false_positive_rate || options.memory_budget);
    return is_unset ? std::string(kUnset)
                    : BitsPerKeyText(BitsPerKeyOf(options));
  };
  return bits;
}

std::optional<MemoryBudget> ParseBudget(std::string_view text) {
  if (text.ends_with('%')) {
    text.remove_suffix(1);
    const auto percent = NumberIn<double>(text);
    // 0 would be no share; any number below is as wrong.
    if (!percent || *percent == 0) return std::nullopt;
    return MemoryBudget::OfBlockCache(*percent);
  }
  const auto bytes = ParseByteCount(text);
  if (!bytes) return std::nullopt;
  return MemoryBudget(*bytes);
}

bool IsInRange(MemoryBudget budget) {
  return budget.percent_of_cache == 0 ? budget.bytes > 0
                                      : kShares(budget.percent_of_cache);
}

const std::vector<TextOption>& AllOptions() {
  constexpr char kTrueOrFalse[] = "true or false, 1 or 0";
  static const auto* const all = new std::vector<TextOption>{
      BitsPerKeyOption(),
      OptionOf<double>(
          "false_positive_rate", "a number more than 0 and less than 1",
          &Options::false_positive_rate, NumberIn<double>, NumberText, kRates),
      OptionOf<MemoryBudget>(
          "memory_budget",
          "a whole number of bytes from 1 to 2^64 - 1, optionally followed by "
          "K, M, G or T for 2^10, 2^20, 2^30 or 2^40, or a share of the block "
          "cache of more than 0% and at most 100%",
          &Options::memory_budget, ParseBudget, BudgetText, IsInRange),
      OptionOf<bool>("level_aware", kTrueOrFalse, &Options::level_aware,
                     ParseSwitch, SwitchText),
      OptionOf<LineKind>("line", "solved or plain", &Options::line, ParseLine,
                         LineText),
      OptionOf<uint64_t>("hash_seed",
                         "random, or a whole number from 0 to 2^64 - 2, "
                         "hexadecimal with the prefix 0x",
                         &Options::hash_seed, ParseHashSeed, HashSeedText)};
  return *all;
}

const TextOption& Find(const std::string& name) {
  return *std::ranges::find(AllOptions(), name, &TextOption::name);
}

OptionTypeInfo TypeOf(const TextOption& option) {
  OptionTypeInfo info(/*offset=*/0, OptionType::kUnknown,
                      OptionVerificationType::kNormal, OptionTypeFlags::kNone);
  info.SetParseFunc([&option](const ConfigOptions&, const std::string&,
                              const std::string& value, void* to) {
    return option.Parse(value, static_cast<Options*>(to));
  });
  info.SetSerializeFunc([&option](const ConfigOptions&, const std::string&,
                                  const void* from, std::string* value) {
    *value = option.print(*static_cast<const Options*>(from));
    return Status::OK();
  });
  info.SetEqualsFunc([&option](const ConfigOptions&, const std::string&,
                               const void* a, const void* b, std::string*) {
    return option.print(*static_cast<const Options*>(a)) ==
           option.print(*static_cast<const Options*>(b));
  });
  return info;
}

Status ValidateExclusive(const Options& options) {
  std::vector<std::string> set;
  for (auto form = std::rbegin(kIdForms); form != std::rend(kIdForms); ++form) {
    const std::string value = Find(form->second).print(options);
    if (value == kUnset) continue;
    set.emplace_back(form->second).append("=").append(value);
  }
  if (set.size() < 2) return Status::OK();
  return Status::InvalidArgument(
      "linebloom",
      set[0] + " and " + set[1] + ": only one of the two may be given");
}

Status ValidateRate(const Options& options) {
  const double rate = *options.false_positive_rate;
  const double lowest = LowestRate(options.line);
  if (rate >= lowest) return Status::OK();
  std::array<char, 16> text;
  snprintf(text.data(), text.size(), "%.1e", lowest);
  return OutOfRange(
      "false_positive_rate", NumberText(rate),
      "at least " + std::string(text.data()) +
          ", the rate of 30 bits per key with line=" + LineText(options.line));
}

// The option that needs a field in each filter, which RocksDB's format of plain
// lines has not; empty if none is set.
std::string NeedsSolvedLines(const Options& options) {
  if (options.hash_seed != 0) {
    return "hash_seed=" + HashSeedText(options.hash_seed);
  }
  if (options.canonical_key != nullptr) return "canonical_key";
  if (options.false_positive_rate) {
    return "false_positive_rate=" + NumberText(*options.false_positive_rate);
  }
  return "";
}

// True if filters with few bits, which would be of plain lines, need solved
// ones.
bool HasTooFewBitsForSolved(const Options& options) {
  return (options.hash_seed != 0 || options.canonical_key != nullptr) &&
         !options.false_positive_rate && !options.memory_budget &&
         !BuildsNothing(options) &&
         RoundToMillibits(BitsPerKeyOf(options)) < kMinSolvedMillibits;
}

Status ValidateLine(const Options& options) {
  const std::string needed = NeedsSolvedLines(options);
  if (options.line == LineKind::kPlain && !needed.empty()) {
    return Status::InvalidArgument(
        "linebloom",
        "line=plain and " + needed +
            ": plain lines are RocksDB's Bloom filter, whose blocks have no "
            "room for it; use line=solved");
  }
  if (HasTooFewBitsForSolved(options)) {
    return OutOfRange("bits_per_key", NumberText(BitsPerKeyOf(options)),
                      "at least 2.25 with " + needed +
                          ": fewer bits make plain lines, RocksDB's Bloom "
                          "filter, whose blocks have no room for it");
  }
  return Status::OK();
}

}  // namespace

const rocksdb::BlockBasedTableOptions* TableOptionsOf(
    const rocksdb::ColumnFamilyOptions& options) {
  return options.table_factory == nullptr
             ? nullptr
             : options.table_factory
                   ->GetOptions<rocksdb::BlockBasedTableOptions>();
}

const FilterPolicyOptions* OptionsOfLinebloom(
    const rocksdb::FilterPolicy* policy) {
  return policy != nullptr && policy->Name() == std::string(kFilterPolicyName)
             ? policy->GetOptions<FilterPolicyOptions>(kFilterPolicyName)
             : nullptr;
}

double BitsPerKeyOf(const FilterPolicyOptions& options) {
  return options.bits_per_key.value_or(kDefaultBitsPerKey);
}

bool IsLevelAware(const FilterPolicyOptions& options) {
  return options.level_aware || NeedsListener(options);
}

bool NeedsListener(const FilterPolicyOptions& options) {
  return options.memory_budget.has_value();
}

bool NeedsCanonicalKey(const rocksdb::Comparator* comparator) {
  if (comparator == nullptr ||
      !comparator->CanKeysWithDifferentByteContentsBeEqual()) {
    return false;
  }
  // RocksDB's own comparators with timestamps don't say that without the
  // timestamps, which aren't in filters, equal keys have equal bytes.
  const std::string_view name = comparator->Name();
  return name != "leveldb.BytewiseComparator.u64ts" &&
         name != "rocksdb.ReverseBytewiseComparator.u64ts";
}

bool BuildsNothing(const FilterPolicyOptions& options) {
  return !options.false_positive_rate && !options.memory_budget &&
         RoundToMillibits(BitsPerKeyOf(options)) == 0;
}

uint64_t BytesOf(const MemoryBudget& budget,
                 const rocksdb::BlockBasedTableOptions& table) {
  if (budget.percent_of_cache == 0) return budget.bytes;
  if (table.block_cache == nullptr) return 0;
  return static_cast<uint64_t>(
      budget.percent_of_cache / 100 *
      static_cast<double>(table.block_cache->GetCapacity()));
}

uint64_t CanonicalId(const CanonicalKey& canonical_key) {
  // Without a name no database opens, but an SstFileWriter writes its file.
  const char* const name = canonical_key.Name();
  return std::max(HashUnseeded(name, name == nullptr ? 0 : std::strlen(name)),
                  uint64_t{1});
}

std::optional<FilterRequest> RequestFor(
    const FilterPolicyOptions& options,
    const rocksdb::BlockBasedTableOptions& table,
    const std::optional<NewFile>& file) {
  if (BuildsNothing(options)) return std::nullopt;
  FilterRequest request = {.line = options.line,
                           .hash_seed = options.hash_seed,
                           .level_aware = IsLevelAware(options)};
  if (options.canonical_key != nullptr) {
    request.canonical_key = CanonicalId(*options.canonical_key);
  }
  const bool by_level = file && request.level_aware;
  if (options.false_positive_rate) {
    const double rate = *options.false_positive_rate;
    request.false_positive_rate = std::max(
        by_level ? RateForFile(*file, rate) : rate, LowestRate(request.line));
    request.millibits_per_key =
        BitsForRate(request.line, request.false_positive_rate)
            .value_or(kMaxMillibits);
    return AsBuilt(request);
  }
  double bits = BitsPerKeyOf(options);
  if (by_level && options.memory_budget) {
    const auto budget =
        static_cast<double>(BytesOf(*options.memory_budget, table));
    bits = BitsWithinBudget(*file, budget, options.line);
  } else if (by_level) {
    bits = BitsForFile(*file, bits, options.line);
  }
  request.millibits_per_key = RoundToMillibits(bits);
  return AsBuilt(request);
}

Status Validate(const FilterPolicyOptions& options) {
  for (const TextOption& option : AllOptions()) {
    FilterPolicyOptions parsed;
    const Status in_range = option.Parse(option.print(options), &parsed);
    if (!in_range.ok()) return in_range;
  }
  if (options.canonical_key != nullptr) {
    const char* const name = options.canonical_key->Name();
    if (name == nullptr || *name == '\0') {
      return Status::InvalidArgument(
          "linebloom: canonical_key: its Name() must not be empty");
    }
  }
  const Status exclusive = ValidateExclusive(options);
  if (!exclusive.ok()) return exclusive;
  const Status of_line = ValidateLine(options);
  if (!of_line.ok() || options.memory_budget) return of_line;
  if (options.false_positive_rate) return ValidateRate(options);
  const double bits = BitsPerKeyOf(options);
  if (!IsLevelAware(options) || bits >= kMinBitsOfRun) return Status::OK();
  return OutOfRange("bits_per_key", NumberText(bits),
                    "a number from 1 to 30 with level_aware=true");
}

FilterPolicyOptions NearestValid(const FilterPolicyOptions& options) {
  const FilterPolicyOptions defaults;
  FilterPolicyOptions nearest = options;
  nearest.line = ParseLine(LineText(options.line)).value_or(defaults.line);
  if (options.bits_per_key || options.false_positive_rate ||
      (options.memory_budget && !IsInRange(*options.memory_budget))) {
    nearest.memory_budget.reset();
  }
  if (options.bits_per_key) {
    nearest.false_positive_rate.reset();
    // Comparisons with NaN are false.
    nearest.bits_per_key = *options.bits_per_key >= 0
                               ? std::min(*options.bits_per_key, kBits.max)
                               : kDefaultBitsPerKey;
    if (IsLevelAware(options)) {
      nearest.bits_per_key = std::max(*nearest.bits_per_key, kMinBitsOfRun);
    }
  } else if (options.false_positive_rate) {
    const double rate = *options.false_positive_rate;
    if (rate >= 0 && rate < 1) {
      nearest.false_positive_rate = std::max(rate, LowestRate(nearest.line));
    } else {
      nearest.false_positive_rate.reset();
    }
  }
  if (!NeedsSolvedLines(nearest).empty()) nearest.line = LineKind::kSolved;
  if (HasTooFewBitsForSolved(nearest)) {
    nearest.bits_per_key = kMinSolvedMillibits / 1000.0;
  }
  return nearest;
}

uint32_t RoundToMillibits(double bits_per_key) {
  if (bits_per_key < 0.5) return 0;
  if (bits_per_key < 1.0) return 1000;
  return static_cast<uint32_t>(std::floor(bits_per_key * 1000 + 0.5));
}

Status ParseId(std::string_view id, FilterPolicyOptions* options) {
  if (id == kFilterPolicyName) return Status::OK();
  for (const auto& [prefix, option] : kIdForms) {
    if (id.starts_with(prefix)) {
      return Find(option).Parse(id.substr(prefix.size()), options);
    }
  }
  return Status::InvalidArgument(
      "linebloom: '" + std::string(id) +
      "': must be linebloom, linebloom:BITS, linebloom:rate:RATE or "
      "linebloom:budget:BYTES, which may be a share of the block cache: 90%");
}

std::string IdOf(const FilterPolicyOptions& options) {
  for (const auto& [prefix, option] : kIdForms) {
    const std::string value = Find(option).print(options);
    if (value != kUnset) return std::string(prefix) + value;
  }
  return kFilterPolicyName;  // not reached: one of the three is set
}

Status ParseFilterPolicyOptions(const std::string& text,
                                FilterPolicyOptions* options) {
  FilterPolicyOptions parsed = *options;
  std::unordered_map<std::string, std::string> fields;
  if (text.find('=') == std::string::npos) {
    fields[OptionTypeInfo::kIdPropName()] = text;
  } else {
    const Status split = rocksdb::StringToMap(text, &fields);
    if (!split.ok()) return split;
  }
  if (const auto id = fields.extract(OptionTypeInfo::kIdPropName())) {
    const Status known = ParseId(id.mapped(), &parsed);
    if (!known.ok()) return known;
  }
  Status status = OptionTypeInfo::ParseType(ConfigOptions(), fields,
                                            FilterPolicyOptionTypes(), &parsed);
  if (status.ok()) status = Validate(parsed);
  if (status.ok()) *options = parsed;
  return status;
}

std::string BitsPerKeyText(double bits_per_key) {
  // Options out of range are reported later, so print them unchanged.
  if (!kBits(bits_per_key)) return NumberText(bits_per_key);
  return NumberText(std::floor(bits_per_key * 1000 + 0.5) / 1000);
}

const std::unordered_map<std::string, OptionTypeInfo>&
FilterPolicyOptionTypes() {
  // The order of options in OPTIONS files depends on this one.
  static const auto* const types = [] {
    auto* all = new std::unordered_map<std::string, OptionTypeInfo>();
    all->reserve(AllOptions().size());
    for (const TextOption& option : AllOptions()) {
      all->emplace(option.name, TypeOf(option));
    }
    return all;
  }();
  return *types;
}

std::optional<uint64_t> ParseByteCount(std::string_view text) {
  size_t shift = 0;
  if (!text.empty()) {
    const size_t unit = kByteUnits.find(text.back());
    if (unit != std::string_view::npos) {
      shift = 10 * (unit % 4 + 1);
      text.remove_suffix(1);
    }
  }
  const auto number = NumberIn<uint64_t>(text);
  if (!number || *number > UINT64_MAX >> shift) return std::nullopt;
  return *number << shift;
}

std::string BudgetText(MemoryBudget budget) {
  if (budget.percent_of_cache != 0) {
    return NumberText(budget.percent_of_cache) + "%";
  }
  const uint64_t bytes = budget.bytes;
  const size_t units =
      bytes == 0 ? 0 : std::min<size_t>(std::countr_zero(bytes) / 10, 4);
  std::string text = std::to_string(bytes >> 10 * units);
  if (units > 0) text += kByteUnits[units - 1];
  return text;
}

}  // namespace linebloom
