#include "bench/contestants/contestants.h"

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "rocksdb/table.h"

namespace linebloom {
namespace {

using rocksdb::Slice;
using ::testing::AllOf;
using ::testing::Ge;
using ::testing::Le;

// A filter of numbers, each of which is a key of eight bytes.
class NumberFilter {
 public:
  NumberFilter(const Contestant& contestant,
               const std::vector<uint64_t>& numbers)
      : policy_(contestant.new_policy()) {
    const std::unique_ptr<rocksdb::FilterBitsBuilder> builder(
        policy_->GetBuilderWithContext(
            rocksdb::FilterBuildingContext(rocksdb::BlockBasedTableOptions())));
    for (const uint64_t& number : numbers) builder->AddKey(SliceOf(number));
    const Slice filter = builder->Finish(&bytes_);
    size_ = filter.size();
    reader_.reset(policy_->GetFilterBitsReader(filter));
  }

  size_t size() const { return size_; }

  bool MayMatch(uint64_t number) const {
    return reader_->MayMatch(SliceOf(number));
  }

  std::vector<bool> MayMatchBatch(std::vector<uint64_t> numbers) const {
    std::vector<Slice> keys;
    for (const uint64_t& number : numbers) keys.push_back(SliceOf(number));
    std::vector<Slice*> pointers;
    for (Slice& key : keys) pointers.push_back(&key);
    const auto may_match = std::make_unique<bool[]>(numbers.size());
    reader_->MayMatch(static_cast<int>(numbers.size()), pointers.data(),
                      may_match.get());
    return std::vector<bool>(may_match.get(), may_match.get() + numbers.size());
  }

 private:
  static Slice SliceOf(const uint64_t& number) {
    return {reinterpret_cast<const char*>(&number), sizeof(number)};
  }

  std::unique_ptr<const rocksdb::FilterPolicy> policy_;
  std::unique_ptr<const char[]> bytes_;
  size_t size_;
  std::unique_ptr<rocksdb::FilterBitsReader> reader_;
};

std::vector<uint64_t> NumbersFrom(uint64_t first, size_t count) {
  std::vector<uint64_t> numbers(count);
  for (size_t i = 0; i < count; ++i) numbers[i] = first + i;
  return numbers;
}

class ContestantTest : public ::testing::TestWithParam<Contestant> {
 protected:
  void ExpectNoKeyLost(const std::vector<uint64_t>& numbers) {
    const NumberFilter filter(GetParam(), numbers);
    size_t lost = 0;
    for (const uint64_t number : numbers) lost += !filter.MayMatch(number);
    EXPECT_EQ(lost, 0) << "of " << numbers.size();
  }
};

TEST_P(ContestantTest, LosesNoKeyForAnyNumberOfKeys) {
  for (size_t count = 0; count < 300; ++count) {
    ExpectNoKeyLost(NumbersFrom(count << 32, count));
  }
  for (size_t count = 300; count < 1000000; count += count / 3) {
    ExpectNoKeyLost(NumbersFrom(count << 32, count));
  }
}

TEST_P(ContestantTest, LosesNoKeyWhenKeysRepeat) {
  std::vector<uint64_t> numbers = NumbersFrom(0, 1000);
  numbers.insert(numbers.end(), 1000, 7);
  ExpectNoKeyLost(numbers);
  ExpectNoKeyLost(std::vector<uint64_t>(1000, 7));
}

TEST_P(ContestantTest, AnswersBatchesLikeSingleProbes) {
  const NumberFilter filter(GetParam(), NumbersFrom(0, 10000));
  for (uint64_t first = 9900; first < 12000; first += 32) {
    const std::vector<uint64_t> numbers = NumbersFrom(first, 32);
    const std::vector<bool> batch = filter.MayMatchBatch(numbers);
    for (size_t i = 0; i < 32; ++i) {
      EXPECT_EQ(batch[i], filter.MayMatch(numbers[i])) << numbers[i];
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, ContestantTest,
                         ::testing::ValuesIn(Contestants()),
                         [](const auto& param_info) {
                           std::string name = param_info.param.name;
                           for (char& c : name) c = c == '-' ? '_' : c;
                           return name;
                         });

// Bits per key and false positives among two million, according to theory.
struct Expectation {
  std::string name;
  double bits_per_key;
  double rate;
};

class RateTest : public ::testing::TestWithParam<Expectation> {};

TEST_P(RateTest, HasTheSizeAndRateOfThePaper) {
  constexpr size_t kKeys = 1000000;
  constexpr size_t kAsked = 2000000;
  const NumberFilter filter(*FindContestant(GetParam().name),
                            NumbersFrom(0, kKeys));
  size_t matches = 0;
  for (size_t i = 0; i < kAsked; ++i) matches += filter.MayMatch(kKeys + i);

  EXPECT_NEAR(8.0 * static_cast<double>(filter.size()) / kKeys,
              GetParam().bits_per_key, 0.01 * GetParam().bits_per_key);
  const double expected = GetParam().rate * kAsked;
  const double sigmas_5 = 5 * std::sqrt(expected);
  EXPECT_THAT(matches, AllOf(Ge(expected - sigmas_5), Le(expected + sigmas_5)));
}

// A cuckoo filter compares each key with the 4 fingerprints of 2 buckets, 95 %
// of which exist.
INSTANTIATE_TEST_SUITE_P(
    All, RateTest,
    ::testing::Values(Expectation{"binary-fuse-3x8", 1.125 * 8, 1 / 256.0},
                      Expectation{"binary-fuse-4x8", 1.075 * 8, 1 / 256.0},
                      Expectation{"binary-fuse-4x16", 1.075 * 16, 1 / 65536.0},
                      Expectation{"cuckoo-10", 10 / .95, 8 * .95 / 1023},
                      Expectation{"cuckoo-12", 12 / .95, 8 * .95 / 4095}));

}  // namespace
}  // namespace linebloom
