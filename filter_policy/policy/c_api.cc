#include <cstdlib>
#include <cstring>
#include <exception>
#include <string>

#include "filter_policy/policy/policy_options.h"
#include "filter_policy/policy/rocksdb_filter_bits.h"
#include "filter_policy/policy/running_rocksdb.h"
#include "linebloom/c.h"
#include "linebloom/filter_policy.h"

namespace {

// If the versions differ, RocksDB's parser is not the one that this was
// compiled for, so it must not be called.
rocksdb::Status Parse(const char* text,
                      linebloom::FilterPolicyOptions* options) {
  if (text == nullptr) {
    return rocksdb::Status::InvalidArgument(
        "linebloom",
        "the option string is NULL; for defaults pass \"linebloom\"");
  }
  const std::string& mismatch = linebloom::RocksDbMismatch();
  if (!mismatch.empty()) {
    return rocksdb::Status::InvalidArgument("linebloom", mismatch);
  }
  return linebloom::ParseFilterPolicyOptions(text, options);
}

// Sets *errptr unless `function` succeeds. C callers can't catch.
template <typename Function>
void Report(char** errptr, const Function& function) {
  std::string problem;
  try {
    const rocksdb::Status status = function();
    if (status.ok()) return;
    problem = status.ToString();
  } catch (const std::exception& error) {
    problem = error.what();
  }
  if (errptr == nullptr) return;
  free(*errptr);
  *errptr = strdup(problem.c_str());
}

}  // namespace

rocksdb_filterpolicy_t* linebloom_filterpolicy_create(double bits_per_key) {
  return linebloom::PolicyForC(linebloom::NewFilterPolicy(bits_per_key));
}

rocksdb_filterpolicy_t* linebloom_filterpolicy_create_from_string(
    const char* options, char** errptr) {
  rocksdb_filterpolicy_t* policy = nullptr;
  Report(errptr, [&] {
    linebloom::FilterPolicyOptions parsed;
    rocksdb::Status status = Parse(options, &parsed);
    if (status.ok()) {
      policy = linebloom::PolicyForC(linebloom::NewFilterPolicy(parsed));
    }
    return status;
  });
  return policy;
}

// RocksDB defines the type only in db/c.cc, identically from 7.3 to 11.12: a
// struct of Options.
void linebloom_use(rocksdb_options_t* options, const char* filter,
                   char** errptr) {
  Report(errptr, [&] {
    linebloom::FilterPolicyOptions parsed;
    const rocksdb::Status status = Parse(
        filter == nullptr ? linebloom::kFilterPolicyName : filter, &parsed);
    return status.ok()
               ? linebloom::Use(reinterpret_cast<rocksdb::Options*>(options),
                                parsed)
               : status;
  });
}

void linebloom_register_filter_policy() { linebloom::RegisterFilterPolicy(); }
