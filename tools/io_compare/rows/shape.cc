#include "tools/io_compare/rows/shape.h"

#include <algorithm>
#include <tuple>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"

namespace linebloom::tools {
namespace {

std::string Describe(const FileShape& file) {
  return absl::StrCat("a file in level ", file.level, " with ", file.entries,
                      " entries (", file.deletions, " deletions) from '",
                      absl::CEscape(file.smallest_key), "' to '",
                      absl::CEscape(file.largest_key), "'");
}

bool IsBefore(const FileShape& a, const FileShape& b) {
  const auto fields = [](const FileShape& file) {
    return std::tie(file.level, file.smallest_key, file.largest_key,
                    file.entries, file.deletions);
  };
  return fields(a) < fields(b);
}

}  // namespace

std::vector<LevelShape> Shape::Levels() const {
  std::vector<LevelShape> levels;
  for (const FileShape& file : files) {
    const auto level = static_cast<size_t>(file.level);
    if (level >= levels.size()) levels.resize(level + 1);
    levels[level].files += 1;
    levels[level].entries += file.entries;
  }
  return levels;
}

uint64_t Shape::SortedRuns() const {
  uint64_t runs = 0;
  const std::vector<LevelShape> levels = Levels();
  for (size_t level = 0; level < levels.size(); ++level) {
    runs += level == 0 ? levels[0].files : levels[level].files > 0 ? 1 : 0;
  }
  return runs;
}

Shape ReadShape(rocksdb::DB* db) {
  std::vector<rocksdb::LiveFileMetaData> live;
  db->GetLiveFilesMetaData(&live);
  Shape shape;
  for (const rocksdb::LiveFileMetaData& file : live) {
    shape.files.push_back({file.level, file.smallestkey, file.largestkey,
                           file.num_entries, file.num_deletions});
  }
  std::sort(shape.files.begin(), shape.files.end(), IsBefore);
  return shape;
}

std::string DescribeDifference(const Shape& a, const std::string& a_name,
                               const Shape& b, const std::string& b_name) {
  const std::vector<LevelShape> a_levels = a.Levels();
  const std::vector<LevelShape> b_levels = b.Levels();
  for (size_t i = 0; i < std::max(a_levels.size(), b_levels.size()); ++i) {
    const uint64_t in_a = i < a_levels.size() ? a_levels[i].files : 0;
    const uint64_t in_b = i < b_levels.size() ? b_levels[i].files : 0;
    if (in_a != in_b) {
      return absl::StrCat("level ", i, " has ", in_a, " files with ", a_name,
                          " and ", in_b, " with ", b_name);
    }
  }
  for (size_t i = 0; i < a.files.size(); ++i) {
    if (a.files[i] != b.files[i]) {
      return absl::StrCat(Describe(a.files[i]), " with ", a_name, ", but ",
                          Describe(b.files[i]), " with ", b_name);
    }
  }
  return "";
}

}  // namespace linebloom::tools
