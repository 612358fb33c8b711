#include "tools/database/info_log.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "rocksdb/env.h"
#include "table/status.h"
#include "tools/report/run_tool.h"

namespace linebloom::tools {
namespace {

// RocksDB begins a new log when one is full and whenever somebody opens the
// database, if only to find it locked: the newest may have nothing. This much
// is read of those older than the one that has the application's caches.
constexpr uint64_t kOlderBytes = 64 << 20;

// RocksDB leaves out the options of families beyond these.
constexpr size_t kMaxFamilies = 10;

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

// A real number; a locale may have written it with a comma.
std::optional<double> RealNumber(absl::string_view text) {
  double number = 0;
  if (!absl::SimpleAtod(absl::StrReplaceAll(text, {{",", "."}}), &number)) {
    return std::nullopt;
  }
  return number;
}

// What follows on `words`, if they are there.
std::optional<absl::string_view> After(absl::string_view words,
                                       absl::string_view text) {
  const size_t at = text.find(words);
  if (at == absl::string_view::npos) return std::nullopt;
  return text.substr(at + words.size());
}

// The number after `words` in a sentence, up to a blank.
std::optional<double> NumberAfter(absl::string_view words,
                                  absl::string_view text) {
  const auto after = After(words, text);
  return after ? RealNumber(after->substr(0, after->find(' '))) : std::nullopt;
}

// Of the lookups, by the policy's sentence, which may count without statistics.
HitRange HitsOfChoice(absl::string_view chosen_bits) {
  if (!absl::StrContains(chosen_bits, " % of the lookups hit")) return {};
  const double least = NumberAfter(", and ", chosen_bits).value_or(-1);
  const double most = NumberAfter(", or up to ", chosen_bits).value_or(least);
  if (!(least >= 0 && least <= most && most <= 100)) return {};
  return {least / 100, most / 100};
}

// Of a process that RocksDB's tools are, also with the library preloaded.
bool IsTool(absl::string_view process) {
  return process == "ldb" || process == "sst_dump";
}

// What one log says.
struct OneLog {
  std::string path;
  std::string session;  // of the one time that a process opened the database
  std::map<std::string, LoggedFamily> families;
  std::vector<LoggedFamily> unnamed;  // more of them
  std::map<std::string, std::string> policies;
  std::string until;
  Counts counts;
  std::string chosen_bits;
  std::string chosen_by;  // the process, "" if it isn't named
  // What block caches had last, by address.
  std::map<std::string, double> cache_bytes;

  // The cache that all families share.
  std::optional<LoggedFamily> OnlyCache() const {
    std::vector<LoggedFamily> all = unnamed;
    for (const auto& [name, family] : families) all.push_back(family);
    if (all.empty() || all.size() >= kMaxFamilies) return std::nullopt;
    for (const LoggedFamily& family : all) {
      if (family.cache != all[0].cache) return std::nullopt;
    }
    return all[0];
  }

  // False if it may be that of a program which doesn't know the application's
  // options, such as ldb: RocksDB's default block cache, 8 MB, since 8.2 32 MB,
  // and nobody to whom its statistics or its bits are known.
  bool IsOfApplication() const {
    if (!until.empty() || !chosen_bits.empty()) return true;
    const auto is_own = [](const LoggedFamily& family) {
      const uint64_t bytes = family.cache_bytes.value_or(0);
      return bytes > 0 && bytes != 8 << 20 && bytes != 32 << 20;
    };
    return std::ranges::any_of(unnamed, is_own) ||
           std::ranges::any_of(families, [&is_own](const auto& family) {
             return is_own(family.second);
           });
  }

  bool HasCaches() const {
    return unnamed.empty() ? !families.empty() : OnlyCache().has_value();
  }
};

// The lines of one log.
class LogReader {
 public:
  explicit LogReader(OneLog* log) : log_(*log) {}

  void Read(absl::string_view line) {
    if (ReadSentence(line)) return;
    // "  block_cache: 0x5577", "    capacity : 8388608", " rocksdb.l0.hit COUNT
    // : 1234"
    const std::pair<absl::string_view, absl::string_view> pair =
        absl::StrSplit(line, absl::MaxSplits(':', 1));
    absl::string_view name = absl::StripAsciiWhitespace(pair.first);
    const absl::string_view value = absl::StripAsciiWhitespace(pair.second);
    uint64_t number = 0;
    if (!absl::SimpleAtoi(value, &number)) {
      if (family_ != nullptr) ReadOption(name, value);
    } else if (absl::ConsumeSuffix(&name, " COUNT")) {
      log_.counts[std::string(name)] = number;
    } else if (family_ != nullptr) {
      ReadNumber(name, number);
    }
  }

