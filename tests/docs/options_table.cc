// Prints a table of docs/options.md, with any argument the one of advanced
// options: names, defaults and ranges as the option parser has them. Exits with
// 1 if an option has no sentence here, or the other way round.
#include <iostream>
#include <string>
#include <utility>
#include <vector>

#include "filter_policy/rocksdb/policy_options.h"
#include "rocksdb/convenience.h"

namespace linebloom {
namespace {

// The common ones first.
constexpr size_t kCommon = 5;
const std::vector<std::pair<std::string, std::string>> kWhen = {
    {"bits_per_key",
     "the plain choice: as much memory for every key. At 10, 0.13 % of the "
     "missing keys pass a filter"},
    {"false_positive_rate",
     "in place of bits: when the rate matters and memory may vary"},
    {"level_aware",
     "nearly always, with "
     "[`NewLevelSizeListener()`](tuning.md#how-much-memory): the fewest reads "
     "for the same memory. Of no use if there is one sorted run alone"},
    {"memory_budget",
     "in place of bits: when all filters together may take so much, and "
     "about 1.3 times that while compactions lag. Needs the listener "
     "([how](tuning.md#a-budget-instead-of-bits))"},
    {"line",
     "`plain` where CPU counts more than reads: a classic Bloom filter in each "
     "line"},
    {"hash_seed",
     "`random` if others choose the keys "
     "([why](tuning.md#keys-that-somebody-chooses)); lookups of missing keys "
     "then take two to three times as long"},
    {"heat_aware",
     "where lookups of missing keys favor some keys: more bits for these, "
     "fewer "
     "for the others. Needs the listener "
     "([how](tuning.md#more-bits-where-lookups-miss))"},
    {"heat_half_life",
     "for `heat_aware`, in seconds: shorter where the hot keys change within a "
     "day"},
    {"size_ratio",
     "for `level_aware` without the listener: your "
     "`max_bytes_for_level_multiplier`"},
};

// The range in the parser's message about an invalid value.
std::string RangeOf(const std::string& name,
                    const rocksdb::OptionTypeInfo& info) {
  const std::string must_be = "must be ";
  FilterPolicyOptions scratch;
  const std::string message = info.Parse({}, name, "?", &scratch).ToString();
  const size_t at = message.find(must_be);
  return at == std::string::npos ? "" : message.substr(at + must_be.size());
}

std::string DefaultOf(const std::string& name,
                      const rocksdb::OptionTypeInfo& info) {
  const FilterPolicyOptions defaults;
  std::string text;
  return info.Serialize({}, name, &defaults, &text).ok() ? text : "";
}

// The options from `first` up to `end`.
bool PrintTable(size_t first, size_t end) {
  const auto& options = FilterPolicyOptionTypes();
  bool complete = options.size() == kWhen.size();
  std::cout << "| option | default | range | when |\n"
               "| --- | --- | --- | --- |\n";
  for (size_t i = first; i < end; ++i) {
    const auto& [name, when] = kWhen[i];
    const auto option = options.find(name);
    if (option == options.end()) {
      complete = false;
      continue;
    }
    const std::string range = RangeOf(name, option->second);
    const std::string value = DefaultOf(name, option->second);
    complete &= !range.empty() && !value.empty();
    std::cout << "| `" << name << "` | `" << value << "` | " << range << " | "
              << when << " |\n";
  }
  return complete;
}

}  // namespace
}  // namespace linebloom

int main(int argc, char** /*argv*/) {
  using linebloom::kCommon;
  const size_t all = linebloom::kWhen.size();
  // With an argument: the other options.
  if (argc > 1 ? linebloom::PrintTable(kCommon, all)
               : linebloom::PrintTable(0, kCommon)) {
    return 0;
  }
  std::cerr << "options_table: kWhen and FilterPolicyOptionTypes() differ\n";
  return 1;
}
