// The flags of the subcommands that look at SSTables, and at OPTIONS.
#include "tools/shared/flags.h"

#include <functional>
#include <memory>

#include "absl/status/statusor.h"
#include "table/status.h"
#include "tools/commands.h"
#include "tools/dump/inputs.h"

namespace linebloom::tools {
namespace {

using Run = std::function<absl::StatusOr<Outcome>()>;

// The flags that name the files.
void AddInputs(CLI::App* app, DumpConfig* config) {
  config->command = app->get_name();
  app->add_option("files", config->files, "SSTables")
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  app->add_option("--db", config->db,
                  "a database: its live files and their levels. It is only "
                  "read, and another process may have it open")
      ->excludes("files");
  app->add_option("--column_family", config->column_family,
                  "with --db: only this column family; default: all, one by "
                  "one")
      ->needs("--db");
}

absl::Status CheckInputs(const DumpConfig& config) {
  if (!config.db.empty() || !config.files.empty()) return absl::OkStatus();
  return absl::InvalidArgumentError(
      "name SSTables, or a database with --db; --help says more");
}

}  // namespace

const Subcommand kDump = {
    "dump",
    R"(shows the filters of SSTables.

For each file, level and database: its filter and the filter's size, the
false-positive rate to expect, and the data blocks that a lookup of a missing
row will read.

  linebloom dump 000123.sst
  linebloom dump --db=/var/lib/my_database
  linebloom dump --db=/var/lib/my_database --html=tree.html
  linebloom dump --db=/var/lib/my_database --format=prometheus

Files are only read, and another process may have the database open. Exits with
0; with 1 if something is wrong with a file, and stderr says what; with 2 for
bad usage or files that are not SSTables; with 130 after Ctrl-C.)",
    [](CLI::App* app) -> Run {
      const auto config = std::make_shared<DumpConfig>();
      AddInputs(app, config.get());
      app->add_option("--format", config->format,
                      "text, or for a database prometheus: metrics in "
                      "Prometheus's text format")
          ->check(CLI::IsMember({"text", "prometheus"}))
          ->needs("--db")
          ->capture_default_str();
      app->add_option("--before", config->before,
                      "with --html of a database: another one, such as a "
                      "copy from before a change, to be drawn above it")
          ->needs("--db")
          ->needs("--html");
      return [config]() -> absl::StatusOr<Outcome> {
        RETURN_IF_ERROR(CheckInputs(*config));
        return RunDump(*config);
      };
    },
    /*has_page=*/true};

const Subcommand kVerify = {
    "verify",
    R"(checks SSTables: all blocks, and that no filter rejects its own rows.

Reads the files, and measures the rate of their filters too.

  linebloom verify 000123.sst
  linebloom verify --db=/var/lib/my_database --sample=1%

Files are only read, and another process may have the database open. Exits with
0; with 1 if something is wrong with a file, and stderr says what; with 2 for
bad usage or files that are not SSTables; with 130 after Ctrl-C.)",
    [](CLI::App* app) -> Run {
      const auto config = std::make_shared<DumpConfig>();
      AddInputs(app, config.get());
      AddNumber(app, "--missing", &config->missing, Unit::kNone, 0,
                1'000'000'000,
                "how many missing keys to probe, "
                "shared among the files by their size");
      AddNumber(app, "--sample", &config->sample, Unit::kShare, 0, 1,
                "read the rows of this share of "
                "the files, such as 1%, at least of one, and of all "
                "others the filter alone");
      AddNumber(app, "--bytes_per_second", &config->bytes_per_second,
                Unit::kBytes, 0, 1'000'000'000'000,
                "how many bytes of files to read "
                "each second, on average, such as 50MB; 0 for no limit");
      return [config]() -> absl::StatusOr<Outcome> {
        RETURN_IF_ERROR(CheckInputs(*config));
        return RunVerify(*config);
      };
    }};

const Subcommand kRaw = {
    "raw",
    R"(prints the bytes of one file's filter, annotated.

  linebloom raw 000123.sst | less
  linebloom raw 000123.sst --partition=3 --out=block

Exits with 0; with 1 if the filter is damaged, and stderr says how; with 2 for
bad usage or a file that is not an SSTable.)",
    [](CLI::App* app) -> Run {
      const auto config = std::make_shared<DumpConfig>();
      app->add_option("file", config->files, "an SSTable")
          ->required()
          ->expected(1)
          ->multi_option_policy(CLI::MultiOptionPolicy::Throw);
      app->add_option("--out", config->out,
                      "write the bytes of the block to this new "
                      "file instead of printing them");
      AddNumber(app, "--partition", &config->partition, Unit::kNone, 0,
                UINT64_MAX, "the partition to show instead of all");
      return [config] { return RunRaw(*config); };
    }};

const Subcommand kCheckOptions = {
    "check-options",
    R"(says which filters the policies of an options file yield.

RocksDB loads a policy's name that it doesn't know as no filter, without a word.
With --db, or if the file is in a database's folder, says also whether the
filters there fit the block cache.

  linebloom check-options my_options.ini

Exits with 0; with 1 if a policy isn't one, and stderr says which; with 2 for
bad usage or a file that RocksDB can't load; with 130 after Ctrl-C.)",
    [](CLI::App* app) -> Run {
      const auto config = std::make_shared<DumpConfig>();
      app->add_option("file", config->check_options, "an options file")
          ->required();
      app->add_option("--db", config->db,
                      "a database, which is only read: do its filters fit the "
                      "block cache of these options?");
      return [config] { return RunCheckOptions(*config); };
    }};

}  // namespace linebloom::tools
