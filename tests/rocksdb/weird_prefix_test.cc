// Prefix extractors and orders that one wouldn't expect, and that RocksDB
// allows: a 'prefix' at the end of the key, keys that sort before their
// prefix, a prefix that has no prefix itself.

#include <algorithm>
#include <string>
#include <vector>

#include "rocksdb/comparator.h"
#include "rocksdb/slice_transform.h"
#include "tests/rocksdb/db_fixture.h"

namespace linebloom {
namespace {

using rocksdb::Slice;

// Orders keys by their bytes from the last to the first.
class FromTheEndComparator : public rocksdb::Comparator {
 public:
  const char* Name() const override { return "test.FromTheEnd"; }
  int Compare(const Slice& a, const Slice& b) const override {
    return Reversed(a).compare(Reversed(b));
  }
  void FindShortestSeparator(std::string*, const Slice&) const override {}
  void FindShortSuccessor(std::string*) const override {}

 private:
  static std::string Reversed(const Slice& key) {
    std::string text = key.ToString();
    std::reverse(text.begin(), text.end());
    return text;
  }
};

// The last four bytes.
class SuffixExtractor : public rocksdb::SliceTransform {
 public:
  const char* Name() const override { return "test.Suffix"; }
  Slice Transform(const Slice& key) const override {
    return Slice(key.data() + key.size() - 4, 4);
  }
  bool InDomain(const Slice& key) const override { return key.size() >= 4; }
};

// The first four bytes of keys of five bytes and more: the prefix of a key has
// no prefix.
class LongKeysExtractor : public rocksdb::SliceTransform {
 public:
  const char* Name() const override { return "test.LongKeys"; }
  Slice Transform(const Slice& key) const override {
    return Slice(key.data(), 4);
  }
  bool InDomain(const Slice& key) const override { return key.size() >= 5; }
};

// Short keys first, and those backwards.
class ShortKeysFirstComparator : public rocksdb::Comparator {
 public:
  const char* Name() const override { return "test.ShortKeysFirst"; }
  int Compare(const Slice& a, const Slice& b) const override {
    const bool a_long = a.size() >= 5;
    const bool b_long = b.size() >= 5;
    if (a_long != b_long) {
      return a_long ? 1 : -1;
    }
    return a_long ? a.compare(b) : b.compare(a);
  }
  void FindShortestSeparator(std::string*, const Slice&) const override {}
  void FindShortSuccessor(std::string*) const override {}
};

using Keys = std::vector<std::string>;
constexpr FilterCounts kNotAsked;
constexpr FilterCounts kYes{0, 1, 0};
constexpr FilterCounts kNo{1, 0, 0};

class WeirdPrefixTest : public PolicyTest {
 protected:
  WeirdPrefixTest() { table_.whole_key_filtering = false; }

  void Write(const Keys& keys) {
    Reopen();
    for (const std::string& key : keys) {
      ASSERT_OK(db_->Put({}, key, "of " + key));
    }
    Flush();
    for (const std::string& key : keys) {
      EXPECT_EQ(GetText(db_.get(), key), "of " + key);
    }
    TakeCounts();
  }

  // The keys in [from, to).
  Keys Scan(const std::string& from, const std::string& to) {
    const Slice bound = to;
    rocksdb::ReadOptions read;
    read.auto_prefix_mode = true;
    read.iterate_upper_bound = &bound;
    std::unique_ptr<rocksdb::Iterator> it(db_->NewIterator(read));
    it->Seek(from);
    return KeysFrom(it.get());
  }

