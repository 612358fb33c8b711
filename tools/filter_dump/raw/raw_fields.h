// The meaning of the metadata fields in a linebloom block.
#pragma once

#include <string>

#include "absl/strings/string_view.h"
#include "filter_policy/filter/filter_block.h"

namespace linebloom::tools {

// The value of `field`, whose bytes are `bytes`, in words or numbers; "" if the
// bytes are self-explanatory.
std::string FieldMeaning(const FilterBlockField& field,
                         absl::string_view bytes);

}  // namespace linebloom::tools
