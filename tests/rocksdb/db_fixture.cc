#include "tests/rocksdb/db_fixture.h"

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "linebloom/export.h"
#include "linebloom/level_size_listener.h"
#include "rocksdb/utilities/options_util.h"
#include "rocksdb/write_batch.h"

// These replace the C library's, so that nothing is synced. The tests open and
// flush thousands of times, and no machine fails in between; otherwise they
// would mostly wait for the disk.
extern "C" LINEBLOOM_EXPORT int fsync(int /*file*/) { return 0; }
extern "C" LINEBLOOM_EXPORT int fdatasync(int /*file*/) { return 0; }

namespace linebloom {

using rocksdb::DB;
using rocksdb::Status;

testing::AssertionResult IsOk(const Status& status) {
  if (status.ok()) {
    return testing::AssertionSuccess();
  }
  return testing::AssertionFailure() << status.ToString();
}

rocksdb::ConfigOptions StrictConfig() {
  rocksdb::ConfigOptions config;
  config.ignore_unsupported_options = false;
  config.ignore_unknown_options = false;
  return config;
}

std::string RowKey(uint64_t number) {
  const std::string digits = std::to_string(number);
  return "row" + std::string(10 - digits.size(), '0') + digits;
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
                    const rocksdb::ReadOptions& read,
                    rocksdb::ColumnFamilyHandle* family) {
  std::string value;
  const Status status =
      db->Get(read, family != nullptr ? family : db->DefaultColumnFamily(), key,
              &value);
  return status.ok() ? value : status.ToString();
}

std::vector<std::string> MultiGetTexts(DB* db,
                                       const std::vector<std::string>& keys,
                                       const rocksdb::ReadOptions& read,
                                       rocksdb::ColumnFamilyHandle* family,
                                       bool sorted) {
  const std::vector<rocksdb::Slice> slices(keys.begin(), keys.end());
  std::vector<rocksdb::PinnableSlice> values(keys.size());
  std::vector<Status> statuses(keys.size());
  db->MultiGet(read, family != nullptr ? family : db->DefaultColumnFamily(),
               keys.size(), slices.data(), values.data(), statuses.data(),
               sorted);
  std::vector<std::string> texts;
  for (size_t i = 0; i < keys.size(); ++i) {
    texts.push_back(statuses[i].ok() ? values[i].ToString()
                                     : statuses[i].ToString());
  }
  return texts;
}

std::vector<rocksdb::LiveFileMetaData> FilesOf(DB* db) {
  std::vector<rocksdb::LiveFileMetaData> files;
  db->GetLiveFilesMetaData(&files);
  return files;
}

std::vector<std::shared_ptr<const rocksdb::TableProperties>> AllProperties(
    DB* db) {
  rocksdb::TablePropertiesCollection by_path;
  EXPECT_OK(db->GetPropertiesOfAllTables(&by_path));
  std::vector<std::shared_ptr<const rocksdb::TableProperties>> properties;
  for (const auto& file : FilesOf(db)) {
    properties.push_back(by_path.at(file.db_path + file.name));
  }
  return properties;
}

std::vector<FileShape> ShapesOf(DB* db) {
  std::vector<FileShape> shapes;
  for (const auto& file : FilesOf(db)) {
    shapes.emplace_back(file.level, file.directory, file.smallestkey,
                        file.largestkey, file.num_entries);
  }
  std::sort(shapes.begin(), shapes.end());
  return shapes;
}

RebuildFiltersReport Rebuild(DB* db, const RebuildFiltersOptions& options,
                             const RebuildFiltersCallback& progress) {
  RebuildFiltersReport report;
  EXPECT_OK(RebuildFilters(db, options, progress, &report));
  return report;
}

rocksdb::CompactRangeOptions RewriteAll() {
  rocksdb::CompactRangeOptions options;
  options.bottommost_level_compaction =
      rocksdb::BottommostLevelCompaction::kForce;
  return options;
}

DbTest::DbTest() {
  options_.create_if_missing = true;
  options_.disable_auto_compactions =
      true;  // a test says what is in which file
  options_.compression = rocksdb::kNoCompression;
  options_.statistics = rocksdb::CreateDBStatistics();
  UsePolicy(kLinebloom);
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

std::unique_ptr<DB> DbTest::OpenAnother(const std::string& name) const {
  std::unique_ptr<DB> db;
  EXPECT_OK(DB::Open(OptionsWithTable(), Path(name), OutPtr(&db)));
  return db;
}

rocksdb::Options DbTest::OptionsWithTable() const {
  rocksdb::Options options = options_;
  options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table_));
  return options;
}

rocksdb::Options DbTest::LatestOptions() const {
  const rocksdb::ConfigOptions strict = StrictConfig();
  rocksdb::DBOptions db_options;
  std::vector<rocksdb::ColumnFamilyDescriptor> families;
  EXPECT_OK(
      rocksdb::LoadLatestOptions(strict, Path("db"), &db_options, &families));
  EXPECT_OK(rocksdb::CheckOptionsCompatibility(strict, Path("db"), db_options,
                                               families));
  return rocksdb::Options(db_options, families.at(0).options);
}

void DbTest::UsePolicy(const Policy& policy) {
  table_.filter_policy = nullptr;
  if (*policy.option_string == '\0') return;
  ASSERT_OK(rocksdb::FilterPolicy::CreateFromString(
      StrictConfig(), policy.option_string, &table_.filter_policy));
}

