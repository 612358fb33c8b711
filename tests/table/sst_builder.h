// Builds SSTables in memory, byte by byte according to docs/format.md: in
// versions that the installed RocksDB can't write, and with errors that it
// never makes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "table/format.h"

namespace linebloom::testing {

std::string Varint(uint64_t value);
std::string Le32(uint32_t value);
std::string Le64(uint64_t value);
std::string Encode(const BlockHandle& handle);

struct Entry {
  std::string key;
  std::string value;
};

// A block of keys and values with a restart point every `restart_interval`
// entries. All keys begin with `prefix`, which is stored once.
std::string MakeBlock(const std::vector<Entry>& entries,
                      size_t restart_interval, absl::string_view prefix = {});

struct Partition {
  std::string key;  // as in the index: a user key or an internal key
  BlockHandle handle;
};

// An index over filter partitions with `rocksdb.index.value.is.delta.encoded`:
// no lengths before values, and only the difference of sizes if a key shares a
// prefix with the previous one, unless since format_version 8 a gap is between
// the two.
std::string MakeDeltaIndex(const std::vector<Partition>& partitions,
                           size_t restart_interval, uint32_t format_version = 5,
                           absl::string_view prefix = {});

class SstBuilder {
 public:
  SstBuilder(uint32_t format_version, ChecksumType checksum_type)
      : format_version_(format_version),
        checksum_type_(checksum_type),
        base_context_(format_version >= 6 ? 0x9e3779b9 : 0) {}

  // Appends a block and its trailer.
  BlockHandle AddBlock(absl::string_view payload);

  // Adds a name to the metaindex, and its block. Call these in the order of
  // names.
  void AddMeta(absl::string_view name, absl::string_view value);
  void AddMetaBlock(absl::string_view name, absl::string_view payload) {
    AddMeta(name, Encode(AddBlock(payload)));
  }

  // Appends empty properties, unless there are others, the metaindex, since
  // format_version 8 a gap, and the footer, without a handle of the index.
  // Returns the file.
  std::string Finish();

  // The same with the caller's own metaindex.
  std::string FinishWith(absl::string_view metaindex);

 private:
  std::string MakeFooter(const BlockHandle& metaindex) const;
  std::string MakeExtendedFooter(const BlockHandle& metaindex) const;

  uint32_t format_version_;
  ChecksumType checksum_type_;
  uint32_t base_context_;
  std::string file_;
  std::vector<Entry> meta_;
};

}  // namespace linebloom::testing
