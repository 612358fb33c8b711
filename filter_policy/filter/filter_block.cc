#include "filter_policy/filter/filter_block.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "filter_policy/line/little_endian.h"

namespace linebloom {
namespace {

constexpr size_t kLine = 64;

// Offsets from the start of the metadata (docs/format.md, "Metadata").
constexpr size_t kVersionAt = 0;
constexpr size_t kLineKindAt = 1;
constexpr size_t kProbesAt = 2;
constexpr size_t kRotationBitsAt = 3;
constexpr size_t kBuildEffortAt = 4;
constexpr size_t kReservedAt = 5;  // 3 bytes of zero
constexpr size_t kLinesAt = 8;
constexpr size_t kAskedMillibitsAt = 12;
constexpr size_t kKeysAt = 16;
constexpr size_t kHashSeedAt = 24;
constexpr size_t kRateAt = 32;
// Of the long metadata only.
constexpr size_t kAskedRateAt = 40;
constexpr size_t kLevelAwareAt = 48;
constexpr size_t kLongReservedAt = 49;  // 7 bytes of zero
// The last two fields are found from the end, so that a later version can put
// fields before them.
constexpr size_t kChecksumFromEnd = 10;
constexpr size_t kSizeFromEnd = 2;

// New Bloom filter; a reserved sub-implementation; 0 probes, reserved; two
// reserved bytes. Each of the last three makes RocksDB answer 'may match'.
constexpr unsigned char kTail[kFilterTailBytes] = {0xff, 0x4c, 0x00, 0x4c,
                                                   0x42};

bool HasOurTail(const char* tail) {
  return std::memcmp(tail, kTail, kFilterTailBytes) == 0;
}

// What no damage to a single byte takes away from one of our tails.
bool LooksLikeOurTail(const char* tail) {
  const int equal = (tail[0] == '\xff') + (tail[1] == '\x4c') +
                    (tail[2] == '\x00') + (tail[3] == '\x4c') +
                    (tail[4] == '\x42');
  return equal >= 4;
}

FilterBlockInfo ReadFields(const char* metadata, size_t size) {
  FilterBlockInfo info;
  info.version = static_cast<uint8_t>(metadata[kVersionAt]);
  info.line_kind = static_cast<uint8_t>(metadata[kLineKindAt]);
  info.probes = static_cast<uint8_t>(metadata[kProbesAt]);
  info.rotation_bits = static_cast<uint8_t>(metadata[kRotationBitsAt]);
  info.build_effort = static_cast<uint8_t>(metadata[kBuildEffortAt]);
  info.lines = LoadLittleEndian<uint32_t>(metadata + kLinesAt);
  info.asked_millibits =
      LoadLittleEndian<uint32_t>(metadata + kAskedMillibitsAt);
  info.keys = LoadLittleEndian<uint64_t>(metadata + kKeysAt);
  info.hash_seed = LoadLittleEndian<uint64_t>(metadata + kHashSeedAt);
  info.expected_false_positive_rate =
      std::bit_cast<double>(LoadLittleEndian<uint64_t>(metadata + kRateAt));
  if (size >= kFilterLongMetadataBytes) {
    info.asked_false_positive_rate = std::bit_cast<double>(
        LoadLittleEndian<uint64_t>(metadata + kAskedRateAt));
    info.level_aware = metadata[kLevelAwareAt] == 1;
  }
  return info;
}

// Whether the metadata that ends at `data + end` has the right checksum.
bool ChecksumHolds(const char* data, size_t end, size_t metadata_size) {
  if (metadata_size < kFilterMetadataBytes || metadata_size > end) return false;
  const char* metadata = data + end - metadata_size;
  return LoadLittleEndian<uint64_t>(data + end - kChecksumFromEnd) ==
         XXH3_64bits(metadata, metadata_size - kChecksumFromEnd);
}

// What keeps a block with a sound checksum from being read, or null.
const char* FindProblem(const FilterBlockInfo& info, const char* metadata,
                        size_t lines_size, bool tail_is_ours) {
  if (!tail_is_ours) return "the tail is damaged";
  if (info.version != kFilterBlockVersion) return "the version is unknown";
  if (metadata[kReservedAt] != 0 || metadata[kReservedAt + 1] != 0 ||
      metadata[kReservedAt + 2] != 0) {
    return "reserved metadata bytes are in use";
  }
  if (info.lines == 0) return "there are no lines";
  if (lines_size != info.lines * kLine) {
    return "the number of lines does not fit the size of the block";
  }
  return nullptr;
}

}  // namespace

size_t FilterBlockOverhead(const FilterBlockInfo& info) {
  return info.asked_false_positive_rate != 0 || info.level_aware
             ? kFilterBlockMostOverhead
             : kFilterBlockOverhead;
}

void WriteFilterBlockEnd(const FilterBlockInfo& info, char* to) {
  const size_t size = FilterBlockOverhead(info) - kFilterTailBytes;
  std::fill(to, to + size, '\0');
  to[kVersionAt] = static_cast<char>(info.version);
  to[kLineKindAt] = static_cast<char>(info.line_kind);
  to[kProbesAt] = static_cast<char>(info.probes);
  to[kRotationBitsAt] = static_cast<char>(info.rotation_bits);
  to[kBuildEffortAt] = static_cast<char>(info.build_effort);
  StoreLittleEndian(to + kLinesAt, info.lines);
  StoreLittleEndian(to + kAskedMillibitsAt, info.asked_millibits);
  StoreLittleEndian(to + kKeysAt, info.keys);
  StoreLittleEndian(to + kHashSeedAt, info.hash_seed);
  StoreLittleEndian(to + kRateAt,
                    std::bit_cast<uint64_t>(info.expected_false_positive_rate));
  if (size == kFilterLongMetadataBytes) {
    StoreLittleEndian(to + kAskedRateAt,
                      std::bit_cast<uint64_t>(info.asked_false_positive_rate));
    to[kLevelAwareAt] = info.level_aware ? 1 : 0;
  }
  char* const end = to + size;
  StoreLittleEndian<uint64_t>(end - kChecksumFromEnd,
                              XXH3_64bits(to, size - kChecksumFromEnd));
  StoreLittleEndian(end - kSizeFromEnd, static_cast<uint16_t>(size));
  std::memcpy(end, kTail, kFilterTailBytes);
}

ParsedFilterBlock ParseFilterBlock(const char* data, size_t size) {
  if (size == 0) return {FilterBlockKind::kNoKeys, {}, nullptr};
  if (size < kFilterTailBytes) {
    return {FilterBlockKind::kUnusable, {}, "the block is cut off"};
  }
  const char* const tail = data + size - kFilterTailBytes;
  const bool like_ours = LooksLikeOurTail(tail);
  if (size < kFilterBlockOverhead) {
    return like_ours
               ? ParsedFilterBlock{FilterBlockKind::kUnusable,
                                   {},
                                   "the block is cut off"}
               : ParsedFilterBlock{FilterBlockKind::kForeign, {}, nullptr};
  }
  const size_t end = size - kFilterTailBytes;
  const size_t metadata_size =
      LoadLittleEndian<uint16_t>(data + end - kSizeFromEnd);
  if (!ChecksumHolds(data, end, metadata_size)) {
    return like_ours
               ? ParsedFilterBlock{FilterBlockKind::kUnusable,
                                   {},
                                   "the metadata checksum is wrong"}
               : ParsedFilterBlock{FilterBlockKind::kForeign, {}, nullptr};
  }
  const char* const metadata = data + end - metadata_size;
  const FilterBlockInfo info = ReadFields(metadata, metadata_size);
  const char* const problem =
      FindProblem(info, metadata, end - metadata_size, HasOurTail(tail));
  return {problem == nullptr ? FilterBlockKind::kReadable
                             : FilterBlockKind::kUnusable,
          info, problem};
}

std::vector<FilterBlockField> ListFilterBlockFields(const char* data,
                                                    size_t size) {
  if (ParseFilterBlock(data, size).kind != FilterBlockKind::kReadable) {
    return {};
  }
  const size_t end = size - kFilterTailBytes;
  const size_t metadata_size =
      LoadLittleEndian<uint16_t>(data + end - kSizeFromEnd);
  const size_t begin = end - metadata_size;
  std::vector<FilterBlockField> fields = {
      {"version", begin + kVersionAt, 1},
      {"line kind", begin + kLineKindAt, 1},
      {"probes", begin + kProbesAt, 1},
      {"rotation bits", begin + kRotationBitsAt, 1},
      {"build effort", begin + kBuildEffortAt, 1},
      {"reserved", begin + kReservedAt, kLinesAt - kReservedAt},
      {"lines", begin + kLinesAt, sizeof(uint32_t)},
      {"asked bits per key", begin + kAskedMillibitsAt, sizeof(uint32_t)},
      {"keys", begin + kKeysAt, sizeof(uint64_t)},
      {"hash seed", begin + kHashSeedAt, sizeof(uint64_t)},
      {"expected false-positive rate", begin + kRateAt, sizeof(double)}};
  size_t known = begin + kRateAt + sizeof(double);
  if (metadata_size >= kFilterLongMetadataBytes) {
    known = begin + kFilterLongMetadataBytes - kChecksumFromEnd;
    fields.push_back(
        {"asked false-positive rate", begin + kAskedRateAt, sizeof(double)});
    fields.push_back({"level aware", begin + kLevelAwareAt, 1});
    fields.push_back(
        {"reserved", begin + kLongReservedAt, known - begin - kLongReservedAt});
  }
  if (known < end - kChecksumFromEnd) {
    fields.push_back(
        {"of a later release", known, end - kChecksumFromEnd - known});
  }
  fields.push_back({"checksum", end - kChecksumFromEnd, sizeof(uint64_t)});
  fields.push_back(
      {"size of the metadata", end - kSizeFromEnd, sizeof(uint16_t)});
  fields.push_back({"tail", end, kFilterTailBytes});
  return fields;
}

}  // namespace linebloom
