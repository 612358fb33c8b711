#include <cstdlib>
#include <cstring>
#include <string>

#include "filter_policy/policy/policy_for_c.h"
#include "filter_policy/rocksdb/policy_options.h"
#include "filter_policy/rocksdb/running_rocksdb.h"
#include "linebloom/c.h"
#include "linebloom/filter_policy.h"

namespace {

// If the versions differ, RocksDB's parser is not the one that this was
// compiled for, so it must not be called.
rocksdb::Status Parse(const char* text,
                      linebloom::FilterPolicyOptions* options) {
  const std::string& mismatch = linebloom::RocksDbMismatch();
  if (!mismatch.empty()) {
    return rocksdb::Status::InvalidArgument("linebloom", mismatch);
  }
  return linebloom::ParseFilterPolicyOptions(text, options);
}

}  // namespace

rocksdb_filterpolicy_t* linebloom_filterpolicy_create(double bits_per_key) {
  return linebloom::PolicyForC(linebloom::NewFilterPolicy(bits_per_key));
}

rocksdb_filterpolicy_t* linebloom_filterpolicy_create_from_string(
    const char* options, char** errptr) {
  linebloom::FilterPolicyOptions parsed;
  const rocksdb::Status status = Parse(options, &parsed);
  if (status.ok()) {
    return linebloom::PolicyForC(linebloom::NewFilterPolicy(parsed));
  }
  free(*errptr);
  *errptr = strdup(status.ToString().c_str());
  return nullptr;
}