void DbTest::UseListener() { options_.listeners = {NewLevelSizeListener()}; }

void DbTest::UseOptions(const FilterPolicyOptions& options) {
  table_.filter_policy.reset(NewFilterPolicy(options));
}

void DbTest::UsePartitions(uint64_t bytes) {
  table_.partition_filters = true;
  table_.index_type = table_.kTwoLevelIndexSearch;
  table_.metadata_block_size = bytes;
}

void DbTest::WriteFile(Rows rows, int level, uint64_t step) {
  PutRows(rows, nullptr, step);
  Flush();
  if (level == 0) return;
  rocksdb::CompactionOptions compaction;
  compaction.compression = rocksdb::kDisableCompressionOption;
  ASSERT_OK(db_->CompactFiles(compaction, {FilesOf(db_.get())[0].name}, level));
}

// In batches, since RocksDB writes each to its log.
void DbTest::PutRows(Rows rows, DB* db, uint64_t step,
                     rocksdb::ColumnFamilyHandle* family) {
  if (family == nullptr) family = Db(db)->DefaultColumnFamily();
  rocksdb::WriteBatch batch;
  for (uint64_t i = rows.begin; i < rows.end; i += step) {
    ASSERT_OK(batch.Put(family, RowKey(i), RowValue(i)));
    if (batch.Count() < 1000 && i + step < rows.end) continue;
    ASSERT_OK(Db(db)->Write({}, &batch));
    batch.Clear();
  }
}

void DbTest::Flush(DB* db) { ASSERT_OK(Db(db)->Flush({})); }

void DbTest::CompactAll(DB* db) {
  ASSERT_OK(Db(db)->CompactRange(RewriteAll(), nullptr, nullptr));
}

void DbTest::ExpectRows(Rows rows, DB* db) {
  CountPresent(rows, db);
  CountMissing(rows, db);
}

void DbTest::ExpectFilterWorks(Rows rows, uint64_t files) {
  const FilterCounts present = CountPresent(rows);
  EXPECT_EQ(present.true_positive, rows.present());
  EXPECT_GE(present.maybe, rows.present());
  if (files == 1) {
    EXPECT_EQ(present, (FilterCounts{0, rows.present(), rows.present()}));
  }
  const FilterCounts missing = CountMissing(rows);
  EXPECT_EQ(missing.no + missing.maybe, rows.missing() * files);
  EXPECT_EQ(missing.true_positive, 0);
  EXPECT_LE(missing.maybe, rows.missing() * files / 25);
}

uint64_t DbTest::Take(std::initializer_list<rocksdb::Tickers> tickers) {
  uint64_t sum = 0;
  for (const rocksdb::Tickers ticker : tickers) {
    sum += options_.statistics->getAndResetTickerCount(ticker);
  }
  return sum;
}

FilterCounts DbTest::TakeCounts() {
  const uint64_t prefix_no = Take({rocksdb::BLOOM_FILTER_PREFIX_USEFUL});
  FilterCounts counts;
  counts.no = Take({rocksdb::BLOOM_FILTER_USEFUL}) + prefix_no;
  counts.maybe = Take({rocksdb::BLOOM_FILTER_FULL_POSITIVE,
                       rocksdb::BLOOM_FILTER_PREFIX_CHECKED}) -
                 prefix_no;
  counts.true_positive = Take({rocksdb::BLOOM_FILTER_FULL_TRUE_POSITIVE});
#if ROCKSDB_IS_AT_LEAST(8, 3)
  counts.true_positive += Take({rocksdb::BLOOM_FILTER_PREFIX_TRUE_POSITIVE});
  counts.no += Take({rocksdb::LAST_LEVEL_SEEK_FILTERED,
                     rocksdb::NON_LAST_LEVEL_SEEK_FILTERED});
  counts.maybe += Take({rocksdb::LAST_LEVEL_SEEK_FILTER_MATCH,
                        rocksdb::NON_LAST_LEVEL_SEEK_FILTER_MATCH});
#endif
  return counts;
}

FilterCounts DbTest::CountPresent(Rows rows, DB* db) {
  TakeCounts();
  for (uint64_t i = rows.begin; i < rows.end; i += 2) {
    EXPECT_EQ(GetText(Db(db), RowKey(i)), RowValue(i));
  }
  return TakeCounts();
}

FilterCounts DbTest::CountMissing(Rows rows, DB* db) {
  TakeCounts();
  for (uint64_t i = rows.begin + 1; i + 1 < rows.end; i += 2) {
    EXPECT_EQ(GetText(Db(db), RowKey(i)), "NotFound: ");
  }
  return TakeCounts();
}

double DbTest::BitsPerRow(DB* db, int level) const {
  const auto properties = AllProperties(Db(db));
  double bits = 0;
  double rows = 0;
  size_t i = 0;
  for (const auto& file : FilesOf(Db(db))) {
    const rocksdb::TableProperties& of_file = *properties[i++];
    if (level >= 0 && file.level != level) continue;
    bits += 8 * static_cast<double>(of_file.filter_size);
    rows += static_cast<double>(of_file.num_entries);
  }
  return bits / rows;
}

int DbTest::CountInLog(const std::vector<std::string>& words,
                       const std::string& name) const {
  std::ifstream log(Path(name));
  int count = 0;
  for (std::string line; std::getline(log, line);) {
    count += std::all_of(words.begin(), words.end(), [&](const auto& word) {
      return line.find(word) != std::string::npos;
    });
  }
  return count;
}

}  // namespace linebloom
