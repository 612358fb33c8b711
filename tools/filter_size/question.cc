#include "tools/filter_size/question.h"

#include "absl/strings/str_cat.h"

namespace linebloom::tools {

absl::Status ValidateQuestion(const Question& question) {
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
    if (bits < kLeastBitsPerKey || bits > kMostBitsPerKey) {
      return absl::InvalidArgumentError(absl::StrCat(
          "--keys and --bytes: ", *question.bytes, " bytes are ", bits,
          " bits for each of ", *question.keys, " keys; ", kLeastBitsPerKey,
          " to ", kMostBitsPerKey, " bits per key are possible"));
    }
  }
  return absl::OkStatus();
}

}  // namespace linebloom::tools
