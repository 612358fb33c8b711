#include "tools/io_compare/rows/keys.h"

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/strip.h"

namespace linebloom::tools {
namespace {

constexpr uint64_t kNumberedKeyBytes = 16;

Keys Numbered(uint64_t size, std::function<uint64_t(uint64_t)> number) {
  return {size, kNumberedKeyBytes * size,
          [number = std::move(number)](uint64_t i) {
            return absl::StrFormat("user%012d", number(i));
          }};
}

}  // namespace

void KeyList::Add(absl::string_view key) {
  bytes_.append(key.data(), key.size());
  ends_.push_back(bytes_.size());
}

absl::string_view KeyList::operator[](uint64_t i) const {
  const uint64_t begin = i == 0 ? 0 : ends_[i - 1];
  return absl::string_view(bytes_).substr(begin, ends_[i] - begin);
}

Keys KeysOf(KeyList list) {
  const auto shared = std::make_shared<const KeyList>(std::move(list));
  uint64_t bytes = 0;
  for (uint64_t i = 0; i < shared->size(); ++i) bytes += (*shared)[i].size();
  return {shared->size(), bytes,
          [shared](uint64_t i) { return std::string((*shared)[i]); }};
}

Keys NumberedKeys(uint64_t rows, uint64_t stride) {
  return Numbered(rows, [stride](uint64_t i) { return i * stride; });
}

Keys KeysBetween(uint64_t rows, uint64_t stride) {
  return Numbered((rows - 1) * (stride - 1), [stride](uint64_t i) {
    return i / (stride - 1) * stride + 1 + i % (stride - 1);
  });
}

absl::StatusOr<KeyList> ReadKeyFile(absl::string_view flag,
                                    const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  KeyList keys;
  std::string line;
  while (std::getline(file, line)) {
    absl::string_view key = line;
    absl::ConsumeSuffix(&key, "\r");
    if (!key.empty()) keys.Add(key);
  }
  // Opening a folder succeeds like opening a file, but reading it fails.
  if (!file.eof()) {
    return absl::ErrnoToStatus(
        errno, absl::StrCat("cannot read --", flag, "='", path, "'"));
  }
  if (keys.size() == 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("--", flag, "='", path, "' holds no keys"));
  }
  return keys;
}

KeyList SortedAndUnique(const KeyList& keys,
                        const rocksdb::Comparator& comparator) {
  std::vector<rocksdb::Slice> slices(keys.size());
  for (uint64_t i = 0; i < keys.size(); ++i) {
    slices[i] = {keys[i].data(), keys[i].size()};
  }
  std::sort(slices.begin(), slices.end(), [&](const auto& a, const auto& b) {
    return comparator.Compare(a, b) < 0;
  });
  slices.erase(std::unique(slices.begin(), slices.end()), slices.end());
  KeyList sorted;
  for (const rocksdb::Slice& slice : slices) {
    sorted.Add({slice.data(), slice.size()});
  }
  return sorted;
}

HeldOut HoldOut(const KeyList& sorted, uint64_t nth) {
  HeldOut split;
  for (uint64_t i = 0; i < sorted.size(); ++i) {
    const bool inside = i > 0 && i + 1 < sorted.size();
    const bool held_out = inside && i % nth == nth / 2;
    (held_out ? split.missing : split.rows).Add(sorted[i]);
  }
  return split;
}

}  // namespace linebloom::tools
