#include "filter_policy/line/hash.h"

#include <gtest/gtest.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include <array>
#include <bit>
#include <cstdint>
#include <random>
#include <string>

namespace linebloom {
namespace {

// SipHash as its paper has it, a byte at a time.
class Oracle {
 public:
  Oracle(int rounds_of_word, int rounds_at_end)
      : rounds_of_word_(rounds_of_word), rounds_at_end_(rounds_at_end) {}

  uint64_t Hash(uint64_t k0, uint64_t k1, const std::string& message) {
    v_ = {k0 ^ 0x736f6d6570736575, k1 ^ 0x646f72616e646f6d,
          k0 ^ 0x6c7967656e657261, k1 ^ 0x7465646279746573};
    std::string padded = message;
    while (padded.size() % 8 != 7) padded += '\0';
    padded += static_cast<char>(message.size());
    for (size_t at = 0; at < padded.size(); at += 8) {
      uint64_t word = 0;
      for (size_t i = 0; i < 8; ++i) {
        word |= uint64_t{static_cast<uint8_t>(padded[at + i])} << (8 * i);
      }
      v_[3] ^= word;
      Rounds(rounds_of_word_);
      v_[0] ^= word;
    }
    v_[2] ^= 0xff;
    Rounds(rounds_at_end_);
    return v_[0] ^ v_[1] ^ v_[2] ^ v_[3];
  }

 private:
  void HalfRound(int a, int b, int c, int d, int s, int t) {
    v_[a] += v_[b];
    v_[c] += v_[d];
    v_[b] = std::rotl(v_[b], s) ^ v_[a];
    v_[d] = std::rotl(v_[d], t) ^ v_[c];
    v_[a] = std::rotl(v_[a], 32);
  }

  void Rounds(int count) {
    for (int i = 0; i < count; ++i) {
      HalfRound(0, 1, 2, 3, 13, 16);
      HalfRound(2, 1, 0, 3, 17, 21);
    }
  }

  const int rounds_of_word_;
  const int rounds_at_end_;
  std::array<uint64_t, 4> v_{};
};

// The example of the paper's appendix A.
TEST(KeyHashTest, TheOracleHasThePapersValue) {
  std::string message;
  for (char i = 0; i < 15; ++i) message += i;
  EXPECT_EQ(Oracle(2, 4).Hash(0x0706050403020100, 0x0f0e0d0c0b0a0908, message),
            0xa129ca6149be45e5);
}

std::string RandomKey(size_t size, std::mt19937_64* random) {
  std::string key(size, '\0');
  for (char& c : key) c = static_cast<char>((*random)());
  return key;
}

// docs/format.md, "The hash of a key".
TEST(KeyHashTest, WithASeedItIsSipHash13) {
  std::mt19937_64 random(1);
  for (size_t size = 0; size < 600; ++size) {
    const uint64_t seed = random() | 1;
    std::string seed_bytes;
    for (int i = 0; i < 8; ++i) {
      seed_bytes += static_cast<char>(seed >> (8 * i));
    }
    const std::string key = RandomKey(size, &random);
    EXPECT_EQ(KeyHash(seed)(key.data(), key.size()),
              Oracle(1, 3).Hash(seed, HashUnseeded(seed_bytes.data(), 8), key))
        << size;
  }
}

TEST(KeyHashTest, WithoutASeedItIsXxh3) {
  EXPECT_EQ(KeyHash()("key0", 4), 0x74d935ed02021ec6);
  std::mt19937_64 random(2);
  for (size_t size = 0; size < 600; ++size) {
    const std::string key = RandomKey(size, &random);
    const uint64_t hash = XXH3_64bits(key.data(), size);
    EXPECT_EQ(KeyHash()(key.data(), size), hash) << size;
    EXPECT_EQ(KeyHash(0)(key.data(), size), hash) << size;
    EXPECT_EQ(HashUnseeded(key.data(), size), hash) << size;
  }
}

}  // namespace
}  // namespace linebloom
