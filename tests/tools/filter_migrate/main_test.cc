// filter_migrate as a user runs it, on databases that RocksDB wrote.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "filter_policy/filter_facts/file_facts.h"
#include "linebloom/filter_policy.h"
#include "nlohmann/json.hpp"
#include "rocksdb/convenience.h"
#include "rocksdb/db.h"
#include "rocksdb/filter_policy.h"
#include "rocksdb/options.h"
#include "rocksdb/perf_context.h"
#include "rocksdb/perf_level.h"
#include "rocksdb/table.h"
#include "tests/table/rocksdb_files.h"
#include "tests/tools/run_program.h"
#include "tests/tools/tool_test.h"
#include "tools/shared/databases.h"

namespace linebloom::tools {
namespace {

using linebloom::testing::Check;
using linebloom::testing::FileSpec;
using linebloom::testing::FilterContent;
using linebloom::testing::KeyAt;
using linebloom::testing::MakeOptions;
using linebloom::testing::OpenDb;
using linebloom::testing::Policy;
using linebloom::testing::WriteDatabase;
using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr int kRows = 20'000;

class FilterMigrateTest : public ToolTest {
 protected:
  FilterMigrateTest() : ToolTest(LINEBLOOM_FILTER_MIGRATE) {}

  std::vector<rocksdb::LiveFileMetaData> LiveFiles() {
    const auto database = ReadOnlyDatabase::Open("--db", folder_.File("db"));
    EXPECT_TRUE(database.ok()) << database.status();
    std::vector<rocksdb::LiveFileMetaData> files;
    database->db()->GetLiveFilesMetaData(&files);
    return files;
  }

  // All live files have linebloom's filters, nothing else is in the folder, and
  // filter_dump finds no problem with their rows.
  void ExpectMigrated(uint32_t millibits = 10'000) {
    const auto files = LiveFiles();
    for (const auto& file : files) {
      const auto opened =
          OpenFilterFile(file.directory + "/" + file.relative_filename);
      ASSERT_TRUE(opened.ok()) << opened.status();
      const auto facts = ReadFileFacts(*opened);
      ASSERT_TRUE(facts.ok()) << facts.status();
      EXPECT_EQ(facts->first.kind, BlockKind::kLinebloom);
      EXPECT_EQ(facts->first.info.request.millibits_per_key, millibits);
    }
    const auto in_folder = std::count_if(
        std::filesystem::directory_iterator(folder_.File("db")), {},
        [](const auto& entry) { return entry.path().extension() == ".sst"; });
    EXPECT_EQ(in_folder, std::ssize(files));
    const ProgramResult verify =
        Program({LINEBLOOM_FILTER_DUMP, "--db=db", "--command=verify"},
                folder_.path())
            .Wait();
    EXPECT_EQ(verify.exit_code, 0) << verify.err;
  }

  std::string StoredPolicy() {
    std::string newest;
    uint64_t number = 0;
    for (const auto& entry :
         std::filesystem::directory_iterator(folder_.File("db"))) {
      const std::string name = entry.path().filename();
      if (!absl::StartsWith(name, "OPTIONS-")) continue;
      const uint64_t its = std::stoull(name.substr(8));
      if (its > number) newest = entry.path();
      number = std::max(number, its);
    }
    for (absl::string_view line : absl::StrSplit(ReadWholeFile(newest), '\n')) {
      if (absl::StrContains(line, "filter_policy=")) return std::string(line);
    }
    return "";
  }

