// linebloom verify: checks that a file's filter denies none of the file's rows,
// and that no block is damaged.
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "filter_policy/policy/printable.h"
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
#include "tools/dump/inputs.h"
#include "tools/shared/commands.h"
#include "tools/shared/database_facts.h"
#include "tools/shared/databases.h"
#include "tools/shared/intervals.h"
#include "tools/shared/run_tool.h"
#include "tools/shared/terminal_text.h"

namespace linebloom::tools {
namespace {

struct FileCheck {
  std::optional<FileFacts> facts;  // nothing if damage hides them
  bool rows_were_read = false;
  uint64_t entries = 0;  // entries read: every version of every row
  uint64_t keys_probed = 0;
  uint64_t prefixes_probed = 0;
  uint64_t denied = 0;  // keys and prefixes of the file
  // Sentences on what is wrong, and on what was not checked.
  std::vector<std::string> problems;
  std::vector<std::string> notes;
};

// All filter blocks of a file in memory, probed by the readers that linebloom's
// policy gives RocksDB, also for RocksDB's filters. Not thread-safe.
class FilterProber {
 public:
  // `policy` must outlive this. `comparator` finds partitions, whose keys end
  // with `timestamp_size` bytes of timestamp; null without any.
  static absl::StatusOr<FilterProber> Make(
      const SstFile& file, const rocksdb::FilterPolicy& policy,
      const rocksdb::Comparator* comparator, size_t timestamp_size) {
    FilterProber prober;
    prober.comparator_ = comparator;
    for (const BlockHandle& handle : file.filter().blocks) {
      ASSIGN_OR_RETURN(Block block, file.ReadFilterBlock(handle));
      prober.blocks_.push_back(std::move(block.payload));
    }
    // Readers are views, so the strings must not move any more.
    for (const std::string& block : prober.blocks_) {
      prober.readers_.emplace_back(policy.GetFilterBitsReader(block));
    }
    ASSIGN_OR_RETURN(prober.last_keys_, file.ReadPartitionKeys());
    for (std::string& key : prober.last_keys_) {
      key.resize(key.size() - std::min(timestamp_size, key.size()));
    }
    return prober;
  }

  // Probes for `entry`, a key or a prefix, as a lookup of `user_key` does: a
  // key of the file or near one, without timestamp.
  bool MayMatch(absl::string_view entry, absl::string_view user_key) const {
    return readers_.empty() || readers_[FindPartition(user_key)]->MayMatch(
                                   {entry.data(), entry.size()});
  }

 private:
  FilterProber() = default;

  size_t FindPartition(absl::string_view user_key) const {
    const auto is_below = [this](const rocksdb::Slice& last_key,
                                 const rocksdb::Slice& key) {
      return comparator_->CompareWithoutTimestamp(last_key, /*a_has_ts=*/false,
                                                  key, /*b_has_ts=*/false) < 0;
    };
    const auto found = std::lower_bound(
        last_keys_.begin(), last_keys_.end(),
        rocksdb::Slice(user_key.data(), user_key.size()), is_below);
    // RocksDB probes the last partition for keys beyond all of them.
    return std::min<size_t>(found - last_keys_.begin(), readers_.size() - 1);
  }

  std::vector<std::string> blocks_;
  std::vector<std::unique_ptr<rocksdb::FilterBitsReader>> readers_;
  // For each partition a key that none of its keys is after; empty for a full
  // filter.
  std::vector<std::string> last_keys_;
  const rocksdb::Comparator* comparator_ = nullptr;
};

constexpr size_t kMaxDeniedNamed = 10;

// Checks the keys and prefixes of one file against its filter.
class RowCheck {
 public:
  RowCheck(const SstFile& file, size_t timestamp_size, FileCheck* check)
      : file_(file), timestamp_size_(timestamp_size), check_(check) {}

  // Finds out what the filter can be probed for, and notes what it can't.
  // Returns errors from reading the filter.
  absl::Status Prepare() {
    if (!check_->facts->has_filter()) return absl::OkStatus();
    if (!check_->facts->is_used()) {
      Note("the filter was not checked: it is ", ToString(file_.filter().kind),
           " of '", file_.filter().compatibility_name,
           "', which RocksDB's own policies don't read");
      return absl::OkStatus();
    }
    if (check_->facts->first.info.request.canonical_key != 0) {
      Note(
          "the filter was not checked against the rows: it hashes them through "
          "a canonical key, a function that this program lacks");
      return absl::OkStatus();
    }
    const Properties& properties = file_.properties();
    const rocksdb::Comparator* comparator = nullptr;
    if (!ByName(properties.comparator_name, &comparator)) {
      const std::string lacks = absl::StrCat(
          "this program lacks the comparator '", properties.comparator_name);
      if (file_.filter().kind == FilterKind::kPartitioned) {
        Note("the filter was not checked: ", lacks,
             "', by which its partitions are found");
        return absl::OkStatus();
      }
      Note(lacks, "'; keys were taken to have no timestamps");
    }
    const std::string& extractor = properties.prefix_extractor_name;
    if (!extractor.empty() && properties.prefix_filtering &&
        !ByName(extractor, &extractor_)) {
      Note("prefixes were not checked: this program lacks the extractor '",
           extractor, "'");
    }
    ASSIGN_OR_RETURN(prober_, FilterProber::Make(file_, *policy_, comparator,
                                                 timestamp_size_));
    return absl::OkStatus();
  }

