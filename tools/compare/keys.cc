#include "tools/compare/keys.h"

#include <memory>
#include <utility>

#include "absl/strings/str_format.h"

namespace linebloom::tools {
Keys NumberedKeys(uint64_t rows) {
  return {rows, [](uint64_t row, uint64_t gap) {
            const uint64_t number = row * (kMaxGap + 1) + gap;
            return Key{absl::StrFormat("user%012d", number), 0, gap == 0};
          }};
}

Keys KeysOf(std::vector<Key> list) {
  const auto shared = std::make_shared<const std::vector<Key>>(std::move(list));
  return {shared->size(), [shared](uint64_t row, uint64_t gap) {
            Key key = (*shared)[row];
            if (gap == 0) return key;
            key.text += '\0';
            key.text += static_cast<char>(gap >> 8);
            key.text += static_cast<char>(gap);
            key.exists = false;
            return key;
          }};
}

Key LookupAt(const LookupMix& mix, uint64_t i) {
  const uint64_t random = Mix(mix.seed, i);
  const bool is_hit = (random >> 11) / 0x1p53 < mix.hit_ratio;
  return mix.keys.at(Mix(random, 1) % mix.keys.size,
                     is_hit ? 0 : 1 + Mix(random, 2) % kMaxGap);
}

}  // namespace linebloom::tools