  // Changes one byte of a file.
  static void Damage(const std::string& path, size_t at) {
    std::string bytes = ReadWholeFile(path);
    ASSERT_LT(at, bytes.size());
    bytes[at] = static_cast<char>(bytes[at] ^ 1);
    std::ofstream(path, std::ios::binary) << bytes;
  }
};

// ---------------------------------------------------------------------------
// Normal runs.

TEST_F(FilterMigrateTest, BringsEveryKindUpToLinebloom) {
  const std::vector<std::pair<FileSpec, std::string>> kinds = {
      {{5, ChecksumType::kXxh3, FilterKind::kNone}, "no filter"},
      {{5, ChecksumType::kXxh3, FilterKind::kFull}, "foreign filter"},
      {{2, ChecksumType::kCrc32c, FilterKind::kFull}, "foreign filter"},
      {{5, ChecksumType::kXxh3, FilterKind::kPartitioned}, "foreign filter"},
      {{5, ChecksumType::kXxh3, FilterKind::kFull, FilterContent::kBoth},
       "foreign filter"},
      {{5, ChecksumType::kXxh3, FilterKind::kFull, FilterContent::kWholeKeys,
        Policy::kRibbon},
       "foreign filter"}};
  for (const auto& [spec, reason] : kinds) {
    SCOPED_TRACE(linebloom::testing::NameOf(spec));
    std::filesystem::remove_all(folder_.File("db"));
    WriteDatabase(folder_.File("db"), spec, kRows);
    const json plan = RunForJson({"--db=db", "--dry_run"});
    const json report = RunForJson({"--db=db"});
    ASSERT_EQ(report["files"].size(), 2u);
    EXPECT_EQ(report["files"], [&] {
      json done = plan["files"];
      for (json& file : done) file["outcome"] = "rewritten";
      return done;
    }());
    for (const json& file : report["files"]) EXPECT_EQ(file["reason"], reason);
    ExpectMigrated();
    // filter_dump finds approximately the promised reads: filters of 10,000
    // keys vary by chance, and partitions of about 400 keys have their own
    // lines.
    const ProgramResult dump =
        Program({LINEBLOOM_FILTER_DUMP, "--db=db", "--json=-"}, folder_.path())
            .Wait();
    const double reads =
        json::parse(dump.out)["totals"][0]["all"]["reads_per_missing_row"];
    const json& family = report["column_families"][0];
    EXPECT_EQ(family["lookups_known_from"], "even");
    const double promised = family["reads_per_missing_row_after"];
    EXPECT_LT(reads, 1.1 * promised);
    EXPECT_GT(reads, 0.6 * promised);

    const std::vector<std::string> before = Fingerprint(folder_.File("db"));
    const ProgramResult again = Run({"--db=db"});
    EXPECT_EQ(again.exit_code, 0);
    EXPECT_THAT(again.out, HasSubstr("Nothing to rewrite among 2 files."));
    EXPECT_EQ(Fingerprint(folder_.File("db")), before);
  }
}

// The data blocks that lookups of missing rows read with the policy `id`.
uint64_t BlockReads(const std::string& folder, const std::string& id) {
  rocksdb::Options options = MakeOptions({});
  rocksdb::BlockBasedTableOptions table;
  table.no_block_cache = true;
  Check(rocksdb::FilterPolicy::CreateFromString({}, id, &table.filter_policy));
  options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
  const auto db = OpenDb(options, folder);
  rocksdb::SetPerfLevel(rocksdb::PerfLevel::kEnableCount);
  rocksdb::get_perf_context()->Reset();
  rocksdb::PinnableSlice value;
  for (int i = 0; i < kRows; ++i) {
    EXPECT_TRUE(db->Get({}, db->DefaultColumnFamily(),
                        absl::StrCat(KeyAt(i), "x"), &value)
                    .IsNotFound());
  }
  return rocksdb::get_perf_context()->block_read_count;
}

TEST_F(FilterMigrateTest, ThereAndBack) {
  RegisterFilterPolicy();
  for (const std::string back : {"bloomfilter:10", "ribbonfilter:10"}) {
    SCOPED_TRACE(back);
    std::filesystem::remove_all(folder_.File("db"));
    WriteDatabase(folder_.File("db"), {}, kRows);
    const json there = RunForJson({"--db=db", "--policy=linebloom:10"});
    ASSERT_EQ(there["files"].size(), 2u);
    // Every lookup probes one of the two files.
    EXPECT_LT(BlockReads(folder_.File("db"), "linebloom:10"), kRows / 100);
    EXPECT_GT(BlockReads(folder_.File("db"), back), kRows * 99 / 100);

    const std::string flag = "--policy=" + back;
    const ProgramResult dry = Run({"--db=db", flag, "--dry_run"});
    EXPECT_EQ(dry.exit_code, 0) << dry.err;
    EXPECT_THAT(dry.out, AllOf(HasSubstr(", RocksDB's own\n"),
                               HasSubstr("Reads per missing row: 2.00 now, "),
                               HasSubstr("- The reads now are those without")));
    const ProgramResult run = Run({"--db=db", flag});
    EXPECT_EQ(run.exit_code, 0) << run.err;
    EXPECT_THAT(run.out, HasSubstr("Rewrote 2 of 2 files"));
    EXPECT_THAT(StoredPolicy(), HasSubstr(back));
    EXPECT_LT(BlockReads(folder_.File("db"), back), kRows / 40);
    EXPECT_EQ(LiveFiles().size(), 2u);

    const ProgramResult again = Run({"--db=db", flag});
    EXPECT_THAT(again.out, HasSubstr("Nothing to rewrite among 2 files."));
  }
}

TEST_F(FilterMigrateTest, OptionsNameThePolicyAndKeepAllElse) {
  rocksdb::Options options = MakeOptions({});
  options.level0_file_num_compaction_trigger = 7;
  {
    const auto db = OpenDb(options, folder_.File("open"));
    for (int i = 0; i < 1000; ++i) Check(db->Put({}, KeyAt(i), "value"));
    Check(db->Flush({}));
    Check(db->Put({}, "b", "in the log"));
    Check(db->FlushWAL(/*sync=*/true));
    std::filesystem::copy(folder_.File("open"), folder_.File("db"));
  }
  const ProgramResult run =
      Run({"--db=db", "--policy={bits_per_key=12;line=plain}"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(StoredPolicy(),
              AllOf(HasSubstr("id=linebloom:12;"), HasSubstr("line=plain")));
  EXPECT_EQ(LiveFiles().size(), 2u);  // the log's row has a file now
  ExpectMigrated(12'000);
  const auto reopened = OpenDb(options, folder_.File("db"));
  std::string value;
  Check(reopened->Get({}, "b", &value));
  EXPECT_EQ(value, "in the log");
}

TEST_F(FilterMigrateTest, ADryRunWritesNothingAndNeedsNoLock) {
  WriteDatabase(folder_.File("db"), {}, kRows);
  const auto db = OpenDb(MakeOptions({}), folder_.File("db"));
  const std::vector<std::string> before = Fingerprint(folder_.File("db"));
  const ProgramResult run = Run({"--db=db", "--dry_run"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.out,
              AllOf(HasSubstr("Column family default: linebloom:10, solved"),
                    HasSubstr("L0     foreign filter      1"),
                    HasSubstr("2 files of 2 to rewrite"),
                    HasSubstr("nothing was written"),
                    HasSubstr("these files need linebloom wherever"),
                    HasSubstr("The way back is --policy=bloomfilter:10")));
  EXPECT_EQ(Fingerprint(folder_.File("db")), before);
}

TEST_F(FilterMigrateTest, OneColumnFamilyOfSeveral) {
  {
    const auto db = OpenDb(MakeOptions({}), folder_.File("db"));
    rocksdb::ColumnFamilyHandle* other = nullptr;
    Check(db->CreateColumnFamily(MakeOptions({}), "other", &other));
    for (int i = 0; i < 1000; ++i) {
      Check(db->Put({}, KeyAt(i), "value"));
      Check(db->Put({}, other, KeyAt(i), "value"));
    }
    Check(db->Flush({}, {db->DefaultColumnFamily(), other}));
    Check(db->DestroyColumnFamilyHandle(other));
  }
  ExpectRefused("--db=db --column_family=third",
                "--column_family='third': 'db' has default, other");
  const json one = RunForJson({"--db=db", "--column_family=other"});
  ASSERT_EQ(one["files"].size(), 1u);
  EXPECT_EQ(one["files"][0]["column_family"], "other");
  const json rest = RunForJson({"--db=db"});
  ASSERT_EQ(rest["files"].size(), 1u);
  EXPECT_EQ(rest["files"][0]["column_family"], "default");
  EXPECT_EQ(rest["column_families"].size(), 2u);
  ExpectMigrated();
}

TEST_F(FilterMigrateTest, LineAndWorstRate) {
  WriteDatabase(folder_.File("db"), {}, kRows);
  EXPECT_GT(
      RunForJson({"--db=db", "--policy=linebloom:12", "--line=plain"})["files"]
          .size(),
      0u);
  // The line is now in the OPTIONS.
  const json again = RunForJson({"--db=db"});
  EXPECT_EQ(again["files"].size(), 0u);
  EXPECT_EQ(again["column_families"][0]["policy"], "linebloom:12, plain");
  const json solved = RunForJson({"--db=db", "--line=solved"});
  EXPECT_EQ(solved["files"][0]["reason"], "plain lines");
  const json bits = RunForJson(
      {"--db=db", "--policy=linebloom:12.1", "--worst_rate=0.00001"});
  EXPECT_EQ(bits["files"][0]["reason"], "worse rate");
}

TEST_F(FilterMigrateTest, LeavesBetterFiltersAlone) {
  FileSpec ribbon;
  ribbon.policy = Policy::kRibbon;
  WriteDatabase(folder_.File("db"), ribbon, kRows);
  const std::vector<std::string> before = Fingerprint(folder_.File("db"));
  const ProgramResult run = Run({"--db=db", "--policy=linebloom:6"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("2 files left alone"));
  EXPECT_EQ(Fingerprint(folder_.File("db")), before);
}

TEST_F(FilterMigrateTest, AnInterruptedRunSaysHowFarItCame) {
  WriteDatabase(folder_.File("db"), {}, kRows);
  // After rewriting the first file it pauses for days.
  Program program({LINEBLOOM_FILTER_MIGRATE, "--db=db", "--bytes_per_second=1"},
                  folder_.path());
  const auto new_files = [this] {
    return std::count_if(
        std::filesystem::directory_iterator(folder_.File("db")), {},
        [](const auto& entry) { return entry.path().extension() == ".sst"; });
  };
  for (int i = 0; i < 1000 && new_files() == 2; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(500));
  program.Signal(SIGINT);
  const ProgramResult run = program.Wait();
  EXPECT_EQ(run.exit_code, 130);
  EXPECT_THAT(run.out, HasSubstr("Interrupted: rewrote 1 of 2 files, "));
  EXPECT_THAT(run.out, HasSubstr("Run it again for the others."));
  EXPECT_EQ(run.err, "");
  EXPECT_THAT(Run({"--db=db"}).out, HasSubstr("Rewrote 1 of 1 file, "));
  ExpectMigrated();
}

// ---------------------------------------------------------------------------
// Bad usage and input.

TEST_F(FilterMigrateTest, BadUsage) {
  ExpectRefused(
      {{"", "--db"}, {"--db=nowhere", "'nowhere' is not a RocksDB database"}});
  WriteDatabase(folder_.File("db"), {}, 1000);
  ExpectRefused({{"--db=db --worst_rate=1.01", "'worst_rate'; must be 0 to 1"},
                 {"--db=db --policy=blumfilter:10", "--policy"},
                 {"--db=db --policy=bloomfilter:10 --line=plain", "--line"},
                 {"--db=db --line=great", "--line"},
                 {"--db=db something", "unexpected argument 'something'"}});
}

// Locks a database as RocksDB does, in a separate process: a process loses its
// locks on a file that it reads and closes, as Fingerprint does.
class LockingProcess {
 public:
  explicit LockingProcess(const std::string& database) {
    const std::string path = database + "/LOCK";
    int done[2] = {};
    EXPECT_EQ(pipe(done), 0);
    pid_ = fork();
    if (pid_ == 0) {
      struct flock lock = {};
      lock.l_type = F_WRLCK;
      lock.l_whence = SEEK_SET;
      const int file = open(path.c_str(), O_RDWR | O_CLOEXEC);
      const bool locked = fcntl(file, F_SETLK, &lock) == 0;
      if (write(done[1], "x", locked ? 1 : 0) != 1) _exit(1);
      while (true) pause();
    }
    char byte = 0;
    EXPECT_EQ(read(done[0], &byte, 1), 1);
    close(done[0]);
    close(done[1]);
  }
  ~LockingProcess() {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }

 private:
  pid_t pid_;
};

TEST_F(FilterMigrateTest, ALockedDatabase) {
  WriteDatabase(folder_.File("db"), {}, 1000);
  {
    const LockingProcess lock(folder_.File("db"));
    ExpectRefused("--db=db", "database 'db' is locked: process ");
    EXPECT_EQ(RunForJson({"--db=db", "--dry_run"})["files"].size(), 2u);
  }
  EXPECT_EQ(Run({"--db=db"}).exit_code, 0);
}

TEST_F(FilterMigrateTest, PlugInsThatItLacks) {
  rocksdb::Options options = MakeOptions({});
  options.merge_operator = std::make_shared<LastOperand>();
  OpenDb(options, folder_.File("db"));
  ExpectRefused("--db=db", "call linebloom::RebuildFilters()");
  EXPECT_THAT(Run({"--db=db"}).err, HasSubstr("LastOperand"));
}

TEST_F(FilterMigrateTest, ADatabaseWithoutOptions) {
  WriteDatabase(folder_.File("db"), {}, 1000);
  for (const auto& entry :
       std::filesystem::directory_iterator(folder_.File("db"))) {
    if (absl::StartsWith(entry.path().filename().string(), "OPTIONS-")) {
      std::filesystem::remove(entry.path());
    }
  }
  ExpectRefused("--db=db", "OPTIONS");
}

TEST_F(FilterMigrateTest, ADamagedManifest) {
  WriteDatabase(folder_.File("db"), {}, 1000);
  for (const auto& entry :
       std::filesystem::directory_iterator(folder_.File("db"))) {
    if (absl::StartsWith(entry.path().filename().string(), "MANIFEST-")) {
      Damage(entry.path(), 10);
    }
  }
  ExpectRefused("--db=db", "--db='db'");
}

TEST_F(FilterMigrateTest, DamagedFilesStayAsTheyAre) {
  const std::vector<std::string> files =
      WriteDatabase(folder_.File("db"), {}, kRows);
  const std::string good = ReadWholeFile(files[0]);
  const std::string name = std::filesystem::path(files[0]).filename();
  // RocksDB doesn't open a database with such files.
  Damage(files[0], good.size() - 3);  // in the footer
  ExpectRefused("--db=db", name);
  EXPECT_THAT(Run({"--db=db", "--dry_run"}).err, HasSubstr(name));
  std::filesystem::remove(files[0]);
  ExpectRefused("--db=db", "No such file");
  EXPECT_THAT(Run({"--db=db", "--dry_run"}).err,
              HasSubstr("1 of 2 files that the manifest has are not in the "
                        "folder"));
  // A damaged data block is found when the file's turn comes.
  folder_.Write("db/" + name, good);
  Damage(files[0], 100);
  const std::string damaged = ReadWholeFile(files[0]);
  const ProgramResult run = Run({"--db=db"});
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_THAT(run.out, HasSubstr("Rewrote 1 of 2 files"));
  EXPECT_THAT(run.err, HasSubstr(name));
  EXPECT_EQ(std::count(run.err.begin(), run.err.end(), '\n'), 1) << run.err;
  EXPECT_EQ(ReadWholeFile(files[0]), damaged);
}

// Write buffers that exceed the space on any disk: a great many small ones,
// because RocksDB reserves the room of one on the disk for its log.
TEST_F(FilterMigrateTest, ADiskWithoutRoom) {
  rocksdb::Options options = MakeOptions({});
  options.write_buffer_size = 64 << 20;
  options.max_write_buffer_number = 1'000'000'000;
  {
    const auto db = OpenDb(options, folder_.File("db"));
    for (int i = 0; i < 1000; ++i) Check(db->Put({}, KeyAt(i), "value"));
    Check(db->Flush({}));
  }
  const std::vector<std::string> before = Fingerprint(folder_.path());
  for (const std::string flag : {"--dry_run", "--nodry_run"}) {
    const ProgramResult run = Run({"--db=db", flag});
    EXPECT_EQ(run.exit_code, 1);
    EXPECT_THAT(run.err, AllOf(HasSubstr(".sst"), HasSubstr(" bytes free"),
                               HasSubstr("for write buffers and logs")));
    EXPECT_EQ(std::count(run.err.begin(), run.err.end(), '\n'), 1) << run.err;
    EXPECT_EQ(Fingerprint(folder_.path()), before);
  }
  EXPECT_EQ(RunForJson({"--db=db", "--dry_run"}, 1)["files"][0]["outcome"],
            "no space");
}

TEST_F(FilterMigrateTest, ADamagedLog) {
  {
    rocksdb::Options options = MakeOptions({});
    options.wal_recovery_mode = rocksdb::WALRecoveryMode::kAbsoluteConsistency;
    const auto db = OpenDb(options, folder_.File("open"));
    for (int i = 0; i < 1000; ++i) Check(db->Put({}, KeyAt(i), "value"));
    Check(db->Flush({}));
    for (int i = 0; i < 1000; ++i) Check(db->Put({}, KeyAt(i), "in the log"));
    Check(db->FlushWAL(/*sync=*/true));
    std::filesystem::copy(folder_.File("open"), folder_.File("db"));
  }
  for (const auto& entry :
       std::filesystem::directory_iterator(folder_.File("db"))) {
    if (entry.path().extension() == ".log" && entry.file_size() > 0) {
      Damage(entry.path(), 1000);
    }
  }
  ExpectRefused("--db=db", "cannot read --db='db'");
}

}  // namespace
}  // namespace linebloom::tools
