// linebloom compare: compares what filter policies save on this disk.
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "table/status.h"
#include "tools/compare/comparison.h"
#include "tools/database/caches.h"
#include "tools/report/commands.h"
#include "tools/report/flags.h"

namespace linebloom::tools {
namespace {

// 14.746: what a Ribbon filter of 10 bits per key is requested by, the bits of
// a Bloom filter of its rate. -1: in flushed files too. With
// blanks, where --help begins a line.
constexpr char kPolicies[] =
    "none; bloomfilter:10; ribbonfilter:14.746:-1; "
    "{id=linebloom:plain:10;level_aware=true}; linebloom:10; "
    "{id=linebloom:10;level_aware=true}";

absl::StatusOr<Outcome> RunCompare(CompareConfig config) {
  if (!config.memory.empty() && config.policies == kPolicies) {
    config.policies += "; linebloom";
  }
  ASSIGN_OR_RETURN(const Comparison comparison, Compare(config));
  const Json json = ReportAsJson(comparison);
  return Outcome{ReportAsText(json), json};
}

void DeclareRowsAndLookups(CLI::App* app, CompareConfig* config) {
  app->add_option("database", config->database,
                  "copy its files, of all column families; it is only read "
                  "and must not be open elsewhere");
  AddNumber(app, "--rows", &config->rows, Unit::kNone, 1000, 1'000'000'000,
            "rows to generate; unused with a database");
  AddNumber(app, "--seed", &config->seed, Unit::kNone, 0, UINT64_MAX,
            "varies rows and lookups");
  AddNumber(app, "--lookups", &config->lookups, Unit::kNone, 1, 100'000'000,
            "lookups per policy, fewer once they have read 20,000 blocks");
  AddNumber(app, "--hit_ratio", &config->hit_ratio, Unit::kShare, 0, 1,
            "share of lookups for existing rows; by default as the "
            "database's info log says, or 0");
  AddNumber(app, "--rounds", &config->rounds, Unit::kNone, 1, 1000,
            "rounds of lookups, each with every policy in turn, so that times "
            "are comparable; all copies are on the disk together then. "
            "With --memory there is one");
}

void DeclareCaches(CLI::App* app, CompareConfig* config) {
  app->add_option("--policies", config->policies,
                  "policies to compare, separated by semicolons: none, or "
                  "option strings that RocksDB takes, such as linebloom:16 or "
                  "{id=linebloom;bits_per_key=8}. With --memory also "
                  "linebloom, which chooses its bits for each size")
      ->capture_default_str();
  const CLI::Validator size(
      [](std::string& text) {
        uint64_t bytes = 0;
        if (ParseNumber(text, &bytes) && bytes >= kSmallestCache) {
          text = absl::StrCat(bytes);
          return std::string();
        }
        return absl::StrCat("'", text, "' must be 64KiB or more");
      },
      "");
  app->add_option("--memory", config->memory,
                  "sizes of a block cache that holds filters, indexes and "
                  "data of all column families, such as 1MB,2MB,4MB. Otherwise "
                  "filters and indexes are in memory")
      ->transform(size)
      ->delimiter(',');
  app->add_flag("--partitioned", config->partitioned,
                "with --memory, partition filters and indexes")
      ->needs("--memory");
  app->add_option("--scratch_dir", config->scratch_dir,
                  "folder to be made for the copies, and removed at the "
                  "end. Default: a temporary one in the current folder");
}

Runner DeclareCompare(CLI::App* app) {
  const auto config = std::make_shared<CompareConfig>();
  config->policies = kPolicies;
  DeclareRowsAndLookups(app, config.get());
  DeclareCaches(app, config.get());
  return [config] { return RunCompare(*config); };
}

}  // namespace

const Subcommand kCompare = {
    "compare",
    R"(shows what a RocksDB filter policy saves on this machine's disk.

Gives each policy a copy of the same files on the same levels, so that only
the filters differ, looks up missing keys, and counts the blocks read.

  linebloom compare
  linebloom compare DATABASE --json=result.json
  linebloom compare --policies='none;bloomfilter:16;linebloom:16' --html=a.html
  linebloom compare DATABASE --memory=64MB,128MB,256MB

Exits with 0; with 1 if the figures are void, and stderr says why; with 2 for
bad usage or input; with 130 after Ctrl-C.)",
    DeclareCompare,
    /*has_page=*/true};

}  // namespace linebloom::tools
