#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <random>
#include <string>
#include <system_error>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "filter_policy/rebuild/pace.h"
#include "nlohmann/json.hpp"
#include "table/status.h"
#include "tools/filter_dump/inputs.h"
#include "tools/filter_dump/verify.h"
#include "tools/shared/numbers.h"
#include "tools/shared/run_tool.h"
#include "tools/shared/terminal_text.h"

namespace linebloom::tools {
namespace {

using Json = nlohmann::ordered_json;

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

// Compares the missing keys that passed with the rate at which they should;
// null if none were probed.
Json MissingAsJson(uint64_t probed, uint64_t passed, double expected,
                   bool exact) {
  if (probed == 0) return nullptr;
  const Interval interval = WilsonInterval(passed, probed);
  return {{"probed", probed},
          {"passed", passed},
          {"false_positive_rate",
           static_cast<double>(passed) / static_cast<double>(probed)},
          {"false_positive_rate_low", interval.low},
          {"false_positive_rate_high", interval.high},
          {"expected_false_positive_rate", expected},
          {"expected_is_exact", exact},
          {"expected_is_inside",
           interval.low <= expected && expected <= interval.high}};
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
               {"missing_keys",
                MissingAsJson(check.missing_probed, check.missing_passed,
                              check.facts.rate, check.facts.rate_is_exact)},
               {"sound", check.sound()}});
  for (const DeniedKey& denied : check.first_denied) {
    json["first_denied"].push_back(
        {{"key_hex", absl::BytesToHexString(denied.key)},
         {"key", absl::CHexEscape(denied.key)},
         {"is_prefix", denied.is_prefix}});
  }
  return json;
}

// The missing keys of all files together. The expected rate is the mean of the
// files', weighted by the keys that each was probed for.
Json AllMissing(const Json& files) {
  uint64_t probed = 0;
  uint64_t passed = 0;
  double expected = 0;
  bool exact = true;
  for (const Json& file : files) {
    const Json missing = file.value("missing_keys", Json());
    if (missing.is_null()) continue;
    const auto of_file = missing["probed"].get<uint64_t>();
    probed += of_file;
    passed += missing["passed"].get<uint64_t>();
    expected += missing["expected_false_positive_rate"].get<double>() *
                static_cast<double>(of_file);
    exact &= missing["expected_is_exact"].get<bool>();
  }
  return MissingAsJson(probed, passed, expected / static_cast<double>(probed),
                       exact);
}

std::string IntervalText(const Json& missing) {
  return absl::StrCat(RateText(missing["false_positive_rate_low"], true),
                      " to ",
                      RateText(missing["false_positive_rate_high"], true));
}

std::string ExpectedText(const Json& missing) {
  return RateText(missing["expected_false_positive_rate"],
                  missing["expected_is_exact"]);
}

// The file with the cells that are put together of several values.
Json VerifiedRow(const Json& file) {
  Json row = {{"label", FileLabel(file)}, {"state", "can't be read"}};
  if (!file.contains("sound")) return row;
  const bool rows_were_read = file["rows_were_read"];
  if (rows_were_read) {
    row.update({{"entries", file["entries"]},
                {"prefixes_probed", file["prefixes_probed"]},
                {"denied", file["denied"]}});
  }
  const Json& missing = file["missing_keys"];
  if (!missing.is_null()) {
    row.update({{"passed", RateText(missing["false_positive_rate"], true)},
                {"interval", IntervalText(missing)},
                {"expected", ExpectedText(missing)}});
  }
  const bool sound = file["sound"];
  row["state"] =
      absl::StrCat(sound ? "sound" : "DAMAGED",
                   file["filter"].is_null() ? ", no filter" : "",
                   rows_were_read || !sound ? "" : ", rows not read");
  return row;
}

