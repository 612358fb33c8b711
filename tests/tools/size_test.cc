#include <gtest/gtest.h>

#include <string>

#include "filter_policy/filter/filter_block.h"
#include "filter_policy/filter/sizing.h"
#include "tests/filter_policy/policy/filter_bits.h"
#include "tools/shared/policies.h"
#include "tools/size/answer.h"

namespace linebloom::tools {
namespace {

// Questions have, in this order, keys, rate, bytes, bits per key.

// Every form of a question gives the same filter.
TEST(AnswerQuestionTest, AgreesWithItself) {
  constexpr uint64_t kKeys = 20'000'000;
  for (const double rate : {0.1, 0.003}) {
    const auto by_rate = AnswerQuestion({kKeys, rate, {}, {}});
    ASSERT_EQ(by_rate.size(), 4u);
    for (size_t i = 0; i < by_rate.size(); ++i) {
      SCOPED_TRACE(testing::Message() << by_rate[i].filter << " " << rate);
      ASSERT_TRUE(by_rate[i].size.has_value());
      const SizedFilter& size = *by_rate[i].size;
      EXPECT_EQ(size.keys, kKeys);
      EXPECT_LE(size.rate, rate * (1 + 1e-9));
      EXPECT_GE(size.rate, rate * 0.98);

      const auto by_bytes = AnswerQuestion({kKeys, {}, size.bytes(), {}});
      EXPECT_LE(by_bytes[i].size->bytes(), size.bytes());
      EXPECT_NEAR(by_bytes[i].size->rate / rate, 1, 0.03);

      const auto by_both = AnswerQuestion({{}, rate, size.bytes(), {}});
      EXPECT_LE(by_both[i].size->bytes(), size.bytes());
      EXPECT_NEAR(static_cast<double>(by_both[i].size->keys) / kKeys, 1, 0.01);
    }
  }
}

// The computed size is exactly what the policies build.
TEST(SizeLineFilterTest, IsWhatIsBuilt) {
  for (const uint64_t keys : {1u, 51u, 52u, 12'345u}) {
    for (const double bits : {1.0, 2.0, 4.79, 9.59, 10.0, 14.38, 30.0}) {
      SCOPED_TRACE(testing::Message() << keys << " " << bits);
      const Question question = {keys, {}, {}, bits};
      EXPECT_EQ(SizeLineFilter(LineKind::kSolved, question)->bytes(),
                BuildFilterBlock(*linebloom::MakePolicy({bits}), keys).size());
      const std::string block = BuildFilterBlock(*MakeBloom(bits), keys);
      const auto size = SizeLineFilter(LineKind::kPlain, question);
      EXPECT_EQ(size->bytes(), block.size());
      EXPECT_EQ(size->probes, ParseFilter(block.data(), block.size()).probes);
    }
  }
}

// More than 4 GiB means several files, none of whose filters is larger than
// that.
TEST(SizeLineFilterTest, TakesMoreKeysThanOneFilterHolds) {
  constexpr uint64_t kKeys = 1'000'000'000'000;
  const auto size = SizeLineFilter(LineKind::kPlain, {kKeys, {}, {}, 10});
  ASSERT_TRUE(size.has_value());
  EXPECT_NEAR(size->bits_per_key(), 10, 1e-4);
  EXPECT_NEAR(size->rate, ExpectedRate(LineKind::kPlain, 10'000, 51.2), 1e-6);
}

}  // namespace
}  // namespace linebloom::tools
