// Bytes in memory, read as a file.
#pragma once

#include <cstring>
#include <memory>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "table/random_access.h"

namespace linebloom {

class MemoryBytes final : public RandomAccess {
 public:
  MemoryBytes(std::string name, absl::string_view bytes)
      : RandomAccess(std::move(name), bytes.size()), bytes_(bytes) {}

 private:
  absl::Status ReadInto(uint64_t offset, size_t length,
                        char* out) const override {
    std::memcpy(out, bytes_.data() + offset, length);
    return absl::OkStatus();
  }

  const std::string bytes_;
};

// Copies `bytes`, with a name for messages.
inline std::unique_ptr<RandomAccess> WrapMemory(std::string name,
                                                absl::string_view bytes) {
  return std::make_unique<MemoryBytes>(std::move(name), bytes);
}

}  // namespace linebloom
