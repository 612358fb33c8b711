// Bytes followed by inaccessible memory.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <string_view>

namespace linebloom::testing {

// Serves as ExactCopy for code built without AddressSanitizer, such as the
// distribution's RocksDB: a read beyond the copy ends the process.
class GuardedCopy {
 public:
  explicit GuardedCopy(std::string_view bytes)
      : page_(static_cast<size_t>(sysconf(_SC_PAGESIZE))),
        usable_((bytes.size() + page_ - 1) / page_ * page_),
        size_(bytes.size()) {
    void* const mapped =
        mmap(nullptr, usable_ + page_, PROT_READ | PROT_WRITE,
             MAP_PRIVATE | MAP_ANONYMOUS, /*fd=*/-1, /*offset=*/0);
    if (mapped == MAP_FAILED) std::abort();
    begin_ = static_cast<char*>(mapped);
    if (mprotect(begin_ + usable_, page_, PROT_NONE) != 0) std::abort();
    std::copy(bytes.begin(), bytes.end(), begin_ + usable_ - size_);
  }
  ~GuardedCopy() { munmap(begin_, usable_ + page_); }
  GuardedCopy(const GuardedCopy&) = delete;
  GuardedCopy& operator=(const GuardedCopy&) = delete;

  const char* data() const { return begin_ + usable_ - size_; }
  size_t size() const { return size_; }

 private:
  size_t page_;
  size_t usable_;  // whole pages
  size_t size_;
  char* begin_;
};

}  // namespace linebloom::testing
