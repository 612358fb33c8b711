// filter_dump as a user runs it, on files and databases that RocksDB wrote.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <ostream>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "filter_policy/line/little_endian.h"
#include "linebloom/filter_policy.h"
#include "linebloom/level_size_listener.h"
#include "linebloom/observed_rate.h"
#include "nlohmann/json.hpp"
#include "rocksdb/comparator.h"
#include "rocksdb/convenience.h"
#include "rocksdb/db.h"
#include "rocksdb/slice_transform.h"
#include "rocksdb/sst_file_writer.h"
#include "rocksdb/statistics.h"
#include "rocksdb/table.h"
#include "rocksdb/version.h"
#include "table/checksum.h"
#include "table/filter_locator.h"
#include "tests/filter_policy/ignored_case.h"
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
using linebloom::testing::WriteSst;
using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

FileSpec Linebloom(uint32_t format_version = 5,
                   FilterKind kind = FilterKind::kFull) {
  return {format_version, ChecksumType::kXxh3, kind, FilterContent::kWholeKeys,
          Policy::kLinebloom};
}

// Writes 1000 rows with a filter of `filter`.
void WriteRows(const std::string& path, const FilterPolicyOptions& filter) {
  rocksdb::BlockBasedTableOptions table;
  table.format_version = 5;
  table.filter_policy.reset(NewFilterPolicy(filter));
  rocksdb::Options options;
  options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
  rocksdb::SstFileWriter writer({}, options);
  Check(writer.Open(path));
  for (int i = 0; i < 1000; ++i) Check(writer.Put(KeyAt(i), "value"));
  Check(writer.Finish());
}

class FilterDumpTest : public ToolTest {
 protected:
  FilterDumpTest() : ToolTest(LINEBLOOM_FILTER_DUMP) {}
};

// ---------------------------------------------------------------------------
// Databases of every kind.

struct Mode {
  FileSpec spec;
  std::string type;  // of the filter, as the tool names it
};

// For the names that ctest lists.
void PrintTo(const Mode& mode, std::ostream* out) {
  *out << linebloom::testing::NameOf(mode.spec);
}

class FilterDumpModesTest : public FilterDumpTest,
                            public ::testing::WithParamInterface<Mode> {};

std::vector<Mode> Modes() {
  std::vector<uint32_t> versions = {2, 5};
#if ROCKSDB_MAJOR >= 9
  versions.push_back(6);
#endif
  std::vector<Mode> modes;
  for (const uint32_t version : versions) {
    const std::string bloom =
        version < 5 ? "RocksDB legacy Bloom" : "RocksDB Bloom";
    const auto add = [&](FilterKind kind, FilterContent content, Policy policy,
                         const std::string& type) {
      modes.push_back(
          {{version, ChecksumType::kXxh3, kind, content, policy}, type});
    };
    using enum FilterContent;
    add(FilterKind::kNone, kWholeKeys, Policy::kBloom, "");
    add(FilterKind::kFull, kWholeKeys, Policy::kBloom, bloom);
    add(FilterKind::kFull, kWholeKeys, Policy::kRibbon, "RocksDB Ribbon");
    add(FilterKind::kPartitioned, kWholeKeys, Policy::kBloom, bloom);
    add(FilterKind::kFull, kWholeKeys, Policy::kLinebloom, "linebloom");
    add(FilterKind::kPartitioned, kWholeKeys, Policy::kLinebloom, "linebloom");
    add(FilterKind::kPartitioned, kBoth, Policy::kLinebloom, "linebloom");
    add(FilterKind::kFull, kPrefixes, Policy::kLinebloom, "linebloom");
  }
  return modes;
}

constexpr int kRows = 20'000;  // of which half are in L0

// How far chance moves a rate measured with `keys` missing keys.
double FourDeviations(double rate, double keys) {
  return 4 * std::sqrt(rate / keys);
}

TEST_P(FilterDumpModesTest, TableIsRight) {
  const FileSpec& spec = GetParam().spec;
  WriteDatabase(folder_.File("db"), spec, kRows);
  const json report = RunForJson({"--db=db"});
  ASSERT_EQ(report["files"].size(), 2u);
  double reads = 0;
  for (const json& file : report["files"]) {
    EXPECT_EQ(file["column_family"], "default");
    EXPECT_EQ(file["rows"], kRows / 2);
    EXPECT_EQ(file["format_version"], spec.format_version);
    const json& filter = file["filter"];
    if (spec.filter_kind == FilterKind::kNone) {
      EXPECT_TRUE(filter.is_null());
      reads += 1;
      continue;
    }
    const rocksdb::TableProperties properties =
        linebloom::testing::ReadWithRocksDb(folder_.File(file["path"]));
    EXPECT_EQ(filter["type"], GetParam().type);
    EXPECT_EQ(filter["bytes"], properties.filter_size);
    EXPECT_EQ(filter["keys"], properties.num_filter_entries);
    EXPECT_EQ(filter["kind"], std::string(ToString(spec.filter_kind)));
    EXPECT_EQ(filter["blocks"] == 1, spec.filter_kind == FilterKind::kFull);
    EXPECT_EQ(filter["false_positive_rate_is_exact"],
              spec.policy == Policy::kLinebloom);
    if (spec.policy == Policy::kLinebloom) {
      // The metadata stores floats.
      EXPECT_NEAR(filter["false_positive_rate"],
                  filter["metadata"]["false_positive_rate"], 1e-8);
    }
    reads += filter["false_positive_rate"].get<double>();
  }
  const json& totals = report["totals"][0];
  EXPECT_EQ(totals["all"]["rows"], kRows);
  EXPECT_EQ(totals["levels"].size(), 2u);
  EXPECT_NEAR(totals["all"]["reads_per_missing_row"], reads, 1e-12);
  EXPECT_EQ(Run({"--db=db"}).err, "");
}

TEST_P(FilterDumpModesTest, VerifyPasses) {
  const FileSpec& spec = GetParam().spec;
  WriteDatabase(folder_.File("db"), spec, kRows);
  EXPECT_EQ(Run({"--db=db", "--command=verify"}).err, "");
  const json report = RunForJson({"--db=db", "--command=verify"});
  for (const json& file : report["files"]) {
    EXPECT_EQ(file["entries"], kRows / 2);
    EXPECT_EQ(file["denied"], 0);
    const bool has_filter = spec.filter_kind != FilterKind::kNone;
    const bool keys = has_filter && spec.content != FilterContent::kPrefixes;
    const bool prefixes = spec.content != FilterContent::kWholeKeys;
    EXPECT_EQ(file["keys_probed"], keys ? kRows / 2 : 0);
    EXPECT_EQ(file["prefixes_probed"], prefixes ? kRows / 2 : 0);
  }
  const json& missing = report["missing_keys"];
  if (spec.filter_kind == FilterKind::kNone) {
    EXPECT_TRUE(missing.is_null());
    return;
  }
  EXPECT_EQ(missing["probed"], 1'000'000);
  const double expected = missing["expected_false_positive_rate"];
  // The missing keys are the same in every run. linebloom's filters let about a
  // thousand of them through, with a standard deviation of 3 %.
  EXPECT_NEAR(missing["false_positive_rate"], expected, 0.1 * expected);
}

