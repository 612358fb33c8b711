#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "tools/io_compare/rows/row_source.h"

namespace linebloom::tools {
namespace {

struct Row {
  std::string key;
  std::string value;
};

std::vector<Row> RowsOf(const RowSource& rows, size_t file) {
  std::vector<Row> read;
  const absl::Status status = rows.read(file, [&read](const Entry& entry) {
    EXPECT_EQ(entry.kind, EntryKind::kPut);
    read.push_back({entry.key.ToString(), entry.value.ToString()});
    return absl::OkStatus();
  });
  EXPECT_TRUE(status.ok()) << status;
  return read;
}

TEST(LayeredRowsTest, EveryRowIsInOneFile) {
  const Keys keys = NumberedKeys(20'000, 2);
  const RowSource rows =
      LayeredRows(keys, 2000, 1);  // 40 MB: several files in a level
  std::map<std::string, int> seen;
  uint64_t planned = 0;
  for (size_t file = 0; file < rows.files.size(); ++file) {
    const std::vector<Row> read = RowsOf(rows, file);
    EXPECT_EQ(read.size(), rows.files[file].entries);
    planned += rows.files[file].entries;
    for (size_t i = 0; i < read.size(); ++i) {
      ++seen[read[i].key];
      EXPECT_EQ(read[i].value.size(), 2000u);
      if (i > 0) {
        EXPECT_LT(read[i - 1].key, read[i].key);
      }
    }
  }
  EXPECT_EQ(seen.size(), 20'000u);
  EXPECT_EQ(planned, 20'000u);
}

TEST(LayeredRowsTest, LevelsGrowTenfoldFromThreeFilesInLevelZero) {
  const Keys keys = NumberedKeys(447 * 100, 2);
  const RowSource rows = LayeredRows(keys, 100, 1);
  std::map<int, uint64_t> entries;
  std::map<int, uint64_t> files;
  for (const FileToWrite& file : rows.files) {
    entries[file.level] += file.entries;
    ++files[file.level];
  }
  EXPECT_EQ(files[0], 3u);
  EXPECT_EQ(entries[0], 300u);
  EXPECT_EQ(entries[1], 400u);
  EXPECT_EQ(entries[2], 4000u);
  EXPECT_EQ(entries[3], 40'000u);
}

TEST(LayeredRowsTest, EverySortedRunCoversTheRangeOfKeys) {
  const Keys keys = NumberedKeys(10'000, 2);
  const RowSource rows = LayeredRows(keys, 10, 5);
  const std::string first_bound = keys.at(kSharesOfAllRuns);
  const std::string last_bound = keys.at(10'000 - 2 * kSharesOfAllRuns);
  for (size_t file = 0; file < rows.files.size(); ++file) {
    const std::vector<Row> read = RowsOf(rows, file);  // one file for a run
    EXPECT_LT(read.front().key, first_bound);
    EXPECT_GT(read.back().key, last_bound);
  }
}

// The minimum of the flag, and that of key files.
TEST(LayeredRowsTest, FewRowsReachEveryRun) {
  for (const uint64_t count : {2 * kSharesOfAllRuns, uint64_t{1000}}) {
    const Keys keys = NumberedKeys(count, 2);
    const RowSource rows = LayeredRows(keys, 0, 3);
    for (const FileToWrite& file : rows.files) EXPECT_GE(file.entries, 2u);
  }
}

}  // namespace
}  // namespace linebloom::tools
