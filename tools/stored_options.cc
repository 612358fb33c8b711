#include "tools/stored_options.h"

#include "rocksdb/convenience.h"
#include "rocksdb/utilities/options_util.h"

namespace linebloom::tools {

StoredOptions LoadStoredOptions(const std::string& folder, rocksdb::Env* env) {
  rocksdb::ConfigOptions lenient;  // unknown plug-ins don't matter for reading
  lenient.ignore_unknown_options = true;
  lenient.ignore_unsupported_options = true;
  lenient.env = env;
  StoredOptions stored;
  if (!rocksdb::LoadLatestOptions(lenient, folder, &stored.db, &stored.families)
           .ok()) {
    return {};
  }
  return stored;
}

}  // namespace linebloom::tools