  // Keys with a prefix and such without one, and scans of a single prefix.
  void WriteAndScanLongKeys() {
    options_.prefix_extractor = std::make_shared<LongKeysExtractor>();
    Write({"aaaa123", "aaaa211", "aaaa900", "aab", "aaba123", "qqqq", "qqqq123",
           "zzzz"});

    EXPECT_EQ(Scan("aaaa000", "aaaa999"),
              (Keys{"aaaa123", "aaaa211", "aaaa900"}));
    EXPECT_EQ(TakeCounts(), kYes);
    EXPECT_EQ(Scan("aaca0", "aaca9"), Keys{});
    EXPECT_EQ(TakeCounts(), kNo);
  }
};
INSTANTIATE_POLICY_TEST(WeirdPrefixTest);

TEST_P(WeirdPrefixTest, PrefixAtTheEnd) {
  static const FromTheEndComparator from_the_end;
  options_.comparator = &from_the_end;
  options_.prefix_extractor = std::make_shared<SuffixExtractor>();
  Write({"009aaaa", "112aaaa", "321aaaa", "321abaa", "baa", "zzz"});

  EXPECT_EQ(Scan("aaaa", "999aaaa"), (Keys{"321aaaa", "112aaaa", "009aaaa"}));
  EXPECT_EQ(TakeCounts(), kYes);
  EXPECT_EQ(Scan("abaa", "999abaa"), (Keys{"321abaa"}));
  EXPECT_EQ(TakeCounts(), kYes);
  EXPECT_EQ(Scan("acaa", "999acaa"), Keys{});
  EXPECT_EQ(TakeCounts(), kNo);
  // From a key of no prefix.
  EXPECT_EQ(Scan("baa", "zzzz"), (Keys{"baa", "321abaa", "zzz"}));
  EXPECT_EQ(TakeCounts(), kNotAsked);
}

TEST_P(WeirdPrefixTest, KeysBeforeTheirPrefix) {
  options_.comparator = rocksdb::ReverseBytewiseComparator();
  options_.prefix_extractor.reset(rocksdb::NewFixedPrefixTransform(4));
  Write({"aaaa123", "aaaa211", "aaaa900", "aab", "aaba123", "qqqq", "qqqq123",
         "zzz"});

  EXPECT_EQ(Scan("aaaa999", "aaaa000"),
            (Keys{"aaaa900", "aaaa211", "aaaa123"}));
  EXPECT_EQ(TakeCounts(), kYes);
  EXPECT_EQ(Scan("aaaa999", "aaaa"), (Keys{"aaaa900", "aaaa211", "aaaa123"}));
  EXPECT_EQ(TakeCounts(), kYes);
  // Here the prefix comes after all its keys.
  EXPECT_EQ(Scan("aaaa", "aaaa500"), Keys{});
  EXPECT_EQ(TakeCounts(), kYes);
  EXPECT_EQ(Scan("aaca999", "aaca000"), Keys{});
  EXPECT_EQ(TakeCounts(), kNo);
  EXPECT_EQ(Scan("zzz", "aaaz"),
            (Keys{"zzz", "qqqq123", "qqqq", "aaba123", "aab"}));
  EXPECT_EQ(TakeCounts(), kNotAsked);
}

TEST_P(WeirdPrefixTest, PrefixWithoutPrefix) {
  WriteAndScanLongKeys();

  EXPECT_EQ(Scan("aaaa", "aaaa999"), (Keys{"aaaa123", "aaaa211", "aaaa900"}));
  EXPECT_EQ(TakeCounts(), kNotAsked);
  EXPECT_EQ(Scan("qqqq", "qqqq9"), (Keys{"qqqq", "qqqq123"}));
  EXPECT_EQ(TakeCounts(), kNotAsked);
  EXPECT_EQ(GetText(db_.get(), "aaaa"), "NotFound: ");
}

TEST_P(WeirdPrefixTest, PrefixesFarFromTheirKeys) {
  static const ShortKeysFirstComparator short_keys_first;
  options_.comparator = &short_keys_first;
  WriteAndScanLongKeys();

  // From the short keys, which come first and backwards, into the long ones.
  EXPECT_EQ(Scan("qqqq", "qqqq9"), (Keys{"qqqq", "aab", "aaaa123", "aaaa211",
                                         "aaaa900", "aaba123", "qqqq123"}));
  EXPECT_EQ(TakeCounts(), kNotAsked);
}

}  // namespace
}  // namespace linebloom
