#include "tools/filter_dump/verify/verify.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "filter_policy/line/little_endian.h"
#include "linebloom/filter_policy.h"
#include "rocksdb/comparator.h"
#include "rocksdb/convenience.h"
#include "rocksdb/slice_transform.h"
#include "tools/filter_dump/verify/entries.h"
#include "tools/filter_dump/verify/filter_prober.h"
#include "tools/shared/interrupt.h"
#include "tools/shared/numbers.h"

namespace linebloom::tools {
namespace {

constexpr size_t kMostDeniedKept = 10;

// Null if this program doesn't know the name.
const rocksdb::Comparator* ComparatorByName(const std::string& name) {
  const rocksdb::Comparator* comparator = nullptr;
  rocksdb::ConfigOptions config;
  if (!rocksdb::Comparator::CreateFromString(config, name, &comparator).ok()) {
    return nullptr;
  }
  return comparator;
}

std::shared_ptr<const rocksdb::SliceTransform> ExtractorByName(
    const std::string& name) {
  std::shared_ptr<const rocksdb::SliceTransform> extractor;
  rocksdb::ConfigOptions config;
  if (!rocksdb::SliceTransform::CreateFromString(config, name, &extractor)
           .ok()) {
    return nullptr;
  }
  return extractor;
}

// Checks the keys and prefixes of one file against its filter.
class RowCheck {
 public:
  RowCheck(const FilterFile& file, size_t timestamp_size,
           const CheckOptions& options, FileCheck* check)
      : properties_(file.properties),
        timestamp_size_(timestamp_size),
        options_(options),
        check_(check) {}

  // Finds out what the filter can be probed for, and notes what it can't.
  // Returns errors from reading the filter.
  absl::Status Prepare(const FilterFile& file);

  absl::Status OnEntry(absl::string_view key);

 private:
  void PrepareExtractor();
  void CheckKey(absl::string_view key);
  void CheckPrefix(absl::string_view key);
  void Deny(absl::string_view key, bool is_prefix);
  void ProbeMissing(absl::string_view key);