  void OnEntry(absl::string_view key) {
    ++check_->entries;
    if (!prober_.has_value()) return;
    key.remove_suffix(std::min(timestamp_size_, key.size()));
    if (file_.properties().whole_key_filtering) {
      ++check_->keys_probed;
      Probe("key", key, key);
    }
    const rocksdb::Slice slice(key.data(), key.size());
    if (extractor_ != nullptr && extractor_->InDomain(slice)) {
      const rocksdb::Slice prefix = extractor_->Transform(slice);
      ++check_->prefixes_probed;
      Probe("prefix", {prefix.data(), prefix.size()}, key);
    }
  }

  // Completes the check's problems.
  void Finish() {
    if (check_->denied == 0) return;
    check_->problems.push_back(absl::StrCat(
        file_.name(), ": the filter denies ", WithThousands(check_->denied),
        " of its own keys",
        check_->denied > first_denied_.size() ? ", the first of them:" : ":"));
    std::ranges::move(first_denied_, std::back_inserter(check_->problems));
  }

 private:
  // Null, and false, if this program doesn't know the name.
  template <typename Pointer>
  static bool ByName(const std::string& name, Pointer* made) {
    using Class = std::remove_cvref_t<decltype(**made)>;
    if (Class::CreateFromString(rocksdb::ConfigOptions(), name, made).ok()) {
      return *made != nullptr;
    }
    *made = nullptr;
    return false;
  }

  template <typename... Words>
  void Note(const Words&... words) {
    check_->notes.push_back(absl::StrCat(file_.name(), ": ", words...));
  }

  // `entry` is the `key`, or a prefix of it.
  void Probe(absl::string_view what, absl::string_view entry,
             absl::string_view key) {
    if (prober_->MayMatch(entry, key)) return;
    if (++check_->denied > kMaxDeniedNamed) return;
    first_denied_.push_back(
        absl::StrCat(file_.name(), ": denied ", what, " ", KeyText(entry)));
  }

  const SstFile& file_;
  const size_t timestamp_size_;
  FileCheck* check_;
  const std::unique_ptr<const rocksdb::FilterPolicy> policy_{
      NewFilterPolicy(10)};
  std::shared_ptr<const rocksdb::SliceTransform> extractor_;
  std::optional<FilterProber> prober_;
  std::vector<std::string> first_denied_;
};

// Damage becomes a problem of the file; other errors are returned.
absl::Status TakeDamage(const absl::Status& status, FileCheck* check) {
  if (!absl::IsDataLoss(status)) return status;
  check->problems.emplace_back(status.message());
  return absl::OkStatus();
}

// While it lives, a crash of RocksDB ends the program with a sentence and an
// exit code: RocksDB trusts blocks that have passed their checksums or have
// none, and asserts what is in them. Rejected: reading such files in a child
// process first, which reads them twice, and which a file with the right
// checksums escapes.
class CrashGuard {
 public:
  explicit CrashGuard(const std::string& path) {
    sentence = absl::StrCat(
        "linebloom verify: ", Printable(path),
        ": RocksDB crashes when it reads the rows: the file is damaged. The "
        "other files were not checked: name them without it\n");
    for (size_t i = 0; i < kSignals.size(); ++i) {
      before_[i] = std::signal(kSignals[i], EndWithSentence);
    }
  }
  ~CrashGuard() {
    for (size_t i = 0; i < kSignals.size(); ++i) {
      (void)std::signal(kSignals[i], before_[i]);
    }
  }
  CrashGuard(const CrashGuard&) = delete;
  CrashGuard& operator=(const CrashGuard&) = delete;

 private:
  static constexpr std::array kSignals = {SIGABRT, SIGSEGV, SIGBUS};
  static void EndWithSentence(int /*signal*/) {
    (void)!write(STDERR_FILENO, sentence.data(), sentence.size());
    _exit(kExitFoundSomething);
  }

