#include "table/key_position.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace linebloom {
namespace {

// Expects that of 1,000 numbers in `format`, each is where it belongs.
void ExpectUniform(const char* format) {
  std::vector<std::string> keys;
  for (uint64_t i = 0; i <= 1000; ++i) {
    char key[64];
    snprintf(key, sizeof(key), format, 7'654'321ULL * i);
    keys.push_back(key);
  }
  std::vector<std::string_view> samples;
  for (size_t i = 0; i <= 1000; i += 20) samples.push_back(keys[i]);
  const KeyPosition position(samples);
  for (const auto& [begin, end] :
       std::vector<std::pair<size_t, size_t>>{{0, 1000}, {123, 456}, {5, 6}}) {
    for (size_t i = begin; i <= end; ++i) {
      EXPECT_NEAR(
          static_cast<double>(i - begin) / static_cast<double>(end - begin),
          position.Between(keys[begin], keys[end], keys[i]), 1e-6)
          << keys[i];
    }
  }
}

TEST(KeyPositionTest, Numbers) {
  ExpectUniform("%012llu");
  ExpectUniform("user:%012llu:profile");
  ExpectUniform("%016llx");
  ExpectUniform("{%016llX}");
}

TEST(KeyPositionTest, Bytes) {
  std::mt19937_64 random(1);
  std::string sample(8, '\0');
  for (char& byte : sample) byte = static_cast<char>(random());
  const std::vector<std::string_view> samples = {sample};
  // A single sample has all bytes in common; then nothing is known.
  const KeyPosition nothing(samples);
  EXPECT_EQ(0, nothing.Between("a", "c", "b"));
  const std::string zero(8, '\0');
  const std::vector<std::string_view> two = {zero, sample};
  const KeyPosition position(two);
  EXPECT_NEAR(0.5, position.Between(std::string("\x10", 1), "\x30", "\x20"),
              1e-9);
  EXPECT_NEAR(0.5, position.Between("\x10", "\x11", "\x10\x80"), 1e-9);
}

TEST(KeyPositionTest, RisesWithTheKey) {
  std::mt19937_64 random(2);
  const auto key = [&] {
    std::string text;
    for (uint64_t i = random() % 8; i > 0; --i) {
      text += "abXZ09/_"[random() % 8];
    }
    return text;
  };
  for (int i = 0; i < 2000; ++i) {
    std::vector<std::string> keys = {key(), key(), key(), key()};
    std::sort(keys.begin(), keys.end());
    const std::vector<std::string_view> samples(keys.begin(), keys.end());
    const KeyPosition position(samples);
    const double first = position.Between(keys[0], keys[3], keys[1]);
    const double second = position.Between(keys[0], keys[3], keys[2]);
    EXPECT_LE(0, first);
    EXPECT_LE(first, second);
    EXPECT_LE(second, 1);
  }
}

}  // namespace
}  // namespace linebloom