INSTANTIATE_TEST_SUITE_P(All, FilterDumpModesTest, ::testing::ValuesIn(Modes()),
                         [](const auto& mode) {
                           return linebloom::testing::NameOf(mode.param.spec);
                         });

// ---------------------------------------------------------------------------
// Contents of files other than plain rows.

TEST_F(FilterDumpTest, ObservesNothingWithoutStatistics) {
  OpenDb(MakeOptions(Linebloom()), folder_.path() + "/db");
  EXPECT_TRUE(RunForJson({"--db=db"})["observed"].is_null());
}

// They occur several times in the LOG; the last ones count.
TEST_F(FilterDumpTest, ShowsWhatTheLogSaysOfLookups) {
  rocksdb::Options options = MakeOptions(Linebloom());
  options.statistics = rocksdb::CreateDBStatistics();
  options.stats_dump_period_sec = 1;
  const auto db = OpenDb(options, folder_.path() + "/db");
  for (int i = 0; i < 2000; i += 2) Check(db->Put({}, KeyAt(i), "value"));
  Check(db->Flush({}));
  std::string value;
  for (int i = 0; i < 1999; ++i) (void)db->Get({}, KeyAt(i), &value);
  json observed = json::object();
  for (int tries = 0; tries < 100 && observed.value("negatives", 0) == 0;
       ++tries) {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    const json report = RunForJson({"--db=db"});
    if (!report["observed"].is_null()) observed = report["observed"];
  }
  const FilterAnswers answers = ReadFilterAnswers(*options.statistics);
  EXPECT_EQ(observed["negatives"], answers.negatives);
  EXPECT_EQ(observed["positives"], answers.positives);
  EXPECT_EQ(observed["true_positives"], 1000);
  EXPECT_THAT(Run({"--db=db"}).out, HasSubstr("says LOG: "));
}

TEST_F(FilterDumpTest, WritesMetricsForPrometheus) {
  WriteDatabase(folder_.File("db"), Linebloom(), kRows);
  const json report = RunForJson({"--db=db"});
  const std::string text =
      Run({"--db=db", "--format=prometheus", "--json=report.json"}).out;
  std::set<std::string> samples;
  for (const auto& line : absl::StrSplit(text, '\n')) {
    if (!absl::StartsWith(line, "#")) samples.emplace(line);
  }
  ASSERT_FALSE(report["totals"][0]["levels"].empty());
  for (const json& level : report["totals"][0]["levels"]) {
    const std::string labels =
        absl::StrCat("{database=\"db\",column_family=\"default\",level=\"",
                     level["level"].get<int>(), "\"");
    const auto sample = [&](const std::string& metric, const char* more,
                            const char* figure) {
      return absl::StrCat("linebloom_", metric, labels, more, "} ",
                          level[figure].is_number_integer()
                              ? absl::StrCat(level[figure].get<uint64_t>())
                              : absl::StrCat(level[figure].get<double>()));
    };
    constexpr char kPolicy[] = ",policy=\"linebloom\"";
    const std::vector<std::string> expected = {
        sample("files", kPolicy, "files"),
        sample("rows", kPolicy, "rows"),
        sample("filter_bytes", kPolicy, "filter_bytes"),
        sample("filter_keys", kPolicy, "rows"),
        sample("expected_false_positive_rate", "", "false_positive_rate"),
        sample("expected_reads_per_missing_row", "", "reads_per_missing_row")};
    for (const std::string& line : expected) {
      EXPECT_TRUE(samples.contains(line)) << line << "\n" << text;
    }
  }
  EXPECT_TRUE(samples.contains("linebloom_problems{database=\"db\"} 0"));
  ExpectRefused({{"--db=db --format=xml", "--format=xml is not one of"},
                 {"--db=db --format=prometheus --command=verify",
                  "--format=prometheus needs"}});
}