 private:
  // False if it is none that counts.
  bool ReadSentence(absl::string_view line) {
    const absl::string_view time = line.substr(0, line.find(' '));
    if (absl::EndsWith(line, "] STATISTICS:")) {
      log_.until = std::string(time);
      log_.counts.clear();
    } else if (const auto name = After("Options for column family [", line)) {
      name_ = std::string(name->substr(0, name->rfind(']')));
      family_ = &log_.families[name_];
      is_named_ = true;
    } else if (absl::StrContains(line, " Options.comparator: ")) {
      if (!std::exchange(is_named_, false)) {
        name_.clear();
        family_ = &log_.unnamed.emplace_back();
      }
    } else if (const auto choice =
                   After("linebloom: bits_per_key=auto: ", line)) {
      ReadChoice(time, *choice);
    } else if (const auto session = After(" DB Session ID: ", line)) {
      log_.session = std::string(*session);
    } else if (absl::StartsWith(line, "Block cache ")) {
      ReadCapacity(line);
    } else {
      return false;
    }
    return true;
  }

  void ReadChoice(absl::string_view time, absl::string_view sentence) {
    // Or a listener is missing, and nothing was chosen.
    if (!absl::StartsWith(sentence, "new files get ")) return;
    log_.chosen_bits = absl::StrCat("bits_per_key=auto, says the info log of ",
                                    time, ": ", sentence);
    const auto process = After(" Chosen by ", sentence);
    log_.chosen_by = std::string(absl::StripSuffix(process.value_or(""), "."));
    const auto megabytes = NumberAfter(" The block cache has ", sentence);
    const std::optional<LoggedFamily> only = log_.OnlyCache();
    if (megabytes && only) log_.cache_bytes[only->cache] = 1e6 * *megabytes;
  }

  // "Block cache LRUCache@0x5577#1234 capacity: 64.00 MB usage: ..."
  void ReadCapacity(absl::string_view line) {
    const std::vector<absl::string_view> words = absl::StrSplit(line, ' ');
    if (words.size() < 6 || words[3] != "capacity:") return;
    const absl::string_view cache = words[2];
    const size_t address = cache.find('@') + 1;
    double bytes = RealNumber(words[4]).value_or(0);
    for (const absl::string_view unit : {"B", "KB", "MB", "GB", "TB"}) {
      if (unit == words[5] && bytes > 0) {
        log_.cache_bytes[std::string(
            cache.substr(address, cache.rfind('#') - address))] = bytes;
      }
      bytes *= 1024;
    }
  }

  void ReadOption(absl::string_view name, absl::string_view value) {
    if (name == "block_cache") family_->cache = std::string(value);
    if (name == "filter_policy" && value != "nullptr" && !name_.empty()) {
      log_.policies[name_] = std::string(value);
    }
    if (name == "high_pri_pool_ratio" && !family_->high_priority_share) {
      const double share = RealNumber(value).value_or(-1);
      if (share >= 0 && share <= 1) family_->high_priority_share = share;
    }
  }

  void ReadNumber(absl::string_view name, uint64_t number) {
    if (name == "capacity" && !family_->cache_bytes &&
        absl::StartsWith(family_->cache, "0x")) {
      family_->cache_bytes = number;
    }
    if (name == "num_shard_bits" && number < 20 && !family_->cache_shards) {
      family_->cache_shards = uint64_t{1} << number;
    }
  }

