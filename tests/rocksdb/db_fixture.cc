#include "tests/rocksdb/db_fixture.h"

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <utility>

#include "linebloom/filter_policy.h"
#include "rocksdb/convenience.h"
#include "rocksdb/statistics.h"
#include "rocksdb/utilities/options_util.h"
#include "tests/rocksdb/unsynced_env.h"

namespace linebloom {

using rocksdb::DB;
using rocksdb::Status;

testing::AssertionResult IsOk(const Status& status) {
  if (status.ok()) {
    return testing::AssertionSuccess();
  }
  return testing::AssertionFailure() << status.ToString();
}

std::shared_ptr<const rocksdb::FilterPolicy> MakePolicy(PolicyKind kind,
                                                        double bits_per_key) {
  const rocksdb::FilterPolicy* policy = nullptr;
  switch (kind) {
    case PolicyKind::kNone:
      break;
    case PolicyKind::kBuiltinBloom:
      policy = rocksdb::NewBloomFilterPolicy(bits_per_key);
      break;
    case PolicyKind::kBuiltinRibbon:
      // -1: Ribbon in every level, flushed files included.
      policy = rocksdb::NewRibbonFilterPolicy(bits_per_key, -1);
      break;
    case PolicyKind::kLinebloom:
      policy = NewFilterPolicy(bits_per_key);
      break;
  }
  return std::shared_ptr<const rocksdb::FilterPolicy>(policy);
}

std::string PolicyName(PolicyKind kind) {
  switch (kind) {
    case PolicyKind::kNone:
      return "";
    case PolicyKind::kBuiltinBloom:
      return "bloomfilter";
    case PolicyKind::kBuiltinRibbon:
      return "ribbonfilter";
    case PolicyKind::kLinebloom:
      return "linebloom";
  }
  std::abort();
}

std::ostream& operator<<(std::ostream& out, PolicyKind kind) {
  return out << (kind == PolicyKind::kNone ? "none" : PolicyName(kind));
}

std::string PolicyParamName(const testing::TestParamInfo<PolicyKind>& info) {
  return PolicyName(info.param);
}

std::string RowKey(uint64_t number) {
  char text[24];
  std::snprintf(
      text, sizeof(text), "row%010llu",
      static_cast<unsigned long long>(number));  // NOLINT(*-runtime-int)
  return text;
}

std::string RowValue(uint64_t number) {
  return "value of " + std::to_string(number);
}

std::ostream& operator<<(std::ostream& out, const FilterCounts& counts) {
  return out << counts.no << " no, " << counts.maybe << " maybe, "
             << counts.true_positive << " of them true";
}

std::vector<std::string> KeysFrom(rocksdb::Iterator* iterator) {
  std::vector<std::string> keys;
  for (; iterator->Valid(); iterator->Next()) {
    keys.push_back(iterator->key().ToString());
  }
  EXPECT_OK(iterator->status());
  return keys;
}

std::string GetText(DB* db, const rocksdb::Slice& key,
                    const rocksdb::ReadOptions& read) {
  std::string value;
  const Status status = db->Get(read, key, &value);
  return status.ok() ? value : status.ToString();
}

std::vector<std::string> MultiGetTexts(DB* db,
                                       const std::vector<std::string>& keys) {
  const std::vector<rocksdb::Slice> slices(keys.begin(), keys.end());
  std::vector<rocksdb::PinnableSlice> values(keys.size());
  std::vector<Status> statuses(keys.size());
  db->MultiGet({}, db->DefaultColumnFamily(), keys.size(), slices.data(),
               values.data(), statuses.data());
  std::vector<std::string> texts;
  for (size_t i = 0; i < keys.size(); ++i) {
    texts.push_back(statuses[i].ok() ? values[i].ToString()
                                     : statuses[i].ToString());
  }
  return texts;
}

std::vector<std::shared_ptr<const rocksdb::TableProperties>> AllProperties(
    DB* db) {
  rocksdb::ColumnFamilyMetaData files;
  db->GetColumnFamilyMetaData(&files);
  rocksdb::TablePropertiesCollection by_path;
  EXPECT_OK(db->GetPropertiesOfAllTables(&by_path));
  std::vector<std::shared_ptr<const rocksdb::TableProperties>> properties;
  for (const auto& level : files.levels) {
    for (const auto& file : level.files) {
      const auto found = by_path.find(file.db_path + file.name);
      if (found == by_path.end()) {
        ADD_FAILURE() << "no properties of " << file.name;
        continue;
      }
      properties.push_back(found->second);
    }
  }
  return properties;
}

uint64_t SumOfFilterEntries(DB* db) {
  uint64_t sum = 0;
  for (const auto& properties : AllProperties(db)) {
    sum += properties->num_filter_entries;
  }
  return sum;
}

DbTest::DbTest() {
  options_.env = UnsyncedEnv();
  options_.create_if_missing = true;
  options_.disable_auto_compactions =
      true;  // a test says what is in which file
  options_.compression = rocksdb::kNoCompression;
  options_.statistics = rocksdb::CreateDBStatistics();
  UsePolicy(PolicyKind::kLinebloom);
}

DbTest::~DbTest() { Close(); }

void DbTest::Reopen() { ASSERT_OK(TryReopen()); }

Status DbTest::TryReopen() {
  Close();
  return DB::Open(OptionsWithTable(), Path("db"), OutPtr(&db_));
}

void DbTest::Close() { db_.reset(); }

void DbTest::DestroyAndReopen() {
  Close();
  std::filesystem::remove_all(Path("db"));
  Reopen();
}

rocksdb::Options DbTest::OptionsWithTable() const {
  rocksdb::Options options = options_;
  options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table_));
  return options;
}