// A policy for a rate, and one that depends on the level.
TEST_F(FilterDumpTest, ShowsWhatWasAskedFor) {
  FilterPolicyOptions filter;
  filter.false_positive_rate = 0.01;
  filter.level_aware = true;
  filter.hash_seed = 0xfedcba9876543210;
  WriteRows(folder_.File("a.sst"), filter);

  const ProgramResult run = Run({"--file=a.sst"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.out, AllOf(HasSubstr("asked"), HasSubstr(" 0.9%L "),
                             HasSubstr("L: that of its level")));
  const json report = RunForJson({"--file=a.sst"});
  const json& metadata = report["files"][0]["filter"]["metadata"];
  EXPECT_TRUE(metadata["asked_bits_per_key"].is_null()) << report;
  EXPECT_NEAR(metadata["asked_false_positive_rate"], 0.009, 1e-6);
  EXPECT_EQ(metadata["level_aware"], true);
  EXPECT_EQ(metadata["line"], "solved");
  // As text, because a number would lose digits.
  EXPECT_EQ(metadata["hash_seed"], "18364758544493064720");
  EXPECT_THAT(
      Run({"--file=a.sst", "--command=raw"}).out,
      AllOf(HasSubstr("asked false-positive rate"), HasSubstr("level aware")));
}

TEST_F(FilterDumpTest, VerifiesEveryKindOfEntry) {
  rocksdb::Options options = MakeOptions(Linebloom());
  options.merge_operator = std::make_shared<LastOperand>();
  {
    const auto db = OpenDb(options, folder_.File("db"));
    for (int i = 0; i < 1000; ++i) Check(db->Put({}, KeyAt(i), "value"));
    const rocksdb::Snapshot* old = db->GetSnapshot();
    for (int i = 0; i < 100; ++i) {
      Check(db->Delete({}, KeyAt(i)));
      Check(db->SingleDelete({}, KeyAt(1000 + i)));
      Check(db->Merge({}, KeyAt(200 + i), "operand"));
      Check(db->Merge({}, KeyAt(2000 + i), "operand"));
      Check(db->Put({}, KeyAt(400 + i), "newer"));
    }
    Check(
        db->DeleteRange({}, db->DefaultColumnFamily(), KeyAt(600), KeyAt(610)));
    Check(db->Flush({}));
    db->ReleaseSnapshot(old);
  }
  const json report = RunForJson({"--db=db", "--command=verify"});
  EXPECT_EQ(report["files"][0]["entries"], 1500);
  EXPECT_EQ(report["files"][0]["keys_probed"], 1500);
  EXPECT_EQ(report["files"][0]["range_deletions"], 1);
}

TEST_F(FilterDumpTest, VerifiesIngestedFiles) {
  WriteSst(folder_.File("new.sst"), Linebloom(), 1000);
  {
    const auto db = OpenDb(MakeOptions(Linebloom()), folder_.File("db"));
    for (int i = 0; i < 1000; ++i) Check(db->Put({}, KeyAt(i), "value"));
    rocksdb::IngestExternalFileOptions ingestion;
    ingestion.write_global_seqno = true;  // invalidates its checksum
    Check(db->IngestExternalFile({folder_.File("new.sst")}, ingestion));
  }
  const json report = RunForJson({"--db=db", "--command=verify"});
  EXPECT_EQ(report["files"].size(), 2u);
  EXPECT_EQ(report["problems"].size(), 0u);
}

TEST_F(FilterDumpTest, LeavesTimestampsOut) {
  for (const FilterKind kind : {FilterKind::kFull, FilterKind::kPartitioned}) {
    rocksdb::Options options = MakeOptions(Linebloom(5, kind));
    Check(rocksdb::Comparator::CreateFromString(
        {}, "leveldb.BytewiseComparator.u64ts", &options.comparator));
    rocksdb::SstFileWriter writer(rocksdb::EnvOptions(), options);
    Check(writer.Open(folder_.File("ts.sst")));
    for (int i = 0; i < 5000; ++i) {
      Check(writer.Put(KeyAt(i), "12345678", "value"));
    }
    Check(writer.Finish());
    const json report = RunForJson({"ts.sst", "--command=verify"});
    EXPECT_EQ(report["files"][0]["keys_probed"], 5000);
    const double expected =
        report["missing_keys"]["expected_false_positive_rate"];
    EXPECT_NEAR(report["missing_keys"]["false_positive_rate"], expected,
                FourDeviations(expected, 1'000'000));
  }
}

class OwnComparator : public rocksdb::Comparator {
 public:
  const char* Name() const override { return "test.OwnComparator"; }
  int Compare(const rocksdb::Slice& a, const rocksdb::Slice& b) const override {
    return b.compare(a);
  }
  void FindShortestSeparator(std::string* /*start*/,
                             const rocksdb::Slice& /*limit*/) const override {}
  void FindShortSuccessor(std::string* /*key*/) const override {}
};

TEST_F(FilterDumpTest, SaysWhatAnUnknownComparatorKeepsItFrom) {
  const OwnComparator comparator;
  for (const FilterKind kind : {FilterKind::kFull, FilterKind::kPartitioned}) {
    rocksdb::Options options = MakeOptions(Linebloom(5, kind));
    options.comparator = &comparator;
    rocksdb::SstFileWriter writer(rocksdb::EnvOptions(), options);
    Check(writer.Open(folder_.File("own.sst")));
    for (int i = 5000; i-- > 0;) Check(writer.Put(KeyAt(i), "value"));
    Check(writer.Finish());
    const json report = RunForJson({"own.sst", "--command=verify"});
    EXPECT_EQ(report["files"][0]["entries"], 5000);
    EXPECT_EQ(report["files"][0]["keys_probed"],
              kind == FilterKind::kFull ? 5000 : 0);
    EXPECT_THAT(report["notes"].dump(), HasSubstr("'test.OwnComparator'"));
  }
  rocksdb::Options options;
  options.comparator = &comparator;
  OpenDb(options, folder_.File("db"));
  ExpectRefused("--db=db", "test.OwnComparator");
}

// RocksDB sorts range deletions when it opens the file.
TEST_F(FilterDumpTest, VerifiesFilesWithManyRangeDeletions) {
  const OwnComparator backwards;
  for (const rocksdb::Comparator* comparator :
       {rocksdb::BytewiseComparator(),
        static_cast<const rocksdb::Comparator*>(&backwards)}) {
    rocksdb::Options options = MakeOptions(Linebloom());
    options.comparator = comparator;
    rocksdb::SstFileWriter writer(rocksdb::EnvOptions(), options);
    Check(writer.Open(folder_.File("ranges.sst")));
    std::vector<std::string> keys;
    for (int i = 0; i < 1000; ++i) keys.push_back(KeyAt(i));
    std::sort(keys.begin(), keys.end(), [&](const auto& a, const auto& b) {
      return comparator->Compare(a, b) < 0;
    });
    for (const std::string& key : keys) Check(writer.Put(key, "value"));
    // Separate, adjacent and overlapping ranges.
    for (int i = 0; i < 900; i += 3) {
      Check(writer.DeleteRange(keys[i], keys[i + 1 + i % 7]));
    }
    Check(writer.Finish());
    const json report = RunForJson({"ranges.sst", "--command=verify"});
    EXPECT_EQ(report["files"][0]["entries"], 1000);
    EXPECT_EQ(report["files"][0]["keys_probed"], 1000);
    EXPECT_EQ(report["files"][0]["range_deletions"], 300);
  }
}

// RocksDB's Bloom builders write a block of 5 bytes for such partitions.
TEST_F(FilterDumpTest, VerifiesPartitionsWithoutPrefixes) {
  FileSpec spec;
  spec.filter_kind = FilterKind::kPartitioned;
  rocksdb::Options options = MakeOptions(spec);
  options.prefix_extractor.reset(rocksdb::NewFixedPrefixTransform(8));
  auto* const table =
      options.table_factory->GetOptions<rocksdb::BlockBasedTableOptions>();
  table->whole_key_filtering = false;
  rocksdb::SstFileWriter writer(rocksdb::EnvOptions(), options);
  Check(writer.Open(folder_.File("short.sst")));
  for (int i = 0; i < 20'000; ++i) {
    Check(writer.Put(absl::StrFormat("a%05d", i), "value"));
  }
  for (int i = 0; i < 20'000; ++i) {
    Check(writer.Put(absl::StrFormat("b%08d", i), "value"));
  }
  Check(writer.Finish());
  const json report = RunForJson({"short.sst", "--command=verify"});
  EXPECT_EQ(report["problems"].size(), 0u) << report["problems"];
  EXPECT_GT(report["files"][0]["prefixes_probed"], 0);
}

class OwnExtractor : public rocksdb::SliceTransform {
 public:
  const char* Name() const override { return "test.OwnExtractor"; }
  rocksdb::Slice Transform(const rocksdb::Slice& key) const override {
    return {key.data(), 3};
  }
  bool InDomain(const rocksdb::Slice& key) const override {
    return key.size() >= 3;
  }
};

TEST_F(FilterDumpTest, SaysThatPrefixesOfAnUnknownExtractorAreNotChecked) {
  rocksdb::Options options = MakeOptions(Linebloom());
  options.prefix_extractor = std::make_shared<OwnExtractor>();
  rocksdb::SstFileWriter writer(rocksdb::EnvOptions(), options);
  Check(writer.Open(folder_.File("own.sst")));
  for (int i = 0; i < 1000; ++i) Check(writer.Put(KeyAt(i), "value"));
  Check(writer.Finish());
  const json report = RunForJson({"own.sst", "--command=verify"});
  EXPECT_EQ(report["files"][0]["keys_probed"], 1000);
  EXPECT_EQ(report["files"][0]["prefixes_probed"], 0);
  EXPECT_THAT(report["notes"].dump(),
              AllOf(HasSubstr("prefixes were not checked"),
                    HasSubstr("'test.OwnExtractor'")));
}

// Only the application has the function.
TEST_F(FilterDumpTest, SaysThatACanonicalKeyWasNotChecked) {
  FilterPolicyOptions filter;
  filter.canonical_key = std::make_shared<LowerCase>();
  WriteRows(folder_.File("a.sst"), filter);
  const ProgramResult run =
      Run({"a.sst", "--command=verify", "--missing=1000"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("not checked against the rows"));
  const json report = RunForJson({"a.sst", "--command=verify"});
  EXPECT_EQ(report["files"][0]["keys_probed"], 0);
  EXPECT_EQ(report["files"][0]["denied"], 0);
  const ProgramResult table = Run({"--file=a.sst"});
  EXPECT_EQ(table.exit_code, 0) << table.err;
  EXPECT_NE(
      RunForJson(
          {"--file=a.sst"})["files"][0]["filter"]["metadata"]["canonical_key"],
      "0");
  EXPECT_THAT(Run({"--file=a.sst", "--command=raw"}).out,
              HasSubstr("canonical key"));
}

// ---------------------------------------------------------------------------
// Damage.

// Applies `change` to the first filter block of the file and updates the
// block's checksum.
void ChangeFilter(const std::string& path,
                  const std::function<void(std::string*)>& change) {
  const absl::StatusOr<SstFile> file = SstFile::Open(path);
  ASSERT_TRUE(file.ok()) << file.status();
  ASSERT_LT(file->footer().format_version, 6u);
  const BlockHandle handle = LocateFilter(*file)->blocks.front();
  std::string bytes = linebloom::testing::ReadFileBytes(path);
  std::string block = bytes.substr(handle.offset, handle.size + 1);
  change(&block);
  std::string checksum(4, '\0');
  StoreLittleEndian(checksum.data(),
                    ComputeChecksum(file->footer().checksum_type, block));
  bytes.replace(handle.offset, block.size() + checksum.size(),
                block + checksum);
  std::ofstream(path, std::ios::binary) << bytes;
}

// Clears the lowest set bit in the block's byte `at` or after it.
void ClearBit(std::string* block, size_t at) {
  while ((*block)[at] == 0) ++at;
  (*block)[at] = static_cast<char>((*block)[at] & ((*block)[at] - 1));
}

// A solved line's rate depends only on its header, so changes of other bits
// only show in the line's keys.
TEST_F(FilterDumpTest, NamesTheRowsThatAFilterDenies) {
  WriteSst(folder_.File("a.sst"), Linebloom(), 1000);
  ChangeFilter(folder_.File("a.sst"),
               [](std::string* block) { ClearBit(block, 64 * 3 + 8); });
  const json report = RunForJson({"a.sst", "--command=verify"}, 1);
  const json& file = report["files"][0];
  EXPECT_EQ(file["sound"], false);
  EXPECT_GE(file["denied"], 1);
  EXPECT_LE(file["denied"], 60);  // those of one line
  EXPECT_EQ(file["entries"], 1000);
  const std::string key = file["first_denied"][0]["key"];
  EXPECT_THAT(key, ::testing::MatchesRegex("k[0-9]{6}___"));
  const ProgramResult run = Run({"a.sst", "--command=verify"});
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_THAT(run.err,
              AllOf(HasSubstr(absl::StrCat("denied key '", key, "' (6b30")),
                    Not(HasSubstr("false-positive rate"))));
  EXPECT_THAT(run.out, HasSubstr("DAMAGED"));
}

TEST_F(FilterDumpTest, NamesTheRowsThatARocksDbFilterDenies) {
  FileSpec spec;  // RocksDB's Bloom filter
  WriteSst(folder_.File("a.sst"), spec, 1000);
  ChangeFilter(folder_.File("a.sst"),
               [](std::string* block) { ClearBit(block, 200); });
  const json report = RunForJson({"a.sst", "--command=verify"}, 1);
  EXPECT_GE(report["files"][0]["denied"], 1);
}

TEST_F(FilterDumpTest, NamesThePrefixesThatAFilterDenies) {
  FileSpec spec = Linebloom(5, FilterKind::kPartitioned);
  spec.content = FilterContent::kPrefixes;
  WriteSst(folder_.File("a.sst"), spec, 1000);
  ChangeFilter(folder_.File("a.sst"), [](std::string* block) {
    for (size_t at = 8; at < 64; ++at) (*block)[at] = 0;
  });
  const ProgramResult run = Run({"a.sst", "--command=verify"});
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_THAT(run.err, HasSubstr("denied prefix 'k"));
}

TEST_F(FilterDumpTest, SeesAnotherHeader) {
  WriteSst(folder_.File("a.sst"), Linebloom(), 1000);
  ChangeFilter(folder_.File("a.sst"), [](std::string* block) {
    (*block)[64 * 3 + 7] = static_cast<char>((*block)[64 * 3 + 7] ^ 0x80);
  });
  for (const char* command : {"--command=verify", "--command=table"}) {
    const ProgramResult run = Run({"a.sst", command});
    EXPECT_EQ(run.exit_code, 1);
    EXPECT_THAT(run.err, HasSubstr("as the metadata says"));
  }
}

TEST_F(FilterDumpTest, SeesABitTooMany) {
  FilterPolicyOptions filter;
  filter.line = Line::kPlain;
  WriteRows(folder_.File("a.sst"), filter);
  ChangeFilter(folder_.File("a.sst"), [](std::string* block) {
    size_t at = 64 * 3 + 8;
    while ((*block)[at] == '\xff') ++at;
    (*block)[at] = static_cast<char>((*block)[at] | ((*block)[at] + 1));
  });
  for (const char* command : {"--command=verify", "--command=table"}) {
    const ProgramResult run = Run({"a.sst", command});
    EXPECT_EQ(run.exit_code, 1);
    EXPECT_THAT(run.err, AllOf(HasSubstr("as the metadata says"),
                               Not(HasSubstr("denie"))));
  }
}

TEST_F(FilterDumpTest, ReportsDamagedBlocksAndGoesOn) {
  WriteSst(folder_.File("a.sst"), Linebloom(), 1000);
  WriteSst(folder_.File("b.sst"), Linebloom(), 1000);
  std::string bytes = ReadWholeFile(folder_.File("a.sst"));
  bytes[100] ^= 1;  // in the first data block
  folder_.Write("a.sst", bytes);
  const json report = RunForJson({"a.sst", "b.sst", "--command=verify"}, 1);
  EXPECT_EQ(report["files"][0]["sound"], false);
  EXPECT_EQ(report["files"][1]["sound"], true);
  EXPECT_EQ(report["problems"].size(), 1u);
  EXPECT_THAT(report["problems"][0].dump(), HasSubstr("a.sst"));
}

TEST_F(FilterDumpTest, MetadataThatIsNoLongerSoundIsNamed) {
  WriteSst(folder_.File("a.sst"), Linebloom(), 1000);
  ChangeFilter(folder_.File("a.sst"), [](std::string* block) {
    (*block)[block->size() - 1 - 5 - 20] ^= 1;
  });
  for (const char* command : {"table", "verify", "raw"}) {
    const ProgramResult run =
        Run({"a.sst", absl::StrCat("--command=", command)});
    EXPECT_EQ(run.exit_code, 1) << command;
    EXPECT_THAT(run.err, HasSubstr("the metadata checksum is wrong"));
  }
}

TEST_F(FilterDumpTest, VerifiesASampleOfTheFiles) {
  std::vector<std::string> flags = {"--command=verify"};
  for (int i = 0; i < 20; ++i) {
    flags.push_back(absl::StrCat(i, ".sst"));
    WriteSst(folder_.File(flags.back()), Linebloom(), 1000);
  }
  for (const auto& [share, files] :
       std::vector<std::pair<std::string, uint64_t>>{
           {"0", 1}, {"10%", 2}, {"0.11", 3}, {"1", 20}}) {
    std::vector<std::string> call = flags;
    call.push_back(absl::StrCat("--sample=", share));
    const json report = RunForJson(call);
    EXPECT_EQ(report["sampled_files"], files) << share;
    for (const json& file : report["files"]) {
      EXPECT_EQ(file["keys_probed"], file["rows_were_read"] ? 1000 : 0);
    }
    EXPECT_EQ(report["missing_keys"]["probed"], 1'000'000);
    EXPECT_EQ(absl::StrContains(Run(call).out, "of 20 files were read"),
              files < 20);
  }
  // All filters are read regardless of the sample.
  flags.emplace_back("--sample=0");
  ChangeFilter(folder_.File("7.sst"), [](std::string* block) {
    (*block)[64 * 3 + 7] = static_cast<char>((*block)[64 * 3 + 7] ^ 0x80);
  });
  EXPECT_THAT(Run(flags).err, HasSubstr("as the metadata says"));
  // Any sample finds an error that every filter has.
  for (int i = 0; i < 20; ++i) {
    WriteSst(folder_.File(absl::StrCat(i, ".sst")), Linebloom(), 1000);
    ChangeFilter(folder_.File(absl::StrCat(i, ".sst")),
                 [](std::string* block) { ClearBit(block, 64 * 3 + 8); });
  }
  const ProgramResult run = Run(flags);
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_THAT(run.err, HasSubstr("denied key "));
  EXPECT_THAT(run.out,
              HasSubstr("the rows of 1 of 20 files were read, chosen at "
                        "random; the filters of 1 denied rows."));
}

// At one byte per second this would take hours.
TEST_F(FilterDumpTest, VerifiesNoFasterThanItMay) {
  WriteSst(folder_.File("a.sst"), Linebloom(), 1000);
  Program program({LINEBLOOM_FILTER_DUMP, "a.sst", "--command=verify",
                   "--bytes_per_second=1"},
                  folder_.path());
  std::this_thread::sleep_for(std::chrono::seconds(2));
  EXPECT_TRUE(program.IsRunning());
  program.Signal(SIGINT);
  EXPECT_EQ(program.Wait().exit_code, 130);
}

// ---------------------------------------------------------------------------
// Databases that are open elsewhere, or damaged.

TEST_F(FilterDumpTest, ReadsADatabaseThatAnotherProcessHasOpen) {
  rocksdb::Options options = MakeOptions(Linebloom());
  options.track_and_verify_wals_in_manifest = true;
  const auto db = OpenDb(options, folder_.File("db"));
  rocksdb::ColumnFamilyHandle* other = nullptr;
  Check(db->CreateColumnFamily(options, "other", &other));
  for (int i = 0; i < 1000; ++i) {
    Check(db->Put({}, KeyAt(i), "value"));
    Check(db->Put({}, other, KeyAt(i), "value"));
  }
  Check(db->Flush({}, {db->DefaultColumnFamily(), other}));
  Check(db->SyncWAL());
  for (int i = 0; i < 1000; ++i) Check(db->Put({}, KeyAt(i), "in the log"));
  Check(db->FlushWAL(/*sync=*/true));

  const std::vector<std::string> before = Fingerprint(folder_.File("db"));
  const json both = RunForJson({"--db=db"});
  EXPECT_EQ(both["files"].size(), 2u);
  EXPECT_EQ(both["totals"][1]["column_family"], "other");
  EXPECT_EQ(both["totals"][1]["all"]["rows"], 1000);
  const json one = RunForJson({"--db=db", "--column_family=other"});
  ASSERT_EQ(one["files"].size(), 1u);
  EXPECT_EQ(one["files"][0]["column_family"], "other");
  for (const char* command : {"table", "lines", "verify"}) {
    EXPECT_EQ(Run({"--db=db", absl::StrCat("--command=", command)}).exit_code,
              0);
  }
  EXPECT_THAT(Run({"--db=db"}).out, HasSubstr("Column family other\n"));
  EXPECT_EQ(Fingerprint(folder_.File("db")), before);
  ExpectRefused("--db=db --column_family=third",
                "--column_family='third': 'db' has default, other");
  Check(db->DestroyColumnFamilyHandle(other));
}

TEST_F(FilterDumpTest, TellsAFileThatWentFromOneThatIsLost) {
  const std::vector<std::string> files =
      WriteDatabase(folder_.File("db"), Linebloom(), 1000);
  {
    // RocksDB keeps its files open, so this looks like the effect of a
    // compaction.
    const auto db = OpenDb(MakeOptions(Linebloom()), folder_.File("db"));
    const std::string bytes = ReadWholeFile(files[0]);
    std::filesystem::remove(files[0]);
    for (const char* command : {"table", "lines", "verify"}) {
      const ProgramResult run =
          Run({"--db=db", absl::StrCat("--command=", command)});
      EXPECT_EQ(run.exit_code, 0) << run.err;
      EXPECT_THAT(run.out, HasSubstr("has gone since"));
    }
  }
  const ProgramResult run = Run({"--db=db"});
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_THAT(run.err, HasSubstr("the folder does not"));
}

TEST_F(FilterDumpTest, EmptyDatabaseHasNothingToShow) {
  OpenDb({}, folder_.File("db"));
  for (const char* command : {"table", "verify"}) {
    const ProgramResult run =
        Run({"--db=db", absl::StrCat("--command=", command)});
    EXPECT_EQ(run.exit_code, 0);
    EXPECT_EQ(run.out, "The database has no SSTables.\n");
  }
}

// ---------------------------------------------------------------------------
// Filters that were built by heat.

class WarmDatabaseTest : public FilterDumpTest {
 protected:
  static constexpr int kRowsOfTree = 60'000;

  // The last level has several files, and most lookups fall on the first fifth
  // of its keys.
  void WriteWarmDatabase() {
    FilterPolicyOptions filter;
    filter.bits_per_key = 6;
    filter.level_aware = true;
    filter.heat_aware = true;
    rocksdb::BlockBasedTableOptions table;
    table.filter_policy.reset(NewFilterPolicy(filter));
    rocksdb::Options options;
    options.create_if_missing = true;
    options.compression = rocksdb::kNoCompression;
    options.target_file_size_base = 128 << 10;
    options.max_compaction_bytes = 1 << 30;
    options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
    options.listeners = {NewLevelSizeListener()};
    const auto db = OpenDb(options, folder_.File("db"));
    for (int i = 0; i < kRowsOfTree; i += 2) Put(db.get(), i);
    Rewrite(db.get());
    Rewrite(db.get());  // by now the listener knows the sizes
    std::string value;
    for (int i = 0; i < 400'000; ++i) {
      const int key = i % kRowsOfTree / 5 | 1;
      EXPECT_TRUE(db->Get({}, KeyAt(key), &value).IsNotFound());
    }
    Put(db.get(), 0);
    Rewrite(db.get());
  }

 private:
  static void Put(rocksdb::DB* db, int i) {
    Check(db->Put({}, KeyAt(i), "value"));
  }
  static void Rewrite(rocksdb::DB* db) {
    Check(db->Flush({}));
    rocksdb::CompactRangeOptions all;
    all.bottommost_level_compaction =
        rocksdb::BottommostLevelCompaction::kForce;
    Check(db->CompactRange(all, nullptr, nullptr));
  }
};

TEST_F(WarmDatabaseTest, ShowsHeatAndTheBitsThatItGave) {
  WriteWarmDatabase();
  const json report = RunForJson({"--db=db"});
  ASSERT_GE(report["files"].size(), 5u);
  const auto metadata_of = [&](size_t file) {
    return report["files"][file]["filter"]["metadata"];
  };
  const json hot = metadata_of(0);
  const json cold = metadata_of(report["files"].size() - 1);
  EXPECT_GT(hot["heat"], 1.5);
  EXPECT_LT(cold["heat"], 0.8);
  EXPECT_GT(hot["asked_bits_per_key"],
            1 + cold["asked_bits_per_key"].get<double>());
  double reads = 0;
  double lookups = 0;
  for (const json& file : report["files"]) {
    const double of_file = file["rows"].get<double>() *
                           file["filter"]["metadata"]["heat"].get<double>();
    lookups += of_file;
    reads += of_file * file["filter"]["false_positive_rate"].get<double>();
  }
  EXPECT_NEAR(report["totals"][0]["all"]["reads_per_missing_row"],
              reads / lookups, 1e-9);

  const ProgramResult text = Run({"--db=db", "--svg=tree.svg"});
  EXPECT_THAT(text.out, AllOf(HasSubstr("  heat  "), HasSubstr("- Heat: ")));
  EXPECT_THAT(ReadWholeFile(folder_.File("tree.svg")),
              AllOf(HasSubstr("times the average lookups per key"),
                    HasSubstr("The strip below it")));
}

TEST_F(WarmDatabaseTest, OtherFiltersHaveNoHeat) {
  WriteDatabase(folder_.File("db"), Linebloom(), kRows);
  const json report = RunForJson({"--db=db"});
  EXPECT_TRUE(report["files"][0]["filter"]["metadata"]["heat"].is_null());
  const ProgramResult text = Run({"--db=db", "--svg=tree.svg"});
  EXPECT_THAT(text.out, Not(HasSubstr("heat")));
  EXPECT_THAT(ReadWholeFile(folder_.File("tree.svg")),
              Not(HasSubstr("average lookups")));
}

// ---------------------------------------------------------------------------
// The other commands.

TEST_F(FilterDumpTest, LinesAddUp) {
  WriteDatabase(folder_.File("db"), Linebloom(), kRows);
  const json report = RunForJson(
      {"--db=db", "--command=lines", "--svg=lines.svg", "--worst=3"});
  uint64_t lines = 0;
  for (const json& count : report["lines_by_half_probes"]) {
    lines += count.get<uint64_t>();
  }
  EXPECT_EQ(report["lines"], lines);
  EXPECT_EQ(report["solved_lines"], lines);
  EXPECT_NEAR(report["probes"], 10, 0.5);
  EXPECT_TRUE(report["fill"].is_null());
  EXPECT_EQ(lines, 2u * 196);  // 10 * 10,000 / 512, rounded up
  double shares = 0;
  double rates = 0;
  for (const json& tenth : report["tenths"]) {
    shares += tenth["share"].get<double>();
    rates += tenth["false_positive_rate"].get<double>();
  }
  EXPECT_NEAR(shares, 1, 1e-6);
  EXPECT_NEAR(rates / 10, report["false_positive_rate"], 1e-4);
  ASSERT_EQ(report["worst"].size(), 3u);
  EXPECT_GE(report["worst"][0]["false_positive_rate"],
            report["worst"][1]["false_positive_rate"]);
  const std::string svg = ReadWholeFile(folder_.File("lines.svg"));
  EXPECT_THAT(svg, AllOf(StartsWith("<svg "), HasSubstr("probes per key"),
                         ::testing::EndsWith("</svg>\n")));
  EXPECT_THAT(Run({"--db=db", "--command=lines"}).out,
              AllOf(HasSubstr("the worst  "), HasSubstr("####")));
}

TEST_F(FilterDumpTest, LinesOfRocksDbsBloomAreShownToo) {
  WriteSst(folder_.File("a.sst"), FileSpec(), 10'000);
  const json report = RunForJson({"a.sst", "--command=lines"});
  EXPECT_EQ(report["false_positive_rate_is_exact"], false);
  EXPECT_EQ(report["solved_lines"], 0);
  EXPECT_TRUE(report["probes"].is_null());
  EXPECT_NEAR(report["fill"], 0.45, 0.05);
  EXPECT_THAT(Run({"a.sst", "--command=lines"}).out, HasSubstr("Bits set, %"));
  FileSpec ribbon;
  ribbon.policy = Policy::kRibbon;
  WriteSst(folder_.File("b.sst"), ribbon, 10'000);
  ExpectRefused("b.sst --command=lines", "has lines");
}

TEST_F(FilterDumpTest, LinesOfBothKindsAreShownApart) {
  WriteSst(folder_.File("a.sst"), FileSpec(), 10'000);
  WriteSst(folder_.File("b.sst"), Linebloom(), 10'000);
  const json report = RunForJson({"a.sst", "b.sst", "--command=lines"});
  const uint64_t all = report["lines"];
  const uint64_t solved = report["solved_lines"];
  uint64_t by_probes = 0;
  for (const json& count : report["lines_by_half_probes"]) {
    by_probes += count.get<uint64_t>();
  }
  uint64_t by_bits = 0;
  for (const json& count : report["lines_by_percent_of_bits_set"]) {
    by_bits += count.get<uint64_t>();
  }
  EXPECT_EQ(by_probes, solved);
  EXPECT_EQ(by_bits, all - solved);
  EXPECT_GT(by_bits, 0u);
  EXPECT_GT(solved, 0u);
  EXPECT_THAT(Run({"a.sst", "b.sst", "--command=lines"}).out,
              AllOf(HasSubstr("Probes per key"), HasSubstr("Bits set, %")));
}

TEST_F(FilterDumpTest, RawGivesTheBytes) {
  WriteSst(folder_.File("a.sst"), Linebloom(), 1000);
  const absl::StatusOr<SstFile> file = SstFile::Open(folder_.File("a.sst"));
  const auto block = ReadFilterBlock(*file, LocateFilter(*file)->blocks[0]);
  EXPECT_EQ(Run({"a.sst", "--command=raw", "--out=bytes"}).exit_code, 0);
  EXPECT_EQ(ReadWholeFile(folder_.File("bytes")), block->payload);
  ExpectRefused("a.sst --command=raw --out=bytes", "'bytes'");
  EXPECT_EQ(ReadWholeFile(folder_.File("bytes")), block->payload);
  const ProgramResult run = Run({"a.sst", "--command=raw"});
  EXPECT_EQ(run.exit_code, 0);
  EXPECT_THAT(run.out, AllOf(HasSubstr("line 19: k "), HasSubstr(", header "),
                             HasSubstr("solved"),
                             HasSubstr("keys                          1,000"),
                             HasSubstr("ff4c004c42        tail")));
  const json report = RunForJson({"a.sst", "--command=raw"});
  EXPECT_EQ(report["blocks"][0]["lines"].size(), 20u);
  EXPECT_GT(report["blocks"][0]["lines"][0]["header"], 0);
}

TEST_F(FilterDumpTest, RawOfPartitions) {
  WriteSst(folder_.File("a.sst"), Linebloom(5, FilterKind::kPartitioned), 2000);
  const json all = RunForJson({"a.sst", "--command=raw"});
  ASSERT_GE(all["blocks"].size(), 3u);
  const json one = RunForJson({"a.sst", "--command=raw", "--partition=1"});
  ASSERT_EQ(one["blocks"].size(), 1u);
  EXPECT_EQ(one["blocks"][0], all["blocks"][1]);
  ExpectRefused({{"a.sst --command=raw --out=x", "--partition"},
                 {"a.sst --command=raw --partition=99", "out of range"}});
}

TEST_F(FilterDumpTest, RawOfRocksDbsFilters) {
  for (const Policy policy : {Policy::kBloom, Policy::kRibbon}) {
    FileSpec spec;
    spec.policy = policy;
    WriteSst(folder_.File("a.sst"), spec, 1000);
    const ProgramResult run = Run({"a.sst", "--command=raw"});
    EXPECT_EQ(run.exit_code, 0);
    EXPECT_THAT(run.out,
                HasSubstr(policy == Policy::kBloom ? "tail: RocksDB Bloom, "
                                                   : "tail: RocksDB Ribbon, "));
  }
}

// ---------------------------------------------------------------------------
// Usage.

TEST_F(FilterDumpTest, TakesFilesInEveryWay) {
  for (const char* name : {"a.sst", "b.sst", "with,comma.sst"}) {
    WriteSst(folder_.File(name), Linebloom(), 100);
  }
  const json report = RunForJson(
      {"--file=a.sst", "with,comma.sst", "--file=b.sst", "--json=x.json"});
  EXPECT_EQ(report["files"].size(), 3u);
  EXPECT_TRUE(report["totals"][0]["all"]["reads_per_missing_row"].is_null());
  Run({"a.sst", "--json=out.json"});
  EXPECT_EQ(json::parse(ReadWholeFile(folder_.File("out.json")))["command"],
            "table");
}

// An options file with these lines for each column family; the first one is the
// default.
std::string OptionsFile(const std::vector<std::string>& families,
                        const std::string& of_database = "") {
  std::string text =
      absl::StrCat("[Version]\n  rocksdb_version=", ROCKSDB_MAJOR, ".",
                   ROCKSDB_MINOR, ".", ROCKSDB_PATCH,
                   "\n  options_file_version=1.1\n"
                   "[DBOptions]\n",
                   of_database, "\n");
  for (size_t i = 0; i < families.size(); ++i) {
    const std::string name = i == 0 ? "default" : absl::StrCat("family", i);
    absl::StrAppend(&text, "[CFOptions \"", name, "\"]\n");
    if (absl::StartsWith(families[i], "filter_policy")) {
      absl::StrAppend(&text, "[TableOptions/BlockBasedTable \"", name, "\"]\n");
    }
    absl::StrAppend(&text, "  ", families[i], "\n");
  }
  return text;
}

TEST_F(FilterDumpTest, ChecksThePoliciesOfAnOptionsFile) {
  std::ofstream(folder_.File("good.ini")) << OptionsFile(
      {"filter_policy=linebloom:10", "filter_policy=bloomfilter:9.5  # Bloom",
       "table_factory={id=BlockBasedTable;block_size=8192;filter_policy={id="
       "linebloom;bits_per_key=12;line=plain}}",
       "filter_policy=ribbonfilter:10:-1", "", "table_factory=PlainTable",
       "filter_policy=nullptr",
       "filter_policy={id=linebloom;memory_budget=1M}"},
      "listeners=linebloom_level_sizes");
  const json good = RunForJson({"--check_options=good.ini"});
  const std::vector<std::pair<std::string, double>> filters = {
      {"linebloom solved", 10},
      {"RocksDB Bloom", 9.5},
      {"linebloom plain", 12},
      {"RocksDB Ribbon", 7},
      {"", 0},
      {"", 0},
      {"", 0},
      {"linebloom solved", 9.63}};
  ASSERT_EQ(good["column_families"].size(), filters.size());
  for (size_t i = 0; i < filters.size(); ++i) {
    const json& family = good["column_families"][i];
    if (filters[i].first.empty()) {
      EXPECT_TRUE(family["filter"].is_null()) << family;
    } else {
      EXPECT_EQ(family["filter"], filters[i].first);
      EXPECT_NEAR(family["bits_per_key"], filters[i].second, 0.05);
      EXPECT_LT(family["false_positive_rate"], 0.015);
    }
  }
  EXPECT_THAT(Run({"--check_options=good.ini"}).out,
              HasSubstr("Column family default: filter_policy=linebloom:10\n  "
                        "yields linebloom solved, 10.01 bits per key"));

  const std::vector<std::pair<std::string, std::string>> wrong = {
      {"linbloom:10", "names no filter policy, neither"},
      {"bloomfilter:ten", "names no filter policy, neither"},
      {"bloomfilter:1000", "makes that bloomfilter:100:false; bits per key"},
      {"bloomfilter:0.2", "makes that bloomfilter:0:false; bits per key"},
      {"linebloom:40", "must be a number from 0 to 30"},
      {"linebloom:0.3", "builds no filters"},
      {"linebloom:budget:1M", "memory_budget needs the listener"},
      {"{id=linebloom;lvel_aware=true}", "lvel_aware"}};
  for (const auto& [policy, problem] : wrong) {
    std::ofstream(folder_.File("wrong.ini")) << OptionsFile(
        {"filter_policy=linebloom:10", absl::StrCat("filter_policy=", policy)});
    const ProgramResult run = Run({"--check_options=wrong.ini"});
    EXPECT_EQ(run.exit_code, 1) << policy;
    EXPECT_THAT(run.err, AllOf(HasSubstr(problem),
                               HasSubstr("wrong.ini: column family family1")));
    EXPECT_THAT(run.out, HasSubstr("1 of 2 are not as named"));
  }

  std::ofstream(folder_.File("text.ini")) << "filter_policy=linebloom:10\n";
  ExpectRefused({{"--check_options=text.ini", "RocksDB can't load"},
                 {"--check_options=nowhere.ini", "No such file"},
                 {"--check_options=good.ini --db=db", "--check_options"}});
}

TEST_F(FilterDumpTest, RefusesBadUsageAndInput) {
  WriteSst(folder_.File("a.sst"), Linebloom(), 100);
  FileSpec none;
  none.filter_kind = FilterKind::kNone;
  WriteSst(folder_.File("none.sst"), none, 100);
  folder_.Write("empty", "");
  folder_.Write("text", std::string(1000, 'x'));
  folder_.Write("cut.sst",
                ReadWholeFile(folder_.File("a.sst")).substr(0, 1500));
  ExpectRefused(
      {{"--command=table", "name SSTables"},
       {"--db=db a.sst", "not both"},
       {"--command=show a.sst", "--command=show"},

       {"a.sst --missing=x", "'missing'; must be 0 to 1G"},
       {"a.sst --missing=10000000000", "0 to 1G"},
       {"a.sst --worst=100000", "0 to 10k"},
       {"a.sst --column_family=x", "--column_family needs --db"},
       {"a.sst --command=verify --svg=x",
        "--svg needs --command=table or lines"},
       {"a.sst --command=lines --html=x", "--html needs --command=table"},
       {"--db=db --before=b", "--before needs --db, and --html"},
       {"a.sst --out=x", "--out needs --command=raw"},
       {"a.sst --partition=0", "--partition needs"},
       {"a.sst a.sst --command=raw", "one file"},
       {"a.sst --command=raw --partition=0", "no partitions"},
       {"none.sst --command=raw", "has no filter"},
       {"none.sst --command=lines", "has lines"},
       {"--db=nowhere", "'nowhere' is not a RocksDB database"},
       {"--db=a.sst", "not a folder"},
       {"--db=.", "no file CURRENT"}});
  for (const char* command : {"table", "lines", "verify", "raw"}) {
    const std::string flag = absl::StrCat("--command=", command);
    for (const auto& [file, what] :
         std::vector<std::pair<std::string, std::string>>{
             {"nowhere.sst", "nowhere.sst: "},
             {".", ".: "},
             {"empty", "empty: "},
             {"text", "text: offset 992"},
             {"cut.sst", "cut.sst: offset 1492"}}) {
      ExpectRefused(absl::StrCat(flag, " ", file), what);
    }
  }
}

TEST_F(FilterDumpTest, SaysWhereItCannotWrite) {
  WriteSst(folder_.File("a.sst"), Linebloom(), 100);
  for (const std::vector<std::string>& flags :
       {std::vector<std::string>{"--json=no/such"},
        {"--command=lines", "--svg=no/such"},
        {"--svg=no/such"},
        {"--html=no/such"},
        {"--command=raw", "--out=no/such"}}) {
    std::vector<std::string> call = flags;
    call.push_back("a.sst");
    const ProgramResult run = Run(call);
    EXPECT_EQ(run.exit_code, 2);
    EXPECT_THAT(run.err, HasSubstr("='no/such': No such file or directory"));
  }
}

}  // namespace
}  // namespace linebloom::tools