std::string MissingInWords(const Json& missing) {
  return absl::StrCat(
      Fill("{/passed:,} of {/probed:,} missing keys passed: ", missing),
      RateText(missing["false_positive_rate"], true), " %, 95 % interval ",
      IntervalText(missing), " %. Expected: ", ExpectedText(missing), " %, ",
      missing["expected_is_inside"] == true
          ? "inside that interval."
          : "outside that interval. Chance alone does that once in 20 times; a "
            "run with ten times the --missing keys tells.");
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

std::string ResultInWords(const Json& report) {
  const double megabytes = report["sums"]["bytes_read"].get<double>() / 1e6;
  return absl::StrCat(
      Fill(report["sampled_files"] == 1 ? "1 file" : "{/sampled_files:,} files",
           report),
      Fill(" of {/entries:,} entries: {/keys_probed:,} keys and "
           "{/prefixes_probed:,} prefixes probed, {/denied:,} denied; ",
           report["sums"]),
      ThreeDigits(megabytes), " MB in ", Fill("{/seconds:.1f} s, ", report),
      ThreeDigits(megabytes / report["seconds"].get<double>()), " MB/s.");
}

// The JSON of RunVerify() for people.
std::string VerifyAsText(const Json& report) {
  const Json& files = report["files"];
  if (files.empty()) return "The database has no SSTables.\n";
  Json rows = Json::array();
  for (const Json& file : files) rows.push_back(VerifiedRow(file));
  if (std::ranges::none_of(
          files, [](const Json& file) { return file.contains("sound"); })) {
    return "";  // stderr has said everything
  }
  std::string text =
      absl::StrCat(TextTable({{"File", "{/label}"},
                              {"entries", "{/entries:k}"},
                              {"prefixes", "{/prefixes_probed:k}"},
                              {"denied", "{/denied:,}"},
                              {"passed %", "{/passed}"},
                              {"95 % interval", "{/interval}"},
                              {"expected %", "{/expected}"},
                              {"blocks and filter", "{/state}"}},
                             rows),
                   "\n");
  absl::StrAppend(&text, BulletsText(report["notes"]));
  std::vector<std::string> words;
  if (!report["missing_keys"].is_null()) {
    words.push_back(MissingInWords(report["missing_keys"]));
  }
  if (report["is_sample"] == true) words.push_back(SampleInWords(report));
  words.push_back(ResultInWords(report));
  for (const std::string& sentence : words) {
    absl::StrAppend(&text, WrapText(sentence, kTextWidth, 0), "\n");
  }
  return text;
}

// Checks the files one after another and distributes the missing keys.
class Verifier {
 public:
  // Reads the rows of the files in `sampled`.
  Verifier(const FilterDumpConfig& config, const std::vector<LiveFile>& files,
           const std::vector<bool>& sampled)
      : config_(config), sampled_(sampled), failures_(config) {
    for (size_t i = 0; i < files.size(); ++i) {
      sizes_.push_back(sampled[i] ? SizeOf(files[i].path) : 0);
      total_ += sizes_.back();
    }
    progress_.Begin("verifying", total_);
  }

  absl::Status Check(const LiveFile& file) {
    const size_t index = files_.size();
    const uint64_t size = sizes_[index];
    CheckOptions options;
    options.read_rows = sampled_[index];
    options.missing_keys =
        MissingKeysUpTo(done_ + size) - MissingKeysUpTo(done_);
    options.progress = [this, size](double share) {
      ReadSoFar(done_ +
                static_cast<uint64_t>(share * static_cast<double>(size)));
    };
    Json json = FileAsJson(file);
    const absl::StatusOr<FileCheck> check = CheckFile(file.path, options);
    if (absl::IsCancelled(check.status())) return check.status();
    if (check.ok()) {
      TakeProblems(file.path, *check);
      json.update(CheckAsJson(*check));
    } else {
      failures_.Add(file, check.status());
    }
    files_.push_back(json);
    done_ += size;
    ReadSoFar(done_);
    return CheckInterrupt();
  }

  Outcome Finish() {
    uint64_t files_read = 0;
    uint64_t files_denying = 0;
    Json sums = {{"entries", 0},
                 {"keys_probed", 0},
                 {"prefixes_probed", 0},
                 {"denied", 0},
                 {"bytes_read", 0}};
    for (const Json& file : files_) {
      if (!file.contains("sound")) continue;
      files_read += file["rows_were_read"] == true ? 1 : 0;
      files_denying += file["denied"] > 0 ? 1 : 0;
      for (const auto& [name, sum] : sums.items()) {
        sum = sum.get<uint64_t>() + file[name].get<uint64_t>();
      }
    }
    const std::chrono::duration<double> took =
        std::chrono::steady_clock::now() - start_;
    notes_.insert(notes_.end(), failures_.notes().begin(),
                  failures_.notes().end());
    Json json = {{"command", "verify"},
                 {"database", config_.db.empty() ? Json() : Json(config_.db)},
                 {"files", files_},
                 {"is_sample", std::ranges::count(sampled_, false) > 0},
                 {"sampled_files", files_read},
                 {"files_with_denied_rows", files_denying},
                 {"sums", sums},
                 {"missing_keys", AllMissing(files_)},
                 {"seconds", took.count()},
                 {"notes", notes_},
                 {"problems", failures_.problems()}};
    return {VerifyAsText(json), json, failures_.problems(),
            failures_.exit_code()};
  }

 private:
  void TakeProblems(const std::string& path, const FileCheck& check) {
    for (const std::string& problem : check.problems) {
      failures_.AddProblem(problem);
    }
    if (check.denied > 0) {
      failures_.AddProblem(absl::StrCat(
          path, ": the filter denies ", WithThousands(check.denied),
          " of its own keys",
          check.denied > check.first_denied.size() ? ", the first of them:"
                                                   : ":"));
    }
    for (const DeniedKey& denied : check.first_denied) {
      failures_.AddProblem(absl::StrCat(path, ": denied ",
                                        denied.is_prefix ? "prefix " : "key ",
                                        KeyText(denied.key)));
    }
    for (const std::string& note : check.notes) {
      notes_.push_back(absl::StrCat(path, ": ", note));
    }
  }

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
  Json files_ = Json::array();
  std::vector<std::string> notes_;
  std::vector<uint64_t> sizes_;
  uint64_t total_ = 0;  // bytes of all files whose rows are read
  uint64_t done_ = 0;   // bytes of those that are checked
  const std::chrono::steady_clock::time_point start_ =
      std::chrono::steady_clock::now();
};

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

}  // namespace

absl::StatusOr<Outcome> RunVerify(const FilterDumpConfig& config) {
  ASSIGN_OR_RETURN(const std::vector<LiveFile> files, ListInputs(config));
  const std::vector<bool> sampled = Sample(files.size(), config.sample);
  Verifier verifier(config, files, sampled);
  for (size_t i = 0; i < files.size(); ++i) {
    // With a limit, don't make the disk read ahead.
    if (i + 1 < files.size() && sampled[i + 1] &&
        config.bytes_per_second == 0) {
      ReadAhead(files[i + 1].path);
    }
    RETURN_IF_ERROR(verifier.Check(files[i]));
  }
  return verifier.Finish();
}

}  // namespace linebloom::tools
