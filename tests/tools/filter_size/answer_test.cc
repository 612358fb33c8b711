#include "tools/filter_size/answer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_split.h"
#include "filter_policy/filter/filter_block.h"
#include "filter_policy/filter/filter_builder.h"
#include "filter_policy/sizing/expected_rate.h"
#include "nlohmann/json.hpp"
#include "rocksdb/filter_policy.h"
#include "tests/filter_policy/random_hashes.h"
#include "tools/filter_size/report.h"
#include "tools/shared/policies.h"

namespace linebloom::tools {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr uint64_t kMiB = 1 << 20;

Question KeysAndRate(uint64_t keys, double rate) {
  Question question;
  question.keys = keys;
  question.rate = rate;
  return question;
}

Question KeysAndBits(uint64_t keys, double bits_per_key) {
  Question question;
  question.keys = keys;
  question.bits_per_key = bits_per_key;
  return question;
}

Question KeysAndBytes(uint64_t keys, uint64_t bytes) {
  Question question;
  question.keys = keys;
  question.bytes = bytes;
  return question;
}

Question RateAndBytes(double rate, uint64_t bytes) {
  Question question;
  question.rate = rate;
  question.bytes = bytes;
  return question;
}

std::vector<Answer> Ask(const Question& question) {
  return AnswerQuestion(question);
}

// From the formula -n ln(p) / ln(2)^2.
TEST(ClassicBloomTest, KnownAnswers) {
  const auto one_percent = ClassicBloom(KeysAndRate(100'000'000, 0.01));
  EXPECT_EQ(one_percent->bits, 958'505'838u);
  EXPECT_EQ(one_percent->bytes() / kMiB, 114u);
  EXPECT_EQ(one_percent->probes, 7);
  EXPECT_EQ(ClassicBloom(KeysAndRate(200'000'000, 0.01))->bytes() / kMiB, 228u);

  for (const auto& [rate, bits] : {std::pair(0.1, 4.79),
                                   std::pair(0.01, 9.59),
                                   {0.001, 14.38},
                                   {0.0001, 19.17}}) {
    EXPECT_NEAR(ClassicBloom(KeysAndRate(100'000'000, rate))->bits_per_key(),
                bits, 0.005);
    EXPECT_NEAR(ClassicBloom(KeysAndBits(1000, bits))->rate, rate, 0.01 * rate);
  }
}

TEST(ClassicBloomTest, TwoOfFourGiveTheRest) {
  EXPECT_NEAR(ClassicBloom(KeysAndBytes(100'000'000, 119'813'230))->rate, 0.01,
              1e-9);
  EXPECT_NEAR(
      static_cast<double>(ClassicBloom(RateAndBytes(0.01, 119'813'230))->keys),
      1e8, 2);
  Question bits_and_bytes;
  bits_and_bytes.bits_per_key = 8;
  bits_and_bytes.bytes = 1000;
  EXPECT_EQ(ClassicBloom(bits_and_bytes)->keys, 1000u);
}

// Every form of a question gives the same filter.
TEST(AnswerQuestionTest, AgreesWithItself) {
  constexpr uint64_t kKeys = 20'000'000;
  for (const double rate : {0.1, 0.003}) {
    const std::vector<Answer> by_rate = Ask(KeysAndRate(kKeys, rate));
    ASSERT_EQ(by_rate.size(), 5u);
    for (size_t i = 0; i < by_rate.size(); ++i) {
      SCOPED_TRACE(testing::Message() << by_rate[i].filter << " " << rate);
      ASSERT_TRUE(by_rate[i].size.has_value());
      const FilterSize& size = *by_rate[i].size;
      EXPECT_EQ(size.keys, kKeys);
      EXPECT_LE(size.rate, rate * (1 + 1e-9));
      EXPECT_GE(size.rate, rate * 0.98);

      const std::vector<Answer> by_bytes =
          Ask(KeysAndBytes(kKeys, size.bytes()));
      EXPECT_LE(by_bytes[i].size->bytes(), size.bytes());
      EXPECT_NEAR(by_bytes[i].size->rate / rate, 1, 0.03);

      const std::vector<Answer> by_both = Ask(RateAndBytes(rate, size.bytes()));
      EXPECT_LE(by_both[i].size->bytes(), size.bytes());
      EXPECT_NEAR(static_cast<double>(by_both[i].size->keys) / kKeys, 1, 0.01);
    }
  }
}

TEST(AnswerQuestionTest, SolvedLinesSaveMemory) {
  std::vector<std::string> names;
  std::vector<uint64_t> bytes;
  for (const Answer& answer : Ask(KeysAndRate(1'000'000, 0.01))) {
    names.push_back(answer.name);
    bytes.push_back(answer.size->bytes());
  }
  EXPECT_THAT(names, testing::ElementsAre("classic-formula", "linebloom-solved",
                                          "linebloom-plain", "rocksdb-bloom",
                                          "rocksdb-ribbon"));
  EXPECT_LT(bytes[1], bytes[0]);
  EXPECT_LT(bytes[0], bytes[2]);
  EXPECT_LT(bytes[0], bytes[3]);
}

// The computed size is exactly what the policies build.
TEST(SizeLineFilterTest, IsWhatLinebloomBuilds) {
  for (const uint64_t keys : {1u, 51u, 52u, 12'345u}) {
    for (const double bits : {1.0, 9.59, 10.0, 30.0}) {
      const Question question = KeysAndBits(keys, bits);
      const auto size = SizeLineFilter(Lines::kSolved, question);
      ASSERT_TRUE(size.has_value());
      std::vector<uint64_t> hashes = RandomHashes(keys, 1);
      const FilterBlock block = BuildFilter(
          HashList(hashes),
          {static_cast<uint32_t>(1000 * bits + 0.5), Line::kSolved, 0});
      EXPECT_EQ(size->bytes(), block.size) << keys << " " << bits;
    }
  }
}

TEST(SizeLineFilterTest, IsWhatRocksDbBuilds) {
  for (const uint64_t keys : {1u, 51u, 52u, 12'345u}) {
    for (const double bits : {1.0, 2.0, 4.79, 9.59, 10.0, 14.38, 30.0}) {
      const auto size =
          SizeLineFilter(Lines::kRocksDbBloom, KeysAndBits(keys, bits));
      ASSERT_TRUE(size.has_value());
      const std::unique_ptr<const rocksdb::FilterPolicy> policy(
          rocksdb::NewBloomFilterPolicy(bits));
      const std::string block = BuildFilterBlock(*policy, keys);
      EXPECT_EQ(size->bytes(), block.size()) << keys << " " << bits;
      EXPECT_EQ(size->probes, ParseFilter(block.data(), block.size()).probes)
          << bits;
    }
  }
}

// More than 4 GiB means several files, none of whose filters is larger than
// that.
TEST(SizeLineFilterTest, TakesMoreKeysThanOneFilterHolds) {
  constexpr uint64_t kKeys = 1'000'000'000'000;
  const auto size = SizeLineFilter(Lines::kPlain, KeysAndBits(kKeys, 10));
  ASSERT_TRUE(size.has_value());
  EXPECT_NEAR(size->bits_per_key(), 10, 1e-4);
  EXPECT_NEAR(size->rate, ExpectedRate(Line::kPlain, 10'000, 51.2), 1e-6);
}

TEST(AnswerQuestionTest, KnowsWhatIsOutOfReach) {
  const Question question = KeysAndRate(1'000'000, 1e-11);
  const std::vector<Answer> answers = Ask(question);
  EXPECT_TRUE(answers[0].size.has_value());
  for (size_t i = 1; i < answers.size(); ++i) {
    EXPECT_FALSE(answers[i].size.has_value()) << answers[i].filter;
  }
  EXPECT_THAT(
      AnswersAsText(AnswersAsJson(question, answers)),
      HasSubstr("Out of reach with 30 bits per key: linebloom solved, "));
  EXPECT_EQ(AnswersAsJson(question, answers)["filters"][4]["possible"], false);
}

TEST(AnswersAsTextTest, FitsATerminal) {
  for (const Question& question :
       {KeysAndRate(1, 0.5), KeysAndRate(10'000'000'000'000, 1e-12),
        KeysAndBits(10'000'000'000'000, 30), KeysAndBytes(8, 30),
        RateAndBytes(1e-7, 40'000'000'000'000),
        RateAndBytes(0.5, 40'000'000'000'000), RateAndBytes(0.5, 128)}) {
    const std::string text =
        AnswersAsText(AnswersAsJson(question, Ask(question)));
    EXPECT_THAT(text, Not(HasSubstr("nan")));
    EXPECT_THAT(text, Not(HasSubstr("inf")));
    for (const auto& line : absl::StrSplit(text, '\n')) {
      EXPECT_LE(line.size(), 100u) << line;
    }
  }
}

}  // namespace
}  // namespace linebloom::tools
