// A program that requests linebloom's policy in a RocksDB that linebloom was
// not built for: of another version (fake_version.cc), or a fork of the same
// version with other filter interfaces (fork.cc). It gets a clear error early,
// and no filter is built or read.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <memory>
#include <string>

#include "linebloom/c.h"
#include "linebloom/filter_policy.h"
#include "linebloom/level_size_listener.h"
#include "rocksdb/c.h"
#include "rocksdb/convenience.h"
#include "rocksdb/db.h"
#include "rocksdb/options.h"
#include "rocksdb/sst_file_reader.h"
#include "rocksdb/sst_file_writer.h"
#include "rocksdb/table.h"
#include "rocksdb/version.h"
#include "tests/temporary_folder.h"

namespace {

using rocksdb::Options;
using rocksdb::Status;

constexpr int kRows = 1000;

std::string Key(int i) { return "row" + std::to_string(100000 + i); }

void MustBeOk(const Status& status) {
  ASSERT_TRUE(status.ok()) << status.ToString();
}

// The message has to say what differs and what to do.
auto SaysMismatch() {
  const bool is_fork = rocksdb::GetRocksVersionAsString().starts_with(
      std::to_string(ROCKSDB_MAJOR) + "." + std::to_string(ROCKSDB_MINOR) +
      ".");
  return testing::ContainsRegex(
      is_fork ? "linebloom: RocksDB [0-9.]+ was asked .* another filter "
                "interface.* Build linebloom against"
              : "linebloom: built for RocksDB [0-9]+\\.[0-9]+\\.x but running "
                "in RocksDB [0-9]+\\.[0-9]+7\\.1; .* Build linebloom against "
                "the headers");
}

class AnotherRocksDbTest : public testing::Test {
 protected:
  static Options With(const rocksdb::FilterPolicy* policy) {
    rocksdb::BlockBasedTableOptions table;
    table.filter_policy.reset(policy);
    Options options;
    options.create_if_missing = true;
    options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
    return options;
  }

  // Writes a file of rows and returns its properties.
  std::shared_ptr<const rocksdb::TableProperties> WriteSst(
      const Options& options, const std::string& file) {
    rocksdb::SstFileWriter writer(rocksdb::EnvOptions(), options);
    MustBeOk(writer.Open(file));
    for (int i = 0; i < kRows; ++i) MustBeOk(writer.Put(Key(i), "value"));
    MustBeOk(writer.Finish());
    rocksdb::SstFileReader reader(options);
    MustBeOk(reader.Open(file));
    return reader.GetTableProperties();
  }

  static int CountRows(const Options& options, const std::string& file) {
    rocksdb::SstFileReader reader(options);
    MustBeOk(reader.Open(file));
    const std::unique_ptr<rocksdb::Iterator> it(reader.NewIterator({}));
    int rows = 0;
    for (it->SeekToFirst(); it->Valid(); it->Next()) ++rows;
    return rows;
  }

  const linebloom::TemporaryFolder folder_;
};

// Nor is there a listener: calls of its virtual functions might land in other
// functions. RocksDB would crash at a null one, but first DB::Open() fails
// because of the policy.
TEST_F(AnotherRocksDbTest, NoDatabaseOpens) {
  linebloom::FilterPolicyOptions policy;
  policy.line = linebloom::LineKind::kPlain;
  for (Options options : {With(linebloom::NewFilterPolicy(10)),
                          With(linebloom::NewFilterPolicy(policy))}) {
    options.listeners.push_back(linebloom::NewLevelSizeListener());
    EXPECT_EQ(nullptr, options.listeners.front());
    rocksdb::DB* db = nullptr;
    const Status status = rocksdb::DB::Open(options, folder_.File("db"), &db);
    EXPECT_TRUE(status.IsInvalidArgument());
    EXPECT_THAT(status.ToString(), SaysMismatch());
    EXPECT_EQ(db, nullptr);
  }
}

TEST_F(AnotherRocksDbTest, OptionStringsDoNotKnowLinebloom) {
  linebloom::RegisterFilterPolicy();  // as with the static library
  rocksdb::ConfigOptions config;
  config.ignore_unsupported_options = false;
  for (const char* text : {"linebloom:10", "{id=linebloom;line=plain}"}) {
    std::shared_ptr<const rocksdb::FilterPolicy> policy;
    EXPECT_FALSE(
        rocksdb::FilterPolicy::CreateFromString(config, text, &policy).ok());
    EXPECT_EQ(policy, nullptr) << text;
    char* error = nullptr;
    EXPECT_EQ(linebloom_filterpolicy_create_from_string(text, &error), nullptr);
    ASSERT_NE(error, nullptr);
    EXPECT_THAT(error, SaysMismatch());
    free(error);
  }
  rocksdb_filterpolicy_destroy(linebloom_filterpolicy_create(10));
}

// SstFileWriter and SstFileReader validate nothing: files get no filter, and
// those with RocksDB's filters are read without them. Not Bloom's, which are
// the fork's.
TEST_F(AnotherRocksDbTest, FilesThatNothingValidates) {
  const Options ours = With(linebloom::NewFilterPolicy(10));
  const Options ribbon = With(rocksdb::NewRibbonFilterPolicy(10));
  EXPECT_EQ(WriteSst(ours, folder_.File("ours"))->filter_size, 0u);
  EXPECT_GT(WriteSst(ribbon, folder_.File("ribbon"))->filter_size, 0u);
  for (const char* file : {"ours", "ribbon"}) {
    EXPECT_EQ(CountRows(ours, folder_.File(file)), kRows) << file;
  }
}

// Nor do instances that only read.
TEST_F(AnotherRocksDbTest, ReadOnlyAndSecondaryInstances) {
  const std::string path = folder_.File("db");
  rocksdb::DB* db = nullptr;
  MustBeOk(
      rocksdb::DB::Open(With(rocksdb::NewRibbonFilterPolicy(10)), path, &db));
  MustBeOk(db->Put({}, Key(0), "value"));
  MustBeOk(db->Flush({}));
  delete db;
  Options ours = With(linebloom::NewFilterPolicy(10));
  ours.max_open_files = -1;  // for secondary instances
  MustBeOk(rocksdb::DB::OpenForReadOnly(ours, path, &db));
  const std::unique_ptr<rocksdb::DB> read_only(db);
  MustBeOk(
      rocksdb::DB::OpenAsSecondary(ours, path, folder_.File("secondary"), &db));
  const std::unique_ptr<rocksdb::DB> secondary(db);
  for (rocksdb::DB* const instance : {read_only.get(), secondary.get()}) {
    std::string value;
    MustBeOk(instance->Get({}, Key(0), &value));
    EXPECT_TRUE(instance->Get({}, Key(1), &value).IsNotFound());
  }
}

}  // namespace
