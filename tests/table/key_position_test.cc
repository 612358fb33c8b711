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
  for (const auto& [begin, end] :
       std::vector<std::pair<size_t, size_t>>{{0, 1000}, {123, 456}, {5, 6}}) {
    const std::vector<std::string_view> some(&keys[begin], &keys[end] + 1);
    const std::vector<double> positions = KeyPositions(some);
    for (size_t i = 0; i < some.size(); ++i) {
      EXPECT_NEAR(static_cast<double>(i) / static_cast<double>(end - begin),
                  positions[i], 1e-6)
          << some[i];
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
  const auto middle = [](const std::string& begin, const std::string& key,
                         const std::string& end) {
    const std::vector<std::string_view> keys = {begin, key, end};
    return KeyPositions(keys)[1];
  };
  EXPECT_NEAR(0.5, middle("\x10", "\x20", "\x30"), 1e-9);
  EXPECT_NEAR(0.5, middle("\x30", "\x20", "\x10"), 1e-9);
  EXPECT_NEAR(0.5, middle("\x10", "\x10\x80", "\x11"), 1e-9);
  EXPECT_EQ(0, middle("b", "b", "b"));
  EXPECT_TRUE(KeyPositions({}).empty());
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
    const std::vector<std::string_view> sorted(keys.begin(), keys.end());
    const std::vector<double> positions = KeyPositions(sorted);
    EXPECT_LE(0, positions[1]);
    EXPECT_LE(positions[1], positions[2]);
    EXPECT_LE(positions[2], 1);
  }
}

}  // namespace
}  // namespace linebloom
