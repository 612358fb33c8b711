// linebloom size: computes how large a filter has to be, or how good one of a
// given size is.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <numbers>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "filter_policy/filter/filter_block.h"
#include "filter_policy/filter/sizing.h"
#include "filter_policy/line/line.h"
#include "filter_policy/line/plain_probes.h"
#include "nlohmann/json.hpp"
#include "table/block_facts.h"
#include "table/status.h"
#include "tools/commands.h"
#include "tools/shared/flags.h"
#include "tools/shared/policies.h"
#include "tools/shared/run_tool.h"
#include "tools/shared/terminal_text.h"

namespace linebloom::tools {
namespace {

constexpr double kMinBitsPerKey = 1.0 * kMinMillibits / kMillibitsPerBit;
constexpr double kMaxBitsPerKey = 1.0 * kMaxMillibits / kMillibitsPerBit;

// The flags under their names. Two of them are given, and the others are to be
// computed.
struct Question {
  std::optional<uint64_t> keys;
  std::optional<double> rate;
  std::optional<uint64_t> bytes;
  std::optional<double> bits_per_key;

  // The bits per key that are given, or that follow from keys and bytes;
  // nothing with a rate.
  std::optional<double> bits() const {
    if (bits_per_key.has_value()) return bits_per_key;
    if (!keys.has_value() || !bytes.has_value()) return std::nullopt;
    return 8.0 * *bytes / *keys;
  }
};

// A filter that answers a question.
struct SizedFilter {
  std::optional<int> probes;
  std::optional<uint64_t> lines;
  uint64_t keys = 0;
  uint64_t bits = 0;  // of all its memory
  double rate = 0;    // expected

