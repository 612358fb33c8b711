#include "tools/database/file_walk.h"

#include <algorithm>
#include <type_traits>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "filter_policy/policy/policy_options.h"
#include "linebloom/filter_policy.h"
#include "nlohmann/json.hpp"
#include "tools/database/policies.h"
#include "tools/report/run_tool.h"

namespace linebloom::tools {
namespace {

void Count(const SstFile& file, FamilyFiles* family) {
  const Properties& properties = file.properties();
  ++family->files;
  if (HasUsedFilter(file)) {
    ++family->filtered;
    ++family->policies[properties.filter_policy_name];
    return;
  }
  // A policy may have its reasons to leave a file without a filter. RocksDB
  // writes none, either, for a file without keys.
  const bool has_keys = properties.num_entries > properties.num_range_deletions;
  if (has_keys && properties.filter_policy_name.empty()) {
    ++family->without_policy;
  }
}

void Judge(const std::string& name, const FamilyFiles& files,
           const DatabaseFacts& database, Findings* findings) {
  const auto find = [&name](const auto& map) {
    const auto found = map.find(name);
    return found == map.end()
               ? typename std::decay_t<decltype(map)>::mapped_type()
               : found->second;
  };
  const std::string policy = find(database.written).filter_policy;
  const bool names_policy = !policy.empty() && policy != "nullptr";
  const std::string past = find(database.log.policies);
  const rocksdb::ColumnFamilyOptions* const options = database.OptionsOf(name);
  const auto own = std::ranges::find_if(
      files.policies, [](const auto& each) { return IsLinebloom(each.first); });
  if (options != nullptr && TableOptionsOf(*options) != nullptr &&
      !names_policy && own != files.policies.end()) {
    findings->problems.push_back(absl::StrFormat(
        "column family %s: OPTIONS names no filter policy. Lookups ignore "
        "linebloom's filters of %d files, and new files get none. A tool "
        "without linebloom, such as ldb, leaves such options behind",
        name, own->second));
  }
  if (files.without_policy == 0) return;
  const std::string why =
      names_policy
          ? ", though its options name filter_policy=" + ShortPolicyName(policy)
      : !past.empty() ? ". Its options name no filter policy any more; before, "
                        "it was " +
                            past
      : files.filtered > 0 ? ". Its options name no filter policy, but others "
                             "of its files have filters"
                           : "";
  const std::string sentence = absl::StrFormat(
      "column family %s: %d of its %d files have no filter: a lookup of a "
      "missing row reads a block of each that it meets%s",
      name, files.without_policy, files.files, why);
  if (why.empty()) {
    findings->notes.push_back(sentence);
  } else {
    findings->problems.push_back(absl::StrCat(sentence, ". 'linebloom migrate ",
                                              ShellQuoted(database.folder),
                                              "' gives them filters"));
  }
}

// Reads the manifest again: a file that it still names was not deleted.
// Rejected: assuming a deletion if another process has the database open, which
// made totals of the other files; reading the manifest for each of thousands.
void AddMissing(const std::string& folder,
                const std::vector<std::string>& missing, Findings* findings) {
  if (missing.empty()) return;
  const auto files = ListLiveFiles(folder);
  for (const std::string& path : missing) {
    if (files.ok() && !std::ranges::count(*files, path, &LiveFile::path)) {
      findings->notes.push_back(
          absl::StrCat(path,
                       " was deleted after the manifest was read, by the "
                       "process that has the database open"));
      continue;
    }
    findings->problems.push_back(absl::StrCat(
        path,
        ": the manifest has this file, the folder does not. Or the database "
        "has db_paths or cf_paths, which RocksDB doesn't store: then name its "
        "files"));
    findings->unreadable.push_back(
        absl::NotFoundError(findings->problems.back()));
  }
}

}  // namespace

bool HasUsedFilter(const SstFile& file) {
  return file.filter().kind == FilterKind::kFull ||
         file.filter().kind == FilterKind::kPartitioned;
}

void FamilyFiles::Add(const FamilyFiles& more) {
  files += more.files;
  filtered += more.filtered;
  for (const auto& [policy, count] : more.policies) policies[policy] += count;
  without_policy += more.without_policy;
}

void Findings::AddTo(Json* report) const {
  (*report)["notes"] = notes;
  (*report)["problems"] = problems;
}

Findings WalkFiles(const DatabaseFacts& database, absl::string_view step,
                   Visit visit) {
  const bool is_database = !database.folder.empty();
  Findings findings;
  std::vector<std::string> missing;  // paths
  Progress progress;
  progress.Begin(step, database.files.size());
  for (const LiveFile& live : database.files) {
    if (Interrupted()) break;
    const absl::StatusOr<SstFile> file = SstFile::Open(live.path);
    const absl::Status status =
        file.ok() ? visit(live, *file, &findings) : file.status();
    if (absl::IsCancelled(status)) break;
    if (absl::IsNotFound(status) && is_database) {
      missing.push_back(live.path);
      continue;
    }
    progress.Update(++findings.files);
    if (file.ok()) Count(*file, &findings.families[live.column_family]);
    if (status.ok()) continue;
    findings.problems.emplace_back(status.message());
    findings.unreadable.push_back(status);
    // A live file that is no SSTable is damaged; one that the user named is not
    // one that this program is for.
    const bool is_damaged = absl::IsDataLoss(status) ||
                            (absl::IsInvalidArgument(status) && is_database);
    if (!is_damaged) findings.exit_code = kExitBadInput;
  }
  if (!is_database) return findings;
  for (const auto& [name, files] : findings.families) {
    Judge(name, files, database, &findings);
  }
  AddMissing(database.folder, missing, &findings);
  return findings;
}

}  // namespace linebloom::tools
