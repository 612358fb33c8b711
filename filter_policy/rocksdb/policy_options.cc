#include "filter_policy/rocksdb/policy_options.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <optional>
#include <utility>

#include "filter_policy/rocksdb/byte_count.h"
#include "filter_policy/sizing/expected_rate.h"
#include "rocksdb/convenience.h"

namespace linebloom {
namespace {

using rocksdb::ConfigOptions;
using rocksdb::OptionType;
using rocksdb::OptionTypeFlags;
using rocksdb::OptionTypeInfo;
using rocksdb::OptionVerificationType;
using rocksdb::Status;

// Serialized form of an option without a value.
constexpr std::string_view kUnset = "unset";

// hash_seed, kRandomHashSeed.
constexpr std::string_view kRandom = "random";

constexpr std::string_view kRatePrefix = "rate:";
constexpr std::string_view kBudgetPrefix = "budget:";

constexpr std::array<std::pair<std::string_view, Line>, 2> kLines{{
    {"solved", Line::kSolved},
    {"plain", Line::kPlain},
}};

Status OutOfRange(std::string_view option, std::string_view value,
                  std::string_view range) {
  return Status::InvalidArgument("linebloom: " + std::string(option) + "=" +
                                 std::string(value) + ": must be " +
                                 std::string(range));
}

// The shortest text that parses back to the same double.
std::string NumberText(const double& number) {
  std::array<char, 32> text;
  const auto result =
      std::to_chars(text.data(), text.data() + text.size(), number);
  return std::string(text.data(), result.ptr);
}

// An option that is a number, and its range.
struct NumberOption {
  std::string_view name;
  std::string_view range;
  double min;
  double max;
  bool without_ends = false;

