#include "tools/filter_size/question.h"

#include <cmath>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "filter_policy/sizing/expected_rate.h"
#include "tools/filter_size/quantity.h"

namespace linebloom::tools {
namespace {

constexpr uint64_t kMostKeys = 10'000'000'000'000;
constexpr uint64_t kLeastBytes = 128;  // a line and what stands behind it
constexpr uint64_t kMostBytes = 40'000'000'000'000;
constexpr double kLeastRate = 1e-12;
constexpr double kMostRate = 0.5;
constexpr double kLeastBits = 1.0 * kMinMillibits / kMillibitsPerBit;
constexpr double kMostBits = 1.0 * kMaxMillibits / kMillibitsPerBit;

absl::Status Refuse(absl::string_view flag, absl::string_view text,
                    absl::string_view range) {
  return absl::InvalidArgumentError(
      absl::StrCat("--", flag, "=", text, ": ", range));
}

// Only where the flag was given.
absl::Status ParseKeys(const std::string& text, Question* question) {
  if (text.empty()) return absl::OkStatus();
  question->keys = ParseCount(text);
  if (question->keys.value_or(0) >= 1 && *question->keys <= kMostKeys) {
    return absl::OkStatus();
  }
  return Refuse("keys", text, "1 to 10T keys are possible, such as 100M");
}

absl::Status ParseRate(const std::string& text, Question* question) {
  if (text.empty()) return absl::OkStatus();
  question->rate = ParseShare(text);
  if (question->rate.value_or(0) >= kLeastRate &&
      *question->rate <= kMostRate) {
    return absl::OkStatus();
  }
  return Refuse("rate", text,
                "1e-12 to 0.5 is possible, or in percent, such as 1%");
}

absl::Status ParseFilterBytes(const std::string& text, Question* question) {
  if (text.empty()) return absl::OkStatus();
  question->bytes = ParseBytes(text);
  if (question->bytes.value_or(0) >= kLeastBytes &&
      *question->bytes <= kMostBytes) {
    return absl::OkStatus();
  }
  return Refuse("bytes", text, "128 to 40TB are possible, such as 114MiB");
}

absl::Status ParseBits(const std::string& text, Question* question) {
  if (text.empty()) return absl::OkStatus();
  double bits = 0;
  if (absl::SimpleAtod(text, &bits) && bits >= kLeastBits &&
      bits <= kMostBits) {
    question->bits_per_key =
        std::round(bits * kMillibitsPerBit) / kMillibitsPerBit;
    return absl::OkStatus();
  }
  return Refuse("bits_per_key", text, "1 to 30 bits per key are possible");
}

absl::Status CheckCombination(const Question& question) {
  const int given = question.keys.has_value() + question.rate.has_value() +
                    question.bytes.has_value() +
                    question.bits_per_key.has_value();
  if (given != 2) {
    return absl::InvalidArgumentError(absl::StrCat(
        given,
        " of --keys, --rate, --bytes and --bits_per_key are given; two "
        "are needed, and the rest follows from them"));
  }
  if (question.rate.has_value() && question.bits_per_key.has_value()) {
    return absl::InvalidArgumentError(
        "--rate and --bits_per_key follow from each other and say nothing of "
        "the size; give --keys or --bytes beside one of them");
  }
  if (question.keys.has_value() && question.bytes.has_value()) {
    const double bits = 8 * static_cast<double>(*question.bytes) /
                        static_cast<double>(*question.keys);
    if (bits < kLeastBits || bits > kMostBits) {
      return absl::InvalidArgumentError(
          absl::StrCat("--keys and --bytes: ", *question.bytes, " bytes are ",
                       bits, " bits for each of ", *question.keys,
                       " keys; 1 to 30 bits per key are possible"));
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Question> ParseQuestion(const FilterSizeConfig& config) {
  Question question;
  absl::Status status = ParseKeys(config.keys, &question);
  status.Update(ParseRate(config.rate, &question));
  status.Update(ParseFilterBytes(config.bytes, &question));
  status.Update(ParseBits(config.bits_per_key, &question));
  if (status.ok()) status = CheckCombination(question);
  if (!status.ok()) return status;
  return question;
}

}  // namespace linebloom::tools
