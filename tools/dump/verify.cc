// linebloom verify: checks that a file's filter denies none of the file's rows,
// and that no block is damaged.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "filter_policy/policy/rocksdb_filter_bits.h"
#include "linebloom/filter_policy.h"
#include "nlohmann/json.hpp"
#include "rocksdb/comparator.h"
#include "rocksdb/convenience.h"
#include "rocksdb/filter_policy.h"
#include "rocksdb/options.h"
#include "rocksdb/slice.h"
#include "rocksdb/slice_transform.h"
#include "rocksdb/table.h"
#include "rocksdb/version.h"
#include "table/entry_reader.h"
#include "table/file_facts.h"
#include "table/format.h"
#include "table/sst_file.h"
#include "table/status.h"
#include "tools/database/database_facts.h"
#include "tools/database/databases.h"
#include "tools/database/file_walk.h"
#include "tools/dump/inputs.h"
#include "tools/report/commands.h"
#include "tools/report/run_tool.h"
#include "tools/report/terminal_text.h"

namespace linebloom::tools {
namespace {

struct FileCheck {
  FileFacts facts;
  uint64_t entries = 0;  // read: every version of every row
  uint64_t keys_probed = 0;
  uint64_t prefixes_probed = 0;
  uint64_t denied = 0;  // keys and prefixes of the file
  // Sentences on what is wrong, and on what was not checked.
  std::vector<std::string> problems;
  std::vector<std::string> notes;
};

// A key as text and in hex: 'k1\x00' (6b3100).
std::string KeyText(absl::string_view key) {
  return absl::StrCat("'", absl::CHexEscape(key), "' (",
                      absl::BytesToHexString(key), ")");
}

// Checks the keys and prefixes of one file against its filter, all of whose
// blocks are in memory, probed by the readers that linebloom's policy gives
// RocksDB, also for RocksDB's filters.
class RowCheck {
 public:
  // Keys end with `timestamp_size` bytes of timestamp.
  RowCheck(const SstFile& file, size_t timestamp_size, FileCheck* check)
      : file_(file), timestamp_size_(timestamp_size), check_(check) {}

  // Finds out what the filter can be probed for, and notes what it can't.
  // Returns errors from reading the filter.
  absl::Status Prepare() {
    if (!check_->facts.has_filter()) return absl::OkStatus();
    const Properties& properties = file_.properties();
    const bool can_order = ByName(properties.comparator_name, &comparator_);
    const std::string why = WhyNotProbed(can_order);
    if (!why.empty()) {
      Note("the filter was not checked: ", why);
      return absl::OkStatus();
    }
    if (!can_order) {
      Note("this program lacks the comparator '", properties.comparator_name,
           "'; keys were taken to have no timestamps");
    }
    const std::string& extractor = properties.prefix_extractor_name;
    if (!extractor.empty() && properties.prefix_filtering &&
        !ByName(extractor, &extractor_)) {
      Note("prefixes were not checked: this program lacks the extractor '",
           extractor, "'");
    }
    probes_ = true;
    return ReadFilter();
  }

  void OnEntry(absl::string_view key) {
    ++check_->entries;
    if (!probes_) return;
    key.remove_suffix(std::min(timestamp_size_, key.size()));
    const rocksdb::Slice slice(key.data(), key.size());
    if (file_.properties().whole_key_filtering) {
      ++check_->keys_probed;
      Probe("key", slice, slice);
    }
    if (extractor_ != nullptr && extractor_->InDomain(slice)) {
      ++check_->prefixes_probed;
      Probe("prefix", extractor_->Transform(slice), slice);
    }
  }

  // Completes the check's problems.
  void Finish() {
    if (check_->denied == 0) return;
    check_->problems.push_back(absl::StrCat(
        file_.name(), ": the filter denies ", WithThousands(check_->denied),
        " of its own keys, the first of them the ", first_denied_));
  }

 private:
  // Null, and false, if this program doesn't know the name.
  template <typename Pointer>
  static bool ByName(const std::string& name, Pointer* made) {
    using Class = std::remove_cvref_t<decltype(**made)>;
    if (!Class::CreateFromString(rocksdb::ConfigOptions(), name, made).ok()) {
      *made = nullptr;
    }
    return *made != nullptr;
  }

