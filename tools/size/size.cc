// linebloom size: computes how large a filter has to be, or how good one of a
// given size is.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <numbers>
#include <optional>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "filter_policy/filter/filter_block.h"
#include "filter_policy/filter/sizing.h"
#include "filter_policy/line/line.h"
#include "filter_policy/line/plain_probes.h"
#include "nlohmann/json.hpp"
#include "table/status.h"
#include "tools/shared/commands.h"
#include "tools/shared/flags.h"
#include "tools/shared/run_tool.h"
#include "tools/shared/terminal_text.h"

namespace linebloom::tools {
namespace {

constexpr double kMinBitsPerKey = 1.0 * kMinMillibits / kMillibitsPerBit;
constexpr double kMaxBitsPerKey = 1.0 * kMaxMillibits / kMillibitsPerBit;

// The flags under their names, one of them beside the keys.
struct Question {
  uint64_t keys = 0;
  std::optional<double> rate;
  std::optional<uint64_t> bytes;
  std::optional<double> bits_per_key;

  // Nothing with a rate.
  std::optional<double> bits() const {
    return bytes.has_value() ? 8.0 * *bytes / keys : bits_per_key;
  }
};

// A filter that answers a question.
struct SizedFilter {
  std::optional<int> probes;
  uint64_t bytes = 0;
  double rate = 0;  // expected
};

// The filter of `keys` with `millibits` for each. One stays below 4 GiB: more
// keys need several files, here of equal size.
SizedFilter LineFilter(LineKind line, uint64_t keys, uint32_t millibits) {
  constexpr uint64_t kLineMillibits = 8 * kLineBytes * kMillibitsPerBit;
  const auto wanted = static_cast<unsigned __int128>(keys) * millibits;
  const auto files = static_cast<uint64_t>(
      wanted / (uint64_t{kMaxLines} * kLineMillibits) + 1);
  const uint32_t lines = NumLinesForKeys((keys + files - 1) / files, millibits);
  FilterRequest request;
  request.millibits_per_key = millibits;
  request.line = line;
  request = AsBuilt(request);
  SizedFilter size;
  size.bytes = files * (BytesOfLines(request.line, lines) +
                        FilterBlockOverhead(request));
  size.rate = ExpectedRate(line, millibits, 1.0 * keys / (files * lines));
  // Solved lines have each their own.
  if (line == LineKind::kPlain) size.probes = PlainProbes(millibits);
  return size;
}

// The most bits per key, in thousandths, whose filter has at most `bytes`;
// nothing if the least has more.
std::optional<uint32_t> BitsWithin(LineKind line, uint64_t keys,
                                   uint64_t bytes) {
  uint32_t fit = kMinMillibits - 1;
  uint32_t too_many = kMaxMillibits + 1;
  while (fit + 1 < too_many) {
    const uint32_t middle = (fit + too_many) / 2;
    (LineFilter(line, keys, middle).bytes <= bytes ? fit : too_many) = middle;
  }
  return fit < kMinMillibits ? std::nullopt : std::optional(fit);
}

// A filter of that kind of line; plain ones are RocksDB's Bloom filter.
// Nothing if a rate is out of reach or not even a single line fits.
std::optional<SizedFilter> SizeLineFilter(LineKind line,
                                          const Question& asked) {
  const std::optional<uint32_t> millibits =
      asked.rate.has_value() ? BitsForRate(line, *asked.rate)
      : asked.bytes.has_value()
          ? BitsWithin(line, asked.keys, *asked.bytes)
          : std::lround(*asked.bits_per_key * kMillibitsPerBit);
  if (!millibits.has_value()) return std::nullopt;
  return LineFilter(line, asked.keys, *millibits);
}

// The formula for a Bloom filter whose probes may be anywhere: a rate of
// exp(-bits ln(2)^2), with the best number of probes, bits ln(2), not rounded.
SizedFilter ClassicBloom(const Question& asked) {
  constexpr double kLn2 = std::numbers::ln2;
  const double bits = asked.rate.has_value()
                          ? -std::log(*asked.rate) / (kLn2 * kLn2)
                          : *asked.bits();
  return {std::max(1, static_cast<int>(std::lround(bits * kLn2))),
          static_cast<uint64_t>(std::ceil(asked.keys * bits / 8)),
          std::exp(-bits * kLn2 * kLn2)};
}

absl::Status Validate(const Question& asked) {
  if (asked.rate.has_value() + asked.bytes.has_value() +
          asked.bits_per_key.has_value() !=
      1) {
    return absl::InvalidArgumentError(
        "give one of --rate, --bytes and --bits_per_key, from which the others "
        "follow");
  }
  const double bits = asked.bits().value_or(kMinBitsPerKey);
  if (kMinBitsPerKey <= bits && bits <= kMaxBitsPerKey) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "--bytes=", *asked.bytes, ": ", bits, " bits for each of ", asked.keys,
      " keys; ", kMinBitsPerKey, " to ", kMaxBitsPerKey, " are possible"));
}

