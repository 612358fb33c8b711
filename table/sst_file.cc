#include "table/sst_file.h"

#include <algorithm>
#include <array>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "filter_policy/line/little_endian.h"
#include "table/format.h"
#include "table/status.h"

namespace linebloom {
namespace {

constexpr absl::string_view kWhat = "properties";
constexpr absl::string_view kGlobalSequenceNumber =
    "rocksdb.external_sst_file.global_seqno";
constexpr size_t kGlobalSequenceNumberSize = 8;

// The field for the number called `name`; null if there is none.
uint64_t* FindNumber(absl::string_view name, Properties* p) {
  if (name == "rocksdb.num.entries") return &p->num_entries;
  if (name == "rocksdb.num.range-deletions") return &p->num_range_deletions;
  if (name == "rocksdb.num.filter_entries") {
    return &p->num_filter_entries.emplace(0);
  }
  if (name == "rocksdb.filter.size") return &p->filter_size;
  return nullptr;
}

std::string* FindText(absl::string_view name, Properties* p) {
  if (name == "rocksdb.filter.policy") return &p->filter_policy_name;
  if (name == "rocksdb.prefix.extractor.name") return &p->prefix_extractor_name;
  if (name == "rocksdb.comparator") return &p->comparator_name;
  return nullptr;
}

// Flags are stored as the texts "0" and "1", or as the numbers 0 and 1.
bool* FindTextFlag(absl::string_view name, Properties* p) {
  if (name == "rocksdb.block.based.table.whole.key.filtering") {
    return &p->whole_key_filtering;
  }
  if (name == "rocksdb.block.based.table.prefix.filtering") {
    return &p->prefix_filtering;
  }
  return nullptr;
}

bool* FindNumberFlag(absl::string_view name, Properties* p) {
  if (name == "rocksdb.index.key.is.user.key") return &p->index_key_is_user_key;
  if (name == "rocksdb.index.value.is.delta.encoded") {
    return &p->index_value_is_delta_encoded;
  }
  return nullptr;
}

// Stores one property in `p`, or ignores it. If the value breaks the format,
// returns what was expected; otherwise nothing.
absl::string_view TakeProperty(absl::string_view name, absl::string_view value,
                               Properties* p) {
  uint64_t number = 0;
  if (uint64_t* field = FindNumber(name, p)) {
    if (!ConsumeVarint64(&value, field)) return "a number, a varint";
  } else if (std::string* text = FindText(name, p)) {
    if (value != "nullptr") text->assign(value.data(), value.size());
  } else if (bool* text_flag = FindTextFlag(name, p)) {
    if (value != "0" && value != "1") return "\"0\" or \"1\"";
    *text_flag = value == "1";
  } else if (bool* flag = FindNumberFlag(name, p)) {
    if (!ConsumeVarint64(&value, &number)) return "a number, a varint";
    *flag = number != 0;
  } else if (name == kGlobalSequenceNumber) {
    if (value.size() != kGlobalSequenceNumberSize) return "8 bytes";
    p->global_sequence_number = LoadLittleEndian<uint64_t>(value.data());
  }
  return {};
}

// Resets the global sequence number in a stored property block, if it has one,
// to 0, its value when the file was written.
void ResetGlobalSequenceNumber(const BlockHandle& handle, std::string* stored) {
  const Block block{stored->substr(0, static_cast<size_t>(handle.size)),
                    handle.offset, absl::StrCat(kWhat), ""};
  EntryIterator entry(&block, ValueLength::kStored);
  while (entry.Next()) {
    if (entry.key() != kGlobalSequenceNumber) continue;
    if (entry.value().size() != kGlobalSequenceNumberSize) return;
    std::fill_n(
        stored->begin() + static_cast<std::ptrdiff_t>(entry.value_offset()),
        kGlobalSequenceNumberSize, '\0');
    return;
  }
}

// RocksDB's internal keys end with a sequence number and a type.
constexpr size_t kInternalKeySuffix = 8;

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
  ASSIGN_OR_RETURN(location->partition_index,
                   file.ReadBlock(file.metaindex().filter,
                                  "index of the filter partitions"));

  PartitionIndex partition(&location->partition_index, properties);
  while (partition.Next()) location->blocks.push_back(partition.handle());
  return partition.status();
}

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
  EntryIterator entry(&block, ValueLength::kStored);
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

// DataLoss if the block breaks the format or names two filters or two property
// blocks. The handles are not checked.
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

}  // namespace

absl::string_view ToString(FilterKind kind) {
  // In the order of FilterKind.
  static constexpr absl::string_view kNames[] = {"none", "full", "partitioned",
                                                 "block-based"};
  return kNames[static_cast<size_t>(kind)];
}

SstFile::SstFile(std::unique_ptr<RandomAccess> bytes, const Footer& footer,
                 Metaindex metaindex)
    : bytes_(std::move(bytes)),
      footer_(footer),
      metaindex_(std::move(metaindex)) {}

