// Traces that RocksDB records.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "linebloom/filter_policy.h"
#include "rocksdb/db.h"
#include "rocksdb/trace_reader_writer.h"
#include "tests/table/rocksdb_files.h"
#include "tests/temporary_folder.h"
#include "tools/compare/keys.h"
#include "tools/compare/memory.h"
#include "tools/compare/trace.h"

namespace linebloom::tools {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(KeyListTest, KnowsWhichKeysAreTogether) {
  KeyList keys;
  for (const char* key : {"a", "b", "c", "d"}) keys.Add(key);
  keys.EndBatch(3);
  keys.Add("e");
  keys.EndBatch(1);
  std::vector<uint64_t> together;
  for (uint64_t i = 0; i < 5; ++i) together.push_back(keys.Together(i));
  EXPECT_THAT(together, ElementsAre(1, 3, 2, 1, 1));
  const Keys part = PartOf(keys, 2, 5);
  EXPECT_EQ(part.at(0), "c");
  EXPECT_EQ(part.together(0), 2);
}

class TraceTest : public ::testing::Test {
 protected:
  TraceTest() {
    db_ = linebloom::testing::OpenDb({}, path_ + "/db");
    EXPECT_TRUE(db_->Put({}, "there", "value").ok());
    EXPECT_TRUE(db_->CreateColumnFamily({}, "other", &other_).ok());
  }
  ~TraceTest() override { Close(); }

  void Close() {
    if (db_ == nullptr) return;
    EXPECT_TRUE(db_->DestroyColumnFamilyHandle(other_).ok());
    EXPECT_TRUE(db_->Close().ok());
    db_.reset();
  }

  void Start() {
    std::unique_ptr<rocksdb::TraceWriter> writer;
    ASSERT_TRUE(rocksdb::NewFileTraceWriter(rocksdb::Env::Default(), {}, trace_,
                                            &writer)
                    .ok());
    ASSERT_TRUE(db_->StartTrace({}, std::move(writer)).ok());
  }

  const TemporaryFolder folder_;
  const std::string path_ = folder_.path();
  const std::string trace_ = path_ + "/trace";
  std::unique_ptr<rocksdb::DB> db_;
  rocksdb::ColumnFamilyHandle* other_ = nullptr;
};

TEST_F(TraceTest, HasItsLookupsAndCountsTheRest) {
  Start();
  std::string value;
  (void)db_->Get({}, "there", &value);
  (void)db_->Get({}, "missing", &value);
  (void)db_->Get({}, other_, "there", &value);
  std::vector<std::string> values;
  (void)db_->MultiGet({}, {"m1", "there", "m2"}, &values);
  ASSERT_TRUE(db_->Put({}, "another", "value").ok());
  std::unique_ptr<rocksdb::Iterator>(db_->NewIterator({}))->Seek("a");
  ASSERT_TRUE(db_->EndTrace().ok());

  const auto trace = ReadTrace(trace_, db_.get());
  ASSERT_TRUE(trace.ok()) << trace.status();
  std::vector<std::string> keys;
  for (uint64_t i = 0; i < trace->keys.size(); ++i) {
    keys.emplace_back(trace->keys[i]);
  }
  EXPECT_THAT(keys, ElementsAre("there", "missing", "m1", "there", "m2"));
  EXPECT_EQ(trace->keys.Together(2), 3);
  EXPECT_EQ(trace->InWords(),
            "2 Gets and 1 MultiGets of 5 keys, of which 3 are missing; left "
            "out: 1 writes, 1 seeks, 1 operations of other column families or "
            "kinds");
}

TEST_F(TraceTest, IsReplayedOnCopiesOfItsDatabase) {
  ASSERT_TRUE(db_->Flush({}).ok());
  Start();
  std::string value;
  std::vector<std::string> values;
  for (int i = 0; i < 200; ++i) {
    (void)db_->Get({}, "there", &value);
    (void)db_->MultiGet({}, {"theqe", "there"}, &values);
  }
  ASSERT_TRUE(db_->EndTrace().ok());
  Close();
  CompareConfig config;
  RegisterFilterPolicy();
  config.db = path_ + "/scratch";
  config.source_db = path_ + "/db";
  config.trace = trace_;
  config.memory = "64KiB,1MB";
  config.policies = "none;linebloom:10";
  const auto measured = RunMemoryComparison(config);
  ASSERT_TRUE(measured.ok()) << measured.status();
  EXPECT_EQ(measured->json["problems"].size(), 0);
  EXPECT_EQ(measured->json["workload"]["operations"]["multigets"], 200);
  for (const auto& curve : measured->json["curves"]) {
    for (const auto& point : curve["points"]) {
      EXPECT_EQ(point["lookups"], 400);  // the first third filled the cache
      EXPECT_NEAR(point["found"], 400 * 2 / 3, 1);
    }
  }
}

TEST_F(TraceTest, NeedsLookupsInTheDefaultColumnFamily) {
  Start();
  std::string value;
  (void)db_->Get({}, other_, "there", &value);
  ASSERT_TRUE(db_->EndTrace().ok());
  const absl::Status status = ReadTrace(trace_, db_.get()).status();
  EXPECT_TRUE(absl::IsInvalidArgument(status));
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("has no lookups in the default column family: 0 Gets"));
}

TEST(ParseMemoryTest, TakesSizesThatRise) {
  EXPECT_THAT(*ParseMemory("64KiB,1MB,1.5MB"),
              ElementsAre(65536, 1'000'000, 1'500'000));
  for (const char* text :
       {"", "1MB,", "2MB,1MB", "1MB,1MB", "1kB", "9PB", "x"}) {
    const auto parsed = ParseMemory(text);
    ASSERT_FALSE(parsed.ok()) << text;
    EXPECT_THAT(std::string(parsed.status().message()),
                HasSubstr("--memory='" + std::string(text)));
  }
  EXPECT_EQ(PoliciesOf("linebloom:*").size(), 14);
  EXPECT_EQ(PoliciesOf("linebloom:*")[1], "linebloom:4");
  EXPECT_THAT(PoliciesOf("none"), ElementsAre("none"));
}

}  // namespace
}  // namespace linebloom::tools
