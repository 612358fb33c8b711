#include "tools/database/policies.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "filter_policy/policy/policy_options.h"
#include "linebloom/filter_policy.h"
#include "rocksdb/convenience.h"
#include "table/status.h"

namespace linebloom::tools {
namespace {

// The IDs of RocksDB's policies have the bits that they build with, in
// thousandths.
bool BitsWereMoved(const std::string& text, const std::string& id) {
  const std::optional<double> requested = BitsInId(text);
  const std::optional<double> used = BitsInId(id);
  return requested.has_value() && used.has_value() &&
         std::abs(*requested - *used) > 0.001;
}

std::string OwnName(const FilterPolicyOptions& options) {
  return absl::StrCat(IdOf(options), options.level_aware ? " levels" : "");
}

}  // namespace

FilterPolicyPtr PolicyToBuild(const rocksdb::ColumnFamilyOptions& stored) {
  const auto* const table = TableOptionsOf(stored);
  if (table != nullptr &&
      OptionsOfLinebloom(table->filter_policy.get()) != nullptr) {
    return table->filter_policy;
  }
  return FilterPolicyPtr(NewFilterPolicy(FilterPolicyOptions()));
}

std::optional<double> BitsInId(absl::string_view id) {
  const size_t colon = id.find(':');
  if (colon == absl::string_view::npos) return std::nullopt;
  const absl::string_view rest = id.substr(colon + 1);
  double bits = 0;
  if (!absl::SimpleAtod(rest.substr(0, rest.find_first_of(":;}")), &bits)) {
    return std::nullopt;
  }
  return bits;
}

absl::StatusOr<FilterPolicyPtr> ReadPolicyString(const std::string& text) {
  rocksdb::ConfigOptions strict;
  strict.ignore_unknown_options = false;
  strict.ignore_unsupported_options = false;
  FilterPolicyPtr policy;
  rocksdb::Status status =
      rocksdb::FilterPolicy::CreateFromString(strict, text, &policy);
  const std::string quoted = absl::StrCat("'", text, "'");
  if (status.IsNotSupported()) {
    return absl::InvalidArgumentError(absl::StrCat(
        quoted,
        " names no filter policy, neither RocksDB's nor linebloom's; "
        "RocksDB takes it for no filter"));
  }
  if (status.ok() && policy != nullptr) {
    status = policy->ValidateOptions({}, {});
  }
  RETURN_IF_ERROR(FromRocksDb(status, quoted));
  if (policy == nullptr || !BitsWereMoved(text, policy->GetId())) return policy;
  return absl::InvalidArgumentError(
      absl::StrCat(quoted, ": RocksDB makes that ", policy->GetId(),
                   "; bits per key must be from 1 to 100"));
}

absl::StatusOr<std::vector<std::string>> SplitPolicies(absl::string_view list) {
  std::vector<std::string> policies(1);
  int depth = 0;
  for (const char c : list) {
    depth += c == '{' ? 1 : c == '}' ? -1 : 0;
    if (depth < 0) break;
    if (c == ';' && depth == 0) {
      policies.emplace_back();
    } else {
      policies.back() += c;
    }
  }
  if (depth != 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("--policies='", list, "': braces do not match"));
  }
  for (std::string& policy : policies) {
    absl::StripAsciiWhitespace(&policy);
    if (policy.empty()) {
      return absl::InvalidArgumentError(absl::StrCat(
          "--policies='", list,
          "': an entry is empty; write for example none;linebloom:10"));
    }
  }
  return policies;
}

absl::StatusOr<FilterPolicyPtr> MakePolicy(const std::string& name) {
  if (name == "none") return nullptr;
  const absl::StatusOr<FilterPolicyPtr> read = ReadPolicyString(name);
  if (read.ok() && *read != nullptr) return read;
  return absl::InvalidArgumentError(absl::StrCat(
      "--policies: ",
      read.ok() ? absl::StrCat("'", name, "' is no filter policy")
                : read.status().message(),
      "; give none or option strings, separated by semicolons, such as "
      "none;linebloom:10"));
}

std::string PolicyName(const rocksdb::FilterPolicy& policy) {
  const FilterPolicyOptions* const own = OptionsOfLinebloom(&policy);
  return own != nullptr ? OwnName(*own) : policy.GetId();
}

std::string ShortPolicyName(const std::string& policy) {
  FilterPolicyOptions options;
  const bool is_own = ParseFilterPolicyOptions(policy, &options).ok();
  return is_own ? OwnName(options) : policy;
}

}  // namespace linebloom::tools
