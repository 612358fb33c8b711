// What the ledger says where RocksDB says nothing, or something impossible.
#include "filter_policy/tree/live_files.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

namespace linebloom {
namespace {

using rocksdb::CompactionJobInfo;
using rocksdb::LiveFileMetaData;
using rocksdb::TableProperties;

constexpr uint64_t kBytesPerRow = 50;

TableProperties PropertiesOf(uint64_t rows) {
  TableProperties properties;
  properties.num_entries = rows;
  properties.num_filter_entries = rows;
  properties.filter_size = rows * 10 / 8;
  properties.filter_policy_name = "linebloom";
  properties.index_size = rows;
  properties.num_data_blocks = rows / 10 + 1;
  properties.data_size = rows * 40;
  properties.raw_key_size = rows * 24;
  return properties;
}

FileTotals FileOf(uint64_t rows) {
  const TableProperties properties = PropertiesOf(rows);
  return *TotalsOf(&properties, rows * kBytesPerRow);
}

// As RocksDB lists a file that it has not opened.
LiveFileMetaData Unopened(int number, uint64_t rows, int level = 6) {
  LiveFileMetaData file;
  file.column_family_name = "default";
  file.name = "/" + std::to_string(number) + ".sst";
  file.level = level;
  file.size = rows * kBytesPerRow;
  return file;
}

uint64_t Unknown(const std::string& /*path*/) { return 0; }

class LiveFilesTest : public testing::Test {
 protected:
  void List() { files_.List(listed_, files_.version()); }

  // Reads the next files, as the listener does. False if there were none.
  bool ReadSome(size_t most) {
    const auto unread = files_.FilesToRead(listed_, most);
    for (const LiveFileMetaData* file : unread) {
      files_.Read(file->name, FileOf(file->size / kBytesPerRow));
    }
    return !unread.empty();
  }

  // Of a flush, or of the job, which may not have begun.
  NewFile Describe(const CompactionJobInfo* job = nullptr) const {
    using enum rocksdb::TableFileCreationReason;
    NewFile file = {.column_family = "default",
                    .reason = job == nullptr ? kFlush : kCompaction};
    files_.Describe(job == nullptr ? 1 : job->job_id, &file);
    return file;
  }

  static CompactionJobInfo Compaction(const std::vector<std::string>& inputs) {
    CompactionJobInfo job;
    job.cf_name = "default";
    job.job_id = 7;
    job.base_input_level = job.output_level = 6;
    job.input_files = inputs;
    return job;
  }

  double Rows() { return files_.families()["default"].live.filters.all_rows(); }

