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
  const auto all = static_cast<unsigned __int128>(keys) * millibits;
  const auto files =
      static_cast<uint64_t>(all / (uint64_t{kMaxLines} * kLineMillibits) + 1);
  const uint32_t lines = NumLinesForKeys((keys + files - 1) / files, millibits);
  const FilterRequest request =
      AsBuilt({.millibits_per_key = millibits, .line = line});
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
                                          const Question& wanted) {
  const std::optional<uint32_t> millibits =
      wanted.rate.has_value() ? BitsForRate(line, *wanted.rate)
      : wanted.bytes.has_value()
          ? BitsWithin(line, wanted.keys, *wanted.bytes)
          : std::lround(*wanted.bits_per_key * kMillibitsPerBit);
  if (!millibits.has_value()) return std::nullopt;
  return LineFilter(line, wanted.keys, *millibits);
}

// The formula for a Bloom filter whose probes may be anywhere: a rate of
// exp(-bits ln(2)^2), with the best number of probes, bits ln(2), not rounded.
SizedFilter ClassicBloom(const Question& wanted) {
  constexpr double kLn2 = std::numbers::ln2;
  const double bits = wanted.rate.has_value()
                          ? -std::log(*wanted.rate) / (kLn2 * kLn2)
                          : *wanted.bits();
  return {std::max(1, static_cast<int>(std::lround(bits * kLn2))),
          static_cast<uint64_t>(std::ceil(wanted.keys * bits / 8)),
          std::exp(-bits * kLn2 * kLn2)};
}

absl::Status Validate(const Question& wanted) {
  if (wanted.rate.has_value() + wanted.bytes.has_value() +
          wanted.bits_per_key.has_value() !=
      1) {
    return absl::InvalidArgumentError(
        "give one of --rate, --bytes and --bits_per_key, from which the others "
        "follow");
  }
  const double bits = wanted.bits().value_or(kMinBitsPerKey);
  if (kMinBitsPerKey <= bits && bits <= kMaxBitsPerKey) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "--bytes=", *wanted.bytes, ": ", bits, " bits for each of ", wanted.keys,
      " keys; ", kMinBitsPerKey, " to ", kMaxBitsPerKey, " are possible"));
}

// RocksDB's Bloom filter last, which the others are compared with.
Json AsJson(const Question& wanted) {
  Json json = {{"keys", wanted.keys}, {"filters", Json::array()}};
  const std::pair<const char*, std::optional<SizedFilter>> filters[] = {
      {"classic formula", ClassicBloom(wanted)},
      {"linebloom", SizeLineFilter(LineKind::kSolved, wanted)},
      {"RocksDB Bloom", SizeLineFilter(LineKind::kPlain, wanted)}};
  for (const auto& [name, size] : filters) {
    Json& row = json["filters"].emplace_back(Json{{"filter", name}});
    if (!size.has_value()) continue;
    row.update({{"rate", size->rate},
                {"percent", 100 * size->rate},
                {"bytes", size->bytes},
                {"bits_per_key", 8.0 * size->bytes / wanted.keys},
                {"probes", OrNull(size->probes)}});
  }
  return json;
}

std::string AsText(const Json& json, const std::string& computed) {
  Json rows = json["filters"];
  for (Json& row : rows) {
    const Json& bloom = json["filters"].back();
    if (!row.contains(computed) || !bloom.contains(computed)) continue;
    row["ratio"] = row[computed].get<double>() / bloom[computed].get<double>();
  }
  return absl::StrCat(
      TextTable({{Fill("{/keys:,} keys", json), "{/filter}"},
                 {"rate %", "{/percent:#.3g}"},
                 {"bytes", "{/bytes:,}"},
                 {"bits/key", "{/bits_per_key:.2f}"},
                 {"k", "{/probes}"},
                 {computed + " / Bloom's", "{/ratio:3}"}},
                rows),
      "\n",
      BulletsText(
          {"rate: the share of missing keys that pass. k: probes for a key; "
           "each of linebloom's lines has its own.",
           "classic formula: -n ln(p) / ln(2)^2 bits, for a Bloom filter whose "
           "probes go anywhere, at k cache misses a lookup. The others are "
           "what files hold, to the byte; without figures if out of reach."}));
}

Runner DeclareSize(CLI::App* app) {
  const auto wanted = std::make_shared<Question>();
  AddNumber(app, "--keys", &wanted->keys, Unit::kNone, 1, 10'000'000'000'000,
            "keys in the filter: 100M, 1e8, 100_000_000")
      ->required();
  AddNumber(app, "--rate", &wanted->rate, Unit::kShare, 1e-12, 0.5,
            "false-positive rate: 0.01 or 1%");
  AddNumber(app, "--bytes", &wanted->bytes, Unit::kBytes, 128,
            40'000'000'000'000,
            "bytes of the filter: 114MiB, 120MB, 119813230");
  AddNumber(app, "--bits_per_key", &wanted->bits_per_key, Unit::kNone,
            kMinBitsPerKey, kMaxBitsPerKey, "bits for each key");
  return [wanted]() -> absl::StatusOr<Outcome> {
    RETURN_IF_ERROR(Validate(*wanted));
    const Json json = AsJson(*wanted);
    return Outcome{AsText(json, wanted->rate.has_value() ? "bytes" : "rate"),
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
