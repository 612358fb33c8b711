#include "tools/filter_dump/verify_report.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <random>
#include <system_error>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "filter_policy/rebuild/pace.h"
#include "nlohmann/json.hpp"
#include "tools/filter_dump/inputs.h"
#include "tools/filter_dump/text.h"
#include "tools/shared/interrupt.h"
#include "tools/shared/progress.h"
#include "tools/shared/table_printer.h"

namespace linebloom::tools {
namespace {

uint64_t SizeOf(const std::string& path) {
  std::error_code error;
  const auto size = std::filesystem::file_size(path, error);
  return error ? 0 : size;
}

// Hints to the system to read the file into its cache, so that the disk works
// while this program computes.
void ReadAhead(const std::string& path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) return;
  (void)posix_fadvise(file, 0, 0, POSIX_FADV_WILLNEED);
  close(file);
}

void TakeProblems(const LiveFile& file, const FileCheck& check,
                  VerifyReport* report, Failures* failures) {
  for (const std::string& problem : check.problems) {
    failures->AddProblem(problem);
  }
  if (check.denied > 0) {
    failures->AddProblem(absl::StrCat(
        file.path, ": the filter denies ", WithThousands(check.denied),
        " of its own keys",
        check.denied > check.first_denied.size() ? ", the first of them:"
                                                 : ":"));
  }
  for (const DeniedKey& denied : check.first_denied) {
    failures->AddProblem(absl::StrCat(file.path, ": denied ",
                                      denied.is_prefix ? "prefix " : "key ",
                                      KeyText(denied.key)));
  }
  for (const std::string& note : check.notes) {
    report->notes.push_back(absl::StrCat(file.path, ": ", note));
  }
}

// Checks the files one after another and distributes the missing keys.
class Verifier {
 public:
  // Reads the rows of the files in `sampled`.
  Verifier(const FilterDumpConfig& config, const std::vector<LiveFile>& files,
           const std::vector<bool>& sampled)
      : config_(config), sampled_(sampled), failures_(config) {
    report_.database = config.db;
    report_.is_sample = std::count(sampled.begin(), sampled.end(), false) > 0;
    for (size_t i = 0; i < files.size(); ++i) {
      sizes_.push_back(sampled[i] ? SizeOf(files[i].path) : 0);
      total_ += sizes_.back();
    }
    progress_.Begin("verifying", total_);
  }

  absl::Status Check(const LiveFile& file);
  VerifyReport Finish();

 private:
  uint64_t MissingKeysUpTo(uint64_t bytes) const {
    return total_ == 0
               ? 0
               : static_cast<uint64_t>(static_cast<double>(config_.missing) *
                                       (static_cast<double>(bytes) /
                                        static_cast<double>(total_)));
  }

  // Shows the progress, and waits if it is ahead of the limit.
  void ReadSoFar(uint64_t bytes) {
    progress_.Update(bytes);
    SleepWhile(PauseAfter(bytes, std::chrono::steady_clock::now() - start_,
                          config_.bytes_per_second),
               [] { return !Interrupted(); });
  }

  const FilterDumpConfig& config_;
  const std::vector<bool>& sampled_;
  Failures failures_;
  Progress progress_;
  VerifyReport report_;
  std::vector<uint64_t> sizes_;
  uint64_t total_ = 0;  // bytes of all files whose rows are read
  uint64_t done_ = 0;   // bytes of those that are checked
  const std::chrono::steady_clock::time_point start_ =
      std::chrono::steady_clock::now();
};

absl::Status Verifier::Check(const LiveFile& file) {
  const size_t index = report_.files.size();
  const uint64_t size = sizes_[index];
  CheckOptions options;
  options.read_rows = sampled_[index];
  options.missing_keys = MissingKeysUpTo(done_ + size) - MissingKeysUpTo(done_);
  options.progress = [this, size](double share) {
    ReadSoFar(done_ + static_cast<uint64_t>(share * static_cast<double>(size)));
  };
  CheckedFile checked = {file, std::nullopt};
  absl::StatusOr<FileCheck> check = CheckFile(file.path, options);
  if (absl::IsCancelled(check.status())) return check.status();
  if (check.ok()) {
    TakeProblems(file, *check, &report_, &failures_);
    checked.check = *std::move(check);
  } else {
    failures_.Add(file, check.status());
  }
  report_.files.push_back(std::move(checked));
  done_ += size;
  ReadSoFar(done_);
  return CheckInterrupt();
}

VerifyReport Verifier::Finish() {
  for (const std::string& note : failures_.notes()) {
    report_.notes.push_back(note);
  }
  report_.problems = failures_.problems();
  report_.exit_code = failures_.exit_code();
  report_.seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start_)
          .count();
  return std::move(report_);
}

