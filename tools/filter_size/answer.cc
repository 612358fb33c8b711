#include "tools/filter_size/answer.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "absl/strings/str_cat.h"
#include "filter_policy/line/line.h"
#include "tools/filter_size/line_filters.h"
#include "tools/filter_size/ribbon_answer.h"
#include "tools/policies/policy_spec.h"

namespace linebloom::tools {
namespace {

constexpr double kLn2 = std::numbers::ln2;

}  // namespace

std::optional<FilterSize> ClassicBloom(const Question& question) {
  const double memory = 8 * static_cast<double>(question.bytes.value_or(0));
  double bits = 0;  // per key
  if (question.rate.has_value()) {
    bits = -std::log(*question.rate) / (kLn2 * kLn2);
  } else if (question.bits_per_key.has_value()) {
    bits = *question.bits_per_key;
  } else {
    bits = memory / static_cast<double>(*question.keys);
  }
  FilterSize size;
  size.keys = question.keys.has_value() ? *question.keys
                                        : static_cast<uint64_t>(memory / bits);
  if (size.keys == 0) return std::nullopt;
  size.bits = question.bytes.has_value()
                  ? 8 * *question.bytes
                  : static_cast<uint64_t>(
                        std::ceil(static_cast<double>(size.keys) * bits));
  size.rate = std::exp(-bits * kLn2 * kLn2);
  size.probes = std::max(1, static_cast<int>(std::lround(bits * kLn2)));
  return size;
}

absl::StatusOr<std::vector<Answer>> AnswerQuestion(const Question& question) {
  std::vector<Answer> answers;
  answers.push_back(
      {"classic formula", "classic-formula", ClassicBloom(question)});
  for (const auto& [line, name] : {std::pair(LineKind::kSolved, "solved"),
                                   std::pair(LineKind::kPlain, "plain")}) {
    answers.push_back({absl::StrCat("linebloom ", name),
                       absl::StrCat("linebloom-", name),
                       SizeLineFilter(LinebloomLines(line), question)});
  }
  const absl::StatusOr<LineFilter> bloom = RocksDbBloomLines();
  if (!bloom.ok()) return bloom.status();
  answers.push_back(
      {"RocksDB Bloom", kRocksDbBloom, SizeLineFilter(*bloom, question)});
  const auto ribbon = SizeRibbon(question);
  if (!ribbon.ok()) return ribbon.status();
  answers.push_back({"RocksDB Ribbon", kRocksDbRibbon, *ribbon});
  return answers;
}

}  // namespace linebloom::tools
