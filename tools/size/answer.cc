#include "tools/size/answer.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numbers>

#include "absl/strings/str_cat.h"
#include "filter_policy/filter/filter_block.h"
#include "filter_policy/filter/sizing.h"
#include "filter_policy/line/line.h"
#include "filter_policy/line/plain_probes.h"
#include "rocksdb/filter_policy.h"
#include "table/block_facts.h"
#include "tools/shared/policies.h"

namespace linebloom::tools {
namespace {

constexpr double kLn2 = std::numbers::ln2;
constexpr uint64_t kLineMillibits = 8 * kLineBytes * kMillibitsPerBit;

double Rate(LineKind line, uint32_t millibits, uint64_t keys, uint64_t count) {
  return ExpectedRate(line, millibits,
                      static_cast<double>(keys) / static_cast<double>(count));
}

// The number of probes in all lines; nothing if each line has its own.
std::optional<int> Probes(LineKind line, uint32_t millibits) {
  if (line == LineKind::kSolved) return std::nullopt;
  return PlainProbes(millibits);
}

struct Memory {
  uint64_t lines;
  uint64_t bytes;
};

// A filter stays below 4 GiB. More keys need several files, here of equal size.
Memory MemoryFor(LineKind line, uint64_t keys, uint32_t millibits) {
  const auto wanted = static_cast<unsigned __int128>(keys) * millibits;
  const auto files = static_cast<uint64_t>(
      wanted / (uint64_t{kMaxLines} * kLineMillibits) + 1);
  const uint64_t keys_of_file = (keys + files - 1) / files;
  const uint32_t count = NumLinesForKeys(keys_of_file, millibits);
  FilterRequest request;
  request.millibits_per_key = millibits;
  request.line = line;
  request = AsBuilt(request);
  return {files * count, files * (BytesOfLines(request.line, count) +
                                  FilterBlockOverhead(request))};
}

// In thousandths.
std::optional<uint64_t> BitsFor(LineKind line, const Question& question) {
  if (question.rate.has_value()) return BitsForRate(line, *question.rate);
  if (question.bits_per_key.has_value()) {
    return std::llround(*question.bits_per_key * kMillibitsPerBit);
  }
  return LargestThat(kMinMillibits, kMaxMillibits, [&](uint64_t millibits) {
    return MemoryFor(line, *question.keys, millibits).bytes <= *question.bytes;
  });
}

std::optional<uint64_t> KeysFor(LineKind line, const Question& question,
                                uint32_t millibits) {
  if (question.keys.has_value()) return question.keys;
  return LargestThat(1, 8 * *question.bytes, [&](uint64_t keys) {
    return MemoryFor(line, keys, millibits).bytes <= *question.bytes;
  });
}

uint64_t KeysWithin(uint64_t bytes, double bits_per_key) {
  return static_cast<uint64_t>(8 * static_cast<double>(bytes) / bits_per_key);
}

std::optional<SizedFilter> SizeRibbon(const Question& question) {
  const uint64_t keys =
      std::min(question.keys.value_or(kMaxRibbonKeys), kMaxRibbonKeys);
  const std::optional<double> bits = question.bits();
  // The bits to request from RocksDB, with a little more for rounding.
  const std::optional<double> bloom_bits =
      bits.has_value()
          ? RibbonBitsWithin(*bits * static_cast<double>(keys) / 8 + 1e-3,
                             *bits, keys)
          : RibbonBitsForRate(*question.rate, keys);
  if (!bloom_bits.has_value()) return std::nullopt;
  const std::string block = BuildRibbonBlock(*bloom_bits, keys);
  const std::optional<double> rate =
      BuiltInFilterRate(block.data(), block.size(), keys);
  if (!rate.has_value()) return std::nullopt;

  const double bits_per_key =
      8 * static_cast<double>(block.size()) / static_cast<double>(keys);
  SizedFilter size;
  size.keys = question.keys.has_value()
                  ? *question.keys
                  : KeysWithin(*question.bytes, bits_per_key);
  if (size.keys == 0) return std::nullopt;
  size.bits = std::llround(static_cast<double>(size.keys) * bits_per_key);
  size.rate = *rate;
  return size;
}

// The formula for a Bloom filter whose probes may be anywhere: a rate of
// exp(-bits ln(2)^2), with the best number of probes, bits ln(2), not rounded.
std::optional<SizedFilter> ClassicBloom(const Question& question) {
  const double bits = question.rate.has_value()
                          ? -std::log(*question.rate) / (kLn2 * kLn2)
                          : *question.bits();  // per key
  SizedFilter size;
  size.keys = question.keys.has_value() ? *question.keys
                                        : KeysWithin(*question.bytes, bits);
  if (size.keys == 0) return std::nullopt;
  size.bits = question.bytes.has_value()
                  ? 8 * *question.bytes
                  : static_cast<uint64_t>(
                        std::ceil(static_cast<double>(size.keys) * bits));
  size.rate = std::exp(-bits * kLn2 * kLn2);
  size.probes = std::max(1, static_cast<int>(std::lround(bits * kLn2)));
  return size;
}

}  // namespace

std::optional<double> Question::bits() const {
  if (bits_per_key.has_value()) return bits_per_key;
  if (!keys.has_value() || !bytes.has_value()) return std::nullopt;
  return 8 * static_cast<double>(*bytes) / static_cast<double>(*keys);
}

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
        "the size; give --keys or --bytes with one of them");
  }
  const double bits = question.bits().value_or(kMinBitsPerKey);
  if (kMinBitsPerKey <= bits && bits <= kMaxBitsPerKey) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "--keys and --bytes: ", *question.bytes, " bytes are ", bits,
      " bits for each of ", *question.keys, " keys; ", kMinBitsPerKey, " to ",
      kMaxBitsPerKey, " bits per key are possible"));
}

std::optional<SizedFilter> SizeLineFilter(LineKind line,
                                          const Question& question) {
  const std::optional<uint64_t> millibits = BitsFor(line, question);
  if (!millibits.has_value()) return std::nullopt;
  const std::optional<uint64_t> keys = KeysFor(line, question, *millibits);
  if (!keys.has_value()) return std::nullopt;
  const Memory memory = MemoryFor(line, *keys, *millibits);
  SizedFilter size;
  size.keys = *keys;
  size.lines = memory.lines;
  size.bits = 8 * memory.bytes;
  size.rate = Rate(line, *millibits, *keys, memory.lines);
  size.probes = Probes(line, *millibits);
  return size;
}

std::vector<Answer> AnswerQuestion(const Question& question) {
  return {{"classic formula", "classic-formula", ClassicBloom(question)},
          {"linebloom solved", "linebloom-solved",
           SizeLineFilter(LineKind::kSolved, question)},
          {"RocksDB Bloom", kRocksDbBloom,
           SizeLineFilter(LineKind::kPlain, question)},
          {"RocksDB Ribbon", kRocksDbRibbon, SizeRibbon(question)}};
}

}  // namespace linebloom::tools