  template <typename... Words>
  void Note(const Words&... words) {
    check_->notes.push_back(absl::StrCat(file_.name(), ": ", words...));
  }

  std::string WhyNotProbed(bool can_order) const {
    if (!check_->facts.is_used()) {
      return absl::StrCat("it is ", ToString(file_.filter().kind), " of '",
                          file_.filter().compatibility_name,
                          "', which RocksDB's own policies don't read");
    }
    if (check_->facts.first.info.request.canonical_key != 0) {
      return "it hashes keys through a canonical key, which this program lacks";
    }
    return can_order || file_.filter().kind != FilterKind::kPartitioned
               ? ""
               : absl::StrCat("this program lacks the comparator '",
                              file_.properties().comparator_name,
                              "', by which its partitions are found");
  }

  absl::Status ReadFilter() {
    for (const BlockHandle& handle : file_.filter().blocks) {
      ASSIGN_OR_RETURN(Block block, file_.ReadFilterBlock(handle));
      blocks_.push_back(std::move(block.payload));
    }
    // Readers are views, so the strings must not move any more.
    for (const std::string& block : blocks_) {
      readers_.emplace_back(policy_->GetFilterBitsReader(block));
    }
    ASSIGN_OR_RETURN(last_keys_, file_.ReadPartitionKeys());
    for (std::string& key : last_keys_) {
      key.resize(key.size() - std::min(timestamp_size_, key.size()));
    }
    return absl::OkStatus();
  }

  // As a lookup of `key` does, for it or a prefix of it.
  void Probe(absl::string_view what, rocksdb::Slice entry,
             const rocksdb::Slice& key) {
    if (readers_.empty() || readers_[FindPartition(key)]->MayMatch(entry) ||
        ++check_->denied > 1) {
      return;
    }
    first_denied_ =
        absl::StrCat(what, " ", KeyText({entry.data(), entry.size()}));
  }

  size_t FindPartition(const rocksdb::Slice& key) const {
    const auto found = std::ranges::lower_bound(
        last_keys_, key, [this](const auto& a, const auto& b) {
          return comparator_->CompareWithoutTimestamp(a, /*a_has_ts=*/false, b,
                                                      /*b_has_ts=*/false) < 0;
        });
    // RocksDB probes the last partition for keys beyond all of them.
    return std::min<size_t>(found - last_keys_.begin(), readers_.size() - 1);
  }