// Chooses the share --sample of the files, at least one, each with equal
// probability.
std::vector<bool> Sample(size_t files, double share) {
  std::vector<bool> sampled(files, false);
  const auto count =
      static_cast<size_t>(std::ceil(share * static_cast<double>(files) - 1e-9));
  std::fill_n(sampled.begin(), std::min(std::max<size_t>(count, 1), files),
              true);
  std::shuffle(sampled.begin(), sampled.end(),
               std::mt19937_64(std::random_device()()));
  return sampled;
}

std::string IntervalText(const MissingKeys& missing) {
  const Interval interval = missing.interval();
  return absl::StrCat(RateText(interval.low, true), " to ",
                      RateText(interval.high, true));
}

std::vector<std::string> RowOf(const CheckedFile& file) {
  const std::string name = FileLabel(file.file);
  if (!file.check.has_value()) {
    return {name, "-", "-", "-", "-", "-", "-", "can't be read"};
  }
  const FileCheck& check = *file.check;
  std::vector<std::string> row = {name, "-", "-", "-"};
  if (check.rows_were_read) {
    row = {name, ShortCount(check.entries), ShortCount(check.prefixes_probed),
           WithThousands(check.denied)};
  }
  const std::optional<MissingKeys> missing = MissingKeysOf(check);
  if (missing.has_value()) {
    row.insert(row.end(),
               {RateText(missing->rate(), true), IntervalText(*missing),
                RateText(missing->expected, missing->exact)});
  } else {
    row.insert(row.end(), {"-", "-", "-"});
  }
  row.push_back(absl::StrCat(
      !check.sound() ? "DAMAGED" : "sound",
      check.facts.has_filter() ? "" : ", no filter",
      check.rows_were_read || !check.sound() ? "" : ", rows not read"));
  return row;
}

std::string MissingInWords(const MissingKeys& missing) {
  return absl::StrCat(
      WithThousands(missing.passed), " of ", WithThousands(missing.probed),
      " missing keys passed: ", RateText(missing.rate(), true),
      " %, 95 % interval ", IntervalText(missing),
      " %. Expected: ", RateText(missing.expected, missing.exact), " %, ",
      missing.is_inside()
          ? "inside that interval."
          : "outside that interval. Chance alone does that once in 20 times; a "
            "run with ten times the --missing keys tells.");
}

// Extrapolates from the files whose rows were read to all files.
std::string SampleInWords(const VerifyReport& report) {
  const uint64_t read = report.files_with_rows_read();
  const uint64_t denying = report.files_with_denied_rows();
  const Interval interval = WilsonInterval(denying, read);
  if (denying == 0) {
    return absl::StrFormat(
        "Sample: the rows of %s of %s files were read, chosen at random, and "
        "no filter denied one. That bounds the share of files whose filter "
        "does by %s %%, with 95 %% confidence; a larger --sample bounds it "
        "more closely.",
        WithThousands(read), WithThousands(report.files.size()),
        ThreeDigits(100 * interval.high));
  }
  return absl::StrFormat(
      "Sample: the rows of %s of %s files were read, chosen at random; the "
      "filters of %s denied rows. 95 %% interval over all files: %s to %s %%.",
      WithThousands(read), WithThousands(report.files.size()),
      WithThousands(denying), ThreeDigits(100 * interval.low),
      ThreeDigits(100 * interval.high));
}

uint64_t CheckedFiles(const VerifyReport& report) {
  return std::count_if(
      report.files.begin(), report.files.end(),
      [](const CheckedFile& file) { return file.check.has_value(); });
}

std::string ResultInWords(const VerifyReport& report) {
  const uint64_t files = report.files_with_rows_read();
  const double bytes = static_cast<double>(report.Sum(&FileCheck::bytes_read));
  return absl::StrFormat(
      "%s of %s entries: %s keys and %s prefixes probed, %s denied; %s MB in "
      "%.1f s, %s MB/s.",
      files == 1 ? "1 file" : absl::StrCat(WithThousands(files), " files"),
      WithThousands(report.Sum(&FileCheck::entries)),
      WithThousands(report.Sum(&FileCheck::keys_probed)),
      WithThousands(report.Sum(&FileCheck::prefixes_probed)),
      WithThousands(report.Sum(&FileCheck::denied)), ThreeDigits(bytes / 1e6),
      report.seconds, ThreeDigits(bytes / 1e6 / report.seconds));
}

using Json = nlohmann::ordered_json;

Json MissingAsJson(const std::optional<MissingKeys>& missing) {
  if (!missing.has_value()) return nullptr;
  const Interval interval = missing->interval();
  return {{"probed", missing->probed},
          {"passed", missing->passed},
          {"false_positive_rate", missing->rate()},
          {"false_positive_rate_low", interval.low},
          {"false_positive_rate_high", interval.high},
          {"expected_false_positive_rate", missing->expected},
          {"expected_is_exact", missing->exact},
          {"expected_is_inside", missing->is_inside()}};
}

