// Options out of range: an error that names the option, the value and the
// range, and a database left unchanged.

#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "linebloom/filter_policy.h"
#include "rocksdb/convenience.h"
#include "rocksdb/sst_file_reader.h"
#include "rocksdb/sst_file_writer.h"
#include "rocksdb/utilities/options_util.h"
#include "tests/rocksdb/db_fixture.h"

namespace linebloom {
namespace {

using rocksdb::Status;

class BadOptionsTest : public DbTest {
 protected:
  static void ExpectInvalid(const Status& status,
                            const std::vector<std::string>& words) {
    EXPECT_TRUE(status.IsInvalidArgument()) << status.ToString();
    for (const std::string& word : words) {
      EXPECT_NE(status.ToString().find(word), std::string::npos)
          << "no '" << word << "' in: " << status.ToString();
    }
  }
};

TEST_F(BadOptionsTest, OpeningADatabase) {
  for (double bits : {100.0, 30.001, -1.0, -0.001, 1e300,
                      std::numeric_limits<double>::infinity()}) {
    SCOPED_TRACE(bits);
    UsePolicy(PolicyKind::kLinebloom, bits);
    ExpectInvalid(TryReopen(), {"bits_per_key", "from 0 to 30"});
    EXPECT_FALSE(std::filesystem::exists(Path("db/CURRENT")));
  }
  UsePolicy(PolicyKind::kLinebloom, 100);
  ExpectInvalid(TryReopen(), {"bits_per_key=100"});
  UsePolicy(PolicyKind::kLinebloom, std::nan(""));
  ExpectInvalid(TryReopen(), {"bits_per_key=nan"});

  FilterPolicyOptions unknown_line;
  unknown_line.line = static_cast<Line>(9);
  table_.filter_policy.reset(NewFilterPolicy(unknown_line));
  ExpectInvalid(TryReopen(), {"line=9", "solved or plain"});
}

struct BadFields {
  void (*set)(FilterPolicyOptions*);
  std::vector<std::string> words;  // of the error
};

TEST_F(BadOptionsTest, OpeningADatabaseWithABudgetOrHeat) {
  const std::vector<BadFields> all = {
      {[](FilterPolicyOptions* o) { o->memory_budget = 0; },
       {"memory_budget=0:"}},
      {[](FilterPolicyOptions* o) {
         o->memory_budget = 1 << 20;
         o->bits_per_key = 10;
       },
       {"memory_budget=1M", "bits_per_key=10", "only one"}},
      {[](FilterPolicyOptions* o) {
         o->memory_budget = 1 << 20;
         o->false_positive_rate = 0.01;
       },
       {"memory_budget=1M", "false_positive_rate=0.01", "only one"}},
      {[](FilterPolicyOptions* o) { o->memory_budget = 1 << 20; },
       {"memory_budget needs the listener"}},
      {[](FilterPolicyOptions* o) { o->heat_aware = true; },
       {"heat_aware needs the listener"}},
      {[](FilterPolicyOptions* o) { o->heat_half_life = 0; },
       {"heat_half_life=0:", "from 1 to 1000000000"}},
      {[](FilterPolicyOptions* o) { o->heat_half_life = -1; },
       {"heat_half_life=-1:"}},
      {[](FilterPolicyOptions* o) { o->heat_half_life = std::nan(""); },
       {"heat_half_life=nan:"}},
  };
  for (const BadFields& bad : all) {
    FilterPolicyOptions options;
    bad.set(&options);
    table_.filter_policy.reset(NewFilterPolicy(options));
    ExpectInvalid(TryReopen(), bad.words);
    EXPECT_FALSE(std::filesystem::exists(Path("db/CURRENT")));
  }
}

TEST_F(BadOptionsTest, AnExistingDatabaseIsLeftAsItWas) {
  Reopen();
  const Rows rows{0, 2000};
  WriteFile(rows);
  UsePolicy(PolicyKind::kLinebloom, 100);
  ExpectInvalid(TryReopen(), {"bits_per_key=100"});
  UsePolicy(PolicyKind::kLinebloom, 10);
  Reopen();
  ExpectFilterWorks(rows);
}

struct BadString {
  std::string text;
  std::vector<std::string> words;  // of the error
};

const std::vector<BadString>& BadStrings() {
  static const auto* const all = [] {
    const std::string bits = "bits_per_key";
    const std::string range = "from 0 to 30";
    const std::string lines = "solved or plain";
    const std::string seeds = "from 0 to 2^64 - 2";
    return new std::vector<BadString>{
        {"{id=linebloom;bits_per_key=10;false_positive_rate=0.01}",
         {"bits_per_key=10", "false_positive_rate=0.01", "only one"}},
        {"{id=linebloom:12;false_positive_rate=0.01}",
         {"bits_per_key=12", "false_positive_rate=0.01", "only one"}},
        {"{id=linebloom;false_positive_rate=0}",
         {"false_positive_rate=0:", "more than 0 and less than 1"}},
        {"{id=linebloom;false_positive_rate=1}",
         {"false_positive_rate=1:", "more than 0 and less than 1"}},
        {"{id=linebloom;false_positive_rate=-0.1}",
         {"false_positive_rate=-0.1:", "more than 0 and less than 1"}},
        {"{id=linebloom;false_positive_rate=1%}",
         {"false_positive_rate=1%:", "more than 0 and less than 1"}},
        {"{id=linebloom;false_positive_rate=1e-12}",
         {"false_positive_rate=1e-12:", "at least", "30 bits per key"}},
        {"{id=linebloom;bits_per_key=10;memory_budget=1G}",
         {"bits_per_key=10", "memory_budget=1G", "only one"}},
        {"{id=linebloom;memory_budget=3K;false_positive_rate=0.01}",
         {"false_positive_rate=0.01", "memory_budget=3K", "only one"}},
        {"{id=linebloom;memory_budget=0}",
         {"memory_budget=0:", "from 1 to 2^64 - 1"}},
        {"{id=linebloom;memory_budget=-1M}",
         {"memory_budget=-1M:", "from 1 to 2^64 - 1"}},
        {"{id=linebloom;memory_budget=512MB}",
         {"memory_budget=512MB:", "2^20"}},
        {"{id=linebloom;memory_budget=0.5G}", {"memory_budget=0.5G:", "whole"}},
        {"{id=linebloom;memory_budget=16777216T}",
         {"memory_budget=16777216T:", "from 1 to 2^64 - 1"}},
        {"linebloom:budget:lots", {"memory_budget=lots:", "bytes"}},
        {"linebloom:rate:2", {"false_positive_rate=2:", "less than 1"}},
        {"{id=linebloom;level_aware=true;bits_per_key=0.9}",
         {"bits_per_key=0.9", "from 1 to 30", "level_aware"}},
        {"{id=linebloom;heat_aware=true;bits_per_key=0.9}",
         {"bits_per_key=0.9", "from 1 to 30", "heat_aware"}},
        {"{id=linebloom;heat_aware=hot}", {"heat_aware=hot", "true or false"}},
        {"{id=linebloom;heat_aware=true;false_positive_rate=0.01}",
         {"heat_aware=true", "false_positive_rate=0.01", "only one"}},
        {"{id=linebloom;heat_half_life=0}",
         {"heat_half_life=0:", "from 1 to 1000000000"}},
        {"{id=linebloom;heat_half_life=nan}",
         {"heat_half_life=nan", "from 1 to 1000000000"}},
        {"{id=linebloom;level_aware=yes}",
         {"level_aware=yes", "true or false"}},
        {"{id=linebloom;size_ratio=1}", {"size_ratio=1:", "from 2 to 1000"}},
        {"{id=linebloom;size_ratio=nan}", {"size_ratio=nan", "from 2 to 1000"}},
        {"linebloom:0.1x", {bits, "0.1x", range}},
        {"linebloom:100", {bits, "100", range}},
        {"linebloom:-1", {bits, "-1", range}},
        {"linebloom:nan", {bits, "nan", range}},
        {"linebloom:ten", {bits, "ten", range}},
        {"linebloom:10:10", {bits, "10:10", range}},
        {"linebloom:1e99", {bits, "1e99", range}},
        {"linebloom:", {bits, range}},
        {"{id=linebloom:100;hash_seed=1}", {bits, "100", range}},
        {"{id=linebloom;bits_per_key=100}", {bits, "100", range}},
        {"{id=linebloom;bits_per_key=}", {bits, range}},
        {"{id=linebloom;bits_per_key=10 bits}", {bits, "10 bits", range}},
        {"{id=linebloom;line=slow}", {"line=slow", lines}},
        {"{id=linebloom;line=PLAIN}", {"line=PLAIN", lines}},
        {"{id=linebloom;hash_seed=-1}", {"hash_seed", "-1", seeds}},
        {"{id=linebloom;hash_seed=18446744073709551616}",
         {"hash_seed", "18446744073709551616", seeds}},
        {"{id=linebloom;hash_seed=0x7g}", {"hash_seed", "0x7g", seeds}},
        {"{id=linebloom;level_aware=2}", {"level_aware=2", "1 or 0"}},
    };
  }();
  return *all;
}

TEST_F(BadOptionsTest, Strings) {
  // Both with RocksDB's default parsing, which ignores a policy that it can't
  // create, and strictly.
  for (bool ignore_unsupported : {true, false}) {
    rocksdb::ConfigOptions config;
    config.ignore_unsupported_options = ignore_unsupported;
    for (const BadString& bad : BadStrings()) {
      SCOPED_TRACE(bad.text);
      std::shared_ptr<const rocksdb::FilterPolicy> policy;
      ExpectInvalid(
          rocksdb::FilterPolicy::CreateFromString(config, bad.text, &policy),
          bad.words);
    }
  }
}

// RocksDB drops the errors of a filter policy inside table options: the string
// then parses, and the database must not open with a policy that nobody asked
// for, or without one.
TEST_F(BadOptionsTest, StringsInTheOptionsOfATable) {
  std::vector<BadString> all = BadStrings();
  all.push_back({"{id=linebloom;bits=10}", {"bits"}});
  for (const BadString& bad : all) {
    SCOPED_TRACE(bad.text);
    const Status parsed = rocksdb::GetBlockBasedTableOptionsFromString(
        rocksdb::ConfigOptions(), rocksdb::BlockBasedTableOptions(),
        "filter_policy=" + bad.text, &table_);
    ExpectInvalid(parsed.ok() ? TryReopen() : parsed, bad.words);

    rocksdb::Options options;
    ASSERT_OK(rocksdb::GetOptionsFromString(
        rocksdb::ConfigOptions(), options_,
        "block_based_table_factory={filter_policy=" + bad.text + ";}",
        &options));
    std::unique_ptr<rocksdb::DB> db;
    ExpectInvalid(rocksdb::DB::Open(options, Path("other"), OutPtr(&db)),
                  bad.words);
  }
}

// Another policy's ID, and options that a newer version may have written and
// that the caller asks to ignore.
TEST_F(BadOptionsTest, UnknownNames) {
  rocksdb::ConfigOptions strict;
  strict.ignore_unsupported_options = false;
  std::shared_ptr<const rocksdb::FilterPolicy> policy;
  for (const char* text : {"linebloomx:10", "lineblo", "Linebloom:10"}) {
    EXPECT_TRUE(rocksdb::FilterPolicy::CreateFromString(strict, text, &policy)
                    .IsNotSupported());
    EXPECT_EQ(policy, nullptr);
  }
  const Status unknown_option = rocksdb::FilterPolicy::CreateFromString(
      strict, "id=linebloom;bits=10", &policy);
  EXPECT_FALSE(unknown_option.ok());
  EXPECT_NE(unknown_option.ToString().find("bits"), std::string::npos);
  rocksdb::ConfigOptions lenient;
  lenient.ignore_unknown_options = true;
  ASSERT_OK(rocksdb::FilterPolicy::CreateFromString(
      lenient, "id=linebloom;bits_per_key=12;of_a_later_version=1", &policy));
  ASSERT_NE(policy, nullptr);
  EXPECT_EQ(policy->GetId(), "linebloom:12");
}

// RocksDB doesn't validate the options of an SstFileWriter.
TEST_F(BadOptionsTest, TheNearestFilterWhereNothingIsValidated) {
  UsePolicy(PolicyKind::kLinebloom, 100);
  rocksdb::SstFileWriter writer(rocksdb::EnvOptions(), OptionsWithTable());
  ASSERT_OK(writer.Open(Path("file.sst")));
  ASSERT_OK(writer.Put("key", "value"));
  ASSERT_OK(writer.Finish());
  rocksdb::SstFileReader reader(OptionsWithTable());
  ASSERT_OK(reader.Open(Path("file.sst")));
  ASSERT_OK(reader.VerifyChecksum());
  EXPECT_GT(reader.GetTableProperties()->filter_size, 0);
}

// RocksDB before 9.8 validates nothing here, and later versions don't validate
// what SetOptions() changes. Without filters, every lookup would read the disk
// until somebody reopened the database.
TEST_F(BadOptionsTest, ANewColumnFamilyGetsTheNearestFilter) {
  struct Case {
    std::string text;
    double least_bits;
    double most_bits;
    std::string words;
  };
  for (const Case& bad : std::vector<Case>{
           {"linebloom:31", 29, 31, "bits_per_key=31: must be a number from"},
           {"{id=linebloom;bits_per_key=1000}", 29, 31, "bits_per_key=1000"},
           {"linebloom:-1", 9, 11, "bits_per_key=-1"},
           {"linebloom:ten", 9, 11, "bits_per_key=ten"},
           {"linebloom:rate:2", 9, 11, "false_positive_rate=2"},
           {"linebloom:rate:0", 25, 31, "false_positive_rate=0"},
           {"{id=linebloom;bits_per_key=14;line=great}", 13, 15, "line=great"},
           {"{id=linebloom;bits_per_key=14;false_positive_rate=0.01}", 13, 15,
            "only one of the two"}}) {
    SCOPED_TRACE(bad.text);
    DestroyAndReopen();
    ASSERT_OK(rocksdb::GetBlockBasedTableOptionsFromString(
        rocksdb::ConfigOptions(), rocksdb::BlockBasedTableOptions(),
        "filter_policy=" + bad.text, &table_));
    const rocksdb::Options options = OptionsWithTable();
    UsePolicy(PolicyKind::kLinebloom);
    rocksdb::ColumnFamilyHandle* handle = nullptr;
    const Status created = db_->CreateColumnFamily(options, "new", &handle);
    if (!created.ok()) {
      ExpectInvalid(created, {bad.words});
      continue;
    }
    for (int file = 0; file < 3; ++file) {
      for (uint64_t i = 0; i < 20'000; i += 2) {
        ASSERT_OK(db_->Put({}, handle, RowKey(i), "value"));
      }
      ASSERT_OK(db_->Flush({}, handle));
    }
    rocksdb::TablePropertiesCollection files;
    ASSERT_OK(db_->GetPropertiesOfAllTables(handle, &files));
    for (const auto& [path, table] : files) {
      const double bits =
          8.0 * static_cast<double>(table->filter_size) / 10'000;
      EXPECT_GT(bits, bad.least_bits);
      EXPECT_LT(bits, bad.most_bits);
    }
    ASSERT_OK(db_->DestroyColumnFamilyHandle(handle));
    Close();
    std::ifstream log(Path("db/LOG"));
    int said = 0;
    for (std::string line; std::getline(log, line);) {
      said += line.find(bad.words) != std::string::npos &&
              line.find("filters are built with") != std::string::npos;
    }
    EXPECT_EQ(said, 1);
    std::unique_ptr<rocksdb::DB> db;
    std::vector<rocksdb::ColumnFamilyHandle*> handles;
    ExpectInvalid(
        rocksdb::DB::Open(options_, Path("db"),
                          {{"default", OptionsWithTable()}, {"new", options}},
                          &handles, OutPtr(&db)),
        {bad.words});
  }
}

#if ROCKSDB_IS_AT_LEAST(9, 8)
// RocksDB drops this error too. The database continues with the nearest valid
// filters and reports the error when it is reopened.
TEST_F(BadOptionsTest, ChangedWhileTheDatabaseIsOpen) {
  Reopen();
  const Rows rows{0, 2000};
  WriteFile(rows);
  ASSERT_OK(db_->SetOptions(
      {{"block_based_table_factory", "{filter_policy=linebloom:100;}"}}));
  ExpectFilterWorks(rows);
  WriteFile(rows);
  ExpectRows(rows);
  for (const auto& file : AllProperties(db_.get())) {
    EXPECT_GT(file->filter_size, 0);
  }
  Close();

  rocksdb::DBOptions db_options;
  std::vector<rocksdb::ColumnFamilyDescriptor> families;
  ASSERT_OK(rocksdb::LoadLatestOptions(rocksdb::ConfigOptions(), Path("db"),
                                       &db_options, &families));
  std::unique_ptr<rocksdb::DB> db;
  ExpectInvalid(
      rocksdb::DB::Open(rocksdb::Options(db_options, families[0].options),
                        Path("db"), OutPtr(&db)),
      {"bits_per_key", "100", "from 0 to 30"});
}
#endif

}  // namespace
}  // namespace linebloom
