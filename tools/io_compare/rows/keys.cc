#include "tools/io_compare/rows/keys.h"

#include <algorithm>
#include <cerrno>
#include <fstream>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/strip.h"

namespace linebloom::tools {
namespace {

void SetToNumber(uint64_t number, std::string* key) {
  *key = absl::StrFormat("user%012d", number);
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

void NumberedKeys::Get(uint64_t i, std::string* key) const {
  SetToNumber(i * stride_, key);
}

void KeysBetween::Get(uint64_t i, std::string* key) const {
  const uint64_t gap = i / (stride_ - 1);
  const uint64_t place = i % (stride_ - 1);
  SetToNumber(gap * stride_ + 1 + place, key);
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

KeyList SortedAndUnique(const KeyList& keys) {
  std::vector<absl::string_view> views(keys.size());
  for (uint64_t i = 0; i < keys.size(); ++i) views[i] = keys[i];
  std::sort(views.begin(), views.end());
  views.erase(std::unique(views.begin(), views.end()), views.end());
  KeyList sorted;
  for (const absl::string_view key : views) sorted.Add(key);
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
