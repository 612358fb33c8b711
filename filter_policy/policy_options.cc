#include "filter_policy/policy_options.h"

#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <utility>

#include "rocksdb/convenience.h"

namespace linebloom {
namespace {

using rocksdb::ConfigOptions;
using rocksdb::OptionType;
using rocksdb::OptionTypeFlags;
using rocksdb::OptionTypeInfo;
using rocksdb::OptionVerificationType;
using rocksdb::Status;

constexpr double kMostBitsPerKey = 30.0;

constexpr std::array<std::pair<std::string_view, BuildEffort>, 4> kEfforts{{
    {"none", BuildEffort::kNone},
    {"fast", BuildEffort::kFast},
    {"balanced", BuildEffort::kBalanced},
    {"max", BuildEffort::kMax},
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

Status EffortOutOfRange(std::string_view value) {
  return OutOfRange("build_effort", value, "none, fast, balanced or max");
}

// The shortest text that parses back to the same double.
std::string NumberText(double number) {
  std::array<char, 32> text;
  const auto result =
      std::to_chars(text.data(), text.data() + text.size(), number);
  return std::string(text.data(), result.ptr);
}

bool BitsInRange(double bits_per_key) {  // false for NaN
  return bits_per_key >= 0 && bits_per_key <= kMostBitsPerKey;
}

Status ParseEffort(std::string_view text, BuildEffort* effort) {
  for (const auto& [name, value] : kEfforts) {
    if (text == name) {
      *effort = value;
      return Status::OK();
    }
  }
  return EffortOutOfRange(text);
}

Status ParseHashSeed(std::string_view text, uint64_t* seed) {
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, *seed);
  if (error == std::errc() && rest == end) return Status::OK();
  return OutOfRange("hash_seed", text, "a whole number from 0 to 2^64 - 1");
}

std::string EffortText(BuildEffort effort) {
  for (const auto& [name, value] : kEfforts) {
    if (effort == value) return std::string(name);
  }
  return std::to_string(static_cast<int>(effort));
}

// An option of type T at `offset`, with these two functions as its text form.
template <typename T>
OptionTypeInfo TextOption(int offset, Status (*parse)(std::string_view, T*),
                          std::string (*print)(T)) {
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

}  // namespace

Status Validate(const FilterPolicyOptions& options) {
  if (!BitsInRange(options.bits_per_key)) {
    return BitsOutOfRange(NumberText(options.bits_per_key));
  }
  BuildEffort known;
  return ParseEffort(EffortText(options.build_effort), &known);
}

uint32_t MillibitsOf(double bits_per_key) {
  if (bits_per_key < 0.5) return 0;
  if (bits_per_key < 1.0) return 1000;
  return static_cast<uint32_t>(std::floor(bits_per_key * 1000 + 0.5));
}

Status ParseBitsPerKey(std::string_view text, double* bits_per_key) {
  const char* const end = text.data() + text.size();
  double parsed = 0;
  const auto [rest, error] = std::from_chars(text.data(), end, parsed);
  if (error != std::errc() || rest != end || !BitsInRange(parsed)) {
    return BitsOutOfRange(text);
  }
  *bits_per_key = parsed;
  return Status::OK();
}

Status ParseId(std::string_view id, double* bits_per_key) {
  const std::string_view name = kFilterPolicyName;
  if (id == name) return Status::OK();
  if (id.substr(0, name.size()) == name && id[name.size()] == ':') {
    return ParseBitsPerKey(id.substr(name.size() + 1), bits_per_key);
  }
  return Status::InvalidArgument("linebloom: '" + std::string(id) +
                                 "': must be linebloom or linebloom:BITS");
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
    const Status known = ParseId(id->second, &parsed.bits_per_key);
    if (!known.ok()) return known;
    fields.erase(id);
  }
  const Status status = OptionTypeInfo::ParseType(
      ConfigOptions(), fields, FilterPolicyOptionTypes(), &parsed);
  if (status.ok()) *options = parsed;
  return status;
}

std::string BitsPerKeyText(double bits_per_key) {
  // Options out of range are only reported later; they print as they are.
  if (!BitsInRange(bits_per_key)) return NumberText(bits_per_key);
  return NumberText(std::floor(bits_per_key * 1000 + 0.5) / 1000);
}

const std::unordered_map<std::string, OptionTypeInfo>&
FilterPolicyOptionTypes() {
  static const auto* const types =
      new std::unordered_map<std::string, OptionTypeInfo>{
          {"bits_per_key",
           TextOption<double>(offsetof(FilterPolicyOptions, bits_per_key),
                              ParseBitsPerKey, BitsPerKeyText)},
          {"build_effort",
           TextOption<BuildEffort>(offsetof(FilterPolicyOptions, build_effort),
                                   ParseEffort, EffortText)},
          {"hash_seed",
           TextOption<uint64_t>(
               offsetof(FilterPolicyOptions, hash_seed), ParseHashSeed,
               [](uint64_t seed) { return std::to_string(seed); })},
      };
  return *types;
}

}  // namespace linebloom
