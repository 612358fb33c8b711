// filter_size: how large a filter has to be, or how good one of a size is.
#include <iostream>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "nlohmann/json.hpp"
#include "tools/command_line/command_line.h"
#include "tools/command_line/write_report.h"
#include "tools/filter_size/answer.h"
#include "tools/filter_size/question.h"
#include "tools/filter_size/report.h"

namespace linebloom::tools {
namespace {

constexpr char kUsage[] =
    "says what a filter takes or how good it is, for linebloom, RocksDB's own\n"
    "filters and the classic formula.\n"
    "\n"
    "  filter_size --keys=100M --rate=1%\n"
    "  filter_size --keys=100M --bits_per_key=10\n"
    "  filter_size --keys=100M --bytes=114MiB\n"
    "  filter_size --rate=0.01 --bytes=1GiB\n"
    "\n"
    "Two of keys, rate, bytes and bits per key give the rest. Exits with 0;\n"
    "with 2 for bad usage.";

absl::Status Run(const FilterSizeConfig& config) {
  const absl::StatusOr<Question> question = ParseQuestion(config);
  if (!question.ok()) return question.status();
  const absl::StatusOr<std::vector<Answer>> answers = AnswerQuestion(*question);
  if (!answers.ok()) return answers.status();
  return WriteReport(config.json, AnswersAsText(*question, *answers),
                     AnswersAsJson(*question, *answers));
}

int Main(int argc, char** argv) {
  ParseFlagsOrExit(argc, argv, kUsage);
  const absl::Status status = Run(ConfigFromFlags());
  if (status.ok()) return kExitFine;
  std::cerr << "filter_size: " << status.message() << "\n";
  return kExitBadInput;
}

}  // namespace
}  // namespace linebloom::tools

int main(int argc, char** argv) { return linebloom::tools::Main(argc, argv); }
