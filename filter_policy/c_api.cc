#include <cstdlib>
#include <cstring>

#include "filter_policy/policy_for_c.h"
#include "filter_policy/policy_options.h"
#include "linebloom/c.h"
#include "linebloom/filter_policy.h"

rocksdb_filterpolicy_t* linebloom_filterpolicy_create(double bits_per_key) {
  return linebloom::PolicyForC(linebloom::NewFilterPolicy(bits_per_key));
}

rocksdb_filterpolicy_t* linebloom_filterpolicy_create_from_string(
    const char* options, char** errptr) {
  linebloom::FilterPolicyOptions parsed;
  const rocksdb::Status status =
      linebloom::ParseFilterPolicyOptions(options, &parsed);
  if (status.ok()) {
    return linebloom::PolicyForC(linebloom::NewFilterPolicy(parsed));
  }
  free(*errptr);
  *errptr = strdup(status.ToString().c_str());
  return nullptr;
}
