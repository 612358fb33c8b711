#include "filter_policy/tree/new_file.h"

#include <gtest/gtest.h>

#include "tests/filter_policy/policy/filter_bits.h"

namespace linebloom {
namespace {

// A thread may write a file of another database meanwhile.
TEST(TakeNewFileTest, KnowsADatabaseByItsLog) {
  Log log;
  Log other;
  const rocksdb::BlockBasedTableOptions table;
  rocksdb::FilterBuildingContext context(table);
  context.level_at_creation = 0;
  for (Log* told : {&log, &other, static_cast<Log*>(nullptr)}) {
    for (Log* asked : {&log, static_cast<Log*>(nullptr)}) {
      BeginFile({.info_log = told, .reason = context.reason});
      context.info_log = asked;
      EXPECT_EQ(told != &other || asked == nullptr,
                TakeNewFile(context).has_value());
    }
  }
  BeginFile({.column_family = "another", .reason = context.reason});
  EXPECT_FALSE(TakeNewFile(context).has_value());
}

}  // namespace
}  // namespace linebloom
