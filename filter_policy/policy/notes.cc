#include "filter_policy/policy/notes.h"

#include <fstream>

#include "filter_policy/policy/number_text.h"
#include "filter_policy/policy/policy_options.h"
#include "filter_policy/policy/printable.h"

namespace linebloom {
namespace {

using rocksdb::Status;

// Tools read the cache's size from it.
std::string Megabytes(double bytes) {
  return FixedText(bytes / 1e6, bytes < 10e6 ? 3 : 1) + " MB";
}

std::string HitsText(const AutoBits& chosen) {
  const HitRange& hits = chosen.hits;
  if (hits.least <= 0 && hits.most >= 1) {
    return "how many of the lookups hit isn't known";
  }
  const std::string least = FixedText(100 * hits.least, 1);
  const std::string most = FixedText(100 * hits.most, 1);
  return least + " % of the lookups hit" +
         (least == most ? "" : ", or up to " + most + " %") +
         (chosen.is_sampled ? ", by a sample of the filters' answers" : "");
}

}  // namespace

Status NoEntropy() {
  return Status::InvalidArgument(
      "linebloom: hash_seed=random: the operating system gives no random "
      "numbers; set a number of your own");
}

std::string BuiltInstead(const Status& problem, const std::string& instead) {
  return problem.ToString() +
         ". Until this is changed, filters are built with " + instead +
         "; the database will not open again as it is.";
}

std::string NoListener(const FilterPolicyOptions& options) {
  const bool is_auto = IsAuto(options);
  return "linebloom: " +
         (is_auto ? "bits_per_key=auto"
                  : IdOf(options) + ": level_aware=true") +
         ": there is no listener linebloom_level_sizes among "
         "DBOptions::listeners, or another copy of the library made it: every "
         "filter gets " +
         BitsPerKeyText(BitsPerKeyOf(options)) +
         " bits per key, whatever its level" +
         (is_auto ? " and the block cache" : "") +
         ". Add it by linebloom::Use() of linebloom/filter_policy.h, from C "
         "linebloom_use(), or listeners=linebloom_level_sizes in an option "
         "string.";
}

std::string BesideCache() {
  return "linebloom: bits_per_key=auto: filters are outside the block cache "
         "and get " +
         BitsPerKeyText(kDefaultBitsPerKey) +
         " bits per key on average. To let linebloom choose, set "
         "BlockBasedTableOptions::cache_index_and_filter_blocks=true and a "
         "block_cache.";
}

std::string MayDenyRows(std::string_view comparator) {
  return "linebloom: the comparator '" + std::string(comparator) +
         "' may call keys of different bytes equal, but filters tell them "
         "apart: a lookup may not find a row that was written with other "
         "bytes. Set FilterPolicyOptions::canonical_key or, if equal "
         "keys always have equal bytes, let the comparator's "
         "CanKeysWithDifferentByteContentsBeEqual() return false.";
}

std::string ProcessName() {
  std::string name;
  std::ifstream file("/proc/self/comm");
  std::getline(file, name);
  return Printable(name);
}

std::string ChosenBits(const AutoBits& chosen, const std::string& process) {
  const auto reads = [](const ReadRange& range) {
    const std::string least = FixedText(1000 * range.least_hits, 2);
    const std::string most = FixedText(1000 * range.most_hits, 2);
    return least + (least == most ? "" : " to " + most);
  };
  return "linebloom: bits_per_key=auto: new files get " +
         FixedText(chosen.average_bits, 1) + " bits per key on average" +
         ". The block cache has " + Megabytes(chosen.cache_bytes) +
         (chosen.others_bytes >= 0.01 * chosen.cache_bytes
              ? ", of which others use " + Megabytes(chosen.others_bytes)
              : "") +
         ", indexes take " + Megabytes(chosen.index_bytes) + ", and " +
         HitsText(chosen) +
         ". Expected block reads per 1,000 lookups, once all files have "
         "them: " +
         reads(chosen.reads) + "." +
         (process.empty() ? "" : " Chosen by " + process + ".");
}

}  // namespace linebloom
