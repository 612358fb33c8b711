// Makes `linebloom` an id that RocksDB's option strings know.
#include <cstdio>
#include <memory>
#include <mutex>
#include <string>

#include "filter_policy/policy_from_id.h"
#include "filter_policy/rocksdb_filter_bits.h"
#include "linebloom/filter_policy.h"
#include "rocksdb/utilities/object_registry.h"
#include "rocksdb/version.h"

namespace linebloom {
namespace {

using rocksdb::FilterPolicy;
using rocksdb::ObjectLibrary;

const FilterPolicy* MakeFromId(const std::string& id,
                               std::unique_ptr<const FilterPolicy>* guard,
                               std::string* /*error*/) {
  *guard = NewFilterPolicyFromId(id);
  return guard->get();
}

// The interfaces in rocksdb_filter_bits.h are right for the RocksDB that this
// was compiled with and nothing checks them at run time: in another one, calls
// could land in the wrong function. So rather not be there at all.
bool RunsInTheRocksDbItWasBuiltFor() {
  const std::string built_for =
      std::to_string(ROCKSDB_MAJOR) + "." + std::to_string(ROCKSDB_MINOR) + ".";
  const std::string running = rocksdb::GetRocksVersionAsString();
  if (running.compare(0, built_for.size(), built_for) == 0) return true;
  fprintf(stderr,
          "linebloom: built for RocksDB %sx but loaded into RocksDB %s; the "
          "filter policy stays unregistered. Build linebloom against the "
          "headers of that version.\n",
          built_for.c_str(), running.c_str());
  return false;
}

}  // namespace

void RegisterFilterPolicy() {
  static std::once_flag once;
  std::call_once(once, [] {
    if (!RunsInTheRocksDbItWasBuiltFor()) return;
    // For the const type: RocksDB looks a policy up as const, and a factory of
    // another type would be called through the wrong signature. Everything
    // behind the colon is ours to judge, so that a bad number is an error and
    // not an unknown policy, which RocksDB may ignore.
    ObjectLibrary::Default()->AddFactory<const FilterPolicy>(
        ObjectLibrary::PatternEntry(kFilterPolicyName, true)
            .AddSeparator(":", false),
        MakeFromId);
  });
}

}  // namespace linebloom
