#include "filter_policy/tree/ledger.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace linebloom {
namespace {

// Reading the counters of a hundred databases for each new file would take
// longer than the rest.
constexpr double kSecondsBetweenSamples = 1;

double Now() {
  return std::chrono::duration<double>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

bool IsSame(const std::weak_ptr<rocksdb::Cache>& a,
            const std::weak_ptr<rocksdb::Cache>& b) {
  return !a.owner_before(b) && !b.owner_before(a);
}

// A source's part of the users of a cache.
struct Trees {
  size_t source;
  double rows = 0;
  double rows_written = 0;
  ProbedTrees probed = {};
};

}  // namespace

CacheUsers::Source CountedLookups::Take(double seconds, bool is_due) {
  if (is_due || seconds - window.last_time() > kSecondsBetweenSamples) {
    window.Sample(LookupsOf(*statistics), seconds);
  }
  return {window.hits(), window.scanned(), window.rate()};
}

CacheUsers::Source SampledLookups::Take(double seconds,
                                        const ProbedTrees& trees) {
  const auto probes_now = static_cast<double>(sample->probes);
  const auto positives_now = static_cast<double>(sample->positives);
  window.Add(trees.Behind(probes_now - probes, positives_now - positives),
             seconds);
  probes = probes_now;
  positives = positives_now;
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
  for (const auto& [other, open] : databases_) {
    if (open.lookups != nullptr && database.lookups != nullptr &&
        open.lookups->statistics == database.lookups->statistics) {
      database.lookups = open.lookups;
    }
  }
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
  const double now = Now();
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = databases_.find(path);
  if (found == databases_.end()) return {};
  Database& asks = found->second;
  asks.table = use;
  const auto its = asks.files.families().find(family);
  if (its != asks.files.families().end()) its->second.table = use;

  CacheUsers users;
  std::map<CountedLookups*, Trees> sources;
  for (auto& [name, database] : databases_) {
    for (auto& [user, files] : database.files.families()) {
      const TableUse& table = files.table ? *files.table : database.table;
      if (files.tree == nullptr || !IsSame(table.cache, use.cache)) continue;
      Trees& trees =
          sources.try_emplace(database.lookups.get(), Trees{sources.size()})
              .first->second;
      trees.rows += files.live.filters.all_rows();
      trees.rows_written += std::exchange(files.rows_written, 0);
      if (database.lookups == nullptr) trees.probed.Add(*files.tree);
      users.families.push_back(
          {files.tree, table.style, trees.source, table.line});
    }
  }
  users.sources.resize(sources.size());
  for (const auto& [counted, trees] : sources) {
    const double rewritten = trees.rows_written / std::max(1.0, trees.rows);
    CacheUsers::Source& source = users.sources[trees.source];
    if (counted != nullptr) {
      counted->window.Rewrite(rewritten);
      source = counted->Take(now, counted == asks.lookups.get());
    } else {
      SampledLookups& sampled = sampled_[use.cache];
      sampled.window.Rewrite(rewritten);
      source = sampled.Take(now, trees.probed);
    }
  }
  return users;
}

std::shared_ptr<AnswerSample> Ledger::SampleOf(
    const std::shared_ptr<rocksdb::Cache>& cache) {
  const std::lock_guard<std::mutex> lock(mutex_);
  std::erase_if(sampled_,
                [](const auto& sampled) { return sampled.first.expired(); });
  return sampled_[cache].sample;
}

}  // namespace linebloom