  static inline std::string sentence;
  std::array<void (*)(int), kSignals.size()> before_ = {};
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
  const uint32_t format_version = file.footer().format_version;
  // RocksDB 11 reads versions 0 and 1, though it doesn't write them.
  if (format_version > 1 && !RocksDbReads(format_version)) {
    check->notes.push_back(absl::StrCat(
        file.name(), ": the rows were not read: RocksDB ", ROCKSDB_MAJOR, ".",
        ROCKSDB_MINOR, " of this program can't read format_version ",
        format_version, ". The filter's blocks are checked."));
    return absl::OkStatus();
  }
  check->rows_were_read = true;
  const CrashGuard guard(file.name());
  EntryReader reader(file.name());
  RETURN_IF_ERROR(reader.Open());
  RowCheck rows(file, reader.timestamp_size(), check);
  RETURN_IF_ERROR(rows.Prepare());
  const absl::Status status = reader.ForEach([&](absl::string_view key) {
    rows.OnEntry(key);
    return CheckInterrupt();
  });
  if (status.ok() && file.properties().are_known &&
      check->entries != check->facts->rows()) {
    check->problems.push_back(absl::StrCat(
        file.name(), ": expected ", check->facts->rows(),
        " entries, as the properties say, found ", check->entries));
  }
  rows.Finish();
  return status;
}

// Reads the rows, or the filter alone. Returns errors for files that are not
// SSTables or can't be read. Damage is one of the problems, as is anything that
// ends the check early.
absl::StatusOr<FileCheck> CheckFile(const LiveFile& live, bool read_rows,
                                    FilterCensus* census) {
  FileCheck check;
  const absl::StatusOr<SstFile> file = SstFile::Open(live.path);
  absl::StatusOr<FileFacts> facts =
      file.ok() ? ReadFileFacts(*file) : file.status();
  RETURN_IF_ERROR(TakeDamage(facts.status(), &check));
  if (!facts.ok()) return check;
  check.facts = *std::move(facts);
  census->Add(live, *file);
  for (const std::string& problem : check.facts->problems) {
    check.problems.push_back(absl::StrCat(live.path, ": ", problem));
  }
  if (read_rows) {
    RETURN_IF_ERROR(TakeDamage(CheckEntries(*file, &check), &check));
  }
  return check;
}

Json CheckAsJson(const FileCheck& check) {
  Json json = check.facts ? FactsAsJson(*check.facts) : Json::object();
  json.update({{"rows_were_read", check.rows_were_read},
               {"entries", check.entries},
               {"keys_probed", check.keys_probed},
               {"prefixes_probed", check.prefixes_probed},
               {"denied", check.denied},
               {"sound", check.problems.empty()}});
  return json;
}

// The file with the cells that are put together of several values.
Json VerifiedRow(Json file) {
  file["label"] = FileLabel(file);
  file["state"] = "unreadable";
  if (!file.contains("sound")) return file;
  const bool rows_were_read = file["rows_were_read"];
  const bool has_filter = file.contains("filter") && !file["filter"].is_null();
  file["state"] = file["sound"] == false ? "DAMAGED"
                  : !rows_were_read      ? "not read"
                  : !has_filter          ? "no filter"
                                         : "sound";
  if (!rows_were_read) file["entries"] = file["denied"] = nullptr;
  return file;
}

// Extrapolates from the files whose rows were read to all files.
std::string SampleInWords(const Json& report) {
  const uint64_t denying = report["files_with_denied_rows"];
  const Interval interval = WilsonInterval(denying, report["sampled_files"]);
  const std::string sample =
      absl::StrCat(Fill("Sample: the rows of {/sampled_files:,} of ", report),
                   WithThousands(report["files"].size()),
                   " files were read, chosen at random");
  if (denying == 0) {
    return absl::StrCat(
        sample,
        ", and no filter denied one. That bounds the share of files whose "
        "filter does by ",
        ThreeDigits(100 * interval.high),
        " %, with 95 % confidence; a larger --sample bounds it more closely.");
  }
  return absl::StrCat(sample, "; the filters of ", WithThousands(denying),
                      " denied rows. 95 % interval over all files: ",
                      ThreeDigits(100 * interval.low), " to ",
                      ThreeDigits(100 * interval.high), " %.");
}

// The JSON of RunVerify() for people.
std::string VerifyAsText(const Json& report) {
  const Json& files = report["files"];
  if (files.empty()) {
    return report["interrupted"] == true ? ""
                                         : "The database has no SSTables.\n";
  }
  Json rows = Json::array();
  for (const Json& file : files) rows.push_back(VerifiedRow(file));
  if (std::ranges::none_of(
          files, [](const Json& file) { return file.contains("sound"); })) {
    return "";  // stderr has said everything
  }
  std::string text = absl::StrCat(TextTable({{"File", "{/label}"},
                                             {"entries", "{/entries:k}"},
                                             {"denied", "{/denied:,}"},
                                             {"state", "{/state}"}},
                                            rows),
                                  "\n", BulletsText(report["notes"]));
  if (report["is_sample"] == true) {
    absl::StrAppend(&text, NamedText("", SampleInWords(report), 0));
  }
  const std::string sums = Fill(
      " of {/entries:,} entries: {/keys_probed:,} keys and "
      "{/prefixes_probed:,} prefixes probed, {/denied:,} denied.",
      report["sums"]);
  const uint64_t read = report["sampled_files"];
  return absl::StrCat(
      text, NamedText("",
                      absl::StrCat(WithThousands(read),
                                   read == 1 ? " file" : " files", sums),
                      0));
}

struct VerifyConfig {
  Inputs inputs;
  double sample = 1;  // of the files
};

// Chooses the share --sample of the files, at least one, each with equal
// probability.
std::vector<bool> Sample(size_t files, double share) {
  std::vector<bool> sampled(files, false);
  const auto count = static_cast<size_t>(std::ceil(share * files - 1e-9));
  std::fill_n(sampled.begin(), std::min(std::max<size_t>(count, 1), files),
              true);
  std::shuffle(sampled.begin(), sampled.end(),
               std::mt19937_64(std::random_device()()));
  return sampled;
}

// Ends the report with the sums over its files.
void AddSums(Json* report) {
  Json sums = {{"entries", 0},
               {"keys_probed", 0},
               {"prefixes_probed", 0},
               {"denied", 0}};
  uint64_t read = 0;
  uint64_t denying = 0;
  for (const Json& file : (*report)["files"]) {
    if (!file.contains("sound")) continue;
    read += file["rows_were_read"] == true ? 1 : 0;
    denying += file["denied"] > 0 ? 1 : 0;
    for (const auto& [name, sum] : sums.items()) {
      sum = sum.get<uint64_t>() + file[name].get<uint64_t>();
    }
  }
  report->update({{"sampled_files", read},
                  {"files_with_denied_rows", denying},
                  {"sums", sums}});
}

absl::StatusOr<Outcome> RunVerify(const VerifyConfig& config) {
  ASSIGN_OR_RETURN(const DatabaseFacts database, ReadInputs(config.inputs));
  const std::vector<LiveFile>& files = database.files;
  const std::vector<bool> sampled = Sample(files.size(), config.sample);
  Json json = NewReport("verify", config.inputs);
  json["is_sample"] = std::ranges::count(sampled, false) > 0;
  json["files"] = Json::array();
  Failures failures(config.inputs.db);
  FilterCensus census;
  Progress progress;
  progress.Begin("verifying", files.size());
  size_t done = 0;
  for (; done < files.size() && !Interrupted(); ++done) {
    progress.Update(done);
    const absl::StatusOr<FileCheck> check =
        CheckFile(files[done], sampled[done], &census);
    if (absl::IsCancelled(check.status())) break;
    Json file = FileAsJson(files[done]);
    if (check.ok()) {
      for (const auto& problem : check->problems) failures.AddProblem(problem);
      for (const auto& note : check->notes) failures.AddNote(note);
      file.update(CheckAsJson(*check));
    } else {
      failures.Add(files[done], check.status());
    }
    json["files"].push_back(std::move(file));
  }
  progress.Clear();
  json["interrupted"] = Interrupted();
  if (Interrupted()) {
    failures.AddNote(absl::StrCat("Interrupted: ", WithThousands(done), " of ",
                                  WithThousands(files.size()),
                                  " files were checked."));
  }
  AddSums(&json);
  failures.Add(census.Judge(database));
  failures.AddTo(&json);
  return Outcome{VerifyAsText(json), json,
                 Interrupted() ? kExitInterrupted : failures.exit_code()};
}

Runner DeclareVerify(CLI::App* app) {
  const auto config = std::make_shared<VerifyConfig>();
  AddInputs(app, &config->inputs);
  AddNumber(app, "--sample", &config->sample, Unit::kShare, 0, 1,
            "read the rows of this share of the files, such as 1%, at least of "
            "one, and of all others the filter alone");
  return [config] { return RunVerify(*config); };
}

}  // namespace

const Subcommand kVerify = {
    "verify",
    R"(checks SSTables: all blocks, and that no filter rejects its own rows.

  linebloom verify 000123.sst
  linebloom verify /var/lib/my_database --sample=1%

Files are only read, and another process may have the database open. Exits with
0; with 1 if something is wrong with a file, and stderr says what; with 2 for
bad usage or files that are not SSTables; with 130 after Ctrl-C, after a report
on the files that were checked until then.)",
    DeclareVerify};

}  // namespace linebloom::tools
