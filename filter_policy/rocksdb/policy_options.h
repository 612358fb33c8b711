// The policy's options as text: parsing, printing, and their ranges.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>

#include "filter_policy/line/line.h"
#include "linebloom/filter_policy.h"
#include "rocksdb/status.h"
#include "rocksdb/utilities/options_type.h"

namespace linebloom {

// InvalidArgument that names option, value and range, or OK.
rocksdb::Status Validate(const FilterPolicyOptions& options);

// The options themselves where they are valid, else the nearest that are: a
// number out of range becomes the end of the range, what is no number, and a
// rate that is none, becomes the default; of bits and a rate the bits count.
FilterPolicyOptions NearestValid(const FilterPolicyOptions& options);

// What `bits_per_key` means where no rate is asked for.
double BitsPerKeyOf(const FilterPolicyOptions& options);

// Whether there are too few bits for a filter.
bool BuildsNothing(const FilterPolicyOptions& options);

// The id of a policy with these options: `linebloom:10` or, by a rate,
// `linebloom:rate:0.01`.
std::string IdOf(const FilterPolicyOptions& options);

// The lines that a policy with these options builds.
LineKind LineKindOf(const FilterPolicyOptions& options);

// Bits per key in thousandths, as they are used and stored; 0 means no filter.
// `bits_per_key` is in range.
uint32_t MillibitsOf(double bits_per_key);

// Parses an id: `linebloom`, `linebloom:BITS` or `linebloom:rate:RATE`. Numbers
// out of range are an error and in `options` all the same.
rocksdb::Status ParseId(std::string_view id, FilterPolicyOptions* options);

// Parses a whole policy: an id, or options with or without an id and braces, as
// `{id=linebloom;bits_per_key=10}`. What the text doesn't name keeps its value;
// where it is wrong, nothing is changed.
rocksdb::Status ParseFilterPolicyOptions(const std::string& text,
                                         FilterPolicyOptions* options);

// The shortest text that parses back to the same thousandths.
std::string BitsPerKeyText(double bits_per_key);

// The fields of FilterPolicyOptions for RocksDB's option parser.
const std::unordered_map<std::string, rocksdb::OptionTypeInfo>&
FilterPolicyOptionTypes();

}  // namespace linebloom