  LiveFiles files_;
  std::vector<LiveFileMetaData> listed_;
};

TEST_F(LiveFilesTest, UnreadFilesCountByTheirBytesUntilAllAreRead) {
  double rows = 0;
  for (int i = 0; i < 50; ++i) {
    listed_.push_back(Unopened(i, 100 + 10 * i));
    rows += 100 + 10 * i;
  }
  int lists = 0;
  for (; files_.IsDue(0); ++lists) {
    ReadSome(8);
    List();
    const LiveFiles::Family& family = files_.families().at("default");
    EXPECT_NEAR(rows, family.tree->filters.all_rows(), 1e-6);
    EXPECT_NEAR(rows, family.live.filters.index_bytes, 1e-6);
  }
  EXPECT_EQ(7, lists);
  EXPECT_FALSE(ReadSome(8));
}

// Until one is known, nothing is told of the tree: a guess would be wrong by as
// much as rows differ.
TEST_F(LiveFilesTest, WithoutAKnownFileThereIsNoTree) {
  listed_.push_back(Unopened(1, 100));
  List();
  EXPECT_EQ(nullptr, Describe().tree);
  // RocksDB knows the rows of files that it has opened.
  listed_[0].num_entries = 70;
  List();
  EXPECT_EQ(70, Rows());
}

// They can't be read a second time with another result.
TEST_F(LiveFilesTest, FilesWithoutPropertiesCountAsAverageOnes) {
  for (int i = 0; i < 4; ++i) listed_.push_back(Unopened(i, 100));
  List();
  EXPECT_EQ(4u, files_.FilesToRead(listed_, 10).size());
  for (int i = 0; i < 3; ++i) {
    files_.Read(listed_[i].name, TotalsOf(nullptr, listed_[i].size));
  }
  files_.Read(listed_[3].name, FileOf(100));
  List();
  EXPECT_TRUE(files_.FilesToRead(listed_, 10).empty());
  EXPECT_FALSE(files_.IsDue(3));
  EXPECT_EQ(400, Rows());
  EXPECT_EQ(400 * FileOf(100).bits / 100,
            files_.families().at("default").live.filters.bits);

  CompactionJobInfo job =
      Compaction({"/db/0.sst", "/db/1.sst", "/db/2.sst", "/db/3.sst",
                  "/db/that nobody listed.sst"});
  for (const auto& path : job.input_files) job.table_properties[path] = nullptr;
  files_.BeginCompaction(job, Unknown);
  const NewFile file = Describe(&job);
  EXPECT_EQ(400, file.input_keys);
  EXPECT_EQ(0, file.tree->filters.all_rows());
}

// They are to get one.
TEST_F(LiveFilesTest, FilesWithoutAFilterOfAFamilyWithAPolicy) {
  listed_ = {Unopened(1, 100), Unopened(2, 1000)};
  ReadSome(1);
  TableProperties without = PropertiesOf(1000);
  without.filter_size = 0;
  files_.Read("/2.sst", TotalsOf(&without, 1000 * kBytesPerRow));
  List();
  EXPECT_EQ(1000, files_.families().at("default").live.filters.unfiltered);
  // Not those of a family that has no policy.
  without.filter_policy_name.clear();
  files_.Read("/2.sst", TotalsOf(&without, 1000 * kBytesPerRow));
  EXPECT_EQ(0, files_.families().at("default").live.filters.unfiltered);
}

// Its inputs are in what the others have.
TEST_F(LiveFilesTest, FilesOfAnUnannouncedCompactionMakeUpForNothing) {
  listed_ = {Unopened(1, 100), Unopened(2, 1000)};
  ReadSome(2);
  List();
  const CompactionJobInfo job = Compaction({});
  const NewFile file = Describe(&job);
  EXPECT_EQ(1100, file.tree->RowsOf(6));
  EXPECT_EQ(0, file.tree->filters.keys);
  EXPECT_EQ(1100, Describe().tree->filters.keys);
}

TEST_F(LiveFilesTest, FilesDeletedWithoutAJobLeave) {
  listed_ = {Unopened(1, 100), Unopened(2, 1000), Unopened(3, 10, 0)};
  ReadSome(3);
  List();
  files_.Delete("/db/2.sst");
  EXPECT_EQ(110, Rows());
  files_.Delete("/db/3.sst");
  EXPECT_EQ(100, Rows());
  EXPECT_TRUE(files_.IsDue(0));
  const TreeState& tree = files_.families().at("default").live;
  EXPECT_TRUE(tree.level0.empty());
  ASSERT_EQ(1u, tree.levels.size());
  EXPECT_EQ(100, tree.levels.at(6).rows);
  files_.Delete("/db/1.sst");
  EXPECT_EQ(0, Rows());
}

TEST_F(LiveFilesTest, OutputsWithoutALevelAreListed) {
  listed_ = {Unopened(1, 100)};
  ReadSome(1);
  List();
  ASSERT_FALSE(files_.IsDue(0));
  CompactionJobInfo job = Compaction({"/db/1.sst"});
  job.output_files = {"/db/4.sst"};
  files_.Create("/db/4.sst", FileOf(90));
  files_.EndCompaction(job);
  EXPECT_TRUE(files_.IsDue(0));
}

// Nor are inputs believed that RocksDB ingested a moment ago.
TEST_F(LiveFilesTest, ClaimsOfUnlistedInputsAreHeldToTheirBytes) {
  listed_ = {Unopened(1, 100)};
  ReadSome(1);
  List();
  const auto input_keys = [this](uint64_t claimed, const SizeOfFile& size_of) {
    auto properties = std::make_shared<TableProperties>(PropertiesOf(claimed));
    CompactionJobInfo job = Compaction({"/db/1.sst", "/db/2.sst"});
    job.table_properties["/db/2.sst"] = properties;
    files_.BeginCompaction(job, size_of);
    return Describe(&job).input_keys;
  };
  const auto size_of = [](const std::string& path) {
    return path == "/db/2.sst" ? uint64_t{1000} : 0;
  };
  EXPECT_EQ(100 + 20, input_keys(20, size_of));
  EXPECT_EQ(100 + 64 * 1000, input_keys(uint64_t{1} << 50, size_of));
  EXPECT_EQ(100, input_keys(20, Unknown));
}

// A flush of no file, or one that RocksDB says nothing of.
TEST_F(LiveFilesTest, AFlushThatTellsNothing) {
  rocksdb::FlushJobInfo job;
  job.cf_name = "default";
  job.file_path = "/db/1.sst";
  files_.Create(job.file_path, FileOf(100));
  files_.EndFlush(job);
  job.file_path.clear();
  files_.EndFlush(job);
  EXPECT_EQ(100, Rows());
}

TEST(TotalsOfTest, TheRateIsThatOfTheKindOfFilter) {
  const auto rate = [](const std::string& policy, uint64_t bytes) {
    rocksdb::TableProperties properties;
    properties.num_entries = 1000;
    properties.filter_policy_name = policy;
    properties.filter_size = bytes;
    return TotalsOf(&properties, 0)->passed / 1000;
  };
  EXPECT_NEAR(0.0095, rate("bloomfilter", 1250), 0.0003);
  EXPECT_NEAR(0.0095, rate("rocksdb.BuiltinBloomFilter", 1250), 0.0003);
  EXPECT_NEAR(0.0095, rate("ribbonfilter", 868), 0.0005);
  EXPECT_NEAR(0.00128, rate("linebloom", 1250), 0.00003);
  EXPECT_NEAR(0.0095, rate("linebloom:plain", 1250), 0.0003);
  EXPECT_EQ(1, rate("linebloom", 0));
  EXPECT_EQ(1, rate("", 0));
}

TEST(TotalsOfTest, ClaimsAreHeldToTheBytes) {
  constexpr uint64_t kBytes = 20'000;
  for (const uint64_t claimed :
       {uint64_t{1} << 50, uint64_t{1} << 62, ~uint64_t{0}}) {
    for (uint64_t TableProperties::*const number :
         {&TableProperties::num_entries, &TableProperties::num_filter_entries,
          &TableProperties::filter_size, &TableProperties::index_size,
          &TableProperties::num_data_blocks, &TableProperties::data_size,
          &TableProperties::raw_key_size}) {
      TableProperties properties = PropertiesOf(300);
      properties.*number = claimed;
      const FileTotals file = *TotalsOf(&properties, kBytes);
      EXPECT_LE(file.rows, 64.0 * kBytes);
      EXPECT_LE(file.keys, 64.0 * kBytes);
      EXPECT_LE(file.bits, 8.0 * kBytes);
      EXPECT_LE(file.index_bytes, 1.0 * kBytes);
      EXPECT_LE(file.data_blocks, kBytes / 8.0);
      EXPECT_LE(file.data_bytes, 64.0 * kBytes);
      // One claim alone doesn't fit the others. Each key has 8 bytes more than
      // its own; these have 16.
      EXPECT_LE(file.rows, 3.0 * 300);
      EXPECT_LE(file.keys, 2.0 * 3 * 300);
    }
  }
  EXPECT_EQ(8 * 375, FileOf(300).bits);
  const TableProperties nothing;
  EXPECT_FALSE(TotalsOf(&nothing, kBytes).has_value());
  const TableProperties some = PropertiesOf(300);
  EXPECT_EQ(300, TotalsOf(&some, /*bytes=*/0)->rows);
  EXPECT_EQ(8 * 375, TotalsOf(&some, /*bytes=*/0)->bits);
  TableProperties without = some;
  without.raw_key_size = 0;
  EXPECT_EQ(300, TotalsOf(&without, kBytes)->rows);
  without.num_filter_entries = 600;  // keys and prefixes
  EXPECT_EQ(600, TotalsOf(&without, kBytes)->keys);
  without.raw_value_size = 60 * 300;
  without.compression_name = "NoCompression";
  EXPECT_EQ(40 * 300, TotalsOf(&without, kBytes)->data_bytes);
  without.num_merge_operands = 1;
  EXPECT_EQ(300, TotalsOf(&without, kBytes)->ambiguous);
}

}  // namespace
}  // namespace linebloom
