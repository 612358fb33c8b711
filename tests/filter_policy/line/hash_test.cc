#include "filter_policy/line/hash.h"

#include <gtest/gtest.h>
#include <highwayhash/sip_hash.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include <cstdint>
#include <random>
#include <string>

namespace linebloom {
namespace {

// docs/format.md, "The hash of a key", for keys of every length; the hash of
// the libraries, whose padding is the paper's.
TEST(KeyHashTest, IsXxh3OrSipHash13) {
  EXPECT_EQ(KeyHash()("key0", 4), 0x74d935ed02021ec6);
  std::mt19937_64 random(1);
  for (size_t size = 0; size < 600; ++size) {
    std::string key(size, '\0');
    for (char& c : key) c = static_cast<char>(random());
    const uint64_t unseeded = XXH3_64bits(key.data(), size);
    EXPECT_EQ(KeyHash()(key.data(), size), unseeded) << size;
    EXPECT_EQ(KeyHash(0)(key.data(), size), unseeded) << size;
    EXPECT_EQ(HashUnseeded(key.data(), size), unseeded) << size;

    const uint64_t seed = random() | 1;
    std::string seed_bytes;
    for (int i = 0; i < 8; ++i) {
      seed_bytes += static_cast<char>(seed >> (8 * i));
    }
    const highwayhash::SipHash13State::Key sip_key = {
        seed, XXH3_64bits(seed_bytes.data(), 8)};
    EXPECT_EQ(KeyHash(seed)(key.data(), size),
              highwayhash::SipHash13(sip_key, key.data(), size))
        << size;
  }
}

}  // namespace
}  // namespace linebloom
