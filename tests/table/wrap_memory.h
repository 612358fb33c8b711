// Bytes in memory, read as a file.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "absl/strings/string_view.h"
#include "rocksdb/file_system.h"
#include "table/random_access.h"

namespace linebloom {

class MemoryFile final : public rocksdb::FSRandomAccessFile {
 public:
  explicit MemoryFile(absl::string_view bytes) : bytes_(bytes) {}
  rocksdb::IOStatus Read(uint64_t offset, size_t size,
                         const rocksdb::IOOptions& /*options*/,
                         rocksdb::Slice* result, char* /*scratch*/,
                         rocksdb::IODebugContext* /*dbg*/) const override {
    *result = rocksdb::Slice(bytes_.data() + offset, size);
    return rocksdb::IOStatus::OK();
  }

 private:
  const std::string bytes_;
};

// Copies `bytes`, with a name for messages.
inline std::unique_ptr<RandomAccess> WrapMemory(std::string name,
                                                absl::string_view bytes) {
  return std::make_unique<RandomAccess>(std::move(name), bytes.size(),
                                        std::make_unique<MemoryFile>(bytes));
}

}  // namespace linebloom