  const Properties& properties_;
  const size_t timestamp_size_;
  const CheckOptions& options_;
  FileCheck* check_;
  const std::unique_ptr<const rocksdb::FilterPolicy> policy_{
      NewFilterPolicy(10)};
  std::shared_ptr<const rocksdb::SliceTransform> extractor_;
  std::optional<FilterProber> prober_;
  std::string missing_key_;
};

void RowCheck::PrepareExtractor() {
  const std::string& name = properties_.prefix_extractor_name;
  if (name.empty() || !properties_.prefix_filtering) return;
  extractor_ = ExtractorByName(name);
  if (extractor_ != nullptr) return;
  check_->notes.push_back(absl::StrCat(
      "prefixes were not checked: this program lacks the extractor '", name,
      "'"));
}

absl::Status RowCheck::Prepare(const FilterFile& file) {
  if (!check_->facts.has_filter()) return absl::OkStatus();
  if (!check_->facts.is_used()) {
    check_->notes.push_back(absl::StrCat(
        "the filter was not checked: it is ", ToString(file.location.kind),
        " and of the family '", file.location.family,
        "', which RocksDB's own policies "
        "don't read"));
    return absl::OkStatus();
  }
  if (check_->facts.first.info.canonical_key != 0) {
    check_->notes.push_back(
        "the filter was not checked against the rows: it hashes them through a "
        "canonical key, a function that this program lacks");
    return absl::OkStatus();
  }
  const rocksdb::Comparator* comparator =
      ComparatorByName(properties_.comparator_name);
  if (comparator == nullptr) {
    const std::string lacks =
        absl::StrCat("this program lacks the comparator '",
                     properties_.comparator_name, "'");
    if (file.location.kind == FilterKind::kPartitioned) {
      check_->notes.push_back(
          absl::StrCat("the filter was not checked: ", lacks,
                       ", by which its partitions are found"));
      return absl::OkStatus();
    }
    check_->notes.push_back(
        absl::StrCat(lacks, "; keys were taken to have no timestamps"));
  }
  PrepareExtractor();
  absl::StatusOr<FilterProber> prober =
      FilterProber::Make(file, *policy_, comparator, timestamp_size_);
  if (!prober.ok()) return prober.status();
  prober_.emplace(*std::move(prober));
  return absl::OkStatus();
}

void RowCheck::Deny(absl::string_view key, bool is_prefix) {
  ++check_->denied;
  if (check_->first_denied.size() < kMostDeniedKept) {
    check_->first_denied.push_back({std::string(key), is_prefix});
  }
}

void RowCheck::CheckKey(absl::string_view key) {
  ++check_->keys_probed;
  if (!prober_->MayMatch(key, key)) Deny(key, /*is_prefix=*/false);
}

void RowCheck::CheckPrefix(absl::string_view key) {
  const rocksdb::Slice slice(key.data(), key.size());
  if (!extractor_->InDomain(slice)) return;
  const rocksdb::Slice prefix = extractor_->Transform(slice);
  ++check_->prefixes_probed;
  if (!prober_->MayMatch({prefix.data(), prefix.size()}, key)) {
    Deny({prefix.data(), prefix.size()}, /*is_prefix=*/true);
  }
}

// A key of the file followed by 8 random bytes is in no file, except with a
// chance of 2^-64. It is in the file's range, so it is probed in the same
// partition.
void RowCheck::ProbeMissing(absl::string_view key) {
  missing_key_.assign(key.data(), key.size());
  missing_key_.resize(key.size() + sizeof(uint64_t));
  StoreLittleEndian(missing_key_.data() + key.size(),
                    Mix(check_->missing_probed));
  ++check_->missing_probed;
  if (prober_->MayMatch(missing_key_, missing_key_)) ++check_->missing_passed;
}

absl::Status RowCheck::OnEntry(absl::string_view key) {
  const uint64_t entry = check_->entries++;
  const double share_done = static_cast<double>(check_->entries) /
                            static_cast<double>(check_->facts.rows());
  if (entry % 256 == 0) {
    if (options_.progress) options_.progress(std::min(1.0, share_done));
    if (Interrupted()) return CheckInterrupt();
  }
  if (!prober_.has_value()) return absl::OkStatus();
  key.remove_suffix(std::min(timestamp_size_, key.size()));
  if (properties_.whole_key_filtering) CheckKey(key);
  if (extractor_ != nullptr) CheckPrefix(key);
  // Spreads the missing keys evenly among the rows.
  const double due =
      static_cast<double>(options_.missing_keys) * std::min(1.0, share_done);
  while (static_cast<double>(check_->missing_probed) < due) ProbeMissing(key);
  return absl::OkStatus();
}

// Damage becomes a problem of the file; other errors are returned.
absl::Status TakeDamage(const absl::Status& status, FileCheck* check) {
  if (!absl::IsDataLoss(status)) return status;
  check->problems.emplace_back(status.message());
  return absl::OkStatus();
}

absl::Status CheckEntries(const FilterFile& file, const CheckOptions& options,
                          FileCheck* check) {
  EntryReader reader(file.file.name());
  absl::Status status = reader.Open();
  if (!status.ok()) return status;
  RowCheck rows(file, reader.timestamp_size(), options, check);
  status = rows.Prepare(file);
  if (!status.ok()) return status;
  status = reader.ForEach(
      [&rows](absl::string_view key) { return rows.OnEntry(key); });
  if (status.ok() && check->entries != check->facts.rows()) {
    check->problems.push_back(absl::StrCat(
        file.file.name(), ": expected ", check->facts.rows(),
        " entries, as the properties say, found ", check->entries));
  }
  return status;
}

}  // namespace

absl::StatusOr<FileCheck> CheckFile(const std::string& path,
                                    const CheckOptions& options) {
  FileCheck check;
  const absl::StatusOr<FilterFile> file = OpenFilterFile(path);
  if (!file.ok()) {
    const absl::Status status = TakeDamage(file.status(), &check);
    if (!status.ok()) return status;
    return check;
  }
  absl::StatusOr<FileFacts> facts = ReadFileFacts(*file);
  absl::Status status = TakeDamage(facts.status(), &check);
  if (!status.ok()) return status;
  if (facts.ok()) {
    check.facts = *std::move(facts);
    for (const std::string& problem : check.facts.problems) {
      check.problems.push_back(absl::StrCat(path, ": ", problem));
    }
    check.bytes_read = check.facts.bytes;
    if (options.read_rows) {
      check.rows_were_read = true;
      check.bytes_read = file->file.size();
      status = TakeDamage(CheckEntries(*file, options, &check), &check);
    }
  }
  if (!status.ok()) return status;
  return check;
}

}  // namespace linebloom::tools
