#include "tools/filter_migrate/policies.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rocksdb/filter_policy.h"
#include "rocksdb/table.h"

namespace linebloom::tools {
namespace {

using ::testing::HasSubstr;

rocksdb::ColumnFamilyOptions StoredWith(const rocksdb::FilterPolicy* policy) {
  rocksdb::BlockBasedTableOptions table;
  table.filter_policy.reset(policy);
  rocksdb::ColumnFamilyOptions options;
  options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
  return options;
}

std::string Chosen(const FilterMigrateConfig& config,
                   const rocksdb::ColumnFamilyOptions& stored) {
  const auto policy = ChoosePolicy(config, stored);
  return policy.ok() ? PolicyText(**policy)
                     : std::string(policy.status().message());
}

TEST(ChoosePolicyTest, KeepsWhatTheDatabaseHas) {
  FilterPolicyOptions own;
  own.bits_per_key = 7.5;
  own.line = Line::kPlain;
  EXPECT_EQ(Chosen({}, StoredWith(NewFilterPolicy(own))),
            "linebloom:7.5, plain");
  EXPECT_EQ(Chosen({}, StoredWith(rocksdb::NewBloomFilterPolicy(12.5))),
            "linebloom:12.5, solved");
}

TEST(ChoosePolicyTest, HasADefaultForAllElse) {
  EXPECT_EQ(Chosen({}, rocksdb::ColumnFamilyOptions()), "linebloom:10, solved");
  EXPECT_EQ(Chosen({}, StoredWith(rocksdb::NewRibbonFilterPolicy(14))),
            "linebloom:10, solved");
  // More than linebloom's maximum of 30 bits.
  EXPECT_EQ(Chosen({}, StoredWith(rocksdb::NewBloomFilterPolicy(50))),
            "linebloom:10, solved");
  rocksdb::ColumnFamilyOptions plain;
  plain.table_factory.reset(rocksdb::NewPlainTableFactory());
  EXPECT_EQ(Chosen({}, plain), "linebloom:10, solved");
}

TEST(ChoosePolicyTest, FlagsCome) {
  FilterMigrateConfig config;
  config.policy = "linebloom:8";
  const auto stored = StoredWith(rocksdb::NewBloomFilterPolicy(12));
  EXPECT_EQ(Chosen(config, stored), "linebloom:8, solved");
  config.policy = "{id=linebloom;bits_per_key=9;line=plain}";
  EXPECT_EQ(Chosen(config, stored), "linebloom:9, plain");
  config.line = "solved";
  EXPECT_EQ(Chosen(config, stored), "linebloom:9, solved");
  config.policy = "";
  config.line = "plain";
  EXPECT_EQ(Chosen(config, stored), "linebloom:12, plain");
}

TEST(ChoosePolicyTest, TakesRocksDbsOwn) {
  FilterMigrateConfig config;
  config.policy = "bloomfilter:9.5";
  const auto stored = StoredWith(NewFilterPolicy(10));
  EXPECT_EQ(Chosen(config, stored), "bloomfilter:9.5:false, RocksDB's own");
  config.policy = "ribbonfilter:10:1";
  EXPECT_EQ(Chosen(config, stored), "ribbonfilter:10:1, RocksDB's own");
  config.worst_rate = 0.01;
  EXPECT_THAT(Chosen(config, stored),
              HasSubstr("--worst_rate needs a policy of linebloom's"));
  config.line = "plain";
  EXPECT_THAT(Chosen(config, stored),
              HasSubstr("--line needs a policy of linebloom's, not "
                        "--policy='ribbonfilter:10:1'"));
}

TEST(ChoosePolicyTest, SaysWhatIsWrong) {
  FilterMigrateConfig config;
  config.policy = "blumfilter:10";
  EXPECT_THAT(Chosen(config, {}), HasSubstr("--policy: "));
  EXPECT_THAT(Chosen(config, {}), HasSubstr("'blumfilter:10'"));
  config.policy = "bloomfilter:1000";
  EXPECT_THAT(Chosen(config, {}),
              HasSubstr("--policy='bloomfilter:1000': RocksDB makes that "
                        "bloomfilter:100:false; bits per key must be from 1 to "
                        "100"));
  config.policy = "linebloom:31";
  EXPECT_THAT(Chosen(config, {}), HasSubstr("from 0 to 30"));
  config.policy = "linebloom:0.25";
  EXPECT_THAT(Chosen(config, {}), HasSubstr("builds no filters"));
  config.policy = "";
  config.line = "great";
  EXPECT_THAT(Chosen(config, {}),
              HasSubstr("line=great: must be solved or plain"));
}

}  // namespace
}  // namespace linebloom::tools
