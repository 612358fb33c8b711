#include "tools/database/info_log.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "rocksdb/env.h"
#include "table/status.h"
#include "tools/report/run_tool.h"

namespace linebloom::tools {
namespace {

// RocksDB begins a new log whenever one is full, without column families, which
// are in an older one then. Options are at its begin.
constexpr size_t kMaxLogs = 10;
constexpr uint64_t kOptionsBytes = 1 << 20;

using Counts = std::map<std::string, uint64_t>;

std::optional<double> HitRatio(Counts counts) {
  const uint64_t found = counts["rocksdb.l0.hit"] + counts["rocksdb.l1.hit"] +
                         counts["rocksdb.l2andup.hit"];
  const uint64_t read = counts["rocksdb.number.keys.read"] +
                        counts["rocksdb.number.multiget.keys.read"];
  const uint64_t in_memory = counts["rocksdb.memtable.hit"];
  if (read <= in_memory || found > read - in_memory) return std::nullopt;
  return 1.0 * found / (read - in_memory);
}

// The number after `words` in a sentence.
std::optional<double> NumberAfter(absl::string_view words,
                                  absl::string_view text) {
  const size_t at = text.find(words);
  if (at == absl::string_view::npos) return std::nullopt;
  text.remove_prefix(at + words.size());
  text = absl::StripSuffix(text.substr(0, text.find_first_of(" ,")), ".");
  double number = 0;
  if (!absl::SimpleAtod(text, &number)) return std::nullopt;
  return number;
}

// The same by the policy's sentence, which may count without statistics.
std::optional<double> HitRatioOfChoice(absl::string_view chosen_bits) {
  if (!absl::StrContains(chosen_bits, " % of the lookups hit")) {
    return std::nullopt;
  }
  const std::optional<double> percent = NumberAfter(", and ", chosen_bits);
  if (!percent || !(*percent >= 0 && *percent <= 100)) return std::nullopt;
  return *percent / 100;
}

// The lines of one log.
class LogReader {
 public:
  void Read(absl::string_view line) {
    if (absl::EndsWith(line, "] STATISTICS:")) {
      facts_.until = std::string(line.substr(0, line.find(' ')));
      counts_.clear();
      return;
    }
    constexpr absl::string_view kFamily = "Options for column family [";
    const size_t at = line.find(kFamily);
    if (at != absl::string_view::npos) {
      line.remove_prefix(at + kFamily.size());
      name_ = std::string(line.substr(0, line.rfind(']')));
      family_ = &facts_.families[name_];
      return;
    }
    constexpr absl::string_view kChosen = "linebloom: bits_per_key=auto: ";
    const size_t chosen = line.find(kChosen);
    if (chosen != absl::string_view::npos) {
      facts_.chosen_bits =
          absl::StrCat("bits_per_key=auto, says the info log of ",
                       line.substr(0, line.find(' ')), ": ",
                       line.substr(chosen + kChosen.size()));
      return;
    }
    // "  block_cache: 0x5577", "    capacity : 8388608", " rocksdb.l0.hit COUNT
    // : 1234"
    const std::pair<absl::string_view, absl::string_view> pair =
        absl::StrSplit(line, absl::MaxSplits(':', 1));
    absl::string_view name = absl::StripAsciiWhitespace(pair.first);
    const absl::string_view value = absl::StripAsciiWhitespace(pair.second);
    uint64_t number = 0;
    const bool is_number = absl::SimpleAtoi(value, &number);
    if (is_number && absl::ConsumeSuffix(&name, " COUNT")) {
      counts_[std::string(name)] = number;
    }
    if (family_ == nullptr) return;
    if (name == "block_cache") family_->cache = std::string(value);
    if (name == "filter_policy" && value != "nullptr") {
      facts_.policies[name_] = std::string(value);
    }
    if (name == "capacity" && is_number && !family_->cache_bytes &&
        absl::StartsWith(family_->cache, "0x")) {
      family_->cache_bytes = number;
    }
    if (name == "num_shard_bits" && is_number && number < 20) {
      family_->cache_shards = uint64_t{1} << number;
    }
    double share = 0;
    if (name == "high_pri_pool_ratio" && absl::SimpleAtod(value, &share) &&
        share >= 0 && share <= 1) {
      family_->high_priority_share = share;
    }
  }

