// linebloom in a fork of RocksDB (fork.cc) with the version that linebloom was
// built for, but with other filter interfaces. A program that requests a policy
// gets a clear error, and no filter is built or read.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <memory>
#include <string>

#include "linebloom/filter_policy.h"
#include "linebloom/level_size_listener.h"
#include "rocksdb/convenience.h"
#include "rocksdb/db.h"
#include "rocksdb/options.h"
#include "rocksdb/table.h"

namespace {

TEST(ForkTest, NoDatabaseOpens) {
  rocksdb::BlockBasedTableOptions table;
  table.filter_policy.reset(linebloom::NewFilterPolicy(10));
  rocksdb::Options options;
  options.create_if_missing = true;
  options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
  rocksdb::DB* db = nullptr;
  const rocksdb::Status status = rocksdb::DB::Open(
      options, testing::TempDir() + "fork_" + std::to_string(getpid()), &db);
  EXPECT_TRUE(status.IsInvalidArgument());
  EXPECT_THAT(
      status.ToString(),
      testing::ContainsRegex("linebloom: RocksDB [0-9.]+ was asked .* another "
                             "filter interface.* Build linebloom against"));
  EXPECT_EQ(db, nullptr);
}

TEST(ForkTest, OptionStringsDoNotKnowLinebloom) {
  linebloom::RegisterFilterPolicy();  // as with the static library
  rocksdb::ConfigOptions config;
  config.ignore_unsupported_options = false;
  std::shared_ptr<const rocksdb::FilterPolicy> policy;
  EXPECT_FALSE(
      rocksdb::FilterPolicy::CreateFromString(config, "linebloom:10", &policy)
          .ok());
  EXPECT_EQ(policy, nullptr);
}

TEST(ForkTest, ThereIsNoListener) {
  EXPECT_EQ(linebloom::NewLevelSizeListener(), nullptr);
}

}  // namespace
