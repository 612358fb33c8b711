#include "tests/golden/golden_block.h"

#include <cstdio>
#include <sstream>

#include "filter_policy/filter/filter_block.h"
#include "filter_policy/filter/filter_builder.h"
#include "filter_policy/filter/filter_reader.h"
#include "filter_policy/line/hash.h"

namespace linebloom {
namespace {

uint64_t HashOf(const std::string& key, uint64_t seed) {
  return KeyHash(seed)(key.data(), key.size());
}

// One row of the dump: offset, bytes, and their meaning.
void Row(size_t offset, std::string_view bytes, const std::string& meaning,
         std::ostringstream* out) {
  char text[16];
  snprintf(text, sizeof(text), "%06zx:", offset);
  *out << text;
  for (const char byte : bytes) {
    snprintf(text, sizeof(text), " %02x", static_cast<uint8_t>(byte));
    *out << text;
  }
  if (!meaning.empty()) *out << "  # " << meaning;
  *out << "\n";
}

void DumpLines(std::string_view block, uint32_t lines,
               std::ostringstream* out) {
  for (size_t line = 0; line < lines; ++line) {
    for (size_t at = line * kLineBytes; at < (line + 1) * kLineBytes;
         at += 16) {
      Row(at, block.substr(at, 16),
          at % kLineBytes == 0 ? "line " + std::to_string(line) : "", out);
    }
  }
}

// The fields after the lines, by docs/format.md.
void DumpEnd(std::string_view block, const FilterBlockInfo& info,
             std::ostringstream* out) {
  const FilterRequest& request = info.request;
  size_t at = info.lines * kLineBytes;
  const auto row = [&](const char* name, size_t bytes,
                       const std::string& value = "") {
    Row(at, block.substr(at, bytes), name + value, out);
    at += bytes;
  };
  const auto number = [&](const char* name, size_t bytes) {
    uint64_t value = 0;
    for (size_t i = bytes; i > 0; --i) {
      value = value << 8 | static_cast<uint8_t>(block[at + i - 1]);
    }
    row(name, bytes, " " + std::to_string(value));
  };
  const auto rate = [&](const char* name, double value) {
    char text[32];
    snprintf(text, sizeof(text), " %.6g", value);
    row(name, sizeof(float), text);
  };
  row("codes", (info.lines + 7) / 8);
  for (const char* name : {"version", "line kind", "base", "step"}) {
    number(name, 1);
  }
  number("lines", 4);
  number("keys", 4);
  rate("expected false-positive rate", info.expected_false_positive_rate);
  if (request.false_positive_rate > 0) {
    rate("asked false-positive rate", request.false_positive_rate);
  } else {
    number("asked bits per key", 4);
  }
  number("flags", 1);
  if (request.hash_seed != 0) number("hash seed", 8);
  if (request.canonical_key != 0) number("canonical key", 8);
  row("checksum", 4);
  number("size of the metadata", 1);
  row("tail", kFilterTailBytes);
}

}  // namespace

const std::vector<GoldenCase>& GoldenCases() {
  static const auto* const cases = new std::vector<GoldenCase>{
      {"v1_solved_3_bits", 600, {3000}},
      {"v1_solved_6_bits", 200, {6000}},
      {"v1_solved_10_bits", 500, {10000}},
      {"v1_solved_20_bits", 60, {20000, LineKind::kSolved, 0xfedcba9876543210}},
      {"v1_one_key", 1, {10000}},
      {"v1_rate_2_percent",
       130,
       {.millibits_per_key = 7000, .false_positive_rate = 0.02}},
      {"v1_level_aware",
       60,
       {.millibits_per_key = 14260, .hash_seed = 7, .level_aware = true}},
      {"v1_canonical_key",
       60,
       {.hash_seed = 7, .canonical_key = HashOf("ascii_lower_case", 0)}},
  };
  return *cases;
}

std::string DumpGolden(const GoldenCase& golden) {
  HashList hashes;
  for (int i = 0; i < golden.keys; ++i) {
    hashes.Add(HashOf("key" + std::to_string(i), golden.request.hash_seed));
  }
  const FilterBlock built = BuildFilter(hashes, golden.request);
  const std::string_view block(built.bytes.get(), built.size);
  const ParsedFilter parsed = ParseFilter(block.data(), block.size());
  const auto reader = FilterReader::Make(block.data(), parsed, ChosenKernel(),
                                         golden.request.canonical_key);
  std::ostringstream out;
  out << "# A linebloom filter block, made by tests/golden/make_golden; see "
         "docs/format.md.\n"
      << "# keys: key0 to key" << golden.keys - 1 << "\n# false positives: ";
  for (int i = 0; i < 2000; ++i) {
    const std::string stranger = "no" + std::to_string(i);
    const uint64_t hash = HashOf(stranger, golden.request.hash_seed);
    if (reader.value().MayMatch(hash)) out << stranger << " ";
  }
  out << "\n";
  DumpLines(block, parsed.info.lines, &out);
  DumpEnd(block, parsed.info, &out);
  return out.str();
}

}  // namespace linebloom