absl::StatusOr<SstFile> SstFile::Open(const std::string& path) {
  ASSIGN_OR_RETURN(std::unique_ptr<RandomAccess> bytes, OpenFile(path));
  return Open(std::move(bytes));
}

absl::StatusOr<SstFile> SstFile::Open(std::unique_ptr<RandomAccess> bytes) {
  ASSIGN_OR_RETURN(const Footer footer, ReadFooter(*bytes));
  ASSIGN_OR_RETURN(
      const Block block,
      linebloom::ReadBlock(*bytes, footer, footer.metaindex, "metaindex"));
  ASSIGN_OR_RETURN(Metaindex metaindex, ParseMetaindex(block));
  return SstFile(std::move(bytes), footer, std::move(metaindex));
}

absl::StatusOr<Properties> SstFile::ReadProperties() const {
  if (!metaindex_.properties.has_value()) return Properties();
  return linebloom::ReadProperties(*bytes_, footer_, *metaindex_.properties);
}

absl::StatusOr<Block> SstFile::ReadBlock(const BlockHandle& handle,
                                         absl::string_view what) const {
  return linebloom::ReadBlock(*bytes_, footer_, handle, what);
}

PartitionIndex::PartitionIndex(const Block* block, const Properties& properties)
    : block_(block),
      key_is_user_key_(properties.index_key_is_user_key),
      value_is_delta_encoded_(properties.index_value_is_delta_encoded),
      entry_(block, value_is_delta_encoded_ ? ValueLength::kOfBlockHandle
                                            : ValueLength::kStored) {
  // If no key was added to any partition, RocksDB writes an index of 0 bytes,
  // which is not a block of entries.
  if (!block->payload.empty()) status_ = entry_.status();
}

bool PartitionIndex::Fail(const absl::Status& status) {
  status_ = status;
  return false;
}

bool PartitionIndex::NextUserKey() {
  user_key_ = entry_.key();
  if (key_is_user_key_) return true;
  if (user_key_.size() < kInternalKeySuffix) {
    return Fail(block_->Damage(
        entry_.value_offset(),
        absl::StrCat("expected a preceding internal key of at least 8 "
                     "bytes, found ",
                     user_key_.size())));
  }
  user_key_.remove_suffix(kInternalKeySuffix);
  return true;
}

bool PartitionIndex::NextHandle() {
  absl::string_view value = entry_.value();
  if (value_is_delta_encoded_ && entry_.continues_key()) {
    // The partition starts where the previous one ends, and the value, in which
    // `entry_` has found a varint, is the difference between their sizes. The
    // sum wraps around for sizes that no file has, which are rejected below.
    int64_t difference = 0;
    ConsumeSignedVarint64(&value, &difference);
    handle_.offset = next_offset_;
    handle_.size += static_cast<uint64_t>(difference);
  } else if (!ConsumeBlockHandle(&value, &handle_)) {
    return Fail(block_->Damage(entry_.value_offset(),
                               "expected a block handle, two varints"));
  }
  // All partitions come before their index.
  if (handle_.offset < next_offset_ || !EndsBefore(handle_, block_->offset)) {
    return Fail(block_->Damage(
        entry_.value_offset(),
        absl::StrCat("expected a partition between the offsets ", next_offset_,
                     " and ", block_->offset, ", found ", ToString(handle_))));
  }
  next_offset_ = handle_.offset + handle_.size + kBlockTrailerSize;
  return true;
}

bool PartitionIndex::Next() {
  if (!status_.ok()) return false;
  if (!entry_.Next()) {
    if (!block_->payload.empty()) status_ = entry_.status();
    return false;
  }
  return NextUserKey() && NextHandle();
}

uint64_t FilterLocation::TotalSize() const {
  uint64_t size = partition_index.payload.size();
  for (const BlockHandle& block : blocks) size += block.size;
  return size;
}

absl::StatusOr<FilterLocation> LocateFilter(const SstFile& file) {
  if (file.metaindex().filter_kind != FilterKind::kPartitioned) {
    return LocateFilter(file, Properties());
  }
  ASSIGN_OR_RETURN(const Properties properties, file.ReadProperties());
  return LocateFilter(file, properties);
}

absl::StatusOr<FilterLocation> LocateFilter(const SstFile& file,
                                            const Properties& properties) {
  FilterLocation location;
  location.kind = file.metaindex().filter_kind;
  location.family = file.metaindex().filter_family;
  if (location.kind == FilterKind::kPartitioned) {
    RETURN_IF_ERROR(LocatePartitions(file, properties, &location));
  } else if (location.kind != FilterKind::kNone) {
    location.blocks = {file.metaindex().filter};
    RETURN_IF_ERROR(CheckFilterHandle(file, file.metaindex().filter));
  }
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
  return std::ranges::count(kNames, family) > 0;
}

}  // namespace linebloom
