#include "filter_policy/policy/policy_options.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <iterator>
#include <memory>
#include <system_error>
#include <utility>

#include "filter_policy/bits/allocation.h"
#include "filter_policy/filter/sizing.h"
#include "filter_policy/line/hash.h"
#include "filter_policy/policy/number_text.h"
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

// bits_per_key if it is unset, and a rate too.
constexpr std::string_view kAuto = "auto";

// hash_seed, kRandomHashSeed.
constexpr std::string_view kRandom = "random";

constexpr std::pair<std::string_view, LineKind> kLineKinds[] = {
    {"solved", LineKind::kSolved},
    {"plain", LineKind::kPlain},
};

// What an ID has after the policy's name, and the option whose value follows.
// Only one of these options may be set.
constexpr std::pair<std::string_view, const char*> kIdForms[] = {
    {":rate:", "false_positive_rate"},
    {":", "bits_per_key"},
};

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

std::string LineText(LineKind line) {
  for (const auto& [name, value] : kLineKinds) {
    if (line == value) return std::string(name);
  }
  return std::to_string(static_cast<int>(line));
}

std::string HashSeedText(uint64_t seed) {
  return seed == kRandomHashSeed ? std::string(kRandom) : std::to_string(seed);
}

// The functions that store an option return false, and change nothing, if the
// text is not in its range. Options that exclude each other may come in any
// order; Validate() checks them.

bool StoreBits(std::string_view text, Options* options) {
  if (text == kAuto || text == kUnset) {
    options->bits_per_key.reset();
    return true;
  }
  const auto bits = NumberIn<double>(text);
  if (!bits || !(*bits >= 0 && *bits <= kMaxBitsOfRun)) return false;  // NaN
  options->bits_per_key = bits;
  return true;
}

std::string PrintBits(const Options& options) {
  if (options.bits_per_key) return BitsPerKeyText(*options.bits_per_key);
  return std::string(IsAuto(options) ? kAuto : kUnset);
}

bool StoreRate(std::string_view text, Options* options) {
  const auto rate = NumberIn<double>(text);
  if (text != kUnset && (!rate || !(*rate > 0 && *rate < 1))) return false;
  options->false_positive_rate = rate;
  return true;
}

std::string PrintRate(const Options& options) {
  return options.false_positive_rate ? NumberText(*options.false_positive_rate)
                                     : std::string(kUnset);
}

bool StoreLevelAware(std::string_view text, Options* options) {
  const bool on = text == "true" || text == "1";
  if (!on && text != "false" && text != "0") return false;
  options->level_aware = on;
  return true;
}

std::string PrintLevelAware(const Options& options) {
  return options.level_aware ? "true" : "false";
}

bool StoreLine(std::string_view text, Options* options) {
  for (const auto& [name, line] : kLineKinds) {
    if (text != name) continue;
    options->line = line;
    return true;
  }
  return false;
}

bool StoreHashSeed(std::string_view text, Options* options) {
  const bool hex = text.starts_with("0x") || text.starts_with("0X");
  const auto seed =
      text == kRandom
          ? kRandomHashSeed
          : NumberIn<uint64_t>(text.substr(hex ? 2 : 0), hex ? 16 : 10);
  if (!seed || (seed == kRandomHashSeed && text != kRandom)) return false;
  options->hash_seed = *seed;
  return true;
}

// An option as text.
struct TextOption {
  const char* name;
  const char* range;  // "must be ..."
  bool (*store)(std::string_view text, Options* options);
  std::string (*print)(const Options& options);

  Status Parse(std::string_view text, Options* options) const {
    return store(text, options) ? Status::OK() : OutOfRange(name, text, range);
  }
};

constexpr TextOption kOptions[] = {
    {"bits_per_key", "auto, or a number from 0 to 30 (below 0.5: no filter)",
     StoreBits, PrintBits},
    {"false_positive_rate", "a number more than 0 and less than 1", StoreRate,
     PrintRate},
    {"level_aware", "true or false, 1 or 0", StoreLevelAware, PrintLevelAware},
    {"line", "solved or plain", StoreLine,
     [](const Options& options) { return LineText(options.line); }},
    {"hash_seed",
     "random, or a whole number from 0 to 2^64 - 2, hexadecimal with the "
     "prefix 0x",
     StoreHashSeed,
     [](const Options& options) { return HashSeedText(options.hash_seed); }},
};

