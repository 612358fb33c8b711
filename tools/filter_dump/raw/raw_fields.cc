#include "tools/filter_dump/raw/raw_fields.h"

#include <bit>
#include <cstdint>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "tools/filter_dump/text.h"
#include "tools/shared/table_printer.h"

namespace linebloom::tools {
namespace {

// Reads a little-endian number of up to 8 bytes.
uint64_t NumberOf(absl::string_view bytes) {
  uint64_t number = 0;
  for (size_t i = 0; i < bytes.size(); ++i) {
    number |= uint64_t{static_cast<unsigned char>(bytes[i])} << (8 * i);
  }
  return number;
}

// docs/format.md defines them.
std::string FlagsText(uint64_t flags) {
  std::vector<absl::string_view> set;
  if ((flags & 1) != 0) set.push_back("asked a rate");
  if ((flags & 2) != 0) set.push_back("level aware");
  if ((flags & 4) != 0) set.push_back("hash seed");
  if ((flags & 8) != 0) set.push_back("canonical key");
  if ((flags & 16) != 0) set.push_back("heat");
  return set.empty() ? "none" : absl::StrJoin(set, ", ");
}

}  // namespace

std::string FieldMeaning(const FilterBlockField& field,
                         absl::string_view bytes) {
  const absl::string_view name = field.name;
  if (bytes.size() > sizeof(uint64_t)) return "";
  const uint64_t number = NumberOf(bytes);
  if (name == "line kind") return LineName(static_cast<uint8_t>(number));
  if (name == "asked bits per key") {
    return absl::StrCat(static_cast<double>(number) / 1000);
  }
  if (name == "expected false-positive rate" ||
      name == "asked false-positive rate" || name == "heat") {
    return absl::StrFormat("%.6g",
                           std::bit_cast<float>(static_cast<uint32_t>(number)));
  }
  if (name == "flags") return FlagsText(number);
  if (name == "checksum") return "right";  // otherwise the block has no fields
  if (name == "tail") return "";
  return WithThousands(number);
}

}  // namespace linebloom::tools
