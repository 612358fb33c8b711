// Bytes in their own memory of exactly their size.
#pragma once

#include <cstddef>
#include <cstring>
#include <memory>
#include <string_view>

namespace linebloom::testing {

// AddressSanitizer detects every access outside a copy, but not outside a part
// of a larger buffer, nor outside a std::string, which stores short texts in
// itself.
class ExactCopy {
 public:
  explicit ExactCopy(std::string_view bytes)
      : size_(bytes.size()), bytes_(new char[size_]) {
    if (size_ > 0) std::memcpy(bytes_.get(), bytes.data(), size_);
  }

  char* data() { return bytes_.get(); }
  const char* data() const { return bytes_.get(); }
  size_t size() const { return size_; }

 private:
  size_t size_;
  std::unique_ptr<char[]> bytes_;
};

}  // namespace linebloom::testing
