#include "filter_policy/line/hash.h"

#include <gtest/gtest.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include <cstdint>
#include <random>
#include <string>

#include "filter_policy/line/sip_hash.h"

namespace linebloom {
namespace {

// Of the bytes 0, 1, 2, ..., as many as the place says, with the key 00 01 ...
// 0f: as other implementations have them, such as that of Rust's core.
constexpr uint64_t kSipHashes[] = {
    0xabac0158050fc4dc, 0xc9f49bf37d57ca93, 0x82cb9b024dc7d44d,
    0x8bf80ab8e7ddf7fb, 0xcf75576088d38328, 0xdef9d52f49533b67,
    0xc50d2b50c59f22a7, 0xd3927d989bb11140, 0x369095118d299a8e,
    0x25a48eb36c063de4, 0x79de85ee92ff097f, 0x70c118c1f94dc352,
    0x78a384b157b4d9a2, 0x306f760c1229ffa7, 0x605aa111c0f95d34,
    0xd320d86d2a519956, 0xcc4fdd1a7d908b66};

TEST(SipHashTest, IsThatOfOthers) {
  constexpr uint64_t kKey[] = {0x0706050403020100, 0x0f0e0d0c0b0a0908};
  std::string bytes;
  for (const uint64_t hash : kSipHashes) {
    EXPECT_EQ(SipHash13(kKey, bytes.data(), bytes.size()), hash);
    bytes += static_cast<char>(bytes.size());
  }
  while (bytes.size() < 63) bytes += static_cast<char>(bytes.size());
  EXPECT_EQ(SipHash13(kKey, bytes.data(), 63), 0x9d199062b7bbb3a8);
}

// docs/format.md, "The hash of a key", for keys of every length.
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
    for (int i = 0; i < 8; ++i) seed_bytes += static_cast<char>(seed >> 8 * i);
    EXPECT_EQ(
        KeyHash(seed)(key.data(), size),
        SipHash13({seed, XXH3_64bits(seed_bytes.data(), 8)}, key.data(), size))
        << size;
  }
}

}  // namespace
}  // namespace linebloom
