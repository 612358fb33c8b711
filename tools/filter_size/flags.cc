// The flags of filter_size.
#include "tools/filter_size/answer.h"
#include "tools/shared/config_flag.h"

using Question = linebloom::tools::Question;

LINEBLOOM_NUMBER_FLAG(Question, keys, kNone, 1, 10'000'000'000'000,
                      "keys in the filter: 100M, 1e8, 100_000_000");
LINEBLOOM_NUMBER_FLAG(Question, rate, kShare, 1e-12, 0.5,
                      "false-positive rate: 0.01 or 1%");
// The minimum is a line and its metadata.
LINEBLOOM_NUMBER_FLAG(Question, bytes, kBytes, 128, 40'000'000'000'000,
                      "bytes of the filter: 114MiB, 120MB, 119813230");
LINEBLOOM_NUMBER_FLAG(Question, bits_per_key, kNone,
                      linebloom::tools::kLeastBitsPerKey,
                      linebloom::tools::kMostBitsPerKey, "bits for each key");
