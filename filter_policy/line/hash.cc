#include "filter_policy/line/hash.h"

#include <sys/random.h>
#include <unistd.h>

#include <array>
#include <bit>

#include "filter_policy/line/little_endian.h"
#include "filter_policy/line/sip_hash.h"
#include "filter_policy/line/xxh3.inc"
#include "filter_policy/line/xxh3_preview.inc"

namespace linebloom {

uint64_t HashUnseeded(const char* key, size_t size) {
  return XXH3_64bits(key, size);
}

uint64_t HashForPlainLines(const char* key, size_t size) {
  return std::rotl(xxh3_preview::Hash(key, size), 32);
}

KeyHash::KeyHash(uint64_t seed, LineKind line) : key_{seed, 0}, line_(line) {
  std::array<char, sizeof(seed)> bytes;
  StoreLittleEndian(bytes.data(), seed);
  if (seed != 0) key_[1] = HashUnseeded(bytes.data(), bytes.size());
}

uint64_t KeyHash::HashSeeded(const char* key, size_t size) const {
  return SipHash13(key_, key, size);
}

// Not std::random_device, which throws if there is no entropy; RocksDB's
// background threads catch nothing.
std::optional<uint64_t> DrawHashSeed() {
  uint64_t seed = 0;
  while (seed == 0) {
    if (getentropy(&seed, sizeof(seed)) != 0) return std::nullopt;
  }
  return seed;
}

}  // namespace linebloom