  InfoLogFacts Facts() {
    facts_.hit_ratio = HitRatio(counts_);
    if (!facts_.hit_ratio) {
      facts_.hit_ratio = HitRatioOfChoice(facts_.chosen_bits);
    }
    facts_.filters = FilterStatsOf(counts_);
    return facts_;
  }

 private:
  InfoLogFacts facts_;
  std::string name_;
  LoggedFamily* family_ = nullptr;  // of that name
  Counts counts_;
};

// Lets `reader` read about `bytes` of lines, long ones in pieces. What is no
// regular file may never end.
absl::Status ReadLines(const std::string& path, uint64_t bytes,
                       LogReader* reader) {
  const auto close = [](std::FILE* file) { (void)std::fclose(file); };
  const int number = open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  const std::unique_ptr<std::FILE, decltype(close)> log(
      number < 0 ? nullptr : fdopen(number, "r"), close);
  struct stat about = {};
  if (log == nullptr || fstat(number, &about) != 0 || !S_ISREG(about.st_mode)) {
    return absl::OkStatus();
  }
  std::array<char, 1 << 14> line;
  for (uint64_t read = 0; read < bytes && std::fgets(line.data(), line.size(),
                                                     log.get()) != nullptr;) {
    RETURN_IF_ERROR(CheckInterrupt());
    const absl::string_view text(line.data());
    read += text.size();
    reader->Read(absl::StripSuffix(text, "\n"));
  }
  return absl::OkStatus();
}

// The newest first: LOG, or in `log_dir` one named by the database's path, then
// with .old.TIME at the end.
std::vector<std::string> LogsOf(const std::filesystem::path& folder,
                                const std::string& log_dir) {
  std::string prefix = "LOG";
  std::error_code error;
  if (!log_dir.empty()) {
    prefix = std::filesystem::weakly_canonical(folder, error).string();
    std::ranges::replace_if(
        prefix,
        [](char c) {
          return !absl::ascii_isalnum(c) && !absl::StrContains("-._", c);
        },
        '_');
    prefix = absl::StrCat(absl::StripPrefix(prefix, "_"), "_LOG");
  }
  std::vector<std::string> logs;
  const std::filesystem::path where =
      log_dir.empty() ? folder : std::filesystem::path(log_dir);
  for (std::filesystem::directory_iterator file(where, error), end;
       !error && file != end; file.increment(error)) {
    const std::string name = file->path().filename();
    if (name == prefix || absl::StartsWith(name, prefix + ".old.")) {
      logs.push_back(file->path());
    }
  }
  std::ranges::sort(logs, [](const std::string& a, const std::string& b) {
    return a.size() == b.size() ? a > b : a.size() < b.size();
  });
  logs.resize(std::min(logs.size(), kMaxLogs));
  return logs;
}

// True if it may be that of a program which doesn't know the application's
// options, such as ldb: RocksDB's default block cache, 8 MB, since 8.2 32 MB.
// An older log that has a policy for the family, as this one doesn't, has the
// application's then.
bool IsOfSomeTool(const LoggedFamily& family) {
  constexpr uint64_t kDefaults[] = {8 << 20, 32 << 20};
  return std::ranges::count(kDefaults, family.cache_bytes.value_or(0)) > 0;
}

}  // namespace

absl::StatusOr<InfoLogFacts> ReadInfoLog(const std::string& folder,
                                         const std::string& log_dir) {
  InfoLogFacts newest;
  for (const std::string& path : LogsOf(folder, log_dir)) {
    LogReader reader;
    const bool is_first = newest.path.empty();
    RETURN_IF_ERROR(
        ReadLines(path, is_first ? UINT64_MAX : kOptionsBytes, &reader));
    InfoLogFacts facts = reader.Facts();
    facts.path = path;
    if (is_first) {
      newest = std::move(facts);
      continue;
    }
    const bool has_none = newest.families.empty();
    for (const auto& [name, policy] : facts.policies) {
      if (newest.policies.try_emplace(name, policy).second && !has_none &&
          IsOfSomeTool(newest.families[name])) {
        newest.families[name] = facts.families[name];
      }
    }
    if (has_none) newest.families = std::move(facts.families);
  }
  return newest;
}

}  // namespace linebloom::tools
