// The rate that users are promised, through a database.

#include <cmath>
#include <string>
#include <vector>

#include "rocksdb/sst_file_writer.h"
#include "tests/rocksdb/db_fixture.h"

namespace linebloom {
namespace {

constexpr uint64_t kKeys = 1'000'000;

// Eight bytes that sort like the number.
std::string Key(uint64_t number) {
  std::string key(8, '\0');
  for (int byte = 7; byte >= 0; --byte, number >>= 8) {
    key[byte] = static_cast<char>(number & 0xff);
  }
  return key;
}

class FalsePositiveRateTest : public DbTest {
 protected:
  // One file of a million even numbers.
  void WriteKeys() {
    rocksdb::SstFileWriter writer(rocksdb::EnvOptions(), OptionsWithTable());
    ASSERT_OK(writer.Open(Path("keys.sst")));
    for (uint64_t i = 0; i < kKeys; ++i) {
      ASSERT_OK(writer.Put(Key(2 * i), ""));
    }
    ASSERT_OK(writer.Finish());
    Reopen();
    rocksdb::IngestExternalFileOptions ingest;
    ingest.move_files = true;
    ASSERT_OK(db_->IngestExternalFile({Path("keys.sst")}, ingest));
  }

  // Asks for the odd numbers between them, which are a million missing keys.
  void ExpectRateAtMost(double promised) {
    TakeCounts();
    std::string value;
    for (uint64_t i = 0; i + 1 < kKeys; ++i) {
      ASSERT_TRUE(db_->Get({}, Key(2 * i + 1), &value).IsNotFound());
    }
    const FilterCounts missing = TakeCounts();
    EXPECT_EQ(missing.no + missing.maybe, kKeys - 1);
    // Four standard deviations of that many samples. The keys and the filter
    // are the same in every run, and so is the count.
    const double deviation = std::sqrt(promised * (1 - promised) * kKeys);
    EXPECT_LE(missing.maybe, promised * kKeys + 4 * deviation);
    RecordProperty("false_positives", static_cast<int>(missing.maybe));
  }

  // No false negative, with each tenth of the keys there are.
  void ExpectFound() {
    TakeCounts();
    std::string value;
    for (uint64_t i = 0; i < kKeys; i += 10) {
      ASSERT_OK(db_->Get({}, Key(2 * i), &value));
    }
    EXPECT_EQ(TakeCounts(), (FilterCounts{0, kKeys / 10, kKeys / 10}));
  }
};

TEST_F(FalsePositiveRateTest, AtTenBitsPerKey) {
  UsePolicy(PolicyKind::kLinebloom, 10);
  WriteKeys();
  ExpectRateAtMost(0.0053);
  ExpectFound();
}

TEST_F(FalsePositiveRateTest, AtSixteenBitsPerKey) {
  UsePolicy(PolicyKind::kLinebloom, 16);
  WriteKeys();
  ExpectRateAtMost(0.00042);
  ExpectFound();
}

}  // namespace
}  // namespace linebloom
