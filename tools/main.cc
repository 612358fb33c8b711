// The program linebloom.
#include "linebloom/filter_policy.h"
#include "tools/report/commands.h"

namespace {

constexpr char kDescription[] =
    R"(filters of RocksDB's SSTables: compares, predicts, shows, checks and
rebuilds them, linebloom's and RocksDB's own.

  linebloom advise /var/lib/my_database
  linebloom compare
  linebloom dump /var/lib/my_database
  linebloom migrate /var/lib/my_database --dry_run

Exits with 0; with 1 if it found something wrong, and stderr says what; with 2
for bad usage or input; with 130 after Ctrl-C.)";

}  // namespace

int main(int argc, char** argv) {
  using namespace linebloom::tools;   // NOLINT(google-build-using-namespace)
  linebloom::RegisterFilterPolicy();  // for policies in option strings
  return RunProgram(
      argc, argv, kDescription,
      {{kAdvise, kCompare, kDump, kVerify, kCheckOptions, kSize, kMigrate}});
}
