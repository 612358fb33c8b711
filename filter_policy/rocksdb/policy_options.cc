#include "filter_policy/rocksdb/policy_options.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <functional>
#include <system_error>
#include <utility>

#include "filter_policy/sizing/sizing.h"
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

constexpr std::string_view kRatePrefix = "rate:";
constexpr std::string_view kBudgetPrefix = "budget:";

constexpr std::array<std::pair<std::string_view, Line>, 2> kLines{{
    {"solved", Line::kSolved},
    {"plain", Line::kPlain},
}};

// The largest first.
constexpr std::array<std::pair<char, int>, 4> kByteUnits{{
    {'T', 40},
    {'G', 30},
    {'M', 20},
    {'K', 10},
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
  const char* name;
  const char* range;
  double min;
  double max;
  double Options::*member;  // null for one that may be unset
  std::optional<double> Options::*optional = nullptr;
  bool without_ends = false;

  // False for NaN.
  bool Has(double number) const {
    return without_ends ? number > min && number < max
                        : number >= min && number <= max;
  }
  Status Check(double number) const {
    return Has(number) ? Status::OK()
                       : OutOfRange(name, NumberText(number), range);
  }

  // Stores numbers out of range as well as returning the error, for
  // NearestValid(). Options that exclude each other may come in any order;
  // Validate checks them.
  Status Parse(std::string_view text, Options* options) const {
    if (optional != nullptr && text == kUnset) {
      (options->*optional).reset();
      return Status::OK();
    }
    const char* const end = text.data() + text.size();
    double parsed = 0;
    const auto [rest, error] = std::from_chars(text.data(), end, parsed);
    if (error != std::errc() || rest != end) {
      return OutOfRange(name, text, range);
    }
    (member != nullptr ? options->*member : (options->*optional).emplace()) =
        parsed;
    return Has(parsed) ? Status::OK() : OutOfRange(name, text, range);
  }

  std::string Print(const Options& options) const {
    if (member != nullptr) return NumberText(options.*member);
    const std::optional<double>& number = options.*optional;
    return number ? NumberText(*number) : std::string(kUnset);
  }

  // For numbers that can't be unset.
  void Clamp(Options* options) const {
    if (member == nullptr) return;
    double& number = options->*member;
    number =
        std::isnan(number) ? Options().*member : std::clamp(number, min, max);
  }
};

constexpr NumberOption kNumbers[] = {
    {"bits_per_key", "a number from 0 to 30 (below 0.5: no filter)", 0, 30,
     nullptr, &Options::bits_per_key},
    {"false_positive_rate", "a number more than 0 and less than 1", 0, 1,
     nullptr, &Options::false_positive_rate, true},
    {"size_ratio", "a number from 2 to 1000", 2, 1000, &Options::size_ratio},
    {"heat_half_life", "a number of seconds from 1 to 1000000000", 1, 1e9,
     &Options::heat_half_life}};
constexpr const NumberOption& kBits = kNumbers[0];
constexpr const NumberOption& kRate = kNumbers[1];
constexpr const NumberOption& kSizeRatio = kNumbers[2];
constexpr const NumberOption& kHalfLife = kNumbers[3];

Status BudgetOutOfRange(std::string_view value) {
  return OutOfRange("memory_budget", value,
                    "a whole number of bytes from 1 to 2^64 - 1, optionally "
                    "followed by K, M, G or T for 2^10, 2^20, 2^30 or 2^40");
}

Status ParseBudget(std::string_view text, Options* options) {
  if (text == kUnset) {
    options->memory_budget.reset();
    return Status::OK();
  }
  const std::optional<uint64_t> parsed = ParseByteCount(text);
  if (parsed) options->memory_budget = parsed;
  return parsed && *parsed > 0 ? Status::OK() : BudgetOutOfRange(text);
}

Status ParseSwitch(const char* name, std::string_view text, bool* on) {
  if (text != "true" && text != "1" && text != "false" && text != "0") {
    return OutOfRange(name, text, "true or false, 1 or 0");
  }
  *on = text == "true" || text == "1";
  return Status::OK();
}

Status ParseLine(std::string_view text, Options* options) {
  for (const auto& [name, value] : kLines) {
    if (text == name) {
      options->line = value;
      return Status::OK();
    }
  }
  return OutOfRange("line", text, "solved or plain");
}

Status ParseHashSeed(std::string_view text, Options* options) {
  if (text == kRandom) {
    options->hash_seed = kRandomHashSeed;
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
  options->hash_seed = parsed;
  return Status::OK();
}

std::string BitsText(const FilterPolicyOptions& options) {
  return (options.false_positive_rate || options.memory_budget) &&
                 !options.bits_per_key
             ? std::string(kUnset)
             : BitsPerKeyText(BitsPerKeyOf(options));
}

std::string HashSeedText(const Options& options) {
  return options.hash_seed == kRandomHashSeed
             ? std::string(kRandom)
             : std::to_string(options.hash_seed);
}

std::string BudgetText(const Options& options) {
  return options.memory_budget ? ByteCountText(*options.memory_budget)
                               : std::string(kUnset);
}

std::string LineText(const Options& options) {
  for (const auto& [name, value] : kLines) {
    if (options.line == value) return std::string(name);
  }
  return std::to_string(static_cast<int>(options.line));
}

// An option that these functions convert from and to text.
OptionTypeInfo TextOption(
    std::function<Status(std::string_view, Options*)> parse,
    const std::function<std::string(const Options&)>& print) {
  OptionTypeInfo info(/*offset=*/0, OptionType::kUnknown,
                      OptionVerificationType::kNormal, OptionTypeFlags::kNone);
  info.SetParseFunc(
      [parse = std::move(parse)](const ConfigOptions&, const std::string&,
                                 const std::string& value, void* to) {
        return parse(value, static_cast<Options*>(to));
      });
  info.SetSerializeFunc([print](const ConfigOptions&, const std::string&,
                                const void* from, std::string* value) {
    *value = print(*static_cast<const Options*>(from));
    return Status::OK();
  });
  info.SetEqualsFunc([print](const ConfigOptions&, const std::string&,
                             const void* a, const void* b, std::string*) {
    return print(*static_cast<const Options*>(a)) ==
           print(*static_cast<const Options*>(b));
  });
  return info;
}

using Entry = std::pair<const std::string, OptionTypeInfo>;

Entry NumberEntry(const NumberOption& option) {
  return {option.name, TextOption(
                           [&option](std::string_view text, Options* options) {
                             return option.Parse(text, options);
                           },
                           [&option](const Options& options) {
                             // Not "unset" unless there is a rate or a budget.
                             return &option == &kBits ? BitsText(options)
                                                      : option.Print(options);
                           })};
}

Entry SwitchEntry(const char* name, bool Options::*member) {
  return {name, TextOption(
                    [name, member](std::string_view text, Options* options) {
                      return ParseSwitch(name, text, &(options->*member));
                    },
                    [member](const Options& options) {
                      return options.*member ? "true" : "false";
                    })};
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
  return Status::InvalidArgument(
      "linebloom",
      one + " and " + other + ": only one of the two may be given");
}

Status ValidateExclusive(const Options& options) {
  const auto text = [](const char* name, bool is_set,
                       const std::string& value) {
    return is_set ? std::string(name) + "=" + value : "";
  };
  const std::string bits =
      text(kBits.name, options.bits_per_key.has_value(), kBits.Print(options));
  const std::string rate =
      text(kRate.name, options.false_positive_rate.has_value(),
           kRate.Print(options));
  const std::string budget = text(
      "memory_budget", options.memory_budget.has_value(), BudgetText(options));
  const std::string heat = text("heat_aware", options.heat_aware, "true");
  for (const auto& [one, other] :
       {std::pair(bits, budget), std::pair(rate, budget), std::pair(bits, rate),
        std::pair(heat, rate)}) {
    if (!one.empty() && !other.empty()) return OnlyOne(one, other);
  }
  return Status::OK();
}

Status ValidateRate(const Options& options) {
  const double rate = *options.false_positive_rate;
  if (!kRate.Has(rate)) return kRate.Check(rate);
  const double lowest = LowestRate(options.line);
  if (rate >= lowest) return Status::OK();
  std::array<char, 16> text;
  snprintf(text.data(), text.size(), "%.1e", lowest);
  return OutOfRange(
      kRate.name, NumberText(rate),
      "at least " + std::string(text.data()) +
          ", the rate of 30 bits per key with line=" + LineText(options));
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
  FilterPolicyOptions parsed;
  const Status line = ParseLine(LineText(options), &parsed);
  if (!line.ok()) return line;
  for (const NumberOption& option : kNumbers) {
    if (option.member == nullptr) continue;
    const Status in_range = option.Check(options.*option.member);
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
  if (options.memory_budget) {
    return *options.memory_budget > 0 ? Status::OK()
                                      : BudgetOutOfRange(BudgetText(options));
  }
  return options.false_positive_rate ? ValidateRate(options)
                                     : ValidateBits(options);
}

FilterPolicyOptions NearestValid(const FilterPolicyOptions& options) {
  FilterPolicyOptions nearest = options;
  FilterPolicyOptions parsed;
  (void)ParseLine(LineText(options), &parsed);
  nearest.line = parsed.line;  // the default if it is none
  for (const NumberOption& option : kNumbers) option.Clamp(&nearest);
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
      return kRate.Parse(rest.substr(kRatePrefix.size()), options);
    }
    if (rest.substr(0, kBudgetPrefix.size()) == kBudgetPrefix) {
      return ParseBudget(rest.substr(kBudgetPrefix.size()), options);
    }
    return kBits.Parse(rest, options);
  }
  return Status::InvalidArgument(
      "linebloom: '" + std::string(id) +
      "': must be linebloom, linebloom:BITS, linebloom:rate:RATE or "
      "linebloom:budget:BYTES");
}

std::string IdOf(const FilterPolicyOptions& options) {
  const std::string name = kFilterPolicyName;
  if (options.memory_budget) {
    return name + ":" + std::string(kBudgetPrefix) + BudgetText(options);
  }
  return options.false_positive_rate
             ? name + ":" + std::string(kRatePrefix) + kRate.Print(options)
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
  // The order of options in OPTIONS files depends on this one.
  static const auto* const types =
      new std::unordered_map<std::string, OptionTypeInfo>{
          NumberEntry(kBits),
          NumberEntry(kRate),
          {"memory_budget", TextOption(ParseBudget, BudgetText)},
          SwitchEntry("level_aware", &Options::level_aware),
          SwitchEntry("heat_aware", &Options::heat_aware),
          NumberEntry(kHalfLife),
          NumberEntry(kSizeRatio),
          {"line", TextOption(ParseLine, LineText)},
          {"hash_seed", TextOption(ParseHashSeed, HashSeedText)}};
  return *types;
}

std::optional<uint64_t> ParseByteCount(std::string_view text) {
  int shift = 0;
  if (!text.empty()) {
    const int last = std::toupper(static_cast<unsigned char>(text.back()));
    for (const auto& [unit, unit_shift] : kByteUnits) {
      if (last == unit) shift = unit_shift;
    }
  }
  if (shift > 0) text.remove_suffix(1);
  const char* const end = text.data() + text.size();
  uint64_t number = 0;
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || rest != end) return std::nullopt;
  if (number > UINT64_MAX >> shift) return std::nullopt;
  return number << shift;
}

std::string ByteCountText(uint64_t bytes) {
  for (const auto& [unit, shift] : kByteUnits) {
    if (bytes > 0 && (bytes >> shift) << shift == bytes) {
      return std::to_string(bytes >> shift) + unit;
    }
  }
  return std::to_string(bytes);
}

}  // namespace linebloom