  OneLog& log_;
  std::string name_;
  LoggedFamily* family_ = nullptr;  // of that name, or without one
  bool is_named_ = false;           // and its options are yet to come
};

// Reads about `bytes` of lines. What is no regular file may never end.
absl::StatusOr<uint64_t> ReadLines(const std::string& path, uint64_t bytes,
                                   OneLog* to) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return 0;
  std::ifstream log(path);
  to->path = path;
  LogReader reader(to);
  uint64_t read = 0;
  for (std::string line; read < bytes && std::getline(log, line);) {
    RETURN_IF_ERROR(CheckInterrupt());
    read += line.size();
    reader.Read(line);
  }
  return read;
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
  constexpr size_t kMost = 100;
  logs.resize(std::min(logs.size(), kMost));
  return logs;
}

// Of the newest log that is the application's for certain, or else that has
// filter policies, or else of any.
const OneLog* LogWithCaches(const std::vector<OneLog>& logs) {
  const OneLog* best = nullptr;
  for (const OneLog& log : logs) {
    if (!log.HasCaches()) continue;
    if (log.IsOfApplication()) return &log;
    const bool is_better =
        best == nullptr || (best->policies.empty() && !log.policies.empty());
    if (is_better) best = &log;
  }
  return best;
}

// The caches of `log`, with the sizes that they had last: the newest of `logs`
// that the same process wrote may know.
void TakeCaches(const OneLog& log, const std::vector<OneLog>& logs,
                InfoLogFacts* facts) {
  facts->families = log.families;
  if (!log.unnamed.empty()) facts->others = log.OnlyCache().value();
  std::map<std::string, double> bytes;
  for (const OneLog& other : logs) {
    const bool is_of_process = &other == &log || (!log.session.empty() &&
                                                  other.session == log.session);
    if (is_of_process) {
      bytes.insert(other.cache_bytes.begin(), other.cache_bytes.end());
    }
  }
  const auto resize = [&bytes](LoggedFamily* family) {
    const auto last = bytes.find(family->cache);
    if (last == bytes.end() || !family->cache_bytes) return;
    // Rounded, unlike the size at the opening.
    const auto logged = static_cast<double>(*family->cache_bytes);
    if (last->second >= 1 && last->second < 0x1p62 &&
        std::abs(last->second - logged) > 0.01 * logged) {
      family->cache_bytes = static_cast<uint64_t>(std::llround(last->second));
    }
  };
  resize(&facts->others);
  for (auto& [name, family] : facts->families) resize(&family);
}

// Whatever the logs of the application, newest first, say last.
InfoLogFacts FactsOf(const std::vector<OneLog>& logs) {
  InfoLogFacts facts;
  if (const OneLog* const log = LogWithCaches(logs)) {
    TakeCaches(*log, logs, &facts);
  }
  for (const OneLog& log : logs) {
    if (facts.until.empty() && !log.until.empty()) {
      facts.until = log.until;
      facts.path = log.path;
      facts.filters = FilterStatsOf(log.counts);
    }
    if (facts.chosen_bits.empty()) {
      facts.chosen_bits = log.chosen_bits;
    }
    if (facts.hits.least > 0 || facts.hits.most < 1) continue;
    const std::optional<double> counted = HitRatio(log.counts);
    facts.hits =
        counted ? HitRange{*counted, *counted} : HitsOfChoice(log.chosen_bits);
  }
  return facts;
}

}  // namespace

std::optional<double> FilterStats::false_positive_rate() const {
  const uint64_t without_key = negatives + false_positives;
  if (without_key == 0) return std::nullopt;
  return 1.0 * false_positives / without_key;
}

FilterStats FilterStatsOf(const std::map<std::string, uint64_t>& tickers) {
  const auto count = [&tickers](const std::string& what) {
    const auto found = tickers.find("rocksdb.bloom.filter." + what);
    return found == tickers.end() ? 0 : found->second;
  };
  // Counts that are read or reset at different moments may not fit.
  const auto above = [](uint64_t a, uint64_t b) { return a > b ? a - b : 0; };
  FilterStats stats = {count("useful"), count("full.true.positive")};
  uint64_t positives = count("full.positive");
  if (tickers.contains("rocksdb.bloom.filter.prefix.true.positive")) {
    const uint64_t useful = count("prefix.useful");
    stats.negatives += useful;
    positives += above(count("prefix.checked"), useful);
    stats.true_positives += count("prefix.true.positive");
  }
  stats.false_positives = above(positives, stats.true_positives);
  return stats;
}

absl::StatusOr<InfoLogFacts> ReadInfoLog(const std::string& folder,
                                         const std::string& log_dir) {
  std::vector<OneLog> logs;
  std::map<std::string, std::string> policies;
  std::optional<uint64_t> left;
  for (const std::string& path : LogsOf(folder, log_dir)) {
    OneLog log;
    ASSIGN_OR_RETURN(const uint64_t read,
                     ReadLines(path, left.value_or(UINT64_MAX), &log));
    policies.insert(log.policies.begin(), log.policies.end());
    if (IsTool(log.chosen_by)) continue;
    if (left) {
      *left -= std::min(*left, read);
    } else if (log.HasCaches() && log.IsOfApplication()) {
      left = kOlderBytes;
    }
    logs.push_back(std::move(log));
  }
  InfoLogFacts facts = FactsOf(logs);
  facts.policies = std::move(policies);
  return facts;
}

}  // namespace linebloom::tools
