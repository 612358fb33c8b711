// An SSTable opened to read its filter: footer, metaindex and, on demand,
// properties and filter blocks. The file is not trusted: for any bytes, each
// function returns in time and memory bounded by the file's size.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "table/block.h"
#include "table/footer.h"
#include "table/format.h"
#include "table/properties.h"
#include "table/random_access.h"

namespace linebloom {

enum class FilterKind {
  kNone,
  kFull,         // one filter for the whole file
  kPartitioned,  // one per range of keys, plus an index over them
  // One per 2 KiB of data, before RocksDB 7.0. Newer versions ignore it.
  kObsoleteBlockBased,
};

// For example "full".
absl::string_view ToString(FilterKind kind);

// The block that maps names to meta blocks: its entries of the filter and the
// properties.
struct Metaindex {
  FilterKind filter_kind = FilterKind::kNone;
  // The CompatibilityName() of the policy that wrote the filter, which RocksDB
  // looks it up by.
  std::string filter_family;
  BlockHandle filter;  // for kPartitioned, the index over the partitions
  std::optional<BlockHandle> properties;
};

// DataLoss if the block breaks the format or names two filters or two property
// blocks. The handles are not checked.
absl::StatusOr<Metaindex> ParseMetaindex(const Block& block);

// Immutable; all functions may be called from many threads. Errors are those of
// ReadFooter: InvalidArgument for a file that is not a block-based SSTable,
// Unimplemented for one that is too new, DataLoss for a damaged one, and those
// of the operating system. Each names the file and, if possible, the offset and
// what was expected there.
class SstFile {
 public:
  // Opens the file at `path` read-only.
  static absl::StatusOr<SstFile> Open(const std::string& path);

  // The same for any bytes.
  static absl::StatusOr<SstFile> Open(std::unique_ptr<RandomAccess> bytes);

  const std::string& name() const { return bytes_->name(); }
  uint64_t size() const { return bytes_->size(); }  // bytes
  const Footer& footer() const { return footer_; }
  const Metaindex& metaindex() const { return metaindex_; }

  // Reads the property block. All fields have their defaults if there is none,
  // as in LevelDB's files.
  absl::StatusOr<Properties> ReadProperties() const;

  // Reads an uncompressed block and checks its checksum. `what` names the block
  // in messages.
  absl::StatusOr<Block> ReadBlock(const BlockHandle& handle,
                                  absl::string_view what) const;

 private:
  SstFile(std::unique_ptr<RandomAccess> bytes, const Footer& footer,
          Metaindex metaindex);

  std::unique_ptr<RandomAccess> bytes_;
  Footer footer_;
  Metaindex metaindex_;
};

}  // namespace linebloom
