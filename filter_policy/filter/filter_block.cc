#include "filter_policy/filter/filter_block.h"

#include <array>
#include <bit>
#include <cstring>
#include <functional>
#include <numeric>
#include <type_traits>

#include "filter_policy/line/little_endian.h"
#include "filter_policy/line/plain_probes.h"
#include "filter_policy/line/xxh3.inc"

namespace linebloom {
namespace {

// Offsets from the start of the metadata (docs/format.md, "Metadata").
constexpr size_t kFlagsAt = 20;
constexpr size_t kOptionalAt = 21;  // fields that the flags announce
// The last two fields are located from the end, so that later releases can
// insert fields before them.
constexpr size_t kChecksumFromEnd = 5;
constexpr size_t kSizeFromEnd = 1;

constexpr uint8_t kRequestIsRate = 1;
constexpr uint8_t kLevelAware = 2;
constexpr uint8_t kHasHashSeed = 4;
constexpr uint8_t kHasCanonicalKey = 8;
// Reserved. A release candidate stored 4 bytes of access statistics under this
// flag; readers skip them.
constexpr uint8_t kHasHeat = 16;
constexpr uint8_t kKnownFlags =
    kRequestIsRate | kLevelAware | kHasHashSeed | kHasCanonicalKey | kHasHeat;

// In the order of the fields.
struct OptionalField {
  uint8_t flag;
  size_t bytes;
  const char* missing;  // the problem of a block without room for it
};
constexpr std::array<OptionalField, 3> kOptionalFields = {
    OptionalField{kHasHashSeed, sizeof(uint64_t), "the hash seed is missing"},
    OptionalField{kHasCanonicalKey, sizeof(uint64_t),
                  "the canonical key is missing"},
    OptionalField{kHasHeat, sizeof(float), "the heat is missing"}};

// A newer Bloom filter; a reserved sub-implementation; 0 probes, reserved; two
// reserved bytes. Each of the last three makes RocksDB answer 'may match'.
constexpr char kTail[kFilterTailBytes] = {'\xff', '\x4c', '\0', '\x4c', '\x42'};

uint8_t Byte(const char* at) { return static_cast<uint8_t>(*at); }

// How many bytes of a tail differ from ours. One may be damaged.
int DamagedBytes(const char* tail) {
  return std::inner_product(tail, tail + kFilterTailBytes, kTail, 0,
                            std::plus(), std::not_equal_to());
}

uint32_t Checksum(const char* metadata, size_t size) {
  return static_cast<uint32_t>(XXH3_64bits(metadata, size));
}

uint8_t FlagsOf(const FilterRequest& request) {
  return (request.false_positive_rate > 0 ? kRequestIsRate : 0) |
         (request.level_aware ? kLevelAware : 0) |
         (request.hash_seed != 0 ? kHasHashSeed : 0) |
         (request.canonical_key != 0 ? kHasCanonicalKey : 0);
}

// The minimum size of metadata with these flags.
size_t MinSize(uint8_t flags) {
  size_t size = kOptionalAt + kChecksumFromEnd;
  for (const OptionalField& field : kOptionalFields) {
    if ((flags & field.flag) != 0) size += field.bytes;
  }
  return size;
}

FilterBlockInfo ReadFields(const char* metadata, size_t size) {
  const char* at = metadata;
  const auto read = [&at](auto* number) {
    *number = LoadLittleEndian<std::decay_t<decltype(*number)>>(at);
    at += sizeof(*number);
  };
  FilterBlockInfo info;
  FilterRequest& request = info.request;
  uint8_t flags = Byte(metadata + kFlagsAt);
  read(&info.version);
  read(&info.shape.kind);
  read(&info.shape.base);
  read(&info.shape.step);
  read(&info.lines);
  read(&info.keys);
  read(&info.expected_false_positive_rate);
  if ((flags & kRequestIsRate) != 0) {
    float rate = 0;
    read(&rate);
    request.false_positive_rate = rate;
  } else {
    read(&request.millibits_per_key);
  }
  read(&flags);
  request.line = info.shape.kind;
  request.level_aware = (flags & kLevelAware) != 0;
  if (size < MinSize(flags)) return info;
  if ((flags & kHasHashSeed) != 0) read(&request.hash_seed);
  if ((flags & kHasCanonicalKey) != 0) read(&request.canonical_key);
  return info;
}

// True if the metadata that ends at `data + end` has a valid checksum.
bool ChecksumHolds(const char* data, size_t end, size_t metadata_size) {
  if (metadata_size < kFilterMetadataBytes || metadata_size > end) return false;
  const char* metadata = data + end - metadata_size;
  return LoadLittleEndian<uint32_t>(data + end - kChecksumFromEnd) ==
         Checksum(metadata, metadata_size - kChecksumFromEnd);
}

// The reason why a block with a valid checksum can't be read, or null. The
// lines are before `metadata`.
const char* FindProblem(const FilterBlockInfo& info, const char* metadata,
                        size_t metadata_size, size_t lines_size,
                        int damaged_bytes) {
  if (damaged_bytes > 0) return "the tail is damaged";
  if (info.version != kFilterBlockVersion) return "the version is unknown";
  const uint8_t flags = Byte(metadata + kFlagsAt);
  if ((flags & ~kKnownFlags) != 0) return "a flag is unknown";
  size_t needed = MinSize(0);
  for (const OptionalField& field : kOptionalFields) {
    if ((flags & field.flag) == 0) continue;
    needed += field.bytes;
    if (metadata_size < needed) return field.missing;
  }
  // 0 would read as without the field: as keys that were hashed otherwise.
  if ((flags & kHasHashSeed) != 0 && info.request.hash_seed == 0) {
    return "the hash seed is missing";
  }
  if ((flags & kHasCanonicalKey) != 0 && info.request.canonical_key == 0) {
    return "the canonical key is missing";
  }
  if (info.lines == 0) return "there are no lines";
  if (!IsReadable(info.shape)) return "unknown kind of line";
  if (lines_size != BytesOfLines(info.shape.kind, info.lines)) {
    return "the number of lines does not fit the size of the block";
  }
  // A small group at the end has no lines to exchange.
  if (info.lines % kLinesPerGroup != 0 && metadata[-1] != 0) {
    return "the last group's code is damaged";
  }
  return nullptr;
}

ParsedFilter Unusable(const char* problem) {
  return {.kind = BlockKind::kUnusable, .problem = problem};
}

// RocksDB's own filters end with 5 bytes too.

constexpr ParsedFilter kInconsistent{BlockKind::kInconsistent};
constexpr ParsedFilter kReserved{BlockKind::kReserved};
constexpr ParsedFilter kEmpty{BlockKind::kEmpty};

constexpr size_t kProbesInTail = 2;  // of kBloom

// Tail: FF, sub-implementation, line size and probes, two reserved bytes.
ParsedFilter ParseBloom(const char* tail, size_t size) {
  const int probes = tail[kProbesInTail] & 31;
  const int line_bytes = 64 << (Byte(tail + kProbesInTail) >> 5);
  if (tail[1] != 0 || tail[3] != 0 || tail[4] != 0 || probes == 0 ||
      probes > kMaxPlainProbes || line_bytes != 64) {
    return size == 0 ? kInconsistent : kReserved;
  }
  if (size == 0) return kEmpty;
  if (size % 64 != 0) return kInconsistent;
  if (size / 64 > UINT32_MAX) return kInconsistent;
  ParsedFilter parsed{
      .kind = BlockKind::kBloom, .probes = probes, .line_bytes = 64};
  parsed.info.request.line = LineKind::kPlain;
  parsed.info.shape = {LineKind::kPlain, static_cast<uint8_t>(probes), 0};
  parsed.info.lines = static_cast<uint32_t>(size / 64);
  return parsed;
}

// Tail: FE, hash seed, number of blocks in 3 bytes. A block of 128 slots asks
// for up to 32 columns of 16 bytes, and blocks differ by at most one column.
// With less than 1.4 bits per key some blocks have none and reject nothing.
// With optimize_filters_for_memory, on by default in newer versions, the filter
// takes what malloc gives for it, up to a third more: RocksDB reads the columns
// beyond 32 as it wrote them.
ParsedFilter ParseRibbon(const char* tail, size_t size) {
  constexpr size_t kColumn = 16;
  const uint32_t blocks = LoadLittleEndian<uint32_t>(tail + 1) >> 8;
  if (blocks < 2) return size == 0 ? kInconsistent : kReserved;
  const size_t columns = size / kColumn;
  if (size % kColumn != 0 || columns == 0 ||
      columns > 32 * size_t{blocks} * 4 / 3) {
    return kInconsistent;
  }
  return {.kind = BlockKind::kRibbon, .blocks = blocks};
}

// Tail: probes, number of lines in 4 bytes. A line is as long as a cache line
// of the machine that wrote it.
ParsedFilter ParseLegacyBloom(const char* tail, size_t size) {
  const uint32_t lines = LoadLittleEndian<uint32_t>(tail + 1);
  if (size == 0 && lines == 0 && tail[0] <= kMaxPlainProbes) return kEmpty;
  if (lines == 0 || size % lines != 0) return kInconsistent;
  const size_t line_bytes = size / lines;
  if (!std::has_single_bit(line_bytes) || line_bytes < 32 || line_bytes > 256) {
    return kInconsistent;
  }
  return {.kind = BlockKind::kLegacyBloom,
          .probes = tail[0],
          .line_bytes = static_cast<uint32_t>(line_bytes)};
}

// Parses a filter that is not linebloom's.
ParsedFilter ParseBuiltIn(const char* data, size_t size) {
  const size_t bits_size = size - kFilterTailBytes;
  const char* const tail = data + bits_size;
  const auto marker = static_cast<int8_t>(tail[0]);
  if (marker == -1) return ParseBloom(tail, bits_size);
  if (marker == -2) return ParseRibbon(tail, bits_size);
  if (marker > 0) return ParseLegacyBloom(tail, bits_size);
  // RocksDB treats a lone tail as a filter without keys, whatever it says, but
  // no builder writes any other.
  return bits_size == 0 ? kInconsistent : kReserved;
}

}  // namespace

// Sub-implementation 0, lines of 64 bytes, 6 probes; no lines.
const char kEmptyFilterBlock[kFilterTailBytes] = {'\xff', '\0', '\6', '\0',
                                                  '\0'};

size_t FilterBlockOverhead(const FilterRequest& request) {
  if (request.line == LineKind::kPlain) return kFilterTailBytes;
  return MinSize(FlagsOf(request)) + kFilterTailBytes;
}

void WriteFilterBlockEnd(const FilterBlockInfo& info, char* to) {
  if (info.shape.kind == LineKind::kPlain) {
    std::memcpy(to, kEmptyFilterBlock, kFilterTailBytes);
    to[kProbesInTail] = static_cast<char>(info.shape.base);
    return;
  }
  const FilterRequest& request = info.request;
  const uint8_t flags = FlagsOf(request);
  char* at = to;
  const auto put = [&at](auto number) {
    StoreLittleEndian(at, number);
    at += sizeof(number);
  };
  put(info.version);
  put(info.shape.kind);
  put(info.shape.base);
  put(info.shape.step);
  put(info.lines);
  put(info.keys);
  put(info.expected_false_positive_rate);
  if ((flags & kRequestIsRate) != 0) {
    put(static_cast<float>(request.false_positive_rate));
  } else {
    put(request.millibits_per_key);
  }
  put(flags);
  if ((flags & kHasHashSeed) != 0) put(request.hash_seed);
  if ((flags & kHasCanonicalKey) != 0) put(request.canonical_key);
  put(Checksum(to, at - to));
  put(static_cast<uint8_t>(MinSize(flags)));
  std::memcpy(at, kTail, kFilterTailBytes);
}

bool IsOfRocksDb(BlockKind kind) {
  return kind == BlockKind::kBloom || kind == BlockKind::kRibbon ||
         kind == BlockKind::kLegacyBloom || kind == BlockKind::kReserved;
}

ParsedFilter ParseFilter(const char* data, size_t size) {
  if (size == 0) return kEmpty;
  if (size < kFilterTailBytes) return Unusable("the block is cut off");
  const char* const tail = data + size - kFilterTailBytes;
  const int damaged_bytes = DamagedBytes(tail);
  const bool like_ours = damaged_bytes <= 1;
  if (size < kFilterBlockOverhead) {
    return like_ours ? Unusable("the block is cut off")
                     : ParseBuiltIn(data, size);
  }
  const size_t end = size - kFilterTailBytes;
  const size_t metadata_size = Byte(data + end - kSizeFromEnd);
  if (!ChecksumHolds(data, end, metadata_size)) {
    return like_ours ? Unusable("the metadata checksum is wrong")
                     : ParseBuiltIn(data, size);
  }
  const char* const metadata = data + end - metadata_size;
  ParsedFilter parsed{BlockKind::kLinebloom,
                      ReadFields(metadata, metadata_size)};
  parsed.problem = FindProblem(parsed.info, metadata, metadata_size,
                               end - metadata_size, damaged_bytes);
  if (parsed.problem != nullptr) parsed.kind = BlockKind::kUnusable;
  return parsed;
}

}  // namespace linebloom
