#include "filter_policy/tree/new_file.h"

#include <gtest/gtest.h>

namespace linebloom {
namespace {

class NoLogger : public rocksdb::Logger {
 public:
  using rocksdb::Logger::Logv;
  void Logv(const char* /*format*/, va_list /*arguments*/) override {}
};

// A thread may write a file of another database meanwhile.
TEST(TakeNewFileTest, KnowsADatabaseByItsLog) {
  NoLogger log;
  NoLogger other;
  const rocksdb::BlockBasedTableOptions table;
  rocksdb::FilterBuildingContext context(table);
  context.level_at_creation = 0;
  for (NoLogger* told : {&log, &other, static_cast<NoLogger*>(nullptr)}) {
    for (NoLogger* asked : {&log, static_cast<NoLogger*>(nullptr)}) {
      BeginFile({.info_log = told, .reason = context.reason});
      context.info_log = asked;
      EXPECT_EQ(told != &other || asked == nullptr,
                TakeNewFile(context).has_value());
    }
  }
}

}  // namespace
}  // namespace linebloom
