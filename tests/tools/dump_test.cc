// Tests the parts of linebloom dump directly.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "nlohmann/json.hpp"
#include "rocksdb/db.h"
#include "rocksdb/options.h"
#include "rocksdb/version.h"
#include "tests/table/rocksdb_files.h"
#include "tests/temporary_folder.h"
#include "tests/tools/run_subcommand.h"
#include "tools/database/database_facts.h"
#include "tools/database/file_walk.h"
#include "tools/report/run_tool.h"

namespace linebloom::tools {
namespace {

namespace lt = linebloom::testing;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

#if ROCKSDB_MAJOR < 8 || (ROCKSDB_MAJOR == 8 && ROCKSDB_MINOR < 6)
// Neither damaged nor sound.
TEST(VerifyTest, AFileThatRocksDbCantReadIsUnreadable) {
  const absl::StatusOr<Outcome> outcome =
      RunSubcommand(kVerify, {LINEBLOOM_GOLDEN_DIR "/sst/v6_full.sst"});
  ASSERT_TRUE(outcome.ok()) << outcome.status();
  const Json& report = outcome->json;
  EXPECT_EQ(outcome->exit_code, kExitBadInput);
  EXPECT_THAT(report["problems"].dump(),
              HasSubstr("can't read format_version 6"));
  EXPECT_EQ(report["files"][0]["state"], "not read");
  EXPECT_EQ(report["files_read"], 0);
}
#endif

// The process that has the database open may delete a file while the tool runs;
// a file that the manifest still names is lost, or elsewhere.
TEST(FindingsTest, AFileThatTheManifestStillNamesWasNotDeleted) {
  const TemporaryFolder folder;
  rocksdb::Options options = lt::MakeOptions({});
  options.disable_auto_compactions = true;
  options.cf_paths = {{folder.File("elsewhere"), 1 << 30}};
  const auto db = lt::OpenDb(options, folder.File("db"));
  lt::WriteRows(db.get(), 1000);
  const DatabaseFacts database = *ReadDatabase(folder.File("db"));
  ASSERT_EQ(database.files.size(), 2);
  const auto walk = [&database] {
    return WalkFiles(database, "",
                     [](const LiveFile&, const SstFile&, Findings*) {
                       return absl::OkStatus();
                     });
  };
  Findings findings = walk();
  EXPECT_THAT(findings.notes, IsEmpty());
  EXPECT_EQ(findings.unreadable.size(), 2);
  EXPECT_THAT(findings.problems,
              testing::Each(HasSubstr("db_paths or cf_paths")));
  lt::FlushAndCompact(db.get());
  findings = walk();
  EXPECT_THAT(findings.problems, IsEmpty());
  EXPECT_EQ(findings.notes.size(), 2);
  EXPECT_THAT(findings.notes, testing::Each(HasSubstr("was deleted after")));
}

}  // namespace
}  // namespace linebloom::tools
