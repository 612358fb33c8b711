#include "tools/filter_dump/check_options/check_options.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "linebloom/filter_policy.h"
#include "nlohmann/json.hpp"
#include "tools/filter_dump/check_options/options_file.h"
#include "tools/filter_dump/text.h"
#include "tools/shared/policies.h"
#include "tools/shared/table_printer.h"

namespace linebloom::tools {
namespace {

CheckedFamily Check(const FamilyInFile& family,
                    const rocksdb::DBOptions& database) {
  CheckedFamily checked;
  checked.column_family = family.column_family;
  checked.named = family.named;
  const PolicyString read = ReadPolicyString(family.named, database);
  checked.problem = read.problem;
  if (family.loaded != nullptr) {
    const std::string block = BuildFilterBlock(*family.loaded, kKeysOfCheck);
    if (!block.empty()) checked.filter = ReadBlockFacts(block, kKeysOfCheck);
  }
  if (!checked.problem.empty() || checked.filter.has_value() ||
      read.policy == nullptr) {
    return checked;
  }
  checked.problem = absl::StrCat(
      "'", family.named, "' ",
      family.loaded == nullptr
          ? "is not used: RocksDB loads no filter policy for this column family"
          : "builds no filters");
  return checked;
}

double BitsPerKey(const BlockFacts& filter) {
  return 8.0 * static_cast<double>(filter.bytes) / kKeysOfCheck;
}

std::string NameOf(const BlockFacts& filter) {
  return filter.kind == BlockKind::kLinebloom
             ? absl::StrCat("linebloom ", LineName(filter.info.line_kind))
             : std::string(ToString(filter.kind));
}

std::string Yields(const CheckedFamily& family) {
  if (!family.filter.has_value()) return "no filter";
  return absl::StrFormat("%s, %.2f bits per key, FPR %.4f %%",
                         NameOf(*family.filter), BitsPerKey(*family.filter),
                         100 * family.filter->rate);
}

}  // namespace

absl::StatusOr<CheckedOptions> CheckOptionsFile(const std::string& path) {
  RegisterFilterPolicy();
  const absl::StatusOr<OptionsFile> file = ReadOptionsFile(path);
  if (!file.ok()) return file.status();
  CheckedOptions checked;
  checked.path = path;
  for (const FamilyInFile& family : file->families) {
    checked.families.push_back(Check(family, file->database));
    const CheckedFamily& last = checked.families.back();
    if (last.problem.empty()) continue;
    checked.problems.push_back(absl::StrCat(
        path, ": column family ", last.column_family, ": ", last.problem));
  }
  return checked;
}

std::string CheckAsText(const CheckedOptions& checked) {
  std::string text;
  for (const CheckedFamily& family : checked.families) {
    const std::string named =
        family.named.empty() ? "no filter_policy"
                             : absl::StrCat("filter_policy=", family.named);
    absl::StrAppend(&text,
                    WrapText(absl::StrCat("Column family ",
                                          family.column_family, ": ", named),
                             kTextWidth, 2),
                    "\n  yields ", Yields(family), "\n");
  }
  const size_t wrong = checked.problems.size();
  absl::StrAppend(
      &text, "\n",
      wrong == 0 ? "All policies are as named."
                 : absl::StrCat(wrong, " of ", checked.families.size(),
                                " are not as named; stderr says why."),
      "\n",
      BulletText(absl::StrCat("Bits per key and FPR, the false-positive rate, "
                              "are those of a file of ",
                              WithThousands(kKeysOfCheck),
                              " keys outside a database, so of no level.")));
  return text;
}

nlohmann::ordered_json CheckAsJson(const CheckedOptions& checked) {
  nlohmann::ordered_json json = {
      {"options_file", checked.path},
      {"column_families", nlohmann::ordered_json::array()},
      {"problems", checked.problems}};
  for (const CheckedFamily& family : checked.families) {
    nlohmann::ordered_json one = {{"name", family.column_family},
                                  {"filter_policy", family.named},
                                  {"filter", nullptr}};
    if (family.filter.has_value()) {
      one["filter"] = NameOf(*family.filter);
      one["bits_per_key"] = BitsPerKey(*family.filter);
      one["false_positive_rate"] = family.filter->rate;
    }
    json["column_families"].push_back(std::move(one));
  }
  return json;
}

}  // namespace linebloom::tools
