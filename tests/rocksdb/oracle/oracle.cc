#include "tests/rocksdb/oracle/oracle.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <span>

#include "rocksdb/slice_transform.h"

namespace linebloom {

using rocksdb::Status;

Oracle::Oracle() {
  table_.optimize_filters_for_memory = false;  // sizes are checked
}

void Oracle::Run(const Policy& policy, const std::vector<Step>& steps) {
  SCOPED_TRACE(testing::Message() << policy);
  CloseAll();
  // A lookup that a filter lets through then reads one block of each file.
  table_.index_shortening =
      rocksdb::BlockBasedTableOptions::IndexShorteningMode::kNoShortening;
  Use(policy);
  policy_ = policy;
  const auto* const comparator = options_.comparator;
  rows_ = std::make_unique<Rows>(
      [comparator](const std::string& a, const std::string& b) {
        return comparator->Compare(a, b) < 0;
      });
  for (const char* folder : {"copy", "backup", "secondary"}) {
    std::filesystem::remove_all(Path(folder));
  }
  DestroyAndReopen();
  for (const Step& step : steps) {
    SCOPED_TRACE(step.name);
    step.run(this);
    if (HasFatalFailure()) return;
    Look();
    if (HasFailure()) return;  // later steps would report it again
  }
}

void Oracle::Look() {
  files_ = ReadFiles();
  for (const File& file : files_) CheckFile(file);
  CheckGets(keys_.present);
  CheckMissing();
  if (transaction_ == nullptr) CheckMultiGets();
  CheckWholeScan();
  if (options_.prefix_extractor != nullptr) {
    if (scans_ != Scans::kOfRanges) CheckPrefixScans();
    CheckRangeScans();
  }
}

void Oracle::CheckFile(const File& file) {
  const FileContents& contents = *file.contents;
  const rocksdb::TableProperties& properties = *file.properties;
  const Policy& policy = contents.policy;
  EXPECT_EQ(properties.filter_policy_name, policy.file_name());
  const uint64_t entries = ExpectedEntries(file);
  const bool skipped = options_.optimize_filters_for_hits && file.level > 0;
  if (!policy.builds_filters() || entries == 0 || skipped) {
#if ROCKSDB_IS_AT_LEAST(9, 6)
    // Rows without a prefix then have partitions, without keys.
    if (policy.builds_filters() && !skipped && table_.partition_filters) {
      EXPECT_EQ(properties.num_filter_entries, 0);
      return;
    }
#endif
    EXPECT_EQ(properties.filter_size, 0);
    return;
  }
  ASSERT_GT(properties.filter_size, 0);
  if (entries == kUnknown) return;
  EXPECT_GE(properties.num_filter_entries, entries);
  // A prefix with rows in two partitions, or a row with versions in two, is in
  // both. RocksDB adds some prefixes twice.
  const bool is_cut =
      table_.partition_filters &&
      (!file.prefixes.empty() || properties.num_entries > contents.keys.size());
  if (HoldsWholeKeys(file) && !is_cut) {
    EXPECT_EQ(properties.num_filter_entries, entries);
  }
  if (policy.bits_per_key > 0 && !table_.optimize_filters_for_memory) {
    const double bytes = policy.bits_per_key * static_cast<double>(entries) / 8;
    EXPECT_GE(properties.filter_size, bytes);
    if (!table_.partition_filters) {  // up to a line more, and the metadata
      EXPECT_LE(properties.filter_size, bytes + 64 + 128);
    }
  }
}

FilterCounts Oracle::ExpectAnswers(const Prediction& prediction) {
  const FilterCounts counts = TakeCounts();
  // RocksDB decides when a copy flushes rows that are not in a file yet.
  if (!in_memtable_.empty()) return counts;
  const uint64_t either = prediction.perhaps_probed;
  EXPECT_GE(counts.no + counts.maybe, prediction.probed);
  EXPECT_LE(counts.no + counts.maybe, prediction.probed + either);
  EXPECT_GE(counts.true_positive, prediction.true_positives);
  EXPECT_LE(counts.true_positive, prediction.true_positives + either);
  EXPECT_GE(counts.maybe, prediction.must_match) << "a filter denies a key";
  // Five standard deviations, and more if the rate is only known roughly. Rows
  // that share a prefix pass together.
  const double chance = prediction.matches_by_chance;
  const double alike = options_.prefix_extractor != nullptr ? 10 : 1;
  EXPECT_LE(counts.maybe, static_cast<double>(prediction.must_match + either) +
                              1.5 * chance + 5 * std::sqrt(chance * alike) +
                              3 * alike)
      << "too many false positives";
  return counts;
}

std::string Oracle::Expected(const std::string& key) const {
  const auto uncommitted = uncommitted_.find(key);
  if (uncommitted != uncommitted_.end()) return uncommitted->second;
  const auto row = rows_->find(key);
  return row != rows_->end() ? row->second : "NotFound: ";
}

std::string Oracle::Lookup(const std::string& key) {
  if (transaction_ == nullptr) {
    return GetText(db_.get(), key, read_, Family(db_.get()));
  }
  std::string value;
  const Status status = transaction_->Get(read_, key, &value);
  return status.ok() ? value : status.ToString();
}

void Oracle::CheckGets(const std::vector<std::string>& keys) {
  TakeCounts();
  for (const auto& key : keys) EXPECT_EQ(Lookup(key), Expected(key)) << key;
  if (options_.row_cache == nullptr) ExpectAnswers(PredictGets(keys));
}

// A missing key reads one block for each filter that lets it through and for
// each file without a filter, and no more.
void Oracle::CheckMissing() {
  SCOPED_TRACE("missing keys");
  const auto data_blocks = {rocksdb::BLOCK_CACHE_DATA_HIT,
                            rocksdb::BLOCK_CACHE_DATA_MISS};
  Take(data_blocks);
  TakeCounts();
  for (const std::string& key : keys_.missing) {
    EXPECT_EQ(Lookup(key), Expected(key)) << key;
  }
  const uint64_t blocks = Take(data_blocks);
  const Prediction prediction = PredictGets(keys_.missing);
  const FilterCounts counts = ExpectAnswers(prediction);
  if (in_memtable_.empty()) {
    // RocksDB 9 reads some files without probing their filters.
    const uint64_t probed_after_all =
        counts.no + counts.maybe - prediction.probed;
    EXPECT_LE(blocks, counts.maybe + prediction.unfiltered_files +
                          prediction.perhaps_probed - probed_after_all);
  }
  if (prediction.probed == 0 && blocks_are_counted_) {
    EXPECT_GE(blocks, prediction.unfiltered_files * 9 / 10);
  }
}

void Oracle::CheckMultiGets() {
  SCOPED_TRACE("MultiGet");
  constexpr size_t kSizes[] = {1, 31, 32, 33, 64, 100};  // RocksDB takes 32
  std::vector<std::string> all;
  for (size_t i = 0; i < keys_.present.size(); ++i) {
    all.push_back(keys_.present[i]);
    for (size_t j = 2 * i; j < 2 * i + 2 && j < keys_.missing.size(); ++j) {
      all.push_back(keys_.missing[j]);
    }
  }
  std::vector<std::string> probed;
  TakeCounts();
  std::span<const std::string> left = all;
  for (size_t number = 0; !left.empty(); ++number) {
    const auto next =
        left.first(std::min(kSizes[number % std::size(kSizes)], left.size()));
    left = left.subspan(next.size());
    std::vector<std::string> batch(next.begin(), next.end());
    batch.push_back(next.front());  // a repeat
    const bool sorted = number % 2 != 0;
    if (sorted) {
      std::sort(batch.begin(), batch.end(),
                [this](const auto& a, const auto& b) { return Less(a, b); });
    }
    const std::vector<std::string> texts =
        MultiGetTexts(db_.get(), batch, read_, Family(db_.get()), sorted);
    for (size_t i = 0; i < batch.size(); ++i) {
      EXPECT_EQ(texts[i], Expected(batch[i])) << batch[i];
    }
    probed.insert(probed.end(), batch.begin(), batch.end());
  }
  if (options_.row_cache == nullptr) {
    ExpectAnswers(PredictGets(probed, /*in_batches=*/true));
  }
}

void Oracle::CheckWholeScan() {
  rocksdb::ReadOptions read = read_;
  read.total_order_seek = true;
  TakeCounts();
  const std::unique_ptr<rocksdb::Iterator> it(
      db_->NewIterator(read, Family(db_.get())));
  it->SeekToFirst();
  auto row = rows_->begin();
  for (; it->Valid() && row != rows_->end(); it->Next(), ++row) {
    EXPECT_EQ(it->key().ToString(), row->first);
    EXPECT_EQ(it->value().ToString(), row->second);
  }
  EXPECT_OK(it->status());
  EXPECT_FALSE(it->Valid());
  EXPECT_EQ(row, rows_->end());
  EXPECT_EQ(TakeCounts(), FilterCounts()) << "no filter is probed";
}

// Scans of one prefix: forwards from its beginning and from within it, and
// backwards.
void Oracle::CheckPrefixScans() {
  SCOPED_TRACE("scans of a prefix");
  const rocksdb::SliceTransform& extractor = *options_.prefix_extractor;
  std::vector<std::string> starts;
  for (const auto* keys : {&keys_.present, &keys_.missing}) {
    for (const std::string& key : EveryNth(*keys, 7)) {
      if (!extractor.InDomain(key)) continue;
      starts.push_back(key);
      starts.push_back(extractor.Transform(key).ToString());
    }
  }
  rocksdb::ReadOptions read = read_;
  read.prefix_same_as_start = true;
  Prediction prediction;
  for (const bool backwards : {false, true}) {
    TakeCounts();
    for (const std::string& start : starts) {
      const std::unique_ptr<rocksdb::Iterator> it(
          db_->NewIterator(read, Family(db_.get())));
      const rocksdb::Slice prefix = extractor.Transform(start);
      std::vector<std::string> expected;
      std::vector<std::string> found;
      const auto has_prefix = [&](const Rows::const_iterator& row) {
        return extractor.InDomain(row->first) &&
               extractor.Transform(row->first) == prefix;
      };
      if (backwards) {
        for (auto row = rows_->upper_bound(start);
             row != rows_->begin() && has_prefix(--row);) {
          expected.push_back(row->first);
        }
        for (it->SeekForPrev(start); it->Valid(); it->Prev()) {
          found.push_back(it->key().ToString());
        }
      } else {
        for (auto row = rows_->lower_bound(start);
             row != rows_->end() && has_prefix(row); ++row) {
          expected.push_back(row->first);
        }
        it->Seek(start);
        found = KeysFrom(it.get());
        PredictSeek(start, &prediction);
      }
      EXPECT_OK(it->status());
      EXPECT_EQ(found, expected) << start;
    }
    if (!backwards && SeeksAreCounted()) ExpectAnswers(prediction);
#if !ROCKSDB_IS_AT_LEAST(9, 5)
    // RocksDB before 9.5 misses rows here, with any policy.
    if (table_.partition_filters && !table_.whole_key_filtering) break;
#endif
  }
}

// In total order, but allowed to use filters: up to a bound within the prefix
// where the scan begins, RocksDB probes that prefix; beyond it, none.
void Oracle::CheckRangeScans() {
  SCOPED_TRACE("scans of a range");
  const rocksdb::SliceTransform& extractor = *options_.prefix_extractor;
  rocksdb::ReadOptions read = read_;
  read.auto_prefix_mode = true;
  Prediction prediction;
  TakeCounts();
  for (const std::string& from : EveryNth(keys_.missing, 13)) {
    if (!extractor.InDomain(from)) continue;
    ExpectScan(from, extractor.Transform(from).ToString() + "~", read);
    PredictSeek(from, &prediction);
  }
  if (SeeksAreCounted()) ExpectAnswers(prediction);
  TakeCounts();
  const std::vector<std::string> some = Some(keys_.present.size() / 20 + 1);
  for (size_t i = 0; i + 2 < some.size(); ++i) {
    ExpectScan(some[i], some[i + 2], read);
  }
  if (SeeksAreCounted()) {
    EXPECT_EQ(TakeCounts(), FilterCounts());
  }
}

void Oracle::ExpectScan(const std::string& from, const std::string& to,
                        rocksdb::ReadOptions read) {
  const rocksdb::Slice bound = to;
  read.iterate_upper_bound = &bound;
  const std::unique_ptr<rocksdb::Iterator> it(
      db_->NewIterator(read, Family(db_.get())));
  it->Seek(from);
  std::vector<std::string> expected;
  for (auto row = rows_->lower_bound(from);
       row != rows_->end() && Less(row->first, to); ++row) {
    expected.push_back(row->first);
  }
  EXPECT_EQ(KeysFrom(it.get()), expected) << "from " << from << " to " << to;
}

// Opening a file loads its partitions into the block cache.
void Oracle::CountPartitions() {
  Take({rocksdb::BLOCK_CACHE_FILTER_ADD});
  Open();
  const uint64_t partitions = Take({rocksdb::BLOCK_CACHE_FILTER_ADD});
  const uint64_t bytes = 10 * keys_.present.size() / 8;
  EXPECT_GE(partitions, bytes / partition_size_);
  EXPECT_LE(partitions, 5 * bytes / (2 * partition_size_));
  // A lookup reads one.
  const auto reads = {rocksdb::BLOCK_CACHE_FILTER_HIT,
                      rocksdb::BLOCK_CACHE_FILTER_MISS};
  Take(reads);
  CheckGets(keys_.present);
  EXPECT_EQ(Take(reads), keys_.present.size());
}

void Oracle::MultiGetEverywhere() {
  std::vector<std::string> all = keys_.present;
  all.insert(all.end(), keys_.missing.begin(), keys_.missing.end());
  std::sort(all.begin(), all.end(),
            [this](const auto& a, const auto& b) { return Less(a, b); });
  for (size_t i = 0; i + 2 < all.size(); ++i) {
    const std::string& last = keys_.present.back();
    for (const std::vector<std::string>& batch :
         {std::vector{all[i], all[i + 1], all[i + 2]},
          std::vector{last, all[i]}, std::vector{all[i], last}}) {
      const std::vector<std::string> texts =
          MultiGetTexts(db_.get(), batch, read_, Family(db_.get()));
      for (size_t k = 0; k < batch.size(); ++k) {
        EXPECT_EQ(texts[k], Expected(batch[k])) << batch[k] << ", " << k;
      }
    }
  }
}

void Oracle::LookWithoutReading() {
  Open();  // with no block in the cache
  rocksdb::ReadOptions no_reads = read_;
  no_reads.read_tier = rocksdb::kBlockCacheTier;
  size_t let_through = 0;
  std::string value;
  for (const std::string& key : keys_.missing) {
    const Status status = db_->Get(no_reads, Family(db_.get()), key, &value);
    EXPECT_TRUE(status.IsNotFound() || status.IsIncomplete());
    let_through += status.IsIncomplete();
    EXPECT_EQ(db_->KeyMayExist(no_reads, Family(db_.get()), key, &value),
              status.IsIncomplete());
  }
  EXPECT_LE(let_through, keys_.missing.size() / 25);
  for (const std::string& key : keys_.present) {
    EXPECT_TRUE(
        db_->Get(no_reads, Family(db_.get()), key, &value).IsIncomplete());
    EXPECT_TRUE(db_->KeyMayExist(no_reads, Family(db_.get()), key, &value));
  }
}

}  // namespace linebloom
