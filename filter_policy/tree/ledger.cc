#include "filter_policy/tree/ledger.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace linebloom {
namespace {

// Reading a hundred databases' counters for each new file would take longest.
constexpr double kSecondsBetweenSamples = 1;

// A source's part of the users of a cache.
struct Trees {
  size_t source;
  double rows = 0;
  double rows_written = 0;
  ProbedTrees probed = {};
};

}  // namespace

CacheUsers::Source LookupSource::Take(double seconds, bool is_due,
                                      const ProbedTrees& trees) {
  if (const auto statistics = sample->statistics.lock()) {
    if (is_due || seconds - window.last_time() > kSecondsBetweenSamples) {
      Lookups lookups = LookupsOf(*statistics);
      lookups.squares_of_gaps = sample->SquaresOfGaps(false);
      window.Sample(lookups, seconds);
    }
    return {.hits = window.hits(),
            .scanned_blocks_per_lookup = window.scanned(),
            .rate = window.rate(),
            .filters_read = window.filters_read()};
  }
  const Lookups now = {.all = static_cast<double>(sample->probes),
                       .hits = static_cast<double>(sample->positives)};
  window.Add(trees.Behind(now.all - last.all, now.hits - last.hits), seconds);
  last = now;
  return {.hits = trees.Hits(window.recent().all, window.shares()),
          .rate = kProbesPerSample * window.rate(),
          .is_sample = true};
}

Ledger& Ledger::OfProcess() {
  static Ledger& ledger = *new Ledger;  // databases may outlive statics
  return ledger;
}

void Ledger::Change(const std::string& path,
                    const std::function<void(Database*)>& change) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = databases_.find(path);
  if (found != databases_.end()) change(&found->second);
}

bool Ledger::IsOpen(const std::string& path, const std::string& session) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = databases_.find(path);
  return found != databases_.end() && found->second.session == session;
}

void Ledger::Open(const std::string& path, Database database) {
  const std::lock_guard<std::mutex> lock(mutex_);
  Database& here = databases_[path];
  if (here.session == database.session) return;  // by another thread
  here = std::move(database);
}

void Ledger::Close(const rocksdb::ColumnFamilyHandle* default_family) {
  const std::lock_guard<std::mutex> lock(mutex_);
  std::erase_if(databases_, [&](const auto& database) {
    return database.second.default_family == default_family;
  });
}

CacheUsers Ledger::UsersOf(const std::string& path, const std::string& family,
                           const TableUse& use) {
  const double now = std::chrono::duration<double>(
                         std::chrono::steady_clock::now().time_since_epoch())
                         .count();
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = databases_.find(path);
  if (found == databases_.end()) return {};
  Database& asks = found->second;
  asks.table = use;
  const auto its = asks.files.families().find(family);
  if (its != asks.files.families().end()) its->second.table = use;

  CacheUsers users;
  std::map<LookupSource*, Trees> sources;
  for (auto& [name, database] : databases_) {
    for (auto& [user, files] : database.files.families()) {
      const TableUse& table = files.table ? *files.table : database.table;
      if (files.tree == nullptr || table.cache.owner_before(use.cache) ||
          use.cache.owner_before(table.cache)) {
        continue;
      }
      Trees& trees = sources
                         .try_emplace(&SourceOf(database.statistics, use.cache),
                                      Trees{sources.size()})
                         .first->second;
      trees.rows += files.live.filters.all_rows();
      trees.rows_written += std::exchange(files.rows_written, 0);
      if (database.statistics == nullptr) trees.probed.Add(*files.tree);
      users.families.push_back({files.tree, trees.source, table.line});
    }
  }
  users.sources.resize(sources.size());
  const LookupSource& own = SourceOf(asks.statistics, use.cache);
  for (const auto& [source, trees] : sources) {
    const double rewritten = trees.rows_written / std::max(1.0, trees.rows);
    source->window.Rewrite(rewritten);
    CacheUsers::Source& user = users.sources[trees.source];
    user = source->Take(now, source == &own, trees.probed);
    user.rewritten = rewritten;
  }
  return users;
}

std::shared_ptr<AnswerSample> Ledger::SampleOf(
    const std::shared_ptr<rocksdb::Statistics>& statistics,
    const std::weak_ptr<rocksdb::Cache>& cache) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto is_gone = [](const auto& of) { return of.first.expired(); };
  std::erase_if(sources_, is_gone);
  for (auto& [of, sources] : sources_) std::erase_if(sources, is_gone);
  return SourceOf(statistics, cache).sample;
}

LookupSource& Ledger::SourceOf(
    const std::shared_ptr<rocksdb::Statistics>& statistics,
    const std::weak_ptr<rocksdb::Cache>& cache) {
  std::weak_ptr<void> counter = cache;
  if (statistics != nullptr) counter = statistics;
  const auto [source, is_new] = sources_[cache].try_emplace(counter);
  if (is_new) {
    source->second.sample->statistics = statistics;
    source->second.sample->cache = cache;
  }
  return source->second;
}

}  // namespace linebloom
