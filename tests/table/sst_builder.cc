#include "tests/table/sst_builder.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "filter_policy/line/little_endian.h"

namespace linebloom::testing {
namespace {

constexpr uint64_t kMagic = 0x88e241b785f4cff7;
constexpr uint64_t kLegacyMagic = 0xdb4775248b80fb57;

// The keys of a block under construction, and the offsets of its restart
// points.
class KeyWriter {
 public:
  explicit KeyWriter(int restart_interval)
      : restart_interval_(restart_interval) {}

  // How many bytes `key` shares with the previous key. Call this once per key.
  size_t Share(absl::string_view key, size_t offset) {
    size_t shared = 0;
    if (count_ % restart_interval_ == 0) {
      absl::StrAppend(&restarts_, Le32(static_cast<uint32_t>(offset)));
      ++restart_count_;
    } else {
      shared = std::mismatch(key.begin(), key.end(), last_key_.begin(),
                             last_key_.end())
                   .first -
               key.begin();
    }
    ++count_;
    last_key_ = absl::StrCat(key);
    return shared;
  }

  std::string Restarts() const {
    // Even an empty block has one.
    if (restart_count_ == 0) return Le32(0) + Le32(1);
    return restarts_ + Le32(restart_count_);
  }

 private:
  int restart_interval_;
  int count_ = 0;
  uint32_t restart_count_ = 0;
  std::string restarts_;
  std::string last_key_;
};

}  // namespace

std::string Varint(uint64_t value) {
  std::string bytes;
  for (; value >= 0x80; value >>= 7) {
    bytes.push_back(static_cast<char>(value | 0x80));
  }
  bytes.push_back(static_cast<char>(value));
  return bytes;
}

std::string Le32(uint32_t value) {
  std::string bytes(sizeof(value), '\0');
  StoreLittleEndian(bytes.data(), value);
  return bytes;
}

std::string Le64(uint64_t value) {
  std::string bytes(sizeof(value), '\0');
  StoreLittleEndian(bytes.data(), value);
  return bytes;
}

std::string Encode(const BlockHandle& handle) {
  return Varint(handle.offset) + Varint(handle.size);
}

std::string MakeBlock(const std::vector<Entry>& entries, int restart_interval) {
  std::string block;
  KeyWriter keys(restart_interval);
  for (const Entry& entry : entries) {
    const size_t shared = keys.Share(entry.key, block.size());
    absl::StrAppend(&block, Varint(shared), Varint(entry.key.size() - shared),
                    Varint(entry.value.size()), entry.key.substr(shared),
                    entry.value);
  }
  return block + keys.Restarts();
}

std::string MakeDeltaIndex(const std::vector<Partition>& partitions,
                           int restart_interval) {
  std::string block;
  KeyWriter keys(restart_interval);
  uint64_t last_size = 0;
  for (const Partition& partition : partitions) {
    const size_t shared = keys.Share(partition.key, block.size());
    const auto difference =
        static_cast<int64_t>(partition.handle.size - last_size);
    const uint64_t zigzag = (static_cast<uint64_t>(difference) << 1) ^
                            static_cast<uint64_t>(difference >> 63);
    absl::StrAppend(&block, Varint(shared),
                    Varint(partition.key.size() - shared),
                    partition.key.substr(shared),
                    shared > 0 ? Varint(zigzag) : Encode(partition.handle));
    last_size = partition.handle.size;
  }
  return block + keys.Restarts();
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

std::string SstBuilder::FinishWith(absl::string_view metaindex) {
  const BlockHandle handle = AddBlock(metaindex);
  return file_ + (format_version_ >= 6 ? MakeExtendedFooter(handle)
                                       : MakeFooter(handle));
}

std::string SstBuilder::MakeFooter(const BlockHandle& metaindex) const {
  std::string handles = Encode(metaindex) + Encode(BlockHandle{});
  handles.resize(40, '\0');
  if (format_version_ == 0) return handles + Le64(kLegacyMagic);
  return std::string(1, static_cast<char>(checksum_type_)) + handles +
         Le32(format_version_) + Le64(kMagic);
}

std::string SstBuilder::MakeExtendedFooter(const BlockHandle& metaindex) const {
  std::string footer(1, static_cast<char>(checksum_type_));
  footer.append("\x3e\x00\x7a\x00", 4);
  footer.append(4, '\0');  // the checksum
  absl::StrAppend(&footer, Le32(base_context_),
                  Le32(static_cast<uint32_t>(metaindex.size)));
  footer.append(24, '\0');
  absl::StrAppend(&footer, Le32(format_version_), Le64(kMagic));
  const uint32_t checksum = ComputeChecksum(checksum_type_, footer) +
                            ChecksumContext(base_context_, file_.size());
  return footer.replace(5, 4, Le32(checksum));
}

}  // namespace linebloom::testing
