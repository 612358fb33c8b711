#include "table/properties.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "filter_policy/line/little_endian.h"
#include "table/block.h"
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
  if (name == "rocksdb.deleted.keys") return &p->num_deletions;
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
  if (name == "rocksdb.column.family.name") return &p->column_family_name;
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

}  // namespace

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

}  // namespace linebloom
