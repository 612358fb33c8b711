// filter_size: computes how large a filter has to be, or how good one of a
// given size is.
#include "absl/status/status.h"
#include "tools/filter_size/answer.h"
#include "tools/filter_size/report.h"
#include "tools/shared/config_flag.h"
#include "tools/shared/run_tool.h"

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

namespace linebloom::tools {
namespace {

constexpr char kUsage[] =
    "computes the size or the rate of a filter, for linebloom, RocksDB's own\n"
    "filters and the classic formula.\n"
    "\n"
    "  filter_size --keys=100M --rate=1%\n"
    "  filter_size --keys=100M --bits_per_key=10\n"
    "  filter_size --keys=100M --bytes=114MiB\n"
    "  filter_size --rate=0.01 --bytes=1GiB\n"
    "\n"
    "Give two of keys, rate, bytes and bits per key. Exits with 0, or with 2\n"
    "after bad usage.";

absl::StatusOr<Outcome> Run(const Question& question) {
  const absl::Status valid = ValidateQuestion(question);
  if (!valid.ok()) return valid;
  const nlohmann::ordered_json answers =
      AnswersAsJson(question, AnswerQuestion(question));
  return Outcome{AnswersAsText(answers), answers, {}};
}

}  // namespace
}  // namespace linebloom::tools

int main(int argc, char** argv) {
  using namespace linebloom::tools;  // NOLINT(google-build-using-namespace)
  ParseFlagsOrExit(argc, argv, kUsage);
  return RunTool("filter_size",
                 [] { return Run(ConfigFromFlags<Question>()); });
}
