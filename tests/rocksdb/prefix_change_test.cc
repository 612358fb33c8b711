// The prefix extractor changes while files written with another one live on.

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "rocksdb/convenience.h"
#include "rocksdb/slice_transform.h"
#include "tests/rocksdb/db_fixture.h"

namespace linebloom {
namespace {

// "" stands for no extractor.
const char* const kExtractors[] = {"", "fixed:3", "fixed:6", "capped:6",
                                   "rocksdb.Noop"};

class PrefixChangeTest : public PolicyTest {
 protected:
  void UseExtractor(const std::string& name) {
    options_.prefix_extractor.reset();
    if (!name.empty()) {
      ASSERT_OK(rocksdb::SliceTransform::CreateFromString(
          rocksdb::ConfigOptions(), name, &options_.prefix_extractor));
    }
  }

  // Keys of 6 to 9 bytes with common beginnings of all lengths. None is
  // shorter than the longest prefix: a scan with prefix_same_as_start must not
  // meet a key that has none.
  static std::string Key(uint64_t i) {
    char text[24];
    std::snprintf(text, sizeof(text), "%09u",
                  static_cast<unsigned>(i * i * 7919 % 400'000'000));
    return std::string(text).substr(0, 6 + i % 4);
  }

  // The keys `first`, `first + 2` ... in a file of their own.
  void WriteKeys(uint64_t first) {
    for (uint64_t i = first; i < kKeys; i += 2) {
      ASSERT_OK(db_->Put({}, Key(i), "there"));
      keys_.push_back(Key(i));
    }
    Flush();
    std::sort(keys_.begin(), keys_.end());
    keys_.erase(std::unique(keys_.begin(), keys_.end()), keys_.end());
  }

  bool Exists(const std::string& key) const {
    return std::binary_search(keys_.begin(), keys_.end(), key);
  }

  void ExpectAllReadRight() {
    for (uint64_t i = 0; i < kKeys; ++i) {
      for (const std::string& key : {Key(i), Key(i) + "0"}) {
        EXPECT_EQ(GetText(db_.get(), key), Exists(key) ? "there" : "NotFound: ")
            << key;
      }
    }
    for (const std::string& start : keys_) {
      ExpectTotalOrder(start);
      ExpectSamePrefix(start);
    }
  }

  // auto_prefix_mode gives total order, up to a bound that changes here from
  // one key to the next.
  void ExpectTotalOrder(const std::string& start) {
    const std::string bound_text = start + (start.size() % 2 ? "9" : "0");
    const rocksdb::Slice bound = bound_text;
    rocksdb::ReadOptions read;
    read.auto_prefix_mode = true;
    read.iterate_upper_bound = &bound;
    std::unique_ptr<rocksdb::Iterator> it(db_->NewIterator(read));
    it->Seek(start);
    EXPECT_EQ(KeysFrom(it.get()),
              std::vector<std::string>(
                  std::lower_bound(keys_.begin(), keys_.end(), start),
                  std::lower_bound(keys_.begin(), keys_.end(), bound_text)));
  }

  void ExpectSamePrefix(const std::string& start) {
    const auto* extractor = options_.prefix_extractor.get();
    if (extractor == nullptr || !extractor->InDomain(start)) {
      return;
    }
    rocksdb::ReadOptions read;
    read.prefix_same_as_start = true;
    std::unique_ptr<rocksdb::Iterator> it(db_->NewIterator(read));
    it->Seek(start);
    std::vector<std::string> expected;
    for (auto key = std::lower_bound(keys_.begin(), keys_.end(), start);
         key != keys_.end() && extractor->InDomain(*key) &&
         extractor->Transform(*key) == extractor->Transform(start);
         ++key) {
      expected.push_back(*key);
    }
    EXPECT_EQ(KeysFrom(it.get()), expected);
  }

  static constexpr uint64_t kKeys = 300;
  std::vector<std::string> keys_;  // that exist, in order
};
INSTANTIATE_POLICY_TEST(PrefixChangeTest);

TEST_P(PrefixChangeTest, BetweenOpens) {
  for (bool whole_key : {true, false}) {
    table_.whole_key_filtering = whole_key;
    for (const char* before : kExtractors) {
      for (const char* after : kExtractors) {
        SCOPED_TRACE(testing::Message()
                     << "whole keys " << whole_key << ", from '" << before
                     << "' to '" << after << "'");
        keys_.clear();
        UseExtractor(before);
        DestroyAndReopen();
        WriteKeys(0);
        UseExtractor(after);
        Reopen();
        ExpectAllReadRight();  // one file, of the other extractor
        WriteKeys(1);
        ExpectAllReadRight();  // and one of this extractor
      }
    }
  }
}

TEST_P(PrefixChangeTest, WhileTheDatabaseIsOpen) {
  UseExtractor("fixed:3");
  Reopen();
  WriteKeys(0);
  for (const char* name : {"capped:6", "fixed:3", "capped:3", "fixed:6"}) {
    SCOPED_TRACE(name);
    ASSERT_OK(db_->SetOptions({{"prefix_extractor", name}}));
    UseExtractor(name);
    WriteKeys(1);
    ExpectAllReadRight();
  }
}

// Whole keys are found in the filter whatever happens to the extractor.
TEST_P(PrefixChangeTest, WholeKeysStayFiltered) {
  const Rows rows{0, 4000};
  UseExtractor("fixed:6");
  Reopen();
  WriteFile(rows);
  for (const char* name : kExtractors) {
    SCOPED_TRACE(name);
    UseExtractor(name);
    Reopen();
    ExpectFilterWorks(rows);
  }
}

}  // namespace
}  // namespace linebloom
