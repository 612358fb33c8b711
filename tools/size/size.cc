// linebloom size: computes how large a filter has to be, or how good one of a
// given size is.
#include <algorithm>
#include <functional>
#include <memory>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "nlohmann/json.hpp"
#include "table/status.h"
#include "tools/commands.h"
#include "tools/shared/flags.h"
#include "tools/shared/policies.h"
#include "tools/shared/run_tool.h"
#include "tools/shared/terminal_text.h"
#include "tools/size/answer.h"

namespace linebloom::tools {
namespace {

std::string Percent(double rate) {
  const double percent = 100 * rate;
  return percent < 1e-4 ? absl::StrFormat("%.2e", percent)
                        : absl::StrFormat("%#.3g", percent);
}

// "114.3 MiB"
std::string Memory(uint64_t bytes) {
  auto number = static_cast<double>(bytes);
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
    row["memory"] = Memory(row["bytes"]);
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

std::vector<std::string> Notes(const Json& answers) {
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

Json AnswersAsJson(const Question& question,
                   const std::vector<Answer>& answers) {
  Json json = {{"asked",
                {{"keys", OrNull(question.keys)},
                 {"rate", OrNull(question.rate)},
                 {"bytes", OrNull(question.bytes)},
                 {"bits_per_key", OrNull(question.bits_per_key)}}},
               {"filters", Json::array()}};
  for (const Answer& answer : answers) {
    Json filter = {{"filter", answer.name},
                   {"name", answer.filter},
                   {"possible", answer.size.has_value()}};
    if (answer.size.has_value()) {
      filter.update({{"probes", OrNull(answer.size->probes)},
                     {"keys", answer.size->keys},
                     {"lines", OrNull(answer.size->lines)},
                     {"bits", answer.size->bits},
                     {"bytes", answer.size->bytes()},
                     {"bits_per_key", answer.size->bits_per_key()},
                     {"expected_false_positive_rate", answer.size->rate}});
    }
    json["filters"].push_back(filter);
  }
  return json;
}

std::string AnswersAsText(const Json& answers) {
  const std::string text = absl::StrCat(QuestionInWords(answers["asked"]),
                                        "\n\n", Table(answers), "\n");
  return text + BulletsText(Notes(answers));
}

absl::StatusOr<Outcome> RunSize(const Question& question) {
  RETURN_IF_ERROR(ValidateQuestion(question));
  const Json answers = AnswersAsJson(question, AnswerQuestion(question));
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