// RocksDB's Bloom filter last, which the others are compared with.
Json AsJson(const Question& asked) {
  Json json = {{"keys", asked.keys}, {"filters", Json::array()}};
  const std::pair<const char*, std::optional<SizedFilter>> filters[] = {
      {"classic formula", ClassicBloom(asked)},
      {"linebloom", SizeLineFilter(LineKind::kSolved, asked)},
      {"RocksDB Bloom", SizeLineFilter(LineKind::kPlain, asked)}};
  for (const auto& [name, size] : filters) {
    Json& row = json["filters"].emplace_back(Json{{"filter", name}});
    if (!size.has_value()) continue;
    row.update({{"rate", size->rate},
                {"bytes", size->bytes},
                {"bits_per_key", 8.0 * size->bytes / asked.keys},
                {"probes", OrNull(size->probes)}});
  }
  return json;
}

std::string AsText(const Json& json, const std::string& computed) {
  Json rows = json["filters"];
  for (Json& row : rows) {
    if (!row.contains(computed)) continue;
    const double percent = 100 * row["rate"].get<double>();
    row["percent"] = percent < 1e-4 ? absl::StrFormat("%.2e", percent)
                                    : absl::StrFormat("%#.3g", percent);
    const Json& bloom = json["filters"].back();
    if (!bloom.contains(computed)) continue;
    row["ratio"] = row[computed].get<double>() / bloom[computed].get<double>();
  }
  return absl::StrCat(
      TextTable({{Fill("{/keys:,} keys", json), "{/filter}"},
                 {"rate %", "{/percent}"},
                 {"bytes", "{/bytes:,}"},
                 {"bits/key", "{/bits_per_key:.2f}"},
                 {"k", "{/probes}"},
                 {computed + " / Bloom's", "{/ratio:3}"}},
                rows),
      "\n",
      BulletsText(
          {"rate: the share of missing keys that the filter is expected "
           "to let pass. k: probes for a key; each of linebloom's "
           "lines has its own.",
           "classic formula: -n ln(p) / ln(2)^2 bits, for a Bloom "
           "filter whose probes go anywhere, at k cache misses a "
           "lookup. The others are what files hold, to the byte; "
           "without figures if out of reach."}));
}

Runner DeclareSize(CLI::App* app) {
  const auto asked = std::make_shared<Question>();
  AddNumber(app, "--keys", &asked->keys, Unit::kNone, 1, 10'000'000'000'000,
            "keys in the filter: 100M, 1e8, 100_000_000")
      ->required();
  AddNumber(app, "--rate", &asked->rate, Unit::kShare, 1e-12, 0.5,
            "false-positive rate: 0.01 or 1%");
  // The minimum is a line and its metadata.
  AddNumber(app, "--bytes", &asked->bytes, Unit::kBytes, 128,
            40'000'000'000'000,
            "bytes of the filter: 114MiB, 120MB, 119813230");
  AddNumber(app, "--bits_per_key", &asked->bits_per_key, Unit::kNone,
            kMinBitsPerKey, kMaxBitsPerKey, "bits for each key");
  return [asked]() -> absl::StatusOr<Outcome> {
    RETURN_IF_ERROR(Validate(*asked));
    const Json json = AsJson(*asked);
    return Outcome{AsText(json, asked->rate.has_value() ? "bytes" : "rate"),
                   json};
  };
}

}  // namespace

const Subcommand kSize = {"size",
                          R"(computes the size or the rate of a filter.

Of linebloom's, RocksDB's Bloom filter and one by the classic formula.

  linebloom size --keys=100M --rate=1%
  linebloom size --keys=100M --bits_per_key=10
  linebloom size --keys=100M --bytes=114MiB

Exits with 0, or with 2 after bad usage.)",
                          DeclareSize};

}  // namespace linebloom::tools