Json CheckAsJson(const FileCheck& check) {
  Json json = FactsAsJson(check.facts);
  json.update({{"rows_were_read", check.rows_were_read},
               {"bytes_read", check.bytes_read},
               {"entries", check.entries},
               {"keys_probed", check.keys_probed},
               {"prefixes_probed", check.prefixes_probed},
               {"denied", check.denied},
               {"first_denied", Json::array()},
               {"missing_keys", MissingAsJson(MissingKeysOf(check))},
               {"sound", check.sound()}});
  for (const DeniedKey& denied : check.first_denied) {
    json["first_denied"].push_back(
        {{"key_hex", absl::BytesToHexString(denied.key)},
         {"key", absl::CHexEscape(denied.key)},
         {"is_prefix", denied.is_prefix}});
  }
  return json;
}

}  // namespace

std::optional<MissingKeys> MissingKeysOf(const FileCheck& check) {
  if (check.missing_probed == 0) return std::nullopt;
  return MissingKeys{check.missing_probed, check.missing_passed,
                     check.facts.rate, check.facts.rate_is_exact};
}

uint64_t VerifyReport::Sum(uint64_t FileCheck::*number) const {
  uint64_t sum = 0;
  for (const CheckedFile& file : files) {
    if (file.check.has_value()) sum += (*file.check).*number;
  }
  return sum;
}

uint64_t VerifyReport::files_with_rows_read() const {
  return std::count_if(files.begin(), files.end(), [](const CheckedFile& file) {
    return file.check.has_value() && file.check->rows_were_read;
  });
}

uint64_t VerifyReport::files_with_denied_rows() const {
  return std::count_if(files.begin(), files.end(), [](const CheckedFile& file) {
    return file.check.has_value() && file.check->denied > 0;
  });
}

std::optional<MissingKeys> VerifyReport::missing_keys() const {
  MissingKeys all;
  double expected = 0;
  for (const CheckedFile& file : files) {
    if (!file.check.has_value()) continue;
    const std::optional<MissingKeys> one = MissingKeysOf(*file.check);
    if (!one.has_value()) continue;
    all.probed += one->probed;
    all.passed += one->passed;
    expected += one->expected * static_cast<double>(one->probed);
    all.exact &= one->exact;
  }
  if (all.probed == 0) return std::nullopt;
  all.expected = expected / static_cast<double>(all.probed);
  return all;
}

absl::StatusOr<VerifyReport> Verify(const FilterDumpConfig& config) {
  const absl::StatusOr<std::vector<LiveFile>> files = ListInputs(config);
  if (!files.ok()) return files.status();
  const std::vector<bool> sampled = Sample(files->size(), config.sample);
  Verifier verifier(config, *files, sampled);
  for (size_t i = 0; i < files->size(); ++i) {
    // With a limit, don't make the disk read ahead.
    if (i + 1 < files->size() && sampled[i + 1] &&
        config.bytes_per_second == 0) {
      ReadAhead((*files)[i + 1].path);
    }
    const absl::Status status = verifier.Check((*files)[i]);
    if (!status.ok()) return status;
  }
  return verifier.Finish();
}

std::string VerifyAsText(const VerifyReport& report) {
  if (report.files.empty()) return "The database has no SSTables.\n";
  // stderr has said everything.
  if (CheckedFiles(report) == 0) return "";
  TablePrinter table({"File", "entries", "prefixes", "denied", "passed %",
                      "95 % interval", "expected %", "blocks and filter"});
  for (const CheckedFile& file : report.files) table.AddRow(RowOf(file));
  std::string text = absl::StrCat(table.Text(), "\n");
  for (const std::string& note : report.notes) {
    absl::StrAppend(&text, BulletText(note));
  }
  const std::optional<MissingKeys> missing = report.missing_keys();
  if (missing.has_value()) {
    absl::StrAppend(&text, WrapText(MissingInWords(*missing), kTextWidth, 0),
                    "\n");
  }
  if (report.is_sample) {
    absl::StrAppend(&text, WrapText(SampleInWords(report), kTextWidth, 0),
                    "\n");
  }
  absl::StrAppend(&text, WrapText(ResultInWords(report), kTextWidth, 0), "\n");
  return text;
}

Json VerifyAsJson(const VerifyReport& report) {
  Json json = {{"command", "verify"},
               {"database", report.database.empty() ? Json(nullptr)
                                                    : Json(report.database)},
               {"files", Json::array()},
               {"sampled_files", report.files_with_rows_read()},
               {"missing_keys", MissingAsJson(report.missing_keys())},
               {"seconds", report.seconds}};
  for (const CheckedFile& checked : report.files) {
    Json file = FileAsJson(checked.file);
    if (checked.check.has_value()) file.update(CheckAsJson(*checked.check));
    json["files"].push_back(file);
  }
  json["notes"] = report.notes;
  json["problems"] = report.problems;
  return json;
}

}  // namespace linebloom::tools