  const SstFile& file_;
  const size_t timestamp_size_;
  FileCheck* check_;
  bool probes_ = false;
  const std::unique_ptr<const rocksdb::FilterPolicy> policy_{
      NewFilterPolicy(10)};
  const rocksdb::Comparator* comparator_ = nullptr;  // finds partitions
  std::shared_ptr<const rocksdb::SliceTransform> extractor_;
  std::vector<std::string> blocks_;
  std::vector<std::unique_ptr<rocksdb::FilterBitsReader>> readers_;
  // For each partition a key that none of its keys is after; empty for a full
  // filter.
  std::vector<std::string> last_keys_;
  std::string first_denied_;
};

// Asks RocksDB, whose list of versions is in no public header.
bool RocksDbReads(uint32_t format_version) {
  rocksdb::BlockBasedTableOptions table;
  table.format_version = format_version;
  const std::unique_ptr<rocksdb::TableFactory> factory(
      rocksdb::NewBlockBasedTableFactory(table));
  return factory
      ->ValidateOptions(rocksdb::DBOptions(), rocksdb::ColumnFamilyOptions())
      .ok();
}

absl::Status CheckEntries(const SstFile& file, FileCheck* check) {
  EntryReader reader(file.name());
  RETURN_IF_ERROR(reader.Open());
  RowCheck rows(file, reader.timestamp_size(), check);
  RETURN_IF_ERROR(rows.Prepare());
  const absl::Status status = reader.ForEach([&](absl::string_view key) {
    rows.OnEntry(key);
    return CheckInterrupt();
  });
  if (status.ok() && check->entries != check->facts.rows()) {
    check->problems.push_back(absl::StrCat(
        file.name(), ": expected ", check->facts.rows(),
        " entries, as the properties say, found ", check->entries));
  }
  rows.Finish();
  return status;
}

// Returns errors for files that can't be read. Damage is one of the problems,
// as is anything that ends the check early.
absl::StatusOr<FileCheck> VerifyFile(const SstFile& file) {
  // RocksDB 11 reads versions 0 and 1, though it doesn't write them.
  const uint32_t format_version = file.footer().format_version;
  if (format_version > 1 && !RocksDbReads(format_version)) {
    return absl::UnimplementedError(absl::StrCat(
        file.name(), ": RocksDB ", ROCKSDB_MAJOR, ".", ROCKSDB_MINOR,
        " of this program can't read format_version ", format_version));
  }
  FileCheck check;
  ASSIGN_OR_RETURN(check.facts, ReadFileFacts(file));
  for (const std::string& problem : check.facts.problems) {
    check.problems.push_back(absl::StrCat(file.name(), ": ", problem));
  }
  const absl::Status status = CheckEntries(file, &check);
  if (status.ok()) return check;
  if (!absl::IsDataLoss(status)) return status;
  check.problems.emplace_back(status.message());
  return check;
}

Json AsJson(const LiveFile& live, const FileCheck& check) {
  Json json = FileAsJson(live);
  json.update({{"state", !check.problems.empty()     ? "DAMAGED"
                         : !check.facts.has_filter() ? "no filter"
                                                     : "sound"},
               {"entries", check.entries},
               {"keys_probed", check.keys_probed},
               {"prefixes_probed", check.prefixes_probed},
               {"denied", check.denied}});
  return json;
}

// The JSON of RunVerify() for people.
std::string VerifyAsText(const Json& report) {
  Json rows = report["files"];
  if (rows.empty()) {
    // Or stderr has said everything.
    return report["problems"].empty() ? "The database has no SSTables.\n" : "";
  }
  for (Json& row : rows) row["label"] = FileLabel(row);
  const std::string table = TextTable({{"File", "{/label}"},
                                       {"entries", "{/entries:,}"},
                                       {"denied", "{/denied:,}"},
                                       {"state", "{/state}"}},
                                      rows);
  const std::string sums = Fill(
      " of {/entries:,} entries: {/keys_probed:,} keys and "
      "{/prefixes_probed:,} prefixes probed, {/denied:,} denied.",
      report["sums"]);
  return absl::StrCat(
      table, "\n", BulletsText(report["notes"]),
      NamedText("", FilesText(report["files"].size()) + sums, 0));
}

absl::StatusOr<Outcome> RunVerify(const DatabaseFacts& database) {
  Json json = NewReport(database);
  const auto visit = [&](const LiveFile& live, const SstFile& file,
                         Findings* findings) -> absl::Status {
    ASSIGN_OR_RETURN(const FileCheck check, VerifyFile(file));
    json["files"].push_back(AsJson(live, check));
    for (const auto& problem : check.problems) {
      findings->problems.push_back(problem);
    }
    for (const auto& note : check.notes) findings->notes.push_back(note);
    return absl::OkStatus();
  };
  const Findings findings = WalkFiles(database, "verifying", visit);
  RETURN_IF_ERROR(CheckInterrupt());
  for (const char* what :
       {"entries", "keys_probed", "prefixes_probed", "denied"}) {
    uint64_t sum = 0;
    for (const Json& file : json["files"]) sum += file[what].get<uint64_t>();
    json["sums"][what] = sum;
  }
  findings.AddTo(&json);
  return Outcome{VerifyAsText(json), json, findings.exit_code};
}

Runner DeclareVerify(CLI::App* app) { return DeclareInputs(app, RunVerify); }

}  // namespace

const Subcommand kVerify = {
    "verify",
    R"(checks SSTables: all blocks, and that no filter rejects its own rows.

Whether filters fit the block cache, linebloom advise says.

  linebloom verify 000123.sst
  linebloom verify /var/lib/my_database

Files are only read, and another process may have the database open. Exits with
0; with 1 if something is wrong with a file, and stderr says what; with 2 for
bad usage or files that it can't read, such as those of a newer RocksDB than
its own; with 130 after Ctrl-C.)",
    DeclareVerify};

}  // namespace linebloom::tools
