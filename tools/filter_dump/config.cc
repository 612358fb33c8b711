#include "tools/filter_dump/config.h"

#include <utility>

#include "absl/strings/str_cat.h"

namespace linebloom::tools {

absl::Status ValidateConfig(const FilterDumpConfig& config) {
  const bool db = !config.db.empty();
  const bool files = !config.files.empty();
  const bool table = config.command == "table";
  const bool lines = config.command == "lines";
  const bool raw = config.command == "raw";
  const bool prometheus = config.format == "prometheus";
  const bool before = !config.before.empty();
  const bool known = table || lines || raw || config.command == "verify";
  const bool options = !config.check_options.empty();
  if (options && known && !files && !db) return absl::OkStatus();
  const std::pair<bool, std::string> mistakes[] = {
      {!known, absl::StrCat("--command=", config.command,
                            " is not one of table, lines, verify, raw")},
      {options,
       "--check_options looks at no SSTables: name no file and no --db"},
      {!files && !db,
       "name SSTables, or a database with --db; --help says more"},
      {files && db, "name either SSTables or --db, not both"},
      {!db && !config.column_family.empty(), "--column_family needs --db"},
      {raw && config.files.size() != 1,
       "--command=raw shows one file: name it with --file"},
      {!prometheus && config.format != "text",
       absl::StrCat("--format=", config.format,
                    " is not one of text, prometheus; --json writes JSON")},
      {prometheus && !(db && table),
       "--format=prometheus needs --db and --command=table"},
      {!config.html.empty() && !table && !lines,
       "--html needs --command=table or lines"},
      {before && (!db || config.html.empty()),
       "--before needs --db, and --html to draw it in"},
      {before && !table, "--before needs --command=table"},
      {!config.out.empty() && !raw, "--out needs --command=raw"},
      {config.partition.has_value() && !raw,
       "--partition needs --command=raw"}};
  for (const auto& [made, message] : mistakes) {
    if (made) return absl::InvalidArgumentError(message);
  }
  return absl::OkStatus();
}

}  // namespace linebloom::tools
