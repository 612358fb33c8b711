#include "table/sst_file.h"

#include <algorithm>
#include <array>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "rocksdb/db.h"
#include "rocksdb/file_system.h"
#include "rocksdb/metadata.h"
#include "table/status.h"

namespace linebloom {
namespace {

constexpr absl::string_view kWhat = "properties";
constexpr absl::string_view kGlobalSequenceNumber =
    "rocksdb.external_sst_file.global_seqno";
constexpr size_t kGlobalSequenceNumberSize = 8;

// Stores one property in `p`, or ignores it. If the value breaks the format,
// returns what was expected; otherwise nothing.
absl::string_view TakeProperty(absl::string_view name, absl::string_view value,
                               Properties* p) {
  const auto number = [&](uint64_t* field) -> absl::string_view {
    return ConsumeVarint64(&value, field) ? "" : "a number, a varint";
  };
  const auto text = [&](std::string* field) -> absl::string_view {
    if (value != "nullptr") field->assign(value.data(), value.size());
    return "";
  };
  // Flags are stored as the numbers 0 and 1, or as the texts "0" and "1".
  const auto flag = [&](bool* field) -> absl::string_view {
    uint64_t stored = 0;
    const absl::string_view expected = number(&stored);
    if (expected.empty()) *field = stored != 0;
    return expected;
  };
  const auto text_flag = [&](bool* field) -> absl::string_view {
    if (value != "0" && value != "1") return "\"0\" or \"1\"";
    *field = value == "1";
    return "";
  };
  if (name == "rocksdb.num.entries") return number(&p->num_entries);
  if (name == "rocksdb.num.range-deletions") {
    return number(&p->num_range_deletions);
  }
  if (name == "rocksdb.num.filter_entries") {
    return number(&p->num_filter_entries.emplace(0));
  }
  if (name == "rocksdb.filter.size") return number(&p->filter_size);
  if (name == "rocksdb.num.data.blocks") return number(&p->num_data_blocks);
  if (name == "rocksdb.data.size") return number(&p->data_size);
  if (name == "rocksdb.index.size") return number(&p->index_size);
  if (name == "rocksdb.lsm.info.at.creation") {
    uint64_t info = 0;
    const absl::string_view expected = number(&info);
    const uint64_t level = info & 0xff;
    const uint64_t state = info >> 8 & 3;
    if (level != 0xff && (state == 1 || state == 2)) {
      p->level_at_creation = static_cast<int>(level);
    }
    return expected;
  }
  if (name == "rocksdb.filter.policy") return text(&p->filter_policy_name);
  if (name == "rocksdb.prefix.extractor.name") {
    return text(&p->prefix_extractor_name);
  }
  if (name == "rocksdb.comparator") return text(&p->comparator_name);
  if (name == "rocksdb.block.based.table.whole.key.filtering") {
    return text_flag(&p->whole_key_filtering);
  }
  if (name == "rocksdb.block.based.table.prefix.filtering") {
    return text_flag(&p->prefix_filtering);
  }
  if (name == "rocksdb.index.key.is.user.key") {
    return flag(&p->index_key_is_user_key);
  }
  if (name == "rocksdb.index.value.is.delta.encoded") {
    return flag(&p->index_value_is_delta_encoded);
  }
  const bool is_sequence_number = name == kGlobalSequenceNumber;
  return is_sequence_number && value.size() != kGlobalSequenceNumberSize
             ? "8 bytes"
             : "";
}

// Resets the global sequence number in a stored property block, if it has one,
// to 0, its value when the file was written.
void ResetGlobalSequenceNumber(const BlockHandle& handle, std::string* stored) {
  const Block block{stored->substr(0, static_cast<size_t>(handle.size)),
                    handle.offset, absl::StrCat(kWhat), ""};
  EntryIterator entry(&block, ValueForm::kAnyBytes);
  while (entry.Next()) {
    if (entry.key() != kGlobalSequenceNumber) continue;
    if (entry.value().size() != kGlobalSequenceNumberSize) return;
    std::fill_n(
        stored->begin() + static_cast<std::ptrdiff_t>(entry.value_offset()),
        kGlobalSequenceNumberSize, '\0');
    return;
  }
}

absl::Status CheckFilterHandle(const RandomAccess& file, const Footer& footer,
                               const BlockHandle& handle) {
  if (EndsBefore(handle, footer.offset)) return absl::OkStatus();
  return DamageError(
      file.name(), footer.metaindex.offset,
      absl::StrCat("metaindex: expected a filter that ends before the footer "
                   "at offset ",
                   footer.offset, ", found ", ToString(handle)));
}

// Removes the suffix of internal keys from the current one of the index over
// partitions, unless it has none.
absl::StatusOr<absl::string_view> UserKeyOf(const EntryIterator& entry,
                                            const Block& index,
                                            const Properties& properties) {
  absl::string_view key = entry.key();
  if (properties.index_key_is_user_key) return key;
  if (key.size() < kInternalKeySuffix) {
    return index.Damage(entry.value_offset(),
                        absl::StrCat("expected a preceding internal key of at "
                                     "least 8 bytes, found ",
                                     key.size()));
  }
  key.remove_suffix(kInternalKeySuffix);
  return key;
}

ValueForm PartitionHandles(const Footer& footer, const Properties& properties) {
  if (!properties.index_value_is_delta_encoded) return ValueForm::kAnyBytes;
  return footer.format_version >= 8 ? ValueForm::kHandleOrGap
                                    : ValueForm::kHandle;
}

// Reads the index over the partitions and calls visit(handle, key) for each.
// They follow one another in the file; overlapping handles are damage, so all
// partitions together are never larger than the file.
template <typename Visit>
absl::Status VisitPartitions(const RandomAccess& file, const Footer& footer,
                             const Properties& properties,
                             const BlockHandle& index_handle,
                             const Visit& visit) {
  ASSIGN_OR_RETURN(
      const Block index,
      ReadBlock(file, footer, index_handle, "index of the filter partitions"));
  // If no key was added to any partition, RocksDB writes an index of 0 bytes,
  // which is not a block of entries.
  if (index.payload.empty()) return absl::OkStatus();
  EntryIterator entry(&index, PartitionHandles(footer, properties));
  BlockHandle handle;
  uint64_t least_offset = 0;
  while (entry.Next()) {
    ASSIGN_OR_RETURN(const absl::string_view key,
                     UserKeyOf(entry, index, properties));
    if (!entry.NextHandle(&handle)) {
      return index.Damage(entry.value_offset(),
                          "expected a block handle, two varints");
    }
    // All partitions come before their index.
    if (handle.offset < least_offset || !EndsBefore(handle, index.offset)) {
      return index.Damage(
          entry.value_offset(),
          absl::StrCat("expected a partition between the offsets ",
                       least_offset, " and ", index.offset, ", found ",
                       ToString(handle)));
    }
    least_offset = handle.offset + handle.size + kBlockTrailerSize;
    visit(handle, key);
  }
  return entry.status();
}

// The keys of partitions may take this much more than the size of their file,
// in which they are compressed.
constexpr uint64_t kKeyBytesOfAnyFile = 16 << 20;

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

// DataLoss if the block or a value breaks the format.
absl::StatusOr<Properties> ParseProperties(const Block& block) {
  Properties properties;
  properties.are_known = true;
  EntryIterator entry(&block, ValueForm::kAnyBytes);
  while (entry.Next()) {
    const absl::string_view expected =
        TakeProperty(entry.key(), entry.value(), &properties);
    if (!expected.empty()) {
      return block.Damage(entry.value_offset(),
                          absl::StrCat(entry.key(), ": expected ", expected));
    }
  }
  if (!entry.status().ok()) return entry.status();
  return properties;
}

absl::StatusOr<Properties> ReadProperties(const RandomAccess& file,
                                          const Footer& footer,
                                          const BlockHandle& handle) {
  ASSIGN_OR_RETURN(std::string stored, ReadStored(file, footer, handle, kWhat));
  absl::StatusOr<Block> block =
      CheckStored(file, footer, handle, kWhat, stored);
  if (block.ok()) return ParseProperties(*block);

  // Ingestion may write a global sequence number into the block without
  // updating the checksum (IngestExternalFileOptions::write_global_seqno), so
  // check the block as it was with a 0 there.
  std::string as_written = stored;
  ResetGlobalSequenceNumber(handle, &as_written);
  if (!CheckStored(file, footer, handle, kWhat, std::move(as_written)).ok()) {
    return block.status();
  }
  stored.resize(static_cast<size_t>(handle.size));
  return ParseProperties(Block{std::move(stored), handle.offset,
                               absl::StrCat(kWhat), file.name()});
}

// The block that maps names to meta blocks: its entries of the filter and the
// properties.
struct Metaindex {
  FilterLocation filter;  // without partitions
  std::optional<BlockHandle> properties;
};

// DataLoss if the block breaks the format or names two filters or two property
// blocks. The handles are not checked.
absl::StatusOr<Metaindex> ParseMetaindex(const Block& block) {
  Metaindex result;
  EntryIterator entry(&block, ValueForm::kAnyBytes);
  while (entry.Next()) {
    absl::string_view name = entry.key();
    const FilterKind kind = ConsumeKind(&name);
    const bool is_filter = kind != FilterKind::kNone;
    if (!is_filter && !IsProperties(name)) continue;

    BlockHandle handle;
    if (!entry.NextHandle(&handle)) {
      return block.Damage(entry.value_offset(),
                          "expected a block handle, two varints");
    }
    if (is_filter ? result.filter.kind != FilterKind::kNone
                  : result.properties.has_value()) {
      return block.Damage(
          entry.value_offset(),
          absl::StrCat("expected one ", is_filter ? "filter" : "property block",
                       ", found two"));
    }
    if (!is_filter) {
      result.properties = handle;
      continue;
    }
    result.filter.kind = kind;
    result.filter.compatibility_name.assign(name.data(), name.size());
    if (kind == FilterKind::kPartitioned) {
      result.filter.index = handle;
    } else {
      result.filter.blocks = {handle};
    }
  }
  if (!entry.status().ok()) return entry.status();
  return result;
}

}  // namespace

absl::string_view ToString(FilterKind kind) {
  // In the order of FilterKind.
  static constexpr absl::string_view kNames[] = {"none", "full", "partitioned",
                                                 "block-based"};
  return kNames[static_cast<size_t>(kind)];
}

uint64_t FilterLocation::TotalSize() const {
  uint64_t total = index.size;
  for (const BlockHandle& block : blocks) total += block.size;
  return total;
}

absl::StatusOr<SstFile> SstFile::Open(const std::string& path) {
  ASSIGN_OR_RETURN(std::unique_ptr<RandomAccess> bytes, OpenFile(path));
  return Open(std::move(bytes));
}

absl::StatusOr<SstFile> SstFile::Open(std::unique_ptr<RandomAccess> bytes) {
  SstFile file(std::move(bytes));
  ASSIGN_OR_RETURN(file.footer_, ReadFooter(*file.bytes_));
  const BlockHandle& at = file.footer_.metaindex;
  ASSIGN_OR_RETURN(const Block block,
                   ReadBlock(*file.bytes_, file.footer_, at, "metaindex"));
  ASSIGN_OR_RETURN(Metaindex metaindex, ParseMetaindex(block));
  if (metaindex.properties.has_value()) {
    ASSIGN_OR_RETURN(
        file.properties_,
        ReadProperties(*file.bytes_, file.footer_, *metaindex.properties));
  }
  file.filter_ = std::move(metaindex.filter);
  if (file.filter_.kind == FilterKind::kPartitioned) {
    RETURN_IF_ERROR(VisitPartitions(
        *file.bytes_, file.footer_, file.properties_, file.filter_.index,
        [&file](const BlockHandle& handle, absl::string_view) {
          file.filter_.blocks.push_back(handle);
        }));
  } else if (file.filter_.kind != FilterKind::kNone) {
    RETURN_IF_ERROR(CheckFilterHandle(*file.bytes_, file.footer_,
                                      file.filter_.blocks.front()));
  }
  return file;
}

absl::StatusOr<Block> SstFile::ReadFilterBlock(
    const BlockHandle& handle) const {
  return ReadBlock(*bytes_, footer_, handle, "filter");
}

absl::StatusOr<std::vector<std::string>> SstFile::ReadPartitionKeys() const {
  std::vector<std::string> keys;
  if (filter_.kind != FilterKind::kPartitioned) return keys;
  // A key may share all but a few bytes with the one before, so 1 MB can stand
  // for 100 GB. RocksDB cuts a partition after a key, which is in the file too.
  const uint64_t limit = bytes_->size() + kKeyBytesOfAnyFile;
  uint64_t total = 0;
  RETURN_IF_ERROR(
      VisitPartitions(*bytes_, footer_, properties_, filter_.index,
                      [&](const BlockHandle&, absl::string_view key) {
                        total += key.size();
                        if (total <= limit) keys.emplace_back(key);
                      }));
  if (total <= limit) return keys;
  return absl::DataLossError(absl::StrCat(
      name(), ": offset ", filter_.index.offset,
      ": index of the filter partitions: expected keys of at most ", limit,
      " bytes together, found ", total));
}

bool IsBuiltInName(absl::string_view compatibility_name) {
  static constexpr std::array<absl::string_view, 7> kNames = {
      "rocksdb.BuiltinBloomFilter",
      "rocksdb.internal.LegacyBloomFilter",
      "rocksdb.internal.FastLocalBloomFilter",
      "rocksdb.internal.Standard128RibbonFilter",
      "rocksdb.internal.DeprecatedBlockBasedBloomFilter",
      "bloomfilter",
      "ribbonfilter",
  };
  return std::ranges::count(kNames, compatibility_name) > 0;
}

std::string PathOf(rocksdb::DB* db, const rocksdb::SstFileMetaData& file) {
  const std::string path =
      absl::StrCat(file.directory, "/", file.relative_filename);
  const std::string older =
      absl::StrCat(absl::StripSuffix(path, ".sst"), ".ldb");
  const auto exists = [db](const std::string& name) {
    return db->GetFileSystem()
        ->FileExists(name, rocksdb::IOOptions(), /*dbg=*/nullptr)
        .ok();
  };
  return !exists(path) && exists(older) ? older : path;
}

}  // namespace linebloom
