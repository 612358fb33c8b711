#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "tools/filter_dump/text.h"
#include "tools/filter_dump/verify/verify_report.h"
#include "tools/shared/table_printer.h"

namespace linebloom::tools {
namespace {

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

}  // namespace

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

}  // namespace linebloom::tools
