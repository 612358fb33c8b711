#include "table/sst_file.h"

#include <utility>

namespace linebloom {

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
