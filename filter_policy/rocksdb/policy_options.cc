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
#include "filter_policy/sizing/level_allocation.h"
#include "rocksdb/convenience.h"

namespace linebloom {
namespace {

using rocksdb::ConfigOptions;
using rocksdb::OptionType;
using rocksdb::OptionTypeFlags;
using rocksdb::OptionTypeInfo;
using rocksdb::OptionVerificationType;
using rocksdb::Status;

constexpr double kMaxBitsPerKey = 30.0;
constexpr double kMinSizeRatio = 2.0;
constexpr double kMaxSizeRatio = 1000.0;
constexpr double kMinHalfLife = 1.0;  // in seconds
constexpr double kMaxHalfLife = 1e9;

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

Status BitsOutOfRange(std::string_view value) {
  return OutOfRange("bits_per_key", value,
                    "a number from 0 to 30 (below 0.5: no filter)");
}

Status RateOutOfRange(std::string_view value) {
  return OutOfRange("false_positive_rate", value,
                    "a number more than 0 and less than 1");
}

Status BudgetOutOfRange(std::string_view value) {
  return OutOfRange("memory_budget", value,
                    "a whole number of bytes from 1 to 2^64 - 1; K, M, G or T "
                    "behind it stand for 2^10, 2^20, 2^30 and 2^40");
}

Status SizeRatioOutOfRange(std::string_view value) {
  return OutOfRange("size_ratio", value, "a number from 2 to 1000");
}

Status LineOutOfRange(std::string_view value) {
  return OutOfRange("line", value, "solved or plain");
}

// The shortest text that parses back to the same double.
std::string NumberText(const double& number) {
  std::array<char, 32> text;
  const auto result =
      std::to_chars(text.data(), text.data() + text.size(), number);
  return std::string(text.data(), result.ptr);
}

// Comparisons with NaN are false.
bool BitsInRange(double bits_per_key) {
  return bits_per_key >= 0 && bits_per_key <= kMaxBitsPerKey;
}

bool RateInRange(double rate) { return rate > 0 && rate < 1; }

bool SizeRatioInRange(double ratio) {
  return ratio >= kMinSizeRatio && ratio <= kMaxSizeRatio;
}

bool HalfLifeInRange(double seconds) {
  return seconds >= kMinHalfLife && seconds <= kMaxHalfLife;
}

// Parses all of `text` as a number.
std::optional<double> ParseNumber(std::string_view text) {
  const char* const end = text.data() + text.size();
  double parsed = 0;
  const auto [rest, error] = std::from_chars(text.data(), end, parsed);
  if (error != std::errc() || rest != end) return std::nullopt;
  return parsed;
}

// Stores numbers out of range as well as returning the error, for
// NearestValid(). Bits and rate may come in either order; Validate checks the
// pair.
Status ParseBitsPerKey(std::string_view text, FilterPolicyOptions* options) {
  if (text == kUnset) {
    options->bits_per_key.reset();
    return Status::OK();
  }
  const std::optional<double> parsed = ParseNumber(text);
  if (parsed) options->bits_per_key = parsed;
  return parsed && BitsInRange(*parsed) ? Status::OK() : BitsOutOfRange(text);
}

Status ParseRate(std::string_view text, std::optional<double>* rate) {
  if (text == kUnset) {
    rate->reset();
    return Status::OK();
  }
  const std::optional<double> parsed = ParseNumber(text);
  if (parsed) *rate = parsed;
  return parsed && RateInRange(*parsed) ? Status::OK() : RateOutOfRange(text);
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

Status ParseSizeRatio(std::string_view text, double* ratio) {
  const std::optional<double> parsed = ParseNumber(text);
  if (parsed) *ratio = *parsed;
  return parsed && SizeRatioInRange(*parsed) ? Status::OK()
                                             : SizeRatioOutOfRange(text);
}

Status ParseSwitch(std::string_view option, std::string_view text, bool* on) {
  if (text != "true" && text != "1" && text != "false" && text != "0") {
    return OutOfRange(option, text, "true or false, 1 or 0");
  }
  *on = text == "true" || text == "1";
  return Status::OK();
}

Status ParseLevelAware(std::string_view text, bool* on) {
  return ParseSwitch("level_aware", text, on);
}

Status ParseHeatAware(std::string_view text, bool* on) {
  return ParseSwitch("heat_aware", text, on);
}

Status HalfLifeOutOfRange(std::string_view value) {
  return OutOfRange("heat_half_life", value,
                    "a number of seconds from 1 to 1000000000");
}

Status ParseHalfLife(std::string_view text, double* seconds) {
  const std::optional<double> parsed = ParseNumber(text);
  if (parsed) *seconds = *parsed;
  return parsed && HalfLifeInRange(*parsed) ? Status::OK()
                                            : HalfLifeOutOfRange(text);
}

Status ParseLine(std::string_view text, Line* line) {
  for (const auto& [name, value] : kLines) {
    if (text == name) {
      *line = value;
      return Status::OK();
    }
  }
  return LineOutOfRange(text);
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
                      "hexadecimal behind 0x");
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
  if (!BitsInRange(bits)) return BitsOutOfRange(NumberText(bits));
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
  if (!RateInRange(rate)) return RateOutOfRange(NumberText(rate));
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
  if (!SizeRatioInRange(options.size_ratio)) {
    return SizeRatioOutOfRange(NumberText(options.size_ratio));
  }
  if (!HalfLifeInRange(options.heat_half_life)) {
    return HalfLifeOutOfRange(NumberText(options.heat_half_life));
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
  if (!SizeRatioInRange(options.size_ratio)) {
    nearest.size_ratio =
        std::isnan(options.size_ratio)
            ? defaults.size_ratio
            : std::clamp(options.size_ratio, kMinSizeRatio, kMaxSizeRatio);
  }
  if (!HalfLifeInRange(options.heat_half_life)) {
    nearest.heat_half_life =
        std::isnan(options.heat_half_life)
            ? defaults.heat_half_life
            : std::clamp(options.heat_half_life, kMinHalfLife, kMaxHalfLife);
  }
  if (options.bits_per_key || options.false_positive_rate ||
      options.memory_budget == 0) {
    nearest.memory_budget.reset();
  }
  if (options.bits_per_key) {
    nearest.false_positive_rate.reset();
    // Comparisons with NaN are false.
    nearest.bits_per_key = *options.bits_per_key >= 0
                               ? std::min(*options.bits_per_key, kMaxBitsPerKey)
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
      return ParseRate(rest.substr(kRatePrefix.size()),
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
  if (!BitsInRange(bits_per_key)) return NumberText(bits_per_key);
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
               offsetof(FilterPolicyOptions, false_positive_rate), ParseRate,
               RateText)},
          {"memory_budget", TextOption<std::optional<uint64_t>>(
                                offsetof(FilterPolicyOptions, memory_budget),
                                ParseBudget, BudgetText)},
          {"level_aware",
           TextOption<bool>(offsetof(FilterPolicyOptions, level_aware),
                            ParseLevelAware, SwitchText)},
          {"heat_aware",
           TextOption<bool>(offsetof(FilterPolicyOptions, heat_aware),
                            ParseHeatAware, SwitchText)},
          {"heat_half_life",
           TextOption<double>(offsetof(FilterPolicyOptions, heat_half_life),
                              ParseHalfLife, NumberText)},
          {"size_ratio",
           TextOption<double>(offsetof(FilterPolicyOptions, size_ratio),
                              ParseSizeRatio, NumberText)},
          {"line", TextOption<Line>(offsetof(FilterPolicyOptions, line),
                                    ParseLine, LineText)},
          {"hash_seed",
           TextOption<uint64_t>(offsetof(FilterPolicyOptions, hash_seed),
                                ParseHashSeed, HashSeedText)},
      };
  return *types;
}

}  // namespace linebloom
