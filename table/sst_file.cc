#include "table/sst_file.h"

#include <algorithm>
#include <array>
#include <iterator>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "rocksdb/file_system.h"
#include "table/status.h"

namespace linebloom {
namespace {

constexpr absl::string_view kProperties = "properties";
constexpr absl::string_view kFilter = "filter";
constexpr absl::string_view kGlobalSequenceNumber =
    "rocksdb.external_sst_file.global_seqno";
constexpr size_t kGlobalSequenceNumberSize = 8;

template <typename Value>
struct Field {
  absl::string_view name;
  Value Properties::*value;
};

constexpr Field<uint64_t> kNumbers[] = {  // as varints
    {"rocksdb.num.entries", &Properties::num_entries},
    {"rocksdb.num.range-deletions", &Properties::num_range_deletions},
    {"rocksdb.filter.size", &Properties::filter_size},
    {"rocksdb.num.data.blocks", &Properties::num_data_blocks},
    {"rocksdb.data.size", &Properties::data_size},
    {"rocksdb.index.size", &Properties::index_size},
    {"rocksdb.raw.key.size", &Properties::raw_key_size},
    {"rocksdb.raw.value.size", &Properties::raw_value_size}};

constexpr Field<std::string> kTexts[] = {
    {"rocksdb.filter.policy", &Properties::filter_policy_name},
    {"rocksdb.prefix.extractor.name", &Properties::prefix_extractor_name},
    {"rocksdb.comparator", &Properties::comparator_name},
    {"rocksdb.compression", &Properties::compression_name}};

constexpr Field<bool> kFlags[] = {  // as the texts "0" and "1"
    {"rocksdb.block.based.table.whole.key.filtering",
     &Properties::whole_key_filtering},
    {"rocksdb.block.based.table.prefix.filtering",
     &Properties::prefix_filtering}};

constexpr Field<bool> kNumberFlags[] = {
    {"rocksdb.index.key.is.user.key", &Properties::index_key_is_user_key},
    {"rocksdb.index.value.is.delta.encoded",
     &Properties::index_value_is_delta_encoded}};

// Null unless `fields` has one of this name.
template <typename Value, size_t kCount>
Value* Find(const Field<Value> (&fields)[kCount], absl::string_view name,
            Properties* properties) {
  const auto* const found =
      std::ranges::find(fields, name, &Field<Value>::name);
  return found == std::end(fields) ? nullptr : &(properties->*found->value);
}

// Stores one property in `p`, or ignores it. False if the value breaks the
// format.
bool TakeProperty(absl::string_view name, absl::string_view value,
                  Properties* p) {
  if (uint64_t* const number = Find(kNumbers, name, p)) {
    return ConsumeVarint64(&value, number);
  }
  if (std::string* const text = Find(kTexts, name, p)) {
    if (value != "nullptr") text->assign(value.data(), value.size());
    return true;
  }
  if (bool* const flag = Find(kFlags, name, p)) {
    *flag = value == "1";
    return *flag || value == "0";
  }
  uint64_t number = 0;
  if (bool* const flag = Find(kNumberFlags, name, p)) {
    const bool is_number = ConsumeVarint64(&value, &number);
    *flag = number != 0;
    return is_number;
  }
  if (name == "rocksdb.num.filter_entries") {
    return ConsumeVarint64(&value, &p->num_filter_entries.emplace(0));
  }
  if (name == "rocksdb.lsm.info.at.creation") {
    if (!ConsumeVarint64(&value, &number)) return false;
    const uint64_t level = number & 0xff;
    const uint64_t state = number >> 8 & 3;
    if (level != 0xff && (state == 1 || state == 2)) {
      p->level_at_creation = static_cast<int>(level);
    }
    return true;
  }
  return name != kGlobalSequenceNumber ||
         value.size() == kGlobalSequenceNumberSize;
}

// Resets the global sequence number in a stored property block, if it has one,
// to 0, its value when the file was written.
void ResetGlobalSequenceNumber(const BlockHandle& handle, std::string* stored) {
  const Block block{stored->substr(0, static_cast<size_t>(handle.size)),
                    handle.offset, absl::StrCat(kProperties), ""};
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

// Removes the suffix of internal keys from the current one of the index over
// partitions, unless it has none.
absl::StatusOr<absl::string_view> UserKeyOf(const EntryIterator& entry,
                                            const Block& index,
                                            const Properties& properties) {
  absl::string_view key = entry.key();
  if (properties.index_key_is_user_key) return key;
  if (key.size() < kInternalKeySuffix) {
    return index.Damage(entry.value_offset(), "too short an internal key");
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
    // All partitions come before their index.
    if (!entry.NextHandle(&handle) || handle.offset < least_offset ||
        !EndsBefore(handle, index.offset)) {
      return index.Damage(entry.value_offset(), "damaged handle");
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

// DataLoss if the block or a value breaks the format.
absl::StatusOr<Properties> ParseProperties(const Block& block) {
  Properties properties;
  EntryIterator entry(&block, ValueForm::kAnyBytes);
  while (entry.Next()) {
    if (!TakeProperty(entry.key(), entry.value(), &properties)) {
      return block.Damage(entry.value_offset(),
                          absl::StrCat("damaged ", entry.key()));
    }
  }
  if (!entry.status().ok()) return entry.status();
  return properties;
}

absl::StatusOr<Properties> ReadProperties(const RandomAccess& file,
                                          const Footer& footer,
                                          const BlockHandle& handle) {
  ASSIGN_OR_RETURN(std::string stored,
                   ReadStored(file, footer, handle, kProperties));
  absl::StatusOr<Block> block =
      CheckStored(file, footer, handle, kProperties, stored);
  if (block.ok()) return ParseProperties(*block);

  // Ingestion may write a global sequence number into the block without
  // updating the checksum (IngestExternalFileOptions::write_global_seqno), so
  // check the block as it was with a 0 there.
  std::string as_written = stored;
  ResetGlobalSequenceNumber(handle, &as_written);
  if (!CheckStored(file, footer, handle, kProperties, std::move(as_written))
           .ok()) {
    return block.status();
  }
  stored.resize(static_cast<size_t>(handle.size));
  return ParseProperties(Block{std::move(stored), handle.offset,
                               absl::StrCat(kProperties), file.name()});
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
    if (!is_filter && name != "rocksdb.properties") continue;

    BlockHandle handle;
    const bool is_second = is_filter ? result.filter.kind != FilterKind::kNone
                                     : result.properties.has_value();
    if (is_second || !entry.NextHandle(&handle)) {
      return block.Damage(
          entry.value_offset(),
          is_second ? "a second filter or property block" : "damaged handle");
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
  return Open(path, rocksdb::FileSystem::Default().get());
}

absl::StatusOr<SstFile> SstFile::Open(const std::string& path,
                                      rocksdb::FileSystem* file_system) {
  ASSIGN_OR_RETURN(std::unique_ptr<RandomAccess> bytes,
                   RandomAccess::Open(path, file_system));
  return Open(std::move(bytes));
}

absl::StatusOr<SstFile> SstFile::Open(std::unique_ptr<RandomAccess> bytes) {
  SstFile file(std::move(bytes));
  ASSIGN_OR_RETURN(file.footer_, ReadFooter(*file.bytes_));
  const BlockHandle& at = file.footer_.metaindex;
  ASSIGN_OR_RETURN(const Block block,
                   ReadBlock(*file.bytes_, file.footer_, at, "metaindex"));
  ASSIGN_OR_RETURN(Metaindex metaindex, ParseMetaindex(block));
  if (!metaindex.properties.has_value()) {
    return absl::InvalidArgumentError(
        absl::StrCat(file.name(),
                     ": a table without properties, as LevelDB's, which can't "
                     "be read"));
  }
  ASSIGN_OR_RETURN(file.properties_, ReadProperties(*file.bytes_, file.footer_,
                                                    *metaindex.properties));
  file.filter_ = std::move(metaindex.filter);
  if (file.filter_.kind == FilterKind::kPartitioned) {
    RETURN_IF_ERROR(VisitPartitions(
        *file.bytes_, file.footer_, file.properties_, file.filter_.index,
        [&file](const BlockHandle& handle, absl::string_view) {
          file.filter_.blocks.push_back(handle);
        }));
  } else if (file.filter_.kind != FilterKind::kNone) {
    RETURN_IF_ERROR(CheckHandle(*file.bytes_, file.footer_,
                                file.filter_.blocks.front(), kFilter));
  }
  return file;
}

absl::StatusOr<Block> SstFile::ReadFilterBlock(
    const BlockHandle& handle) const {
  return ReadBlock(*bytes_, footer_, handle, kFilter);
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
  return DamageError(name(), filter_.index.offset,
                     absl::StrCat("index of the filter partitions: keys of ",
                                  total, " bytes"));
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

}  // namespace linebloom