const TextOption& Find(std::string_view name) {
  return *std::ranges::find(kOptions, name, &TextOption::name);
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

Status ValidateBits(const Options& options) {
  const std::optional<double>& bits = options.bits_per_key;
  const std::optional<double>& rate = options.false_positive_rate;
  if (bits && rate) {
    return Status::InvalidArgument(
        "linebloom", "bits_per_key=" + PrintBits(options) +
                         " and false_positive_rate=" + PrintRate(options) +
                         ": only one of the two may be given");
  }
  // Small levels get more than the average and the last one less.
  if (options.level_aware && bits && *bits < kMinBitsOfRun) {
    return OutOfRange("bits_per_key", NumberText(*bits),
                      "a number from 1 to 30 with level_aware=true");
  }
  if (!rate || BitsForRate(options.line, *rate)) return Status::OK();
  const double lowest = RateOf(options.line, kMaxBitsOfRun);
  return OutOfRange(
      "false_positive_rate", PrintRate(options),
      "at least " + NumberText(lowest, std::chars_format::scientific, 1) +
          ", the rate of 30 bits per key with line=" + LineText(options.line));
}

// The option that needs a field in each filter, which RocksDB's format of plain
// lines has not; empty if none is set.
std::string NeedsSolvedLines(const Options& options) {
  if (options.hash_seed != 0) {
    return "hash_seed=" + HashSeedText(options.hash_seed);
  }
  return options.canonical_key != nullptr ? "canonical_key" : "";
}

Status ValidateLine(const Options& options) {
  const std::string needed = NeedsSolvedLines(options);
  const double bits = options.bits_per_key.value_or(kMaxBitsOfRun);
  const uint32_t millibits = RoundToMillibits(bits);
  const bool is_plain = options.line == LineKind::kPlain;
  if (needed.empty() ||
      (!is_plain && (millibits == 0 || millibits >= kMinSolvedMillibits))) {
    return Status::OK();
  }
  return Status::InvalidArgument(
      "linebloom",
      (is_plain ? "line=plain" : "bits_per_key=" + NumberText(bits)) + " and " +
          needed +
          ": plain lines are RocksDB's Bloom filter, whose blocks have no room "
          "for it; use line=solved and at least 2.25 bits per key");
}

Status ValidateCanonicalKey(const Options& options) {
  if (options.canonical_key == nullptr) return Status::OK();
  const char* const name = options.canonical_key->Name();
  return name == nullptr || *name == '\0'
             ? Status::InvalidArgument(
                   "linebloom: canonical_key: its Name() must not be empty")
             : Status::OK();
}

}  // namespace

const rocksdb::BlockBasedTableOptions* TableOptionsOf(
    const rocksdb::ColumnFamilyOptions& options) {
  return options.table_factory == nullptr
             ? nullptr
             : options.table_factory
                   ->GetOptions<rocksdb::BlockBasedTableOptions>();
}

bool CacheHoldsFilters(const rocksdb::BlockBasedTableOptions& table) {
  return table.cache_index_and_filter_blocks && table.block_cache != nullptr;
}

const FilterPolicyOptions* OptionsOfLinebloom(
    const rocksdb::FilterPolicy* policy) {
  return policy != nullptr && IsLinebloom(policy->Name())
             ? policy->GetOptions<FilterPolicyOptions>(kFilterPolicyName)
             : nullptr;
}

bool IsLinebloom(std::string_view policy_name) {
  return policy_name == kFilterPolicyName || policy_name == kPlainPolicyName;
}

const char* NameOf(const FilterPolicyOptions& options) {
  return options.line == LineKind::kPlain ? kPlainPolicyName
                                          : kFilterPolicyName;
}

bool IsAuto(const FilterPolicyOptions& options) {
  return !options.bits_per_key && !options.false_positive_rate;
}

double BitsPerKeyOf(const FilterPolicyOptions& options) {
  if (options.bits_per_key) return *options.bits_per_key;
  if (!options.false_positive_rate) return kDefaultBitsPerKey;
  const auto millibits =
      BitsForRate(options.line, *options.false_positive_rate);
  return millibits.value_or(kMaxMillibits) / 1000.0;
}

bool IsLevelAware(const FilterPolicyOptions& options) {
  return options.level_aware || IsAuto(options);
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
  return options.bits_per_key && RoundToMillibits(*options.bits_per_key) == 0;
}

