#include "table/filter_locator.h"

#include <algorithm>
#include <array>
#include <utility>

#include "absl/strings/str_cat.h"
#include "table/damage.h"
#include "table/partition_index.h"

namespace linebloom {
namespace {

absl::Status CheckFilterHandle(const SstFile& file, const BlockHandle& handle) {
  if (EndsBefore(handle, file.footer().offset)) return absl::OkStatus();
  return DamageError(
      file.name(), file.footer().metaindex.offset,
      absl::StrCat("metaindex: expected a filter that ends before the footer "
                   "at offset ",
                   file.footer().offset, ", found ", ToString(handle)));
}

absl::Status LocatePartitions(const SstFile& file, const Properties& properties,
                              FilterLocation* location) {
  absl::StatusOr<Block> index =
      file.ReadBlock(file.metaindex().filter, "index of the filter partitions");
  if (!index.ok()) return index.status();
  location->partition_index = *std::move(index);

  PartitionIndex partition(&location->partition_index, properties);
  while (partition.Next()) location->blocks.push_back(partition.handle());
  return partition.status();
}

}  // namespace

uint64_t FilterLocation::TotalSize() const {
  uint64_t size = partition_index.payload.size();
  for (const BlockHandle& block : blocks) size += block.size;
  return size;
}

absl::StatusOr<FilterLocation> LocateFilter(const SstFile& file) {
  if (file.metaindex().filter_kind != FilterKind::kPartitioned) {
    return LocateFilter(file, Properties());
  }
  const absl::StatusOr<Properties> properties = file.ReadProperties();
  if (!properties.ok()) return properties.status();
  return LocateFilter(file, *properties);
}

absl::StatusOr<FilterLocation> LocateFilter(const SstFile& file,
                                            const Properties& properties) {
  FilterLocation location;
  location.kind = file.metaindex().filter_kind;
  location.family = file.metaindex().filter_family;
  absl::Status status;
  switch (location.kind) {
    case FilterKind::kNone:
      break;
    case FilterKind::kFull:
    case FilterKind::kObsoleteBlockBased:
      location.blocks = {file.metaindex().filter};
      status = CheckFilterHandle(file, file.metaindex().filter);
      break;
    case FilterKind::kPartitioned:
      status = LocatePartitions(file, properties, &location);
      break;
  }
  if (!status.ok()) return status;
  return location;
}

absl::StatusOr<Block> ReadFilterBlock(const SstFile& file,
                                      const BlockHandle& handle) {
  return file.ReadBlock(handle, "filter");
}

bool IsBuiltinFilterFamily(absl::string_view family) {
  static constexpr std::array<absl::string_view, 7> kNames = {
      "rocksdb.BuiltinBloomFilter",
      "rocksdb.internal.LegacyBloomFilter",
      "rocksdb.internal.FastLocalBloomFilter",
      "rocksdb.internal.Standard128RibbonFilter",
      "rocksdb.internal.DeprecatedBlockBasedBloomFilter",
      "bloomfilter",
      "ribbonfilter",
  };
  return std::find(kNames.begin(), kNames.end(), family) != kNames.end();
}

}  // namespace linebloom
