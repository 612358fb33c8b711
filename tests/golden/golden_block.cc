#include "tests/golden/golden_block.h"

#include <bit>
#include <cstdio>
#include <sstream>

#include "filter_policy/filter/filter_block.h"
#include "filter_policy/filter/filter_builder.h"
#include "filter_policy/filter/filter_reader.h"
#include "filter_policy/line/hash.h"

namespace linebloom {
namespace {

constexpr std::string_view kFalsePositives = "# false positives: ";
constexpr int kStrangers = 2000;  // no0, no1, ...

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

// The value of a field, for fields that people read.
std::string ValueOf(const FilterBlockField& field, std::string_view bytes) {
  const std::string_view name = field.name;
  if (name == "codes" || name == "checksum" || name == "tail") return "";
  uint64_t number = 0;
  for (size_t i = bytes.size(); i > 0; --i) {
    number = number << 8 | static_cast<uint8_t>(bytes[i - 1]);
  }
  if (name.find("rate") == std::string_view::npos && name != "heat") {
    return " " + std::to_string(number);
  }
  char rate[32];
  snprintf(rate, sizeof(rate), " %.6g",
           std::bit_cast<float>(static_cast<uint32_t>(number)));
  return rate;
}

void DumpEnd(std::string_view block, std::ostringstream* out) {
  for (const FilterBlockField& field :
       ListFilterBlockFields(block.data(), block.size())) {
    const std::string_view bytes = block.substr(field.offset, field.bytes);
    Row(field.offset, bytes, field.name + ValueOf(field, bytes), out);
  }
}

void DumpFalsePositives(const FilterReader& reader, uint64_t seed,
                        std::ostringstream* out) {
  *out << kFalsePositives;
  for (int i = 0; i < kStrangers; ++i) {
    const std::string stranger = "no" + std::to_string(i);
    if (reader.MayMatch(HashOf(stranger, seed))) *out << stranger << " ";
  }
  *out << "\n";
}

}  // namespace

const std::vector<GoldenCase>& GoldenCases() {
  static const auto* const cases = new std::vector<GoldenCase>{
      {"v1_plain_10_bits", 130, 10000, Line::kPlain, 0},
      {"v1_plain_20_bits", 60, 20000, Line::kPlain, 1},
      {"v1_solved_3_bits", 600, 3000, Line::kSolved, 0},
      {"v1_solved_6_bits", 200, 6000, Line::kSolved, 0},
      {"v1_solved_10_bits", 500, 10000, Line::kSolved, 0},
      {"v1_solved_20_bits", 60, 20000, Line::kSolved, 0xfedcba9876543210},
      {"v1_one_key", 1, 10000, Line::kSolved, 0},
      {"v1_rate_2_percent", 130, 7000, Line::kSolved, 0, 0.02, false},
      {"v1_level_aware", 60, 14260, Line::kSolved, 7, 0, true},
      // XXH3 of "ascii_lower_case".
      {"v1_canonical_key", 60, 10000, Line::kSolved, 7, 0, false,
       HashOf("ascii_lower_case", 0)},
      {"v1_heat", 60, 12150, Line::kSolved, 0, 0, true, 0, 3.5F},
  };
  return *cases;
}

std::vector<std::string> GoldenKeys(const GoldenCase& golden) {
  std::vector<std::string> keys;
  for (int i = 0; i < golden.keys; ++i) {
    keys.push_back("key" + std::to_string(i));
  }
  return keys;
}

std::string DumpGolden(const GoldenCase& golden) {
  std::vector<uint64_t> hashes;
  for (const std::string& key : GoldenKeys(golden)) {
    hashes.push_back(HashOf(key, golden.hash_seed));
  }
  const FilterBlock built =
      BuildFilter(HashList(hashes),
                  {golden.millibits_per_key, golden.line, golden.hash_seed,
                   golden.false_positive_rate, golden.level_aware,
                   golden.canonical_key, golden.heat});
  const std::string_view block(built.bytes.get(), built.size);
  const ParsedFilter parsed = ParseFilter(block.data(), block.size());
  std::ostringstream out;
  out << "# A linebloom filter block, made by tests/golden/make_golden; see "
         "docs/format.md.\n"
      << "# keys: key0 to key" << golden.keys - 1 << "\n";
  DumpFalsePositives(FilterReader::Make(block.data(), parsed, ChosenKernel(),
                                        golden.canonical_key)
                         .value(),
                     golden.hash_seed, &out);
  DumpLines(block, parsed.info.lines, &out);
  DumpEnd(block, &out);
  return out.str();
}

std::string BytesOfDump(std::string_view dump) {
  std::string bytes;
  std::istringstream rows{std::string(dump)};
  for (std::string row; std::getline(rows, row);) {
    if (row.empty() || row[0] == '#') continue;
    std::istringstream columns(row.substr(row.find(':') + 1));
    for (std::string column; columns >> column && column != "#";) {
      bytes.push_back(static_cast<char>(std::stoi(column, nullptr, 16)));
    }
  }
  return bytes;
}

std::vector<std::string> FalsePositivesOfDump(std::string_view dump) {
  const size_t begin = dump.find(kFalsePositives) + kFalsePositives.size();
  std::istringstream names{
      std::string(dump.substr(begin, dump.find('\n', begin) - begin))};
  std::vector<std::string> found;
  for (std::string name; names >> name;) found.push_back(name);
  return found;
}

}  // namespace linebloom
