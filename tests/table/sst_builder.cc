#include "tests/table/sst_builder.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "filter_policy/line/little_endian.h"

namespace linebloom::testing {
namespace {

constexpr uint64_t kMagic = 0x88e241b785f4cff7;
constexpr uint32_t kGap = 77;  // bytes

// A block of entries with restart points. An entry starts with the numbers of
// bytes that its key shares with the previous one and of those it doesn't;
// rest(entry, unshared, continues_key) is what follows.
template <typename Entries, typename Rest>
std::string MakeBlockOf(const Entries& entries, size_t restart_interval,
                        absl::string_view prefix, const Rest& rest) {
  std::string block(prefix);
  std::string restarts;
  for (size_t i = 0; i < entries.size(); ++i) {
    const std::string& key = entries[i].key;
    size_t shared = 0;  // in a restart point only the prefix, which isn't told
    if (i % restart_interval == 0) {
      restarts += Le32(static_cast<uint32_t>(block.size()));
    } else {
      const std::string& last = entries[i - 1].key;
      shared = std::ranges::mismatch(key, last).in1 - key.begin();
    }
    const std::string rest_of_key =
        key.substr(shared > 0 ? shared : prefix.size());
    absl::StrAppend(&block, Varint(shared), Varint(rest_of_key.size()),
                    rest(entries[i], rest_of_key, shared > 0));
  }
  // Even an empty block has one.
  if (restarts.empty()) restarts = Le32(0);
  return block + restarts + Le32(static_cast<uint32_t>(restarts.size() / 4));
}

}  // namespace

std::string Varint(uint64_t value) {
  std::string bytes;
  for (; value >= 0x80; value >>= 7) {
    bytes.push_back(static_cast<char>(value | 0x80));
  }
  bytes.push_back(static_cast<char>(value));
  return bytes;
}

std::string Le32(uint32_t value) { return Le64(value).substr(0, 4); }

std::string Le64(uint64_t value) {
  std::string bytes(sizeof(value), '\0');
  StoreLittleEndian(bytes.data(), value);
  return bytes;
}

std::string Encode(const BlockHandle& handle) {
  return Varint(handle.offset) + Varint(handle.size);
}

std::string MakeBlock(const std::vector<Entry>& entries,
                      size_t restart_interval, absl::string_view prefix) {
  return MakeBlockOf(
      entries, restart_interval, prefix,
      [](const Entry& entry, const std::string& unshared, bool /*continues*/) {
        return Varint(entry.value.size()) + unshared + entry.value;
      });
}

std::string MakeDeltaIndex(const std::vector<Partition>& partitions,
                           size_t restart_interval, uint32_t format_version,
                           absl::string_view prefix) {
  BlockHandle last;
  const auto encode = [&](const Partition& partition,
                          const std::string& unshared, bool continues_key) {
    const BlockHandle& handle = partition.handle;
    const BlockHandle before = std::exchange(last, handle);
    if (!continues_key) return unshared + Encode(handle);
    const bool has_gap =
        handle.offset != before.offset + before.size + kBlockTrailerSize;
    if (format_version >= 8 && has_gap) {
      return unshared + Varint(0) + Encode(handle);
    }
    const auto difference = static_cast<int64_t>(handle.size - before.size);
    const uint64_t zigzag = (static_cast<uint64_t>(difference) << 1) ^
                            static_cast<uint64_t>(difference >> 63);
    return unshared + Varint(format_version >= 8 ? zigzag + 1 : zigzag);
  };
  return MakeBlockOf(partitions, restart_interval, prefix, encode);
}

BlockHandle SstBuilder::AddBlock(absl::string_view payload) {
  const BlockHandle handle{file_.size(), payload.size()};
  const std::string summed = absl::StrCat(payload, absl::string_view("\0", 1));
  absl::StrAppend(&file_, summed,
                  Le32(ComputeChecksum(checksum_type_, summed) +
                       ChecksumContext(base_context_, handle.offset)));
  return handle;
}

void SstBuilder::AddMeta(absl::string_view name, absl::string_view value) {
  meta_.push_back({absl::StrCat(name), absl::StrCat(value)});
}

std::string SstBuilder::Finish() {
  const std::string name = "rocksdb.properties";
  if (std::ranges::find(meta_, name, &Entry::key) == meta_.end()) {
    AddMetaBlock(name, MakeBlock({}, 1));
  }
  return FinishWith(MakeBlock(meta_, 1));
}

std::string SstBuilder::FinishWith(absl::string_view metaindex) {
  const BlockHandle handle = AddBlock(metaindex);
  if (format_version_ >= 8) file_.append(kGap, 'g');
  return file_ + (format_version_ >= 6 ? MakeExtendedFooter(handle)
                                       : MakeFooter(handle));
}

std::string SstBuilder::MakeFooter(const BlockHandle& metaindex) const {
  std::string handles = Encode(metaindex) + Encode(BlockHandle{});
  handles.resize(40, '\0');
  return std::string(1, static_cast<char>(checksum_type_)) + handles +
         Le32(format_version_) + Le64(kMagic);
}

std::string SstBuilder::MakeExtendedFooter(const BlockHandle& metaindex) const {
  std::string footer(1, static_cast<char>(checksum_type_));
  footer.append("\x3e\x00\x7a\x00", 4);
  footer.append(4, '\0');  // the checksum
  absl::StrAppend(&footer, Le32(base_context_),
                  Le32(static_cast<uint32_t>(metaindex.size) |
                       (format_version_ >= 8 ? kGap << 16 : 0)));
  footer.append(24, '\0');
  absl::StrAppend(&footer, Le32(format_version_), Le64(kMagic));
  const uint32_t checksum = ComputeChecksum(checksum_type_, footer) +
                            ChecksumContext(base_context_, file_.size());
  return footer.replace(5, 4, Le32(checksum));
}

}  // namespace linebloom::testing
