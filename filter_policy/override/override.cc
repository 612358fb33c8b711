#include "filter_policy/override/override.h"

#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "filter_policy/rocksdb/policy_options.h"
#include "filter_policy/rocksdb/running_rocksdb.h"
#include "rocksdb/env.h"
#include "rocksdb/status.h"
#include "rocksdb/table.h"

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

using rocksdb::BlockBasedTableOptions;
using rocksdb::TableFactory;

// Null if `factory` is not the block-based one. Compares the name and not the
// type: a factory that wraps another one forwards its options but is more than
// that.
const BlockBasedTableOptions* BlockBasedOptions(const TableFactory* factory) {
  if (factory == nullptr) return nullptr;
  const std::string_view name = factory->Name();
  if (name != TableFactory::kBlockBasedTableName()) return nullptr;
  return factory->GetOptions<BlockBasedTableOptions>();
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

bool AddFilterPolicy(rocksdb::ColumnFamilyOptions* family) {
  const BlockBasedTableOptions* const without =
      BlockBasedOptions(family->table_factory.get());
  if (without == nullptr || without->filter_policy != nullptr) return false;
  const std::optional<FilterPolicyOptions> options =
      OptionsInsteadOf(kDefaultBitsPerKey);
  if (!options) return false;
  // Keeps the block cache, even if the first factory created it.
  BlockBasedTableOptions with = *without;
  with.filter_policy.reset(NewFilterPolicy(*options));
  family->table_factory.reset(rocksdb::NewBlockBasedTableFactory(with));
  return true;
}

std::vector<std::string> AddFilterPolicies(
    std::vector<rocksdb::ColumnFamilyDescriptor>* families) {
  std::vector<std::string> changed;
  for (rocksdb::ColumnFamilyDescriptor& family : *families) {
    if (AddFilterPolicy(&family.options)) changed.push_back(family.name);
  }
  return changed;
}

void ReportAddedPolicies(const std::vector<std::string>& families,
                         const rocksdb::DB& db) {
  const rocksdb::DBOptions options = db.GetDBOptions();
  for (const std::string& family : families) {
    const std::string what = "column family [" + family + "] of " +
                             db.GetName() +
                             " had no filter policy and gets linebloom";
    SayIfVerbose(what);
    rocksdb::Info(options.info_log, "linebloom_override: %s", what.c_str());
  }
}

void* NextAddress(void* ours) {
  Dl_info info;
  const bool named = dladdr(ours, &info) != 0 && info.dli_sname != nullptr;
  void* const next = named ? dlsym(RTLD_NEXT, info.dli_sname) : nullptr;
  if (next != nullptr) return next;
  // Happens only if LD_PRELOAD did not load this library before RocksDB. The
  // program called a RocksDB function that doesn't exist, so there is no way to
  // continue.
  fprintf(stderr, "linebloom_override: found no %s in RocksDB\n",
          named ? info.dli_sname : "function");
  abort();
}

bool IsInThisLibrary(const void* address) {
  Dl_info there;
  Dl_info here;
  return dladdr(address, &there) != 0 &&
         dladdr(reinterpret_cast<void*>(&NextAddress), &here) != 0 &&
         there.dli_fbase == here.dli_fbase;
}

}  // namespace linebloom
