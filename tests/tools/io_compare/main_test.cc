// io_compare as a user runs it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "nlohmann/json.hpp"
#include "rocksdb/db.h"
#include "tests/tools/run_program.h"
#include "tests/tools/tool_test.h"

namespace linebloom::tools {
namespace {

using nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

class IoCompareTest : public ToolTest {
 protected:
  IoCompareTest() : ToolTest(LINEBLOOM_IO_COMPARE) {}

  static json ResultOf(const json& report, const std::string& policy) {
    for (const json& result : report["results"]) {
      if (result["policy"] == policy) return result;
    }
    ADD_FAILURE() << "no result of " << policy;
    return {};
  }
};

TEST_F(IoCompareTest, ShowsWhatFiltersSave) {
  const json report = RunForJson({"--rows=20000", "--lookups=2000"});
  EXPECT_THAT(folder_.Names(), IsEmpty());
  ASSERT_EQ(report["results"].size(), 6u);
  const json none = ResultOf(report, "none");
  const json bloom = ResultOf(report, "rocksdb-bloom");
  const json linebloom = ResultOf(report, "linebloom");
  EXPECT_GE(none["data_block_reads"],
            50 * bloom["data_block_reads"].get<int>());
  EXPECT_GE(
      none["data_block_reads"],
      50 * ResultOf(report, "linebloom-plain")["data_block_reads"].get<int>());
  EXPECT_GE(none["data_block_reads"],
            100 * linebloom["data_block_reads"].get<int>());
  EXPECT_EQ(none["filter_bytes"], 0);
  for (const json& result : report["results"]) {
    EXPECT_EQ(result["found"], 0);
    EXPECT_EQ(result["lookups"], 2000);
    EXPECT_EQ(result["index_block_reads"], 0);
    EXPECT_EQ(result["filter_block_reads"], 0);
    EXPECT_EQ(result["files_per_level"], none["files_per_level"]);
  }
  EXPECT_GE(none["files_per_level"].size(), 3u);
}

TEST_F(IoCompareTest, LevelAwareFiltersReadLessForTheSameMemory) {
  const json report =
      RunForJson({"--rows=100000", "--lookups=100000",
                  "--policies=rocksdb-bloom;linebloom;"
                  "{id=linebloom;bits_per_key=9.9;level_aware=true}"});
  const json& bloom = report["results"][0];
  const json& linebloom = report["results"][1];
  const json& levels = report["results"][2];
  EXPECT_LE(levels["filter_bytes"], bloom["filter_bytes"]);
  EXPECT_LE(4 * levels["data_block_reads"].get<int>(),
            bloom["data_block_reads"]);
  EXPECT_LE(3 * levels["data_block_reads"].get<int>(),
            2 * linebloom["data_block_reads"].get<int>());
}

TEST_F(IoCompareTest, ObservesEachLevelBesideThePrediction) {
  const json report = RunForJson(
      {"--rows=20000", "--lookups=5000", "--policies=none;linebloom:6"});
  EXPECT_TRUE(ResultOf(report, "none")["levels"].empty());
  const json result = ResultOf(report, "linebloom:6");
  ASSERT_EQ(result["levels"].size(), 4u);
  uint64_t negatives = 0;
  for (const json& level : result["levels"]) {
    negatives += level["filter_negatives"].get<uint64_t>();
    EXPECT_NEAR(level["false_positive_rate"],
                level["predicted_false_positive_rate"], 0.02)
        << level;
  }
  EXPECT_EQ(negatives, result["filter_negatives"]);
}

TEST_F(IoCompareTest, MeasuredRatesAreThePredictedOnes) {
  const json report = RunForJson(
      {"--rows=50000", "--lookups=40000",
       "--policies=rocksdb-bloom;rocksdb-ribbon;linebloom;linebloom:6"});
  for (const json& result : report["results"]) {
    // The interval contains it 19 times in 20. These runs are always the same,
    // so a failure by chance would not come and go.
    const double slack =
        0.1 * result["predicted_false_positive_rate"].get<double>();
    EXPECT_LE(result["false_positive_rate_low"],
              result["predicted_false_positive_rate"].get<double>() + slack)
        << result;
    EXPECT_GE(result["false_positive_rate_high"],
              result["predicted_false_positive_rate"].get<double>() - slack)
        << result;
  }
  const double bloom_bits = ResultOf(report, "rocksdb-bloom")["bits_per_key"];
  EXPECT_NEAR(ResultOf(report, "rocksdb-ribbon")["bits_per_key"], bloom_bits,
              0.03 * bloom_bits);
  EXPECT_NEAR(ResultOf(report, "linebloom")["bits_per_key"], bloom_bits,
              0.03 * bloom_bits);
  EXPECT_LT(
      ResultOf(report, "linebloom")["data_block_reads"],
      0.7 *
          ResultOf(report, "rocksdb-bloom")["data_block_reads"].get<double>());
}

TEST_F(IoCompareTest, CountsTheSameInAnyNumberOfRounds) {
  for (const char* rounds : {"1", "4", "1000"}) {
    const json report = RunForJson(
        {"--rows=5000", "--lookups=500", "--hit_ratio=0.5",
         "--policies=none;linebloom", absl::StrCat("--rounds=", rounds)});
    for (const json& result : report["results"]) {
      EXPECT_EQ(result["lookups"], 500);
      EXPECT_EQ(result["found"], 250);
      // A round without lookups is omitted.
      EXPECT_EQ(result["rounds"].size(), std::min(500, std::stoi(rounds)));
    }
  }
}

TEST_F(IoCompareTest, ALargeBlockCacheSavesReads) {
  const auto reads = [this](const char* cache) {
    const json report =
        RunForJson({"--rows=5000", "--lookups=5000", "--policies=none",
                    absl::StrCat("--block_cache_size=", cache)});
    return report["results"][0]["data_block_reads"].get<int>();
  };
  EXPECT_GT(reads("0"), 5 * reads("100000000"));
}

TEST_F(IoCompareTest, FindsExistingRows) {
  const json report =
      RunForJson({"--rows=5000", "--lookups=2000", "--hit_ratio=0.25",
                  "--threads=3", "--direct_io=false"});
  for (const json& result : report["results"]) EXPECT_EQ(result["found"], 500);
}

TEST_F(IoCompareTest, HoldsKeysOfAFileOut) {
  std::string lines;
  for (int i = 9999; i >= 0; --i) {  // unsorted, some of them twice
    absl::StrAppend(&lines, "/usr/share/item", i * 7919 % 8000, "\n");
  }
  const std::string path = folder_.Write("keys.txt", lines);
  const json report = RunForJson(
      {"--key_file=" + path, "--lookups=1000", "--policies=none;linebloom"});
  EXPECT_EQ(report["workload"]["rows"], 8000 - 8000 / 8);
  EXPECT_EQ(ResultOf(report, "linebloom")["lookups"], 1000);
  EXPECT_EQ(ResultOf(report, "linebloom")["found"], 0);
  EXPECT_THAT(folder_.Names(), ElementsAre("keys.txt"));
}

TEST_F(IoCompareTest, MissingKeysThatExistCountAsFound) {
  std::string keys;
  std::string missing;
  for (int i = 0; i < 5000; ++i) absl::StrAppend(&keys, "key", i, "\n");
  for (int i = 0; i < 500; ++i) {
    absl::StrAppend(&missing, "key", i, "\nkey", i, "x\n");
  }
  const json report =
      RunForJson({"--key_file=" + folder_.Write("keys", keys),
                  "--missing_file=" + folder_.Write("missing", missing),
                  "--policies=none;rocksdb-bloom"});
  const json bloom = ResultOf(report, "rocksdb-bloom");
  EXPECT_EQ(bloom["lookups"], 1000);
  EXPECT_EQ(bloom["found"], 500);
  EXPECT_EQ(bloom["filter_true_positives"], 500);
  EXPECT_LT(bloom["false_positive_rate"], 0.05);
  EXPECT_THAT(report["notes"].dump(),
              HasSubstr("500 of the keys looked up as"));
}

TEST_F(IoCompareTest, SkewsTheLookupsOfMissingKeys) {
  for (const char* skew : {"80/20", "zipf:0.99"}) {
    const json report =
        RunForJson({absl::StrCat("--skew=", skew), "--rows=20000",
                    "--file_size=64KiB", "--lookups=5000", "--hit_ratio=0.2",
                    "--policies=none;linebloom:5;linebloom-levels"});
    EXPECT_EQ(report["workload"]["skew"], skew);
    EXPECT_NE(report["workload"]["skew_in_words"], "");
    EXPECT_GT(report["workload"]["files_per_level"][3], 20);
    const json result = ResultOf(report, "linebloom:5");
    EXPECT_EQ(result["lookups"], 5000);
    EXPECT_EQ(result["found"], 1000);
    EXPECT_EQ(result["warm_lookups"], 0);
    const double predicted = result["predicted_false_positive_rate"];
    EXPECT_LE(result["false_positive_rate_low"], 1.1 * predicted);
    EXPECT_GE(result["false_positive_rate_high"], 0.9 * predicted);
  }
}

TEST_F(IoCompareTest, HeatAwareFiltersReadLessForTheSameMemory) {
  const json report =
      RunForJson({"--skew=95/5", "--rows=100000", "--file_size=64KiB",
                  "--lookups=100000", "--warm_lookups=1M", "--rounds=1",
                  "--policies=linebloom-levels;linebloom-heat"});
  const json levels = ResultOf(report, "linebloom-levels");
  const json heat = ResultOf(report, "linebloom-heat");
  EXPECT_GT(report["workload"]["files_per_level"][3], 100);
  EXPECT_EQ(levels["files_per_level"], heat["files_per_level"]);
  EXPECT_EQ(levels["warm_lookups"], 0);
  EXPECT_EQ(heat["warm_lookups"], 1'000'000);
  const double bytes = levels["filter_bytes"];
  EXPECT_NEAR(heat["filter_bytes"], bytes, 0.05 * bytes);
  EXPECT_LT(2 * heat["data_block_reads"].get<int>(),
            levels["data_block_reads"]);
  EXPECT_THAT(report["notes"].dump(),
              HasSubstr("linebloom-heat learned from 1,000,000 lookups"));
}

TEST_F(IoCompareTest, SkewsTheKeysOfAFile) {
  std::string lines;
  for (int i = 0; i < 20'000; ++i) absl::StrAppend(&lines, "key", i, "\n");
  const ProgramResult run =
      Run({"--key_file=" + folder_.Write("keys", lines), "--skew=95/5",
           "--lookups=200", "--policies=none;linebloom"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("200 missing keys"));
  EXPECT_THAT(run.out, HasSubstr("95 % of them in the 5 % of the"));
}

TEST_F(IoCompareTest, SkewsTheKeysOfADatabase) {
  RunForJson({"--rows=2000", "--lookups=100", "--keep", "--db=work",
              "--policies=none"});
  const json report =
      RunForJson({"--source_db=work/policy1", "--skew=80/20", "--lookups=500",
                  "--policies=none;linebloom"});
  EXPECT_EQ(ResultOf(report, "linebloom")["lookups"], 500);
  EXPECT_EQ(ResultOf(report, "linebloom")["found"], 0);
}

TEST_F(IoCompareTest, TakesPoliciesThatNeedTheListener) {
  const json report =
      RunForJson({"--rows=50000", "--lookups=5000",
                  "--policies={id=linebloom;memory_budget=50k}"});
  EXPECT_GT(report["results"][0]["filter_bytes"], 40'000);
  EXPECT_LT(report["results"][0]["filter_bytes"], 55'000);
}

TEST_F(IoCompareTest, CopiesADatabaseAndLeavesItAlone) {
  const std::string path = folder_.File("db");
  {
    rocksdb::Options options;
    options.create_if_missing = true;
    options.write_buffer_size = 64 << 10;
    options.target_file_size_base = 64 << 10;
    options.max_bytes_for_level_base = 256 << 10;
    rocksdb::DB* db = nullptr;
    ASSERT_TRUE(rocksdb::DB::Open(options, path, &db).ok());
    for (int i = 0; i < 20'000; ++i) {
      const std::string key = absl::StrCat("row", i * 7919 % 20'000);
      ASSERT_TRUE(db->Put({}, key, std::string(50, 'v')).ok());
    }
    ASSERT_TRUE(db->Flush({}).ok());
    delete db;
  }
  const std::vector<std::string> before = Fingerprint(path);
  const json report = RunForJson(
      {"--source_db=" + path, "--lookups=1000", "--policies=none;linebloom"});
  EXPECT_EQ(Fingerprint(path), before);
  EXPECT_EQ(report["workload"]["rows_from"], "source_db");
  EXPECT_THAT(report["notes"].dump(), Not(HasSubstr("not quite as")));
  EXPECT_GT(ResultOf(report, "none")["data_block_reads"],
            20 * ResultOf(report, "linebloom")["data_block_reads"].get<int>());
}

TEST_F(IoCompareTest, KeepsTheDatabasesWhenAsked) {
  const json report = RunForJson({"--rows=2000", "--lookups=100", "--keep",
                                  "--db=work", "--policies=none;linebloom"});
  EXPECT_THAT(folder_.Names(), ElementsAre("work"));
  rocksdb::DB* db = nullptr;
  ASSERT_TRUE(
      rocksdb::DB::OpenForReadOnly({}, folder_.File("work/policy2"), &db).ok());
  delete db;
}

TEST_F(IoCompareTest, PrintsTablesAndNoProgressIntoAPipe) {
  const ProgramResult run = Run({"--rows=2000", "--lookups=100"});
  EXPECT_EQ(run.exit_code, 0);
  EXPECT_EQ(run.err, "");
  EXPECT_THAT(run.out, StartsWith("machine "));
  EXPECT_THAT(run.out, HasSubstr("rocksdb-ribbon is ribbonfilter:"));
}

TEST_F(IoCompareTest, RefusesBadFlags) {
  ExpectRefused(
      {{"--rows=many", "rows"},
       {"--rows=999", "'rows'; must be 1k to 1G"},
       {"argument", "argument"},
       {"--value_size=2M", "must be 0 to 1,048,576 bytes"},
       {"--lookups=0", "must be 1 to 100M"},
       {"--rounds=0", "must be 1 to 1k"},
       {"--block_cache_size=1025GiB", "must be 0 to 1,099,511,627,776 bytes"},
       {"--hit_ratio=1.5", "must be 0 to 1"},
       {"--hit_ratio=nan", "must be 0 to 1"},
       {"--threads=0", "must be 1 to 256"},
       {"--bits_per_key=0.5", "must be 1 to 30"},
       {"--skew=20/80", "--skew='20/80': must be A/B with 0.1 <= B <= A"},
       {"--skew=zipf:3", "zipf:S with S from 0.1 to 2"},
       {"--warm_lookups=-1", "must be 0 to 1G"},
       {"--file_size=2TiB", "must be 0 to 1,099,511,627,776 bytes"},
       {"--missing_file=keys", "--missing_file needs --key_file"},
       {"--key_file=a --source_db=b", "exclude each other"}});
}

TEST_F(IoCompareTest, RefusesBadPolicies) {
  ExpectRefused({{"--policies=none;blum", "no filter policy 'blum'"},
                 {"--policies=none;", "an entry is empty"},
                 {"--policies={id=linebloom", "braces"},
                 {"--policies=linebloom:31", "bits_per_key=31"},
                 {"--policies={id=linebloom;colour=red}", "colour"}});
}

TEST_F(IoCompareTest, RefusesBadPaths) {
  const std::string file = folder_.Write("file", "one key\n");
  ExpectRefused({{"--key_file=missing", "--key_file='missing'"},
                 {"--key_file=.", "--key_file='.'"},
                 {"--key_file=file", "leaves 1 different keys"},
                 {"--source_db=missing", "'missing' is not a RocksDB database"},
                 {"--source_db=.", "no file CURRENT"},
                 {"--db=.", "not empty"},
                 {"--db=file", "'file'"},
                 {"--db=no/such", "'no/such'"},
                 {"--html=no/such", "--html='no/such'"},
                 {"--svg=no/such", "--svg='no/such'"}});
  EXPECT_EQ(ReadWholeFile(file), "one key\n");
}

TEST_F(IoCompareTest, RefusesWhatDoesNotFitOnTheDisk) {
  ExpectRefused("--rows=1000000000 --value_size=1000000", "not enough space");
}

// A limit on the size of files simulates a full disk.
TEST_F(IoCompareTest, StopsWhenTheDiskIsFull) {
  const ProgramResult run = Run({"--rows=20000"}, 1 << 20);
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_THAT(run.err, HasSubstr("cannot write to '"));
  EXPECT_EQ(std::count(run.err.begin(), run.err.end(), '\n'), 1) << run.err;
  EXPECT_THAT(folder_.Names(), IsEmpty());
}

TEST_F(IoCompareTest, LeavesNothingWhenInterrupted) {
  for (const int signal : {SIGINT, SIGTERM}) {
    Program program({LINEBLOOM_IO_COMPARE, "--rows=5000000"}, folder_.path());
    // Let it get as far as writing rows.
    for (int i = 0; i < 3000 && folder_.Names().empty(); ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    EXPECT_FALSE(folder_.Names().empty());
    program.Signal(signal);
    const ProgramResult run = program.Wait();
    EXPECT_EQ(run.exit_code, 130);
    EXPECT_EQ(run.err, "io_compare: interrupted\n");
    EXPECT_EQ(run.out, "");
    EXPECT_THAT(folder_.Names(), IsEmpty());
  }
}

}  // namespace
}  // namespace linebloom::tools
