// linebloom size: computes how large a filter has to be, or how good one of
// some bits per key is.
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
#include "tools/report/commands.h"
#include "tools/report/flags.h"
#include "tools/report/run_tool.h"
#include "tools/report/terminal_text.h"

namespace linebloom::tools {
namespace {

constexpr double kMinBitsPerKey = 1.0 * kMinMillibits / kMillibitsPerBit;
constexpr double kMaxBitsPerKey = 1.0 * kMaxMillibits / kMillibitsPerBit;

// The flags under their names: the keys, and one of the others.
struct Question {
  uint64_t keys = 0;
  std::optional<double> rate;
  std::optional<double> bits_per_key;
};

// A filter that answers a question.
struct SizedFilter {
  std::optional<int> probes;
  uint64_t bytes = 0;
  double rate = 0;  // expected
};

// A filter of that kind of line; plain ones are RocksDB's Bloom filter. Nothing
// if a rate is out of reach.
std::optional<SizedFilter> LineFilter(LineKind line, const Question& wanted) {
  const std::optional<uint32_t> millibits =
      wanted.rate.has_value()
          ? BitsForRate(line, *wanted.rate)
          : std::lround(*wanted.bits_per_key * kMillibitsPerBit);
  if (!millibits.has_value()) return std::nullopt;
  const uint32_t lines = NumLinesForKeys(wanted.keys, *millibits);
  const FilterRequest request =
      AsBuilt({.millibits_per_key = *millibits, .line = line});
  SizedFilter size;
  size.bytes = BytesOfLines(request.line, lines) + FilterBlockOverhead(request);
  size.rate = ExpectedRate(line, *millibits, 1.0 * wanted.keys / lines);
  // Solved lines have each their own.
  if (line == LineKind::kPlain) size.probes = PlainProbes(*millibits);
  return size;
}

// The formula for a Bloom filter whose probes may be anywhere: a rate of
// exp(-bits ln(2)^2), with the best number of probes, bits ln(2), not rounded.
SizedFilter ClassicBloom(const Question& wanted) {
  constexpr double kLn2 = std::numbers::ln2;
  const double bits = wanted.rate.has_value()
                          ? -std::log(*wanted.rate) / (kLn2 * kLn2)
                          : *wanted.bits_per_key;
  return {std::max(1, static_cast<int>(std::lround(bits * kLn2))),
          static_cast<uint64_t>(std::ceil(wanted.keys * bits / 8)),
          std::exp(-bits * kLn2 * kLn2)};
}

Json AsJson(const Question& wanted) {
  Json json = {{"keys", wanted.keys}, {"filters", Json::array()}};
  const std::pair<const char*, std::optional<SizedFilter>> filters[] = {
      {"classic formula", ClassicBloom(wanted)},
      {"linebloom", LineFilter(LineKind::kSolved, wanted)},
      {"RocksDB Bloom", LineFilter(LineKind::kPlain, wanted)}};
  for (const auto& [name, size] : filters) {
    Json& row = json["filters"].emplace_back(Json{{"filter", name}});
    if (!size.has_value()) continue;
    row.update({{"rate", size->rate},
                {"bytes", size->bytes},
                {"bits_per_key", 8.0 * size->bytes / wanted.keys},
                {"probes", OrNull(size->probes)}});
  }
  return json;
}

std::string AsText(const Json& json) {
  return absl::StrCat(
      TextTable({{Fill("{/keys:,} keys", json), "{/filter}"},
                 {"rate", "{/rate:#.3g}"},
                 {"bytes", "{/bytes:,}"},
                 {"bits/key", "{/bits_per_key:.2f}"},
                 {"k", "{/probes}"}},
                json["filters"]),
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
  AddNumber(app, "--keys", &wanted->keys, Unit::kNone, 1, 1'000'000'000,
            "keys in the filter: 100M, 100000000")
      ->required();
  AddNumber(app, "--rate", &wanted->rate, Unit::kShare, 1e-12, 0.5,
            "false-positive rate: 0.01 or 1%");
  AddNumber(app, "--bits_per_key", &wanted->bits_per_key, Unit::kNone,
            kMinBitsPerKey, kMaxBitsPerKey, "bits for each key");
  return [wanted]() -> absl::StatusOr<Outcome> {
    if (wanted->rate.has_value() == wanted->bits_per_key.has_value()) {
      return absl::InvalidArgumentError("give --rate or --bits_per_key");
    }
    const Json json = AsJson(*wanted);
    return Outcome{AsText(json), json};
  };
}

}  // namespace

const Subcommand kSize = {"size",
                          R"(computes the size or the rate of a filter.

Of linebloom's, RocksDB's Bloom filter and one by the classic formula.

  linebloom size --keys=100M --rate=1%
  linebloom size --keys=100M --bits_per_key=10

Exits with 0, or with 2 after bad usage.)",
                          DeclareSize};

}  // namespace linebloom::tools