  uint64_t bytes() const { return (bits + 7) / 8; }
  double bits_per_key() const { return 1.0 * bits / keys; }
};

constexpr double kLn2 = std::numbers::ln2;
constexpr uint64_t kLineMillibits = 8 * kLineBytes * kMillibitsPerBit;

// The filter of `keys` with `millibits` for each. One stays below 4 GiB: more
// keys need several files, here of equal size.
SizedFilter LineFilter(LineKind line, uint64_t keys, uint32_t millibits) {
  const auto wanted = static_cast<unsigned __int128>(keys) * millibits;
  const auto files = static_cast<uint64_t>(
      wanted / (uint64_t{kMaxLines} * kLineMillibits) + 1);
  const uint64_t keys_of_file = (keys + files - 1) / files;
  const uint32_t count = NumLinesForKeys(keys_of_file, millibits);
  FilterRequest request;
  request.millibits_per_key = millibits;
  request.line = line;
  request = AsBuilt(request);
  SizedFilter size;
  size.keys = keys;
  size.lines = files * count;
  size.bits =
      8 * files *
      (BytesOfLines(request.line, count) + FilterBlockOverhead(request));
  size.rate = ExpectedRate(line, millibits, 1.0 * keys / (files * count));
  // Solved lines have each their own.
  if (line == LineKind::kPlain) size.probes = PlainProbes(millibits);
  return size;
}

// In thousandths.
std::optional<uint64_t> BitsFor(LineKind line, const Question& question) {
  if (question.rate.has_value()) return BitsForRate(line, *question.rate);
  if (question.bits_per_key.has_value()) {
    return std::llround(*question.bits_per_key * kMillibitsPerBit);
  }
  return LargestThat(kMinMillibits, kMaxMillibits, [&](uint64_t millibits) {
    return LineFilter(line, *question.keys, millibits).bytes() <=
           *question.bytes;
  });
}

std::optional<uint64_t> KeysFor(LineKind line, const Question& question,
                                uint32_t millibits) {
  if (question.keys.has_value()) return question.keys;
  return LargestThat(1, 8 * *question.bytes, [&](uint64_t keys) {
    return LineFilter(line, keys, millibits).bytes() <= *question.bytes;
  });
}

uint64_t KeysWithin(uint64_t bytes, double bits_per_key) {
  return static_cast<uint64_t>(8.0 * bytes / bits_per_key);
}

std::optional<SizedFilter> SizeRibbon(const Question& question) {
  const uint64_t keys =
      std::min(question.keys.value_or(kMaxRibbonKeys), kMaxRibbonKeys);
  const std::optional<double> bits = question.bits();
  // The bits to request from RocksDB, with a little more for rounding.
  const std::optional<double> bloom_bits =
      bits.has_value() ? RibbonBitsWithin(*bits * keys / 8 + 1e-3, *bits, keys)
                       : RibbonBitsForRate(*question.rate, keys);
  if (!bloom_bits.has_value()) return std::nullopt;
  const std::string block = BuildRibbonBlock(*bloom_bits, keys);
  const std::optional<double> rate =
      BuiltInFilterRate(block.data(), block.size(), keys);
  if (!rate.has_value()) return std::nullopt;

  const double bits_per_key = 8.0 * block.size() / keys;
  SizedFilter size;
  size.keys = question.keys.has_value()
                  ? *question.keys
                  : KeysWithin(*question.bytes, bits_per_key);
  if (size.keys == 0) return std::nullopt;
  size.bits = std::llround(size.keys * bits_per_key);
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
                  : static_cast<uint64_t>(std::ceil(size.keys * bits));
  size.rate = std::exp(-bits * kLn2 * kLn2);
  size.probes = std::max(1, static_cast<int>(std::lround(bits * kLn2)));
  return size;
}

// InvalidArgument, with what is possible, for values that are out of range
// together, and for flags that exclude each other.
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

// A filter of that kind of line; plain ones are RocksDB's Bloom filter.
// Nothing if a rate is out of reach or not even a single line fits.
std::optional<SizedFilter> SizeLineFilter(LineKind line,
                                          const Question& question) {
  const std::optional<uint64_t> millibits = BitsFor(line, question);
  if (!millibits.has_value()) return std::nullopt;
  const std::optional<uint64_t> keys = KeysFor(line, question, *millibits);
  if (!keys.has_value()) return std::nullopt;
  return LineFilter(line, *keys, *millibits);
}

std::string Percent(double rate) {
  const double percent = 100 * rate;
  return percent < 1e-4 ? absl::StrFormat("%.2e", percent)
                        : absl::StrFormat("%#.3g", percent);
}

// "114.3 MiB"
std::string MemoryText(uint64_t bytes) {
  double number = bytes;
  if (bytes < 10'000) return absl::StrCat(bytes, " B");
  const char* unit = "";
  for (const char* next : {"KiB", "MiB", "GiB", "TiB"}) {
    if (number < 9999.5) break;
    number /= 1024;
    unit = next;
  }
  return number < 10 || number >= 1000
             ? absl::StrCat(ThreeDigits(number), " ", unit)
             : absl::StrFormat("%.1f %s", number, unit);
}

std::string QuestionInWords(const Json& asked) {
  std::vector<std::string> parts;
  if (!asked["keys"].is_null()) {
    parts.push_back(
        Fill(asked["keys"] == 1 ? "1 key" : "{/keys:,} keys", asked));
  }
  if (!asked["rate"].is_null()) {
    parts.push_back(absl::StrCat("a false-positive rate of ",
                                 100 * asked["rate"].get<double>(), " %"));
  }
  if (!asked["bytes"].is_null()) {
    parts.push_back(Fill("{/bytes:,} bytes", asked));
  }
  if (!asked["bits_per_key"].is_null()) {
    parts.push_back(Fill("{/bits_per_key:g} bits per key", asked));
  }
  return absl::StrJoin(parts, ", ");
}

// The quantity that was computed, in which the filters differ.
struct Measure {
  const char* name;
  const char* field;
};

Measure WhatDiffers(const Json& asked) {
  if (asked["rate"].is_null()) {
    return {"expected rate", "expected_false_positive_rate"};
  }
  if (asked["keys"].is_null()) return {"number of keys", "keys"};
  return {"memory", "bits"};
}

std::string Table(const Json& answers) {
  Json rows = answers["filters"];
  const char* field = WhatDiffers(answers["asked"]).field;
  const auto bloom = std::ranges::find_if(
      answers["filters"],
      [](const Json& filter) { return filter["filter"] == kRocksDbBloom; });
  for (Json& row : rows) {
    if (row["possible"] == false) continue;
    row["percent"] = Percent(row["expected_false_positive_rate"]);
    row["memory"] = MemoryText(row["bytes"]);
    if ((*bloom)["possible"] == true) {
      row["of_bloom"] =
          row[field].get<double>() / (*bloom)[field].get<double>();
    }
  }
  // The request need not be repeated exactly.
  const Column size = answers["asked"]["keys"].is_null()
                          ? Column{"keys", "{/keys:,}"}
                          : Column{"bytes", "{/bytes:,}"};
  return TextTable({{"Filter", "{/name}"},
                    {"k", "{/probes}"},
                    {"bits/key", "{/bits_per_key:.2f}"},
                    {"rate %", "{/percent}"},
                    size,
                    {"memory", "{/memory}"},
                    {"x Bloom", "{/of_bloom:3}"}},
                   rows);
}

std::vector<std::string> SizeNotes(const Json& answers) {
  const Json& asked = answers["asked"];
  const Json& classic = answers["filters"][0];
  std::vector<std::string> notes = {
      "Rate: the share of missing keys that the filter is expected to let "
      "pass.",
      "Classic formula: a Bloom filter whose probes go anywhere, which costs a "
      "lookup k cache misses. The others are filters that files have."};
  if (classic["possible"] == true) {
    absl::StrAppend(
        &notes.back(),
        Fill(" Its {/bits:,} bits are -n ln(p) / ln(2)^2.", classic));
  }
  notes.push_back(
      "linebloom: with solved lines, its default, each of which has a k of its "
      "own. With line=plain it builds RocksDB's Bloom filters.");
  if (asked["keys"].is_null() || asked["keys"] > kMaxRibbonKeys) {
    notes.push_back(absl::StrCat(
        "Ribbon: from a filter of ", WithThousands(kMaxRibbonKeys),
        " keys that RocksDB built for this; larger ones take a little more for "
        "each key."));
  }
  notes.push_back(
      absl::StrCat("x Bloom: the ", WhatDiffers(asked).name,
                   ", in multiples of that of RocksDB's Bloom filter."));
  std::vector<std::string> impossible;
  for (const Json& filter : answers["filters"]) {
    if (filter["possible"] == false) impossible.push_back(filter["name"]);
  }
  if (impossible.empty()) return notes;
  notes.push_back(absl::StrCat(
      "Out of reach with ", asked["rate"].is_null() ? "1 bit" : "30 bits",
      " per key: ", absl::StrJoin(impossible, ", "), "."));
  return notes;
}

// The classic formula, linebloom's two kinds of line, and RocksDB's Bloom and
// Ribbon filters.
Json AnswersAsJson(const Question& question) {
  struct Answer {
    const char* filter;
    const char* name;
    std::optional<SizedFilter> size;
  };
  const Answer answers[] = {
      {"classic-formula", "classic formula", ClassicBloom(question)},
      {"linebloom-solved", "linebloom solved",
       SizeLineFilter(LineKind::kSolved, question)},
      {kRocksDbBloom, "RocksDB Bloom",
       SizeLineFilter(LineKind::kPlain, question)},
      {kRocksDbRibbon, "RocksDB Ribbon", SizeRibbon(question)}};
  Json json = {{"asked",
                {{"keys", OrNull(question.keys)},
                 {"rate", OrNull(question.rate)},
                 {"bytes", OrNull(question.bytes)},
                 {"bits_per_key", OrNull(question.bits_per_key)}}},
               {"filters", Json::array()}};
  for (const auto& [filter, name, size] : answers) {
    Json& row = json["filters"].emplace_back(Json(
        {{"filter", filter}, {"name", name}, {"possible", size.has_value()}}));
    if (!size.has_value()) continue;
    row.update({{"probes", OrNull(size->probes)},
                {"keys", size->keys},
                {"lines", OrNull(size->lines)},
                {"bits", size->bits},
                {"bytes", size->bytes()},
                {"bits_per_key", size->bits_per_key()},
                {"expected_false_positive_rate", size->rate}});
  }
  return json;
}

std::string AnswersAsText(const Json& answers) {
  const std::string text = absl::StrCat(QuestionInWords(answers["asked"]),
                                        "\n\n", Table(answers), "\n");
  return text + BulletsText(SizeNotes(answers));
}

absl::StatusOr<Outcome> RunSize(const Question& question) {
  RETURN_IF_ERROR(ValidateQuestion(question));
  const Json answers = AnswersAsJson(question);
  return Outcome{AnswersAsText(answers), answers};
}

Runner DeclareSize(CLI::App* app) {
  const auto asked = std::make_shared<Question>();
  AddNumber(app, "--keys", &asked->keys, Unit::kNone, 1, 10'000'000'000'000,
            "keys in the filter: 100M, 1e8, 100_000_000");
  AddNumber(app, "--rate", &asked->rate, Unit::kShare, 1e-12, 0.5,
            "false-positive rate: 0.01 or 1%");
  // The minimum is a line and its metadata.
  AddNumber(app, "--bytes", &asked->bytes, Unit::kBytes, 128,
            40'000'000'000'000,
            "bytes of the filter: 114MiB, 120MB, 119813230");
  AddNumber(app, "--bits_per_key", &asked->bits_per_key, Unit::kNone,
            kMinBitsPerKey, kMaxBitsPerKey, "bits for each key");
  return [asked] { return RunSize(*asked); };
}

}  // namespace

const Subcommand kSize = {"size",
                          R"(computes the size or the rate of a filter.

Of linebloom's, RocksDB's own and a Bloom filter by the classic formula. Give
two of keys, rate, bytes and bits per key.

  linebloom size --keys=100M --rate=1%
  linebloom size --keys=100M --bits_per_key=10
  linebloom size --keys=100M --bytes=114MiB
  linebloom size --rate=0.01 --bytes=1GiB

Exits with 0, or with 2 after bad usage.)",
                          DeclareSize};

}  // namespace linebloom::tools
