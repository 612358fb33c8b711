#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "filter_policy/filter/filter_block.h"
#include "filter_policy/rocksdb/filter_bits_builder.h"
#include "filter_policy/rocksdb/filter_bits_reader.h"
#include "tests/filter_policy/ignored_case.h"
#include "tests/filter_policy/rocksdb/filter_bits.h"

namespace linebloom {
namespace {

using rocksdb::FilterPolicy;
using rocksdb::Slice;

// The same bytes under another name of the same length.
class Renamed final : public CanonicalKey {
 public:
  const char* Name() const noexcept override { return "ascii_lower_kase"; }
  void Append(const Slice& key,
              std::string* canonical) const noexcept override {
    LowerCase().Append(key, canonical);
  }
};

std::unique_ptr<const FilterPolicy> PolicyWith(
    std::shared_ptr<const CanonicalKey> canonical_key, uint64_t hash_seed = 0) {
  FilterPolicyOptions options;
  options.canonical_key = std::move(canonical_key);
  options.hash_seed = hash_seed;
  return std::unique_ptr<const FilterPolicy>(NewFilterPolicy(options));
}

int Matches(const FilterPolicy& policy, const std::string& block,
            const std::vector<std::string>& keys) {
  return CountMatches(NewReader(policy, block).get(), keys);
}

class CanonicalKeyTest : public testing::TestWithParam<uint64_t> {
 protected:
  static constexpr int kKeys = 5000;
  const std::shared_ptr<const CanonicalKey> lower_case_ =
      std::make_shared<LowerCase>();
  const std::unique_ptr<const FilterPolicy> policy_ =
      PolicyWith(lower_case_, GetParam());
  const std::vector<std::string> written_ = NumberedKeys("Key", kKeys);
  const std::vector<std::string> sought_ = NumberedKeys("kEY", kKeys);
  const std::vector<std::string> strangers_ = NumberedKeys("Stranger", kKeys);
  const std::string block_ = BuildBlock(*policy_, written_);
};

INSTANTIATE_TEST_SUITE_P(Seeds, CanonicalKeyTest, testing::Values(0, 7),
                         [](const auto& test) {
                           return "Seed" + std::to_string(test.param);
                         });

TEST_P(CanonicalKeyTest, AFilterWithoutKeysRejectsEverything) {
  EXPECT_EQ("", BuildBlock(*policy_, {}));
  EXPECT_EQ(0, Matches(*policy_, "", strangers_));
}

TEST_P(CanonicalKeyTest, TheBlockNamesTheFunction) {
  const ParsedFilter parsed = ParseFilter(block_.data(), block_.size());
  ASSERT_EQ(BlockKind::kLinebloom, parsed.kind);
  EXPECT_EQ(CanonicalId(*lower_case_), parsed.info.request.canonical_key);
  EXPECT_NE(CanonicalId(*lower_case_), CanonicalId(Renamed()));
  EXPECT_EQ(GetParam(), parsed.info.request.hash_seed);
}

TEST_P(CanonicalKeyTest, KeysThatAreEqualCountOnce) {
  const auto builder = NewBuilder(*policy_);
  for (const char* key : {"a", "A", "b", "B", "B"}) builder->AddKey(key);
  EXPECT_EQ(2u, builder->EstimateEntriesAdded());
}

// RocksDB's cache may destroy readers after the policy.
TEST_P(CanonicalKeyTest, AReaderOutlivesItsPolicy) {
  auto policy = PolicyWith(std::make_shared<LowerCase>(), GetParam());
  const auto reader = NewReader(*policy, block_);
  const auto builder = NewBuilder(*policy);
  policy.reset();
  EXPECT_TRUE(reader->MayMatch(sought_[0]));
  builder->AddKey("Key");
  EXPECT_FALSE(FinishToString(builder.get()).empty());
}

}  // namespace
}  // namespace linebloom
