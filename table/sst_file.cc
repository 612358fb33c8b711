#include "table/sst_file.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "table/block.h"

namespace linebloom {
namespace {

// Removes the prefix that names the kind of filter from the front of `name`.
FilterKind ConsumeKind(absl::string_view* name) {
  if (absl::ConsumePrefix(name, "fullfilter.")) return FilterKind::kFull;
  if (absl::ConsumePrefix(name, "partitionedfilter.")) {
    return FilterKind::kPartitioned;
  }
  if (absl::ConsumePrefix(name, "filter.")) {
    return FilterKind::kObsoleteBlockBased;
  }
  return FilterKind::kNone;
}

bool IsProperties(absl::string_view name) {
  // RocksDB before 2.7 used the second name.
  return name == "rocksdb.properties" || name == "rocksdb.stats";
}

}  // namespace

absl::string_view ToString(FilterKind kind) {
  switch (kind) {
    case FilterKind::kNone:
      return "none";
    case FilterKind::kFull:
      return "full";
    case FilterKind::kPartitioned:
      return "partitioned";
    case FilterKind::kObsoleteBlockBased:
      return "block-based";
  }
  return "unknown";
}

absl::StatusOr<Metaindex> ParseMetaindex(const Block& block) {
  Metaindex result;
  EntryIterator entry(&block, ValueLength::kStored);
  while (entry.Next()) {
    absl::string_view name = entry.key();
    const FilterKind kind = ConsumeKind(&name);
    const bool is_filter = kind != FilterKind::kNone;
    if (!is_filter && !IsProperties(name)) continue;

    absl::string_view value = entry.value();
    BlockHandle handle;
    if (!ConsumeBlockHandle(&value, &handle)) {
      return block.Damage(entry.value_offset(),
                          "expected a block handle, two varints");
    }
    if (is_filter ? result.filter_kind != FilterKind::kNone
                  : result.properties.has_value()) {
      return block.Damage(
          entry.value_offset(),
          absl::StrCat("expected one ", is_filter ? "filter" : "property block",
                       ", found two"));
    }
    if (is_filter) {
      result.filter_kind = kind;
      result.filter_family.assign(name.data(), name.size());
      result.filter = handle;
    } else {
      result.properties = handle;
    }
  }
  if (!entry.status().ok()) return entry.status();
  return result;
}

SstFile::SstFile(std::unique_ptr<RandomAccess> bytes, const Footer& footer,
                 Metaindex metaindex)
    : bytes_(std::move(bytes)),
      footer_(footer),
      metaindex_(std::move(metaindex)) {}

absl::StatusOr<SstFile> SstFile::Open(const std::string& path) {
  absl::StatusOr<std::unique_ptr<RandomAccess>> bytes = OpenFile(path);
  if (!bytes.ok()) return bytes.status();
  return Open(*std::move(bytes));
}

absl::StatusOr<SstFile> SstFile::Open(std::unique_ptr<RandomAccess> bytes) {
  const absl::StatusOr<Footer> footer = ReadFooter(*bytes);
  if (!footer.ok()) return footer.status();
  const absl::StatusOr<Block> block =
      linebloom::ReadBlock(*bytes, *footer, footer->metaindex, "metaindex");
  if (!block.ok()) return block.status();
  absl::StatusOr<Metaindex> metaindex = ParseMetaindex(*block);
  if (!metaindex.ok()) return metaindex.status();
  return SstFile(std::move(bytes), *footer, *std::move(metaindex));
}

absl::StatusOr<Properties> SstFile::ReadProperties() const {
  if (!metaindex_.properties.has_value()) return Properties();
  return linebloom::ReadProperties(*bytes_, footer_, *metaindex_.properties);
}

absl::StatusOr<Block> SstFile::ReadBlock(const BlockHandle& handle,
                                         absl::string_view what) const {
  return linebloom::ReadBlock(*bytes_, footer_, handle, what);
}

}  // namespace linebloom