  // False for NaN.
  constexpr bool Has(double number) const {
    return without_ends ? number > min && number < max
                        : number >= min && number <= max;
  }
  Status Check(double number, std::string_view text) const {
    return Has(number) ? Status::OK() : OutOfRange(name, text, range);
  }
  Status Check(double number) const {
    return Check(number, NumberText(number));
  }
  double Nearest(double number, double if_nan) const {
    return std::isnan(number) ? if_nan : std::clamp(number, min, max);
  }
};

constexpr NumberOption kBits{
    "bits_per_key", "a number from 0 to 30 (below 0.5: no filter)", 0, 30};
constexpr NumberOption kRate{
    "false_positive_rate", "a number more than 0 and less than 1", 0, 1, true};
constexpr NumberOption kSizeRatio{"size_ratio", "a number from 2 to 1000", 2,
                                  1000};
constexpr NumberOption kHalfLife{
    "heat_half_life", "a number of seconds from 1 to 1000000000", 1, 1e9};
constexpr char kLevelAware[] = "level_aware";
constexpr char kHeatAware[] = "heat_aware";

Status BudgetOutOfRange(std::string_view value) {
  return OutOfRange("memory_budget", value,
                    "a whole number of bytes from 1 to 2^64 - 1, optionally "
                    "followed by K, M, G or T for 2^10, 2^20, 2^30 or 2^40");
}

// Stores numbers out of range as well as returning the error, for
// NearestValid(). Options that exclude each other may come in any order;
// Validate checks them.
Status ParseNumber(const NumberOption& option, std::string_view text,
                   std::optional<double>* number) {
  const char* const end = text.data() + text.size();
  double parsed = 0;
  const auto [rest, error] = std::from_chars(text.data(), end, parsed);
  if (error != std::errc() || rest != end) {
    return OutOfRange(option.name, text, option.range);
  }
  *number = parsed;
  return option.Check(parsed, text);
}

template <const NumberOption& kOption>
Status ParseRequired(std::string_view text, double* number) {
  std::optional<double> parsed = *number;
  const Status status = ParseNumber(kOption, text, &parsed);
  *number = *parsed;
  return status;
}

template <const NumberOption& kOption>
Status ParseOptional(std::string_view text, std::optional<double>* number) {
  if (text != kUnset) return ParseNumber(kOption, text, number);
  number->reset();
  return Status::OK();
}

Status ParseBitsPerKey(std::string_view text, FilterPolicyOptions* options) {
  return ParseOptional<kBits>(text, &options->bits_per_key);
}

Status ParseBudget(std::string_view text, std::optional<uint64_t>* budget) {
  if (text == kUnset) {
    budget->reset();
    return Status::OK();
  }
  const std::optional<uint64_t> parsed = ParseByteCount(text);
  if (parsed) *budget = parsed;
  return parsed && *parsed > 0 ? Status::OK() : BudgetOutOfRange(text);
}

template <const char* kName>
Status ParseSwitch(std::string_view text, bool* on) {
  if (text != "true" && text != "1" && text != "false" && text != "0") {
    return OutOfRange(kName, text, "true or false, 1 or 0");
  }
  *on = text == "true" || text == "1";
  return Status::OK();
}

Status ParseLine(std::string_view text, Line* line) {
  for (const auto& [name, value] : kLines) {
    if (text == name) {
      *line = value;
      return Status::OK();
    }
  }
  return OutOfRange("line", text, "solved or plain");
}

Status ParseHashSeed(std::string_view text, uint64_t* seed) {
  if (text == kRandom) {
    *seed = kRandomHashSeed;
    return Status::OK();
  }
  const bool hex = text.substr(0, 2) == "0x" || text.substr(0, 2) == "0X";
  const std::string_view digits = text.substr(hex ? 2 : 0);
  const char* const end = digits.data() + digits.size();
  uint64_t parsed = 0;
  const auto [rest, error] =
      std::from_chars(digits.data(), end, parsed, hex ? 16 : 10);
  if (error != std::errc() || rest != end || parsed == kRandomHashSeed) {
    return OutOfRange("hash_seed", text,
                      "random, or a whole number from 0 to 2^64 - 2, "
                      "hexadecimal with the prefix 0x");
  }
  *seed = parsed;
  return Status::OK();
}

std::string BitsText(const FilterPolicyOptions& options) {
  return (options.false_positive_rate || options.memory_budget) &&
                 !options.bits_per_key
             ? std::string(kUnset)
             : BitsPerKeyText(BitsPerKeyOf(options));
}

std::string RateText(const std::optional<double>& rate) {
  return rate ? NumberText(*rate) : std::string(kUnset);
}

std::string HashSeedText(const uint64_t& seed) {
  return seed == kRandomHashSeed ? std::string(kRandom) : std::to_string(seed);
}

std::string BudgetText(const std::optional<uint64_t>& budget) {
  return budget ? ByteCountText(*budget) : std::string(kUnset);
}

std::string SwitchText(const bool& on) { return on ? "true" : "false"; }

std::string LineText(const Line& line) {
  for (const auto& [name, value] : kLines) {
    if (line == value) return std::string(name);
  }
  return std::to_string(static_cast<int>(line));
}

// An option of type T at `offset`, converted from and to text by these
// functions.
template <typename T>
OptionTypeInfo TextOption(int offset, Status (*parse)(std::string_view, T*),
                          std::string (*print)(const T&)) {
  OptionTypeInfo info(offset, OptionType::kUnknown,
                      OptionVerificationType::kNormal, OptionTypeFlags::kNone);
  info.SetParseFunc([parse](const ConfigOptions&, const std::string&,
                            const std::string& value, void* to) {
    return parse(value, static_cast<T*>(to));
  });
  info.SetSerializeFunc([print](const ConfigOptions&, const std::string&,
                                const void* from, std::string* value) {
    *value = print(*static_cast<const T*>(from));
    return Status::OK();
  });
  info.SetEqualsFunc([print](const ConfigOptions&, const std::string&,
                             const void* a, const void* b, std::string*) {
    return print(*static_cast<const T*>(a)) == print(*static_cast<const T*>(b));
  });
  return info;
}

Status ValidateBits(const FilterPolicyOptions& options) {
  const double bits = BitsPerKeyOf(options);
  if (!kBits.Has(bits)) return kBits.Check(bits);
  if (IsLevelAware(options) && bits < kMinBitsOfRun) {
    return OutOfRange(
        "bits_per_key", NumberText(bits),
        std::string("a number from 1 to 30 with ") +
            (options.heat_aware ? "heat_aware=true" : "level_aware=true"));
  }
  return Status::OK();
}

Status OnlyOne(const std::string& one, const std::string& other) {
  return Status::InvalidArgument("linebloom: " + one + " and " + other +
                                 ": only one of the two may be given");
}

Status ValidateBudget(const FilterPolicyOptions& options) {
  const std::string budget =
      "memory_budget=" + BudgetText(options.memory_budget);
  if (options.bits_per_key) {
    return OnlyOne("bits_per_key=" + NumberText(*options.bits_per_key), budget);
  }
  if (options.false_positive_rate) {
    return OnlyOne(
        "false_positive_rate=" + NumberText(*options.false_positive_rate),
        budget);
  }
  return *options.memory_budget > 0
             ? Status::OK()
             : BudgetOutOfRange(BudgetText(*options.memory_budget));
}

Status ValidateRate(const FilterPolicyOptions& options) {
  const double rate = *options.false_positive_rate;
  if (options.bits_per_key) {
    return OnlyOne("bits_per_key=" + NumberText(*options.bits_per_key),
                   "false_positive_rate=" + NumberText(rate));
  }
  if (options.heat_aware) {
    return OnlyOne("heat_aware=true",
                   "false_positive_rate=" + NumberText(rate));
  }
  if (!kRate.Has(rate)) return kRate.Check(rate);
  const double lowest = LowestRate(options.line);
  if (rate >= lowest) return Status::OK();
  std::array<char, 16> text;
  snprintf(text.data(), text.size(), "%.1e", lowest);
  return OutOfRange(
      "false_positive_rate", NumberText(rate),
      "at least " + std::string(text.data()) +
          ", the rate of 30 bits per key with line=" + LineText(options.line));
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
  return options.heat_aware || options.memory_budget.has_value();
}

bool BuildsNothing(const FilterPolicyOptions& options) {
  return !options.false_positive_rate && !options.memory_budget &&
         MillibitsOf(BitsPerKeyOf(options)) == 0;
}

FilterRequest RequestOf(const FilterPolicyOptions& options) {
  FilterRequest request;
  request.line = options.line;
  request.hash_seed = options.hash_seed;
  request.level_aware = IsLevelAware(options);
  return request;
}

Status Validate(const FilterPolicyOptions& options) {
  Line known;
  const Status line = ParseLine(LineText(options.line), &known);
  if (!line.ok()) return line;
  for (const auto& [option, number] :
       {std::pair(kSizeRatio, options.size_ratio),
        std::pair(kHalfLife, options.heat_half_life)}) {
    if (!option.Has(number)) return option.Check(number);
  }
  if (options.canonical_key != nullptr) {
    const char* const name = options.canonical_key->Name();
    if (name == nullptr || *name == '\0') {
      return Status::InvalidArgument(
          "linebloom: canonical_key: its Name() must not be empty");
    }
  }
  if (options.memory_budget) return ValidateBudget(options);
  return options.false_positive_rate ? ValidateRate(options)
                                     : ValidateBits(options);
}

FilterPolicyOptions NearestValid(const FilterPolicyOptions& options) {
  const FilterPolicyOptions defaults;
  FilterPolicyOptions nearest = options;
  Line known;
  if (!ParseLine(LineText(options.line), &known).ok()) {
    nearest.line = defaults.line;
  }
  nearest.size_ratio =
      kSizeRatio.Nearest(options.size_ratio, defaults.size_ratio);
  nearest.heat_half_life =
      kHalfLife.Nearest(options.heat_half_life, defaults.heat_half_life);
  if (options.bits_per_key || options.false_positive_rate ||
      options.memory_budget == 0) {
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
      nearest.heat_aware = false;
    } else {
      nearest.false_positive_rate.reset();
    }
  }
  return nearest;
}

uint32_t MillibitsOf(double bits_per_key) {
  if (bits_per_key < 0.5) return 0;
  if (bits_per_key < 1.0) return 1000;
  return static_cast<uint32_t>(std::floor(bits_per_key * 1000 + 0.5));
}

Status ParseId(std::string_view id, FilterPolicyOptions* options) {
  const std::string_view name = kFilterPolicyName;
  if (id == name) return Status::OK();
  if (id.substr(0, name.size()) == name && id[name.size()] == ':') {
    const std::string_view rest = id.substr(name.size() + 1);
    if (rest.substr(0, kRatePrefix.size()) == kRatePrefix) {
      return ParseOptional<kRate>(rest.substr(kRatePrefix.size()),
                                  &options->false_positive_rate);
    }
    if (rest.substr(0, kBudgetPrefix.size()) == kBudgetPrefix) {
      return ParseBudget(rest.substr(kBudgetPrefix.size()),
                         &options->memory_budget);
    }
    return ParseBitsPerKey(rest, options);
  }
  return Status::InvalidArgument(
      "linebloom: '" + std::string(id) +
      "': must be linebloom, linebloom:BITS, linebloom:rate:RATE or "
      "linebloom:budget:BYTES");
}

std::string IdOf(const FilterPolicyOptions& options) {
  const std::string name = kFilterPolicyName;
  if (options.memory_budget) {
    return name + ":" + std::string(kBudgetPrefix) +
           BudgetText(options.memory_budget);
  }
  return options.false_positive_rate
             ? name + ":" + std::string(kRatePrefix) +
                   NumberText(*options.false_positive_rate)
             : name + ":" + BitsPerKeyText(BitsPerKeyOf(options));
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
  const auto id = fields.find(OptionTypeInfo::kIdPropName());
  if (id != fields.end()) {
    const Status known = ParseId(id->second, &parsed);
    if (!known.ok()) return known;
    fields.erase(id);
  }
  Status status = OptionTypeInfo::ParseType(ConfigOptions(), fields,
                                            FilterPolicyOptionTypes(), &parsed);
  if (status.ok()) status = Validate(parsed);
  if (status.ok()) *options = parsed;
  return status;
}

std::string BitsPerKeyText(double bits_per_key) {
  // Options out of range are reported later, so print them unchanged.
  if (!kBits.Has(bits_per_key)) return NumberText(bits_per_key);
  return NumberText(std::floor(bits_per_key * 1000 + 0.5) / 1000);
}

const std::unordered_map<std::string, OptionTypeInfo>&
FilterPolicyOptionTypes() {
  static const auto* const types =
      new std::unordered_map<std::string, OptionTypeInfo>{
          // Gets all options, because its text depends on whether a rate is
          // set.
          {"bits_per_key",
           TextOption<FilterPolicyOptions>(0, ParseBitsPerKey, BitsText)},
          {"false_positive_rate",
           TextOption<std::optional<double>>(
               offsetof(FilterPolicyOptions, false_positive_rate),
               ParseOptional<kRate>, RateText)},
          {"memory_budget", TextOption<std::optional<uint64_t>>(
                                offsetof(FilterPolicyOptions, memory_budget),
                                ParseBudget, BudgetText)},
          {"level_aware",
           TextOption<bool>(offsetof(FilterPolicyOptions, level_aware),
                            ParseSwitch<kLevelAware>, SwitchText)},
          {"heat_aware",
           TextOption<bool>(offsetof(FilterPolicyOptions, heat_aware),
                            ParseSwitch<kHeatAware>, SwitchText)},
          {"heat_half_life",
           TextOption<double>(offsetof(FilterPolicyOptions, heat_half_life),
                              ParseRequired<kHalfLife>, NumberText)},
          {"size_ratio",
           TextOption<double>(offsetof(FilterPolicyOptions, size_ratio),
                              ParseRequired<kSizeRatio>, NumberText)},
          {"line", TextOption<Line>(offsetof(FilterPolicyOptions, line),
                                    ParseLine, LineText)},
          {"hash_seed",
           TextOption<uint64_t>(offsetof(FilterPolicyOptions, hash_seed),
                                ParseHashSeed, HashSeedText)},
      };
  return *types;
}

}  // namespace linebloom
