// Tests the parts of linebloom dump directly.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "nlohmann/json.hpp"
#include "rocksdb/options.h"
#include "tests/table/rocksdb_files.h"
#include "tests/temporary_folder.h"
#include "tools/dump/inputs.h"

namespace linebloom::tools {
namespace {

TEST(TextTest, KeysAreShownAsTextAndInHex) {
  EXPECT_EQ(KeyText(std::string("k\0'", 3)), "'k\\x00\\'' (6b0027)");
  EXPECT_EQ(KeyText(""), "'' ()");
}

// Bytes of a version 5 file that no checksum covers and nobody reads: the
// padding of the footer's handles.
bool IsPadding(const std::string& bytes, size_t at) {
  return bytes[at] == 0 && at > bytes.size() - 53 && at < bytes.size() - 12;
}

// Damage anywhere is an error or a problem, never anything worse.
TEST(VerifyTest, EveryDamagedByteIsReported) {
  namespace lt = linebloom::testing;
  const TemporaryFolder folder;
  // Not SstFileWriter, because ingestion may change 8 bytes in its files.
  const std::string written =
      lt::WriteDatabase(folder.File("db"),
                        {5, ChecksumType::kXxh3, FilterKind::kPartitioned,
                         lt::FilterContent::kBoth, lt::kLinebloom},
                        60)
          .front();
  const std::string path = folder.Write("a.sst", ReadFileBytes(written));
  const std::string bytes = ReadFileBytes(path);
  DumpConfig config;
  config.files = {path};
  config.missing = 0;
  ASSERT_TRUE(RunVerify(config)->json["problems"].empty());
  for (size_t at = 0; at < bytes.size(); ++at) {
    std::string damaged = bytes;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x10);
    folder.Write("a.sst", damaged);
    EXPECT_TRUE(!RunVerify(config)->json["problems"].empty() ||
                IsPadding(bytes, at))
        << "byte " << at << " of " << bytes.size();
  }
}

// Says of each file, named before, that it isn't there.
Json ReportWithout(const DumpConfig& config,
                   const std::vector<LiveFile>& files) {
  Failures failures(config);
  for (const LiveFile& file : files) {
    failures.Add(file, absl::NotFoundError("not there"));
  }
  Json report;
  failures.AddTo(&report);
  return report;
}

// The process that has the database open may delete a file while the tool runs;
// a file that the manifest still names is lost, or elsewhere.
TEST(FailuresTest, AFileThatTheManifestStillNamesWasNotDeleted) {
  namespace lt = linebloom::testing;
  const TemporaryFolder folder;
  rocksdb::Options options = lt::MakeOptions({});
  options.disable_auto_compactions = true;
  options.cf_paths = {{folder.File("elsewhere"), 1 << 30}};
  const auto db = lt::OpenDb(options, folder.File("db"));
  lt::WriteRows(db.get(), 1000);
  DumpConfig config;
  config.db = folder.File("db");
  const std::vector<LiveFile> files = *ListInputs(config);
  ASSERT_EQ(files.size(), 2);
  Json report = RunDump(config)->json;
  EXPECT_EQ(report["notes"], Json::array());
  ASSERT_EQ(report["problems"].size(), 2);
  EXPECT_THAT(report["problems"][0].get<std::string>(),
              ::testing::HasSubstr("db_paths or cf_paths"));
  lt::FlushAndCompact(db.get());
  report = ReportWithout(config, files);
  EXPECT_EQ(report["problems"], Json::array());
  ASSERT_EQ(report["notes"].size(), 2);
  EXPECT_THAT(report["notes"][0].get<std::string>(),
              ::testing::HasSubstr("was deleted after"));
}

}  // namespace
}  // namespace linebloom::tools
