// Files that another process writes for a database, by remote compaction or to
// be ingested. That process knows its policy only from an option string.

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

#include "gmock/gmock.h"
#include "tests/rocksdb/db_fixture.h"
#include "tests/rocksdb/other_process/compaction_worker.h"

namespace linebloom {
namespace {

using testing::HasSubstr;

struct Case {
  const char* name;
  PolicyKind of_database;
  // 16 bits per key where the database itself has 10, so the size of a filter
  // shows who built it.
  const char* table_options;
  const char* policy_of_files;
  bool database_reads_filters = true;
};
std::ostream& operator<<(std::ostream& out, const Case& c) {
  return out << c.name;
}

const Case kCases[] = {
    {"LinebloomForLinebloom", PolicyKind::kLinebloom,
     "filter_policy=linebloom:16", "linebloom"},
    {"WithOtherOptions", PolicyKind::kLinebloom,
     "filter_policy={id=linebloom;bits_per_key=16;line=plain;"
     "hash_seed=7};block_size=512;format_version=4",
     "linebloom"},
    {"Partitioned", PolicyKind::kLinebloom,
     "filter_policy=linebloom:16;partition_filters=true;"
     "index_type=kTwoLevelIndexSearch;metadata_block_size=512",
     "linebloom"},
    {"BloomForBloom", PolicyKind::kBuiltinBloom, "filter_policy=bloomfilter:16",
     "bloomfilter"},
    // A worker that is switched too late and one that is switched too early:
    // the database then reads correctly, but without filters.
    {"BloomForLinebloom", PolicyKind::kLinebloom,
     "filter_policy=bloomfilter:16", "bloomfilter"},
    {"LinebloomForBloom", PolicyKind::kBuiltinBloom,
     "filter_policy=linebloom:16", "linebloom", false},
    {"LinebloomForNone", PolicyKind::kNone, "filter_policy=linebloom:16",
     "linebloom", false},
};

class OtherProcessTest : public DbTest {
 protected:
  OtherProcessTest() { std::filesystem::create_directory(Path("worker")); }

  // The rows are in the database's only file, which the worker wrote.
  void ExpectFileOfWorker(const Case& c, Rows rows) {
    const auto files = AllProperties(db_.get());
    ASSERT_EQ(files.size(), 1);
    EXPECT_EQ(files[0]->filter_policy_name, c.policy_of_files);
    EXPECT_EQ(files[0]->num_entries, rows.present());
    EXPECT_EQ(files[0]->num_filter_entries, rows.present());
    EXPECT_GE(files[0]->filter_size, rows.present() * 16 / 8);
    if (c.database_reads_filters) {
      ExpectFilterWorks(rows);
      // Fewer than 10 bits per key would let through, with either policy.
      EXPECT_LE(CountMissing(rows).maybe, rows.missing() / 250);
    } else {
      ExpectRows(rows);
      EXPECT_EQ(CountMissing(rows).no, 0);
    }
  }

  std::shared_ptr<WorkerCompactionService> UseWorker(
      const std::string& table_options) {
    auto service = std::make_shared<WorkerCompactionService>(table_options,
                                                             Path("worker"));
    options_.compaction_service = service;
    return service;
  }

  // Has a worker write the rows that exist, and returns the path.
  std::string WriteByWorker(const std::string& table_options, Rows rows) {
    std::string path = Path("worker/ingest.sst");
    std::ofstream list(Path("worker/rows"));
    for (uint64_t i = rows.begin; i < rows.end; i += 2) {
      list << RowKey(i) << "\t" << RowValue(i) << "\n";
    }
    list.close();
    const WorkerRun run = RunWorker(
        {"write", path, Path("worker/rows"), table_options}, Path("worker/"));
    EXPECT_EQ(run.exit_code, 0) << run.stderr_text;
    return path;
  }

  static constexpr Rows kRows{0, 10000};
};

class OtherProcessCaseTest : public OtherProcessTest,
                             public testing::WithParamInterface<Case> {};
INSTANTIATE_TEST_SUITE_P(With, OtherProcessCaseTest, testing::ValuesIn(kCases),
                         [](const auto& param) {
                           return std::string(param.param.name);
                         });

TEST_P(OtherProcessCaseTest, RemoteCompaction) {
  UsePolicy(GetParam().of_database);
  const auto service = UseWorker(GetParam().table_options);
  Reopen();
  for (int i = 0; i < 3; ++i) WriteFile(kRows);
  CompactAll();
  ASSERT_GE(service->runs().size(), 1);
  for (const WorkerRun& run : service->runs()) {
    EXPECT_EQ(run.exit_code, 0) << run.stderr_text;
  }
  ExpectFileOfWorker(GetParam(), kRows);
  Reopen();
  ExpectFileOfWorker(GetParam(), kRows);
}

TEST_P(OtherProcessCaseTest, IngestedFile) {
  UsePolicy(GetParam().of_database);
  Reopen();
  const std::string file = WriteByWorker(GetParam().table_options, kRows);
  ASSERT_OK(db_->IngestExternalFile({file}, {}));
  ExpectFileOfWorker(GetParam(), kRows);
}

// Another process's file above one of the database's own.
TEST_F(OtherProcessTest, IngestedOverFilesOfTheDatabase) {
  Reopen();
  WriteFile(kRows);
  const std::string file =
      WriteByWorker("filter_policy={id=linebloom:16;hash_seed=7}", kRows);
  ASSERT_OK(db_->IngestExternalFile({file}, {}));
  ExpectFilterWorks(kRows, 2);
  CompactAll();
  ExpectFilterWorks(kRows);
}

// The worker reports it and exits, and the database compacts by itself.
TEST_F(OtherProcessTest, WorkerThatIsToldNonsense) {
  for (const auto& [table_options, message] :
       {std::pair("filter_policy=lineblom:10", "lineblom"),
        std::pair("filter_policy=linebloom:99",
                  "bits_per_key=99: must be a number from 0 to 30")}) {
    SCOPED_TRACE(table_options);
    const auto service = UseWorker(table_options);
    DestroyAndReopen();
    for (int i = 0; i < 3; ++i) WriteFile(kRows);
    CompactAll();
    ASSERT_GE(service->runs().size(), 1);
    EXPECT_EQ(service->runs()[0].exit_code, 2);
    EXPECT_THAT(service->runs()[0].stderr_text, HasSubstr(message));
    ExpectFilterWorks(kRows);
  }
}

}  // namespace
}  // namespace linebloom
