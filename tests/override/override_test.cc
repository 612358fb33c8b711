// A program that knows nothing of linebloom and runs with
// liblinebloom_override.so preloaded: every policy that it may have set.
//
// ctest runs it with the library loaded, and again with LINEBLOOM_OVERRIDE=off,
// in which case the same databases get no linebloom, and with level_aware=true.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "rocksdb/c.h"
#include "rocksdb/db.h"
#include "rocksdb/filter_policy.h"
#include "rocksdb/options.h"
#include "rocksdb/table.h"
#include "tests/temporary_folder.h"

namespace {

bool IsOverrideSetTo(std::string_view value) {
  const char* const text = std::getenv("LINEBLOOM_OVERRIDE");
  return text != nullptr && text == value;
}

bool IsOff() { return IsOverrideSetTo("off"); }

void MustBeOk(const rocksdb::Status& status) {
  if (!status.ok()) FAIL() << status.ToString();
}

class OverrideTest : public testing::Test {
 protected:
  // Opens a new database with that policy, which may be null.
  void Open(const rocksdb::FilterPolicy* policy) {
    db_.reset();
    MustBeOk(rocksdb::DestroyDB(path_, options_));
    rocksdb::BlockBasedTableOptions table;
    table.filter_policy.reset(policy);
    options_.create_if_missing = true;
    options_.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
    rocksdb::DB* db = nullptr;
    MustBeOk(rocksdb::DB::Open(options_, path_, &db));
    db_.reset(db);
  }

  // Writes a file and checks the policy that it names. override_test.sh sees
  // the filters at work.
  void ExpectWrites(const std::string& policy) {
    MustBeOk(db_->Put({}, "key", "value"));
    MustBeOk(db_->Flush({}));
    rocksdb::TablePropertiesCollection tables;
    MustBeOk(db_->GetPropertiesOfAllTables(&tables));
    ASSERT_EQ(1, tables.size());
    EXPECT_EQ(policy, tables.begin()->second->filter_policy_name);
  }

  const linebloom::TemporaryFolder folder_;
  const std::string path_ = folder_.File("db");
  rocksdb::Options options_;
  std::unique_ptr<rocksdb::DB> db_;
};

TEST_F(OverrideTest, ABloomFilterBecomesLinebloom) {
  Open(rocksdb::NewBloomFilterPolicy(10));
  ExpectWrites(IsOff() ? "bloomfilter" : "linebloom");
}

TEST_F(OverrideTest, OtherPoliciesStay) {
  const double too_few = IsOverrideSetTo("level_aware=true") ? 0.7 : 0.4;
  for (const double bits : {0.0, too_few, 50.0}) {
    const std::unique_ptr<const rocksdb::FilterPolicy> policy(
        rocksdb::NewBloomFilterPolicy(bits));
    EXPECT_STREQ("bloomfilter", policy->Name()) << bits;
  }
  for (const bool ribbon : {false, true}) {
    Open(ribbon ? rocksdb::NewRibbonFilterPolicy(10) : nullptr);
    ExpectWrites(ribbon ? "ribbonfilter" : "");
  }
}

TEST_F(OverrideTest, FromC) {
  const std::string bloom = "bloomfilter";
  for (const auto& [policy, name] :
       {std::pair(rocksdb_filterpolicy_create_bloom(9), "linebloom:9"),
        std::pair(rocksdb_filterpolicy_create_bloom_full(8), "linebloom:8")}) {
    EXPECT_THAT(reinterpret_cast<const rocksdb::FilterPolicy*>(policy)->GetId(),
                testing::HasSubstr(IsOff() ? bloom : name));
    rocksdb_filterpolicy_destroy(policy);
  }
}

}  // namespace
