#include "filter_policy/policy/registration.h"

#include <memory>
#include <mutex>
#include <string>

#include "filter_policy/levels/level_size_listener.h"
#include "filter_policy/policy/policy_from_id.h"
#include "filter_policy/rocksdb/running_rocksdb.h"
#include "linebloom/filter_policy.h"

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

rocksdb::EventListener* MakeListener(
    const std::string& /*id*/, std::unique_ptr<rocksdb::EventListener>* guard,
    std::string* /*error*/) {
  *guard = NewOwnedLevelSizeListener();
  return guard->get();
}

}  // namespace

int AddFactories(ObjectLibrary* library) {
  // For the const type, because RocksDB looks up const policies; a factory of
  // another type would be called with the wrong signature. We parse everything
  // after the colon, so that a bad number is an error and not an unknown
  // policy, which RocksDB may ignore.
  library->AddFactory<const FilterPolicy>(
      ObjectLibrary::PatternEntry(kFilterPolicyName, true)
          .AddSeparator(":", false),
      MakeFromId);
  library->AddFactory<rocksdb::EventListener>(kLevelSizeListenerName,
                                              MakeListener);
  return 2;
}

void RegisterFilterPolicy() {
  static std::once_flag once;
  std::call_once(once, [] {
    if (!RocksDbMismatch().empty()) return;
    AddFactories(ObjectLibrary::Default().get());
  });
}

}  // namespace linebloom
