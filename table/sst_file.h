// An SSTable opened for its filter: footer, metaindex and, on demand,
// properties and filter blocks. Nothing in the file is trusted; on any bytes
// every function returns in time and memory bounded by the file's size.
#pragma once

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "table/block.h"
#include "table/block_handle.h"
#include "table/footer.h"
#include "table/metaindex.h"
#include "table/properties.h"
#include "table/random_access.h"

namespace linebloom {

// Immutable; all functions may be called from many threads. Errors are
// ReadFooter's: InvalidArgument for a file that is no block-based SSTable,
// Unimplemented for one that is too new, DataLoss for a damaged one, and those
// of the operating system. Each names the file, and where it can the offset and
// what was expected there.
class SstFile {
 public:
  // Opens the file at `path` read-only.
  static absl::StatusOr<SstFile> Open(const std::string& path);

  // The same over any bytes.
  static absl::StatusOr<SstFile> Open(std::unique_ptr<RandomAccess> bytes);

  const std::string& name() const { return bytes_->name(); }
  uint64_t size() const { return bytes_->size(); }  // bytes
  const Footer& footer() const { return footer_; }
  const Metaindex& metaindex() const { return metaindex_; }

  // Reads the property block. All defaults where there is none, as in files of
  // LevelDB.
  absl::StatusOr<Properties> ReadProperties() const;

  // Reads a block that is not compressed, with its checksum checked. `what` is
  // its name in messages.
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