rocksdb::Options DbTest::LatestOptions() const {
  rocksdb::ConfigOptions strict;  // RocksDB's default ignores much
  strict.ignore_unsupported_options = false;
  rocksdb::DBOptions db_options;
  std::vector<rocksdb::ColumnFamilyDescriptor> families;
  EXPECT_OK(
      rocksdb::LoadLatestOptions(strict, Path("db"), &db_options, &families));
  EXPECT_OK(rocksdb::CheckOptionsCompatibility(strict, Path("db"), db_options,
                                               families));
  return rocksdb::Options(db_options, families.at(0).options);
}

void DbTest::UsePolicy(PolicyKind kind, double bits_per_key) {
  table_.filter_policy = MakePolicy(kind, bits_per_key);
}

void DbTest::WriteFile(Rows rows, int level) {
  PutRows(rows);
  Flush();
  if (level == 0) return;
  rocksdb::ColumnFamilyMetaData files;
  db_->GetColumnFamilyMetaData(&files);
  rocksdb::CompactionOptions compaction;
  compaction.compression = rocksdb::kDisableCompressionOption;
  ASSERT_OK(
      db_->CompactFiles(compaction, {files.levels[0].files[0].name}, level));
}

void DbTest::PutRows(Rows rows) {
  for (uint64_t i = rows.begin; i < rows.end; i += 2) {
    ASSERT_OK(db_->Put({}, RowKey(i), RowValue(i)));
  }
}

void DbTest::Flush() { ASSERT_OK(db_->Flush({})); }

void DbTest::CompactAll() {
  rocksdb::CompactRangeOptions compact;
  compact.bottommost_level_compaction =
      rocksdb::BottommostLevelCompaction::kForce;
  ASSERT_OK(db_->CompactRange(compact, nullptr, nullptr));
}

void DbTest::ExpectRows(Rows rows, DB* db) {
  CountPresent(rows, db);
  CountMissing(rows, db);
}

void DbTest::ExpectFilterWorks(Rows rows, uint64_t files, DB* db) {
  const FilterCounts present = CountPresent(rows, db);
  EXPECT_EQ(present.true_positive, rows.present());
  EXPECT_GE(present.maybe, rows.present());
  if (files == 1) {
    EXPECT_EQ(present, (FilterCounts{0, rows.present(), rows.present()}));
  }
  const FilterCounts missing = CountMissing(rows, db);
  EXPECT_EQ(missing.no + missing.maybe, rows.missing() * files);
  EXPECT_EQ(missing.true_positive, 0);
  EXPECT_LE(missing.maybe, rows.missing() * files / 25);
}

FilterCounts DbTest::TakeCounts() {
  using rocksdb::Tickers;
  const auto take = [this](Tickers ticker) {
    return options_.statistics->getAndResetTickerCount(ticker);
  };
  const uint64_t prefix_no = take(Tickers::BLOOM_FILTER_PREFIX_USEFUL);
  FilterCounts counts;
  counts.no = take(Tickers::BLOOM_FILTER_USEFUL) + prefix_no;
  counts.maybe = take(Tickers::BLOOM_FILTER_FULL_POSITIVE) +
                 take(Tickers::BLOOM_FILTER_PREFIX_CHECKED) - prefix_no;
  counts.true_positive = take(Tickers::BLOOM_FILTER_FULL_TRUE_POSITIVE);
#if ROCKSDB_IS_AT_LEAST(8, 3)
  counts.true_positive += take(Tickers::BLOOM_FILTER_PREFIX_TRUE_POSITIVE);
  counts.no += take(Tickers::LAST_LEVEL_SEEK_FILTERED) +
               take(Tickers::NON_LAST_LEVEL_SEEK_FILTERED);
  counts.maybe += take(Tickers::LAST_LEVEL_SEEK_FILTER_MATCH) +
                  take(Tickers::NON_LAST_LEVEL_SEEK_FILTER_MATCH);
#endif
  return counts;
}

FilterCounts DbTest::CountPresent(Rows rows, DB* db) {
  TakeCounts();
  for (uint64_t i = rows.begin; i < rows.end; i += 2) {
    EXPECT_EQ(GetText(db != nullptr ? db : db_.get(), RowKey(i)), RowValue(i));
  }
  return TakeCounts();
}

FilterCounts DbTest::CountMissing(Rows rows, DB* db) {
  TakeCounts();
  for (uint64_t i = rows.begin + 1; i + 1 < rows.end; i += 2) {
    EXPECT_EQ(GetText(db != nullptr ? db : db_.get(), RowKey(i)), "NotFound: ");
  }
  return TakeCounts();
}

}  // namespace linebloom
