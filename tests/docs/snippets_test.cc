// Runs the C++ snippets of the documentation. With the options that each
// leaves, a database gets linebloom's filters.
#include <gtest/gtest.h>

#include <string>

#include "tests/docs/surroundings.h"
#include "tests/temporary_folder.h"

namespace linebloom::surroundings {
namespace {

class SnippetTest : public ::testing::TestWithParam<Statements> {
 protected:
  SnippetTest() {
    options = rocksdb::Options();
    options.table_factory = nullptr;
    options.create_if_missing = true;
    table = rocksdb::BlockBasedTableOptions();
  }

  ~SnippetTest() override {
    delete db;
    db = nullptr;
  }

  // With the options as the snippet has left them, and some rows.
  void Open() {
    if (options.table_factory == nullptr) {
      options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
    }
    Expect(rocksdb::DB::Open(options, folder_.path(), &db));
    for (int i = 0; i < 10'000; ++i) {
      Expect(db->Put({}, "the key of row number " + std::to_string(i), "row"));
    }
    Expect(db->Flush({}));
  }

  static void Expect(const rocksdb::Status& status) {
    ASSERT_TRUE(status.ok()) << status.ToString();
  }

 private:
  const TemporaryFolder folder_;
};

TEST_P(SnippetTest, LeavesLinebloomsFilters) {
  const Statements& snippet = GetParam();
  if (snippet.uses_db || snippet.has_policy) {
    table.filter_policy.reset(NewFilterPolicy(10));
  }
  if (snippet.uses_db) Open();
  snippet.run();
  if (!snippet.uses_db) Open();
  rocksdb::TablePropertiesCollection files;
  Expect(db->GetPropertiesOfAllTables(&files));
  ASSERT_EQ(files.size(), 1u);
  EXPECT_EQ(files.begin()->second->filter_policy_name, "linebloom");
  EXPECT_GT(files.begin()->second->filter_size, 0u);
}

INSTANTIATE_TEST_SUITE_P(Docs, SnippetTest, ::testing::ValuesIn(kAllStatements),
                         [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace linebloom::surroundings
