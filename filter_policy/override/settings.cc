#include "filter_policy/override/settings.h"

#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "filter_policy/rocksdb/policy_options.h"
#include "filter_policy/rocksdb/running_rocksdb.h"
#include "rocksdb/status.h"

namespace linebloom {
namespace {

using rocksdb::Status;

std::string Environment(const char* name) {
  const char* const value = getenv(name);
  return value == nullptr ? "" : value;
}

struct Settings {
  bool on = false;
  std::string options;  // as in LINEBLOOM_OVERRIDE
};

// A trial must not break the program: with invalid options it runs as if this
// library were not there.
Settings ReadSettings() {
  Settings settings;
  settings.options = Environment("LINEBLOOM_OVERRIDE");
  if (settings.options == "off" || !RocksDbMismatch().empty()) {
    return settings;
  }
  if (settings.options.empty()) settings.options = kFilterPolicyName;
  FilterPolicyOptions parsed;
  const Status status = ParseFilterPolicyOptions(settings.options, &parsed);
  settings.on = status.ok();
  if (!settings.on) {
    fprintf(stderr,
            "linebloom_override: LINEBLOOM_OVERRIDE=%s: %s; nothing is "
            "changed\n",
            settings.options.c_str(), status.ToString().c_str());
  }
  return settings;
}

// Read on the first use of RocksDB, so that other programs print nothing.
const Settings& TheSettings() {
  static const auto* const settings = new Settings(ReadSettings());
  return *settings;
}

}  // namespace

bool OverrideIsOn() { return TheSettings().on; }

std::optional<FilterPolicyOptions> OptionsInsteadOf(double bits_per_key) {
  FilterPolicyOptions asked;
  asked.bits_per_key = bits_per_key;
  if (!OverrideIsOn() || !Validate(asked).ok()) return std::nullopt;
  // A program without a filter keeps none, whatever LINEBLOOM_OVERRIDE says.
  if (MillibitsOf(bits_per_key) == 0) return std::nullopt;
  FilterPolicyOptions options;
  (void)ParseFilterPolicyOptions(TheSettings().options, &options);
  if (!options.bits_per_key && !options.false_positive_rate) {
    options.bits_per_key = bits_per_key;
  }
  return options;
}

void SayIfVerbose(const std::string& what) {
  static const bool verbose = !Environment("LINEBLOOM_VERBOSE").empty();
  if (verbose) fprintf(stderr, "linebloom_override: %s\n", what.c_str());
}

}  // namespace linebloom
