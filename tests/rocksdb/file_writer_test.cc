// Files written outside of a database, read alone and ingested.

#include <string>
#include <vector>

#include "rocksdb/sst_file_reader.h"
#include "rocksdb/sst_file_writer.h"
#include "tests/rocksdb/db_fixture.h"

namespace linebloom {
namespace {

class FileWriterTest : public PolicyTest {
 protected:
  // Writes the rows that exist to a file of that name.
  std::string WriteSst(const std::string& name, Rows rows) {
    std::string path = Path(name);
    rocksdb::SstFileWriter writer(rocksdb::EnvOptions(), OptionsWithTable());
    EXPECT_OK(writer.Open(path));
    for (uint64_t i = rows.begin; i < rows.end; i += 2) {
      EXPECT_OK(writer.Put(RowKey(i), RowValue(i)));
    }
    EXPECT_OK(writer.Finish());
    return path;
  }
};
INSTANTIATE_POLICY_TEST(FileWriterTest);

TEST_P(FileWriterTest, FileReadAlone) {
  const Rows rows{0, 4000};
  const std::string path = WriteSst("alone.sst", rows);
  rocksdb::SstFileReader reader(OptionsWithTable());
  ASSERT_OK(reader.Open(path));
  ASSERT_OK(reader.VerifyChecksum());
  const auto properties = reader.GetTableProperties();
  EXPECT_EQ(properties->filter_policy_name, PolicyName(GetParam()));
  EXPECT_EQ(properties->num_entries, rows.present());
  EXPECT_EQ(properties->num_filter_entries, rows.present());
  EXPECT_GE(properties->filter_size, rows.present() * 10 / 8);

  std::unique_ptr<rocksdb::Iterator> it(reader.NewIterator({}));
  it->SeekToFirst();
  EXPECT_EQ(KeysFrom(it.get()).size(), rows.present());
  for (uint64_t i = rows.begin; i < rows.end; i += 2) {
    it->Seek(RowKey(i));
    ASSERT_TRUE(it->Valid());
    EXPECT_EQ(it->value().ToString(), RowValue(i));
  }
}

// The reader of a file needs no policy.
TEST_P(FileWriterTest, FileReadWithoutPolicy) {
  const Rows rows{0, 2000};
  const std::string path = WriteSst("alone.sst", rows);
  rocksdb::SstFileReader reader{rocksdb::Options()};
  ASSERT_OK(reader.Open(path));
  ASSERT_OK(reader.VerifyChecksum());
  std::unique_ptr<rocksdb::Iterator> it(reader.NewIterator({}));
  it->SeekToFirst();
  EXPECT_EQ(KeysFrom(it.get()).size(), rows.present());
}

TEST_P(FileWriterTest, IngestedFilesAreFiltered) {
  const Rows rows{0, 4000};
  for (bool move : {false, true}) {
    SCOPED_TRACE(move);
    DestroyAndReopen();
    rocksdb::IngestExternalFileOptions ingest;
    ingest.move_files = move;
    ASSERT_OK(
        db_->IngestExternalFile({WriteSst("ingested.sst", rows)}, ingest));
    ExpectFilterWorks(rows);
    EXPECT_EQ(AllProperties(db_.get()).front()->filter_policy_name,
              PolicyName(GetParam()));
    Reopen();
    ExpectFilterWorks(rows);
  }
}

TEST_P(FileWriterTest, SeveralFilesOverFilesOfTheDatabase) {
  Reopen();
  const Rows rows{0, 8000};
  WriteFile(rows);
  CompactAll();
  ASSERT_OK(db_->IngestExternalFile(
      {WriteSst("left.sst", {0, 3000}), WriteSst("right.sst", {5000, 8000})},
      {}));
  ExpectFilterWorks({0, 3000}, 2);
  ExpectFilterWorks({3002, 4998}, 1);
  ExpectFilterWorks({5000, 8000}, 2);
  CompactAll();
  ExpectFilterWorks(rows);
}

TEST_P(FileWriterTest, DeletesInFiles) {
  Reopen();
  const Rows rows{0, 2000};
  WriteFile(rows);
  const std::string path = Path("deletes.sst");
  rocksdb::SstFileWriter writer(rocksdb::EnvOptions(), OptionsWithTable());
  ASSERT_OK(writer.Open(path));
  for (uint64_t i = 0; i < 1000; i += 2) {
    ASSERT_OK(writer.Delete(RowKey(i)));
  }
  ASSERT_OK(writer.DeleteRange(RowKey(1000), RowKey(1500)));
  ASSERT_OK(writer.Finish());
  ASSERT_OK(db_->IngestExternalFile({path}, {}));
  EXPECT_EQ(AllProperties(db_.get()).front()->num_filter_entries, 500);
  for (uint64_t i = 0; i < 1500; ++i) {
    EXPECT_EQ(GetText(db_.get(), RowKey(i)), "NotFound: ") << i;
  }
  ExpectRows({1500, 2000});
}

}  // namespace
}  // namespace linebloom
