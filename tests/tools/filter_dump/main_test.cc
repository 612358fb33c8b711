// filter_dump as a user runs it, where figures are to be computed again; see
// also transcripts/filter_dump.txt.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <ostream>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "linebloom/filter_policy.h"
#include "linebloom/level_size_listener.h"
#include "nlohmann/json.hpp"
#include "rocksdb/db.h"
#include "rocksdb/table.h"
#include "rocksdb/version.h"
#include "table/filter_locator.h"
#include "tests/table/rocksdb_files.h"
#include "tests/tools/run_program.h"
#include "tests/tools/tool_test.h"

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

FileSpec Linebloom(uint32_t format_version = 5,
                   FilterKind kind = FilterKind::kFull) {
  return {format_version, ChecksumType::kXxh3, kind, FilterContent::kWholeKeys,
          Policy::kLinebloom};
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
  // The files lie next to each other, each with half of the rows.
  EXPECT_NEAR(totals["all"]["reads_per_missing_row"], reads / 2, 1e-9);
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
}

// ---------------------------------------------------------------------------
// Damage and names that nobody expects.

TEST_F(FilterDumpTest, NamesReachNeitherTheTerminalNorPrometheusRaw) {
  {
    rocksdb::Options options;
    options.create_if_missing = true;
    const auto db = OpenDb(options, folder_.File("db"));
    rocksdb::ColumnFamilyHandle* family = nullptr;
    Check(db->CreateColumnFamily(options, "\xff\x1b[m\n", &family));
    for (auto* handle : {family, db->DefaultColumnFamily()}) {
      Check(db->Put({}, handle, "key", "value"));
      Check(db->Flush({}, handle));
    }
    Check(db->DestroyColumnFamilyHandle(family));
  }
  EXPECT_THAT(Run({"--db=db"}).out,
              AllOf(HasSubstr("Column family "), HasSubstr(R"(\xff\x1b[m\x0a)"),
                    Not(HasSubstr("\x1b"))));
  EXPECT_THAT(Run({"--db=db", "--format=prometheus"}).out,
              AllOf(HasSubstr(R"(,column_family="\\xff\\x1b[m\n",level="0")"),
                    Not(HasSubstr("\xff")), Not(HasSubstr("\x1b"))));
  const ProgramResult missing = Run({"a\x1b[31m\n.sst"});
  EXPECT_THAT(missing.err,
              AllOf(HasSubstr(R"(a\x1b[31m)"), Not(HasSubstr("\x1b"))));
}

// No checksum covers the footer before format_version 6.
TEST_F(FilterDumpTest, AFooterWithADamagedIndexIsNoTable) {
  WriteSst(folder_.File("a.sst"), Linebloom(5), 1000);
  std::string bytes = ReadWholeFile(folder_.File("a.sst"));
  size_t at = bytes.size() - 52;
  for (int varints = 0; varints < 3; ++at) {
    varints += static_cast<unsigned char>(bytes[at]) < 0x80 ? 1 : 0;
  }
  bytes.replace(at, 6, "\x80\x80\x80\x80\x80\x02");  // 64 GiB
  folder_.Write("bad.sst", bytes);
  const auto damage = HasSubstr(
      "footer: expected an index that ends before it, found 68719476736 bytes");
  for (const char* command : {"table", "lines"}) {
    const ProgramResult run =
        Run({"bad.sst", absl::StrCat("--command=", command)});
    EXPECT_EQ(run.exit_code, 1) << command;
    EXPECT_THAT(run.err, damage) << command;
    EXPECT_EQ(run.out, "") << command;
  }
  const ProgramResult verified =
      Run({"--command=verify", "a.sst", "bad.sst", "a.sst"});
  EXPECT_EQ(verified.exit_code, 1);
  EXPECT_THAT(verified.err, damage);
  EXPECT_THAT(verified.out, AllOf(HasSubstr("DAMAGED"),
                                  HasSubstr("2 files of 2,000 entries")));
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

  EXPECT_THAT(Run({"--db=db"}).out,
              AllOf(HasSubstr("  heat  "), HasSubstr("- Heat: ")));
}

TEST_F(WarmDatabaseTest, OtherFiltersHaveNoHeat) {
  WriteDatabase(folder_.File("db"), Linebloom(), kRows);
  const json report = RunForJson({"--db=db"});
  EXPECT_TRUE(report["files"][0]["filter"]["metadata"]["heat"].is_null());
  EXPECT_THAT(Run({"--db=db"}).out, Not(HasSubstr("heat")));
}

// ---------------------------------------------------------------------------
// The other commands.

TEST_F(FilterDumpTest, LinesAddUp) {
  WriteDatabase(folder_.File("db"), Linebloom(), kRows);
  const json report = RunForJson({"--db=db", "--command=lines", "--worst=3"});
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
  EXPECT_THAT(Run({"--db=db", "--command=lines"}).out,
              AllOf(HasSubstr("the worst  "), HasSubstr("####")));
}

TEST_F(FilterDumpTest, RawGivesTheBytes) {
  WriteSst(folder_.File("a.sst"), Linebloom(), 1000);
  const absl::StatusOr<SstFile> file = SstFile::Open(folder_.File("a.sst"));
  const auto block = ReadFilterBlock(*file, LocateFilter(*file)->blocks[0]);
  EXPECT_EQ(Run({"a.sst", "--command=raw", "--out=bytes"}).exit_code, 0);
  EXPECT_EQ(ReadWholeFile(folder_.File("bytes")), block->payload);
}

}  // namespace
}  // namespace linebloom::tools