uint64_t CanonicalId(const CanonicalKey& canonical_key) {
  // Without a name no database opens, but an SstFileWriter writes its file.
  const char* const name = canonical_key.Name();
  return std::max(HashUnseeded(name, name == nullptr ? 0 : std::strlen(name)),
                  uint64_t{1});
}

std::optional<FilterRequest> RequestFor(
    const FilterPolicyOptions& options,
    const rocksdb::BlockBasedTableOptions& table, std::optional<NewFile> file,
    std::optional<AutoBits>* chosen) {
  if (BuildsNothing(options)) return std::nullopt;
  const bool by_level = file && IsLevelAware(options);
  FilterRequest request = {.line = options.line,
                           .hash_seed = options.hash_seed,
                           .level_aware = by_level || options.level_aware};
  if (options.canonical_key != nullptr) {
    request.canonical_key = CanonicalId(*options.canonical_key);
  }
  if (file) file->line = options.line;
  double bits = BitsPerKeyOf(options);
  if (by_level && IsAuto(options) && CacheHoldsFilters(table)) {
    const AutoBits found = ChooseBits(*file, table);
    if (chosen != nullptr && found.is_chosen) *chosen = found;
    bits = found.average_bits;
  }
  if (by_level) bits = BitsForFile(*file, bits);
  request.millibits_per_key = RoundToMillibits(bits);
  return AsBuilt(request);
}

Status Validate(const FilterPolicyOptions& options) {
  for (const TextOption& option : kOptions) {
    FilterPolicyOptions parsed;
    const Status in_range = option.Parse(option.print(options), &parsed);
    if (!in_range.ok()) return in_range;
  }
  for (const auto check : {ValidateCanonicalKey, ValidateBits, ValidateLine}) {
    const Status valid = check(options);
    if (!valid.ok()) return valid;
  }
  return Status::OK();
}

FilterPolicyOptions InPlaceOf(const FilterPolicyOptions& options) {
  return {.bits_per_key = kDefaultBitsPerKey,
          .line = NeedsSolvedLines(options).empty() ? options.line
                                                    : LineKind::kSolved,
          .hash_seed = options.hash_seed,
          .canonical_key = options.canonical_key};
}

uint32_t RoundToMillibits(double bits_per_key) {
  if (bits_per_key < 0.5) return 0;
  if (bits_per_key < 1.0) return 1000;
  return static_cast<uint32_t>(std::floor(bits_per_key * 1000 + 0.5));
}

Status ParseId(std::string_view id, FilterPolicyOptions* options) {
  for (const std::string_view name : {kPlainPolicyName, kFilterPolicyName}) {
    if (!id.starts_with(name)) continue;
    const std::string_view rest = id.substr(name.size());
    if (name == kPlainPolicyName) options->line = LineKind::kPlain;
    if (rest.empty()) return Status::OK();
    for (const auto& [prefix, option] : kIdForms) {
      if (rest.starts_with(prefix)) {
        return Find(option).Parse(rest.substr(prefix.size()), options);
      }
    }
  }
  return Status::InvalidArgument(
      "linebloom: '" + std::string(id) +
      "': must be linebloom, linebloom:BITS or linebloom:rate:RATE, or the "
      "same with linebloom:plain");
}

std::string IdOf(const FilterPolicyOptions& options) {
  for (const auto& [prefix, option] : kIdForms) {
    const std::string value = Find(option).print(options);
    if (value != kUnset && value != kAuto) {
      return NameOf(options) + std::string(prefix) + value;
    }
  }
  return NameOf(options);
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
  if (!(bits_per_key >= 0 && bits_per_key <= kMaxBitsOfRun)) {
    return NumberText(bits_per_key);
  }
  return NumberText(std::floor(bits_per_key * 1000 + 0.5) / 1000);
}

const std::unordered_map<std::string, OptionTypeInfo>&
FilterPolicyOptionTypes() {
  // The order of options in OPTIONS files depends on this one.
  static const auto* const types = [] {
    auto* all = new std::unordered_map<std::string, OptionTypeInfo>();
    all->reserve(std::size(kOptions));
    for (const TextOption& option : kOptions) {
      all->emplace(option.name, TypeOf(option));
    }
    return all;
  }();
  return *types;
}

}  // namespace linebloom
