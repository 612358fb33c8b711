// The flags of filter_size. Apart from main so that tests can set a config
// without them.
#include <string>

#include "absl/flags/flag.h"
#include "tools/filter_size/question.h"

ABSL_FLAG(std::string, keys, "",
          "keys in the filter: 100M, 1e8, 100000000; 1 to 10T");
ABSL_FLAG(std::string, rate, "",
          "false-positive rate: 0.01 or 1%; 1e-12 to 0.5");
ABSL_FLAG(std::string, bytes, "",
          "memory of the filter: 114MiB, 120MB, 119813230; 128 to 40TB");
ABSL_FLAG(std::string, bits_per_key, "", "bits for each key, 1 to 30");
ABSL_FLAG(std::string, json, "",
          "write the result to this file as well; - for stdout instead of the "
          "text");

namespace linebloom::tools {

FilterSizeConfig ConfigFromFlags() {
  return {absl::GetFlag(FLAGS_keys), absl::GetFlag(FLAGS_rate),
          absl::GetFlag(FLAGS_bytes), absl::GetFlag(FLAGS_bits_per_key),
          absl::GetFlag(FLAGS_json)};
}

}  // namespace linebloom::tools
