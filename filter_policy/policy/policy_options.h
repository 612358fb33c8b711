// The policy's options: as text, their ranges, and what they request of the
// filter of a file.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "filter_policy/bits/auto_bits.h"
#include "filter_policy/filter/filter_block.h"
#include "filter_policy/tree/new_file.h"
#include "linebloom/filter_policy.h"
#include "rocksdb/comparator.h"
#include "rocksdb/filter_policy.h"
#include "rocksdb/options.h"
#include "rocksdb/status.h"
#include "rocksdb/table.h"
#include "rocksdb/utilities/options_type.h"

namespace linebloom {

// The options of block-based tables; null for other tables.
const rocksdb::BlockBasedTableOptions* TableOptionsOf(
    const rocksdb::ColumnFamilyOptions& options);

// True if filters share a block cache with data.
bool CacheHoldsFilters(const rocksdb::BlockBasedTableOptions& table);

// True for the FilterPolicy::Name() of linebloom's policies, which table
// properties have too.
bool IsLinebloom(std::string_view policy_name);

// That of a policy with these options.
const char* NameOf(const FilterPolicyOptions& options);

// linebloom's options of the policy; null for any other policy, and for null.
const FilterPolicyOptions* OptionsOfLinebloom(
    const rocksdb::FilterPolicy* policy);

// InvalidArgument, naming option, value and range, or OK.
rocksdb::Status Validate(const FilterPolicyOptions& options);

// Valid options for filters in place of invalid ones: kDefaultBitsPerKey, with
// the line, or else the seed and the canonical key, of `options`.
FilterPolicyOptions InPlaceOf(const FilterPolicyOptions& options);

// bits_per_key=auto: neither bits nor a rate are set.
bool IsAuto(const FilterPolicyOptions& options);

// The bits per key that valid options name, or need for their rate;
// kDefaultBitsPerKey with neither.
double BitsPerKeyOf(const FilterPolicyOptions& options);

// True if the bits depend on the level, which auto implies.
bool IsLevelAware(const FilterPolicyOptions& options);

// True if the comparator may call keys of different bytes equal, so that
// without a canonical_key a filter could reject a key that is there.
bool NeedsCanonicalKey(const rocksdb::Comparator* comparator);

// True if there are too few bits for a filter.
bool BuildsNothing(const FilterPolicyOptions& options);

// The ID of a policy with these options: `linebloom`, which is auto,
// `linebloom:10`, or for a rate `linebloom:rate:0.01`; of plain lines
// `linebloom:plain`, `linebloom:plain:10` and so on.
std::string IdOf(const FilterPolicyOptions& options);

// The number that stands for the function in filter blocks, from its name;
// never 0 (docs/format.md, "The hash of a key").
uint64_t CanonicalId(const CanonicalKey& canonical_key);

// What to build for a file, AsBuilt(); nothing if the file gets no filter. If
// `file` is nothing, it gets BitsPerKeyOf(). `options` must be valid. Sets
// `*chosen`, unless null, if ChooseBits() chose the bits.
std::optional<FilterRequest> RequestFor(
    const FilterPolicyOptions& options,
    const rocksdb::BlockBasedTableOptions& table, std::optional<NewFile> file,
    std::optional<AutoBits>* chosen = nullptr);

// Bits per key in thousandths, as used and stored; 0 means no filter.
// `bits_per_key` must be in range.
uint32_t RoundToMillibits(double bits_per_key);

// Parses an ID: `linebloom` or `linebloom:plain`, alone or with `:BITS` or
// `:rate:RATE`.
rocksdb::Status ParseId(std::string_view id, FilterPolicyOptions* options);

// Parses a complete policy: an ID, or options with or without an ID and braces,
// such as `{id=linebloom;bits_per_key=10}`. Options that the text doesn't name
// keep their values. Changes nothing if the text is invalid.
rocksdb::Status ParseFilterPolicyOptions(const std::string& text,
                                         FilterPolicyOptions* options);

// The shortest text that parses back to the same thousandths.
std::string BitsPerKeyText(double bits_per_key);

// The fields of FilterPolicyOptions for RocksDB's option parser.
const std::unordered_map<std::string, rocksdb::OptionTypeInfo>&
FilterPolicyOptionTypes();

}  // namespace linebloom
