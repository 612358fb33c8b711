#include "filter_policy/tree/ledger.h"

#include <algorithm>
#include <chrono>

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

}  // namespace

Ledger& Ledger::OfProcess() {
  static Ledger& ledger = *new Ledger;  // databases may outlive statics
  return ledger;
}

void Ledger::Change(const DatabaseId& id,
                    const std::function<void(Database*)>& change) {
  const std::lock_guard<std::mutex> lock(mutex_);
  change(&databases_[id]);
}

void Ledger::ChangeAt(
    const std::string& path, const DatabaseId& of_this_thread,
    const std::function<void(const DatabaseId&, Database*)>& change) {
  const std::lock_guard<std::mutex> lock(mutex_);
  auto found = databases_.end();
  for (auto it = databases_.begin(); it != databases_.end(); ++it) {
    if (it->first.second != path) continue;
    if (it->first == of_this_thread) {
      found = it;
      break;
    }
    if (found != databases_.end()) return;
    found = it;
  }
  if (found != databases_.end()) change(found->first, &found->second);
}

bool Ledger::IsOpen(const DatabaseId& id, const std::string& session) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = databases_.find(id);
  return found != databases_.end() && found->second.session == session;
}

void Ledger::Open(const DatabaseId& id, Database database) {
  const std::lock_guard<std::mutex> lock(mutex_);
  Database& here = databases_[id];
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

void Ledger::ForEachUser(
    const std::weak_ptr<rocksdb::Cache>& cache,
    const std::function<void(const Database&, const LiveFiles::Family&,
                             const TableUse&)>& visit) const {
  for (const auto& [id, database] : databases_) {
    for (const auto& [name, family] : database.files.families()) {
      const TableUse& table = family.table ? *family.table : database.table;
      if (family.tree != nullptr && IsSame(table.cache, cache)) {
        visit(database, family, table);
      }
    }
  }
}

void Ledger::Wrote(const DatabaseId& id, const std::string& family,
                   double rows) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = databases_.find(id);
  if (found == databases_.end()) return;
  const Database& writer = found->second;
  const auto& families = writer.files.families();
  const auto written = families.find(family);
  const std::weak_ptr<rocksdb::Cache> cache =
      written != families.end() && written->second.table
          ? written->second.table->cache
          : writer.table.cache;
  double all_rows = rows;
  ForEachUser(cache, [&](const Database& database, const LiveFiles::Family& its,
                         const TableUse&) {
    if (database.lookups == writer.lookups) {
      all_rows += its.live.filters.all_rows();
    }
  });
  const auto answers = answers_.find(cache);
  LookupWindow* const window =
      writer.lookups != nullptr   ? &writer.lookups->window
      : answers != answers_.end() ? &answers->second.window
                                  : nullptr;
  if (window != nullptr && rows > 0) window->Rewrite(rows / all_rows);
}

// By the trees as they are now, about as when the filters answered.
void Ledger::Answers::Take(const ProbedTrees& trees, double seconds) {
  const auto probes_now = static_cast<double>(sample->probes);
  const auto positives_now = static_cast<double>(sample->positives);
  window.Add(trees.Behind(probes_now - probes, positives_now - positives),
             seconds);
  probes = probes_now;
  positives = positives_now;
}

CacheUsers Ledger::UsersOf(const DatabaseId& id, const std::string& family,
                           const TableUse& use) {
  const double now = Now();
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = databases_.find(id);
  if (found == databases_.end()) return {};
  Database& asks = found->second;
  asks.table = use;
  const auto its = asks.files.families().find(family);
  if (its != asks.files.families().end()) its->second.table = use;
  CacheUsers users;
  std::map<CountedLookups*, size_t> sources;
  ProbedTrees sampled;
  ForEachUser(use.cache,
              [&](const Database& database, const LiveFiles::Family& user,
                  const TableUse& table) {
                const auto [source, is_new] =
                    sources.try_emplace(database.lookups.get(), sources.size());
                users.families.push_back(
                    {user.tree, table.style, source->second, table.line});
                if (database.lookups == nullptr) sampled.Add(*user.tree);
              });
  users.sources.resize(sources.size());
  for (const auto& [counted, source] : sources) {
    if (counted == nullptr) {
      Answers& answers = answers_[use.cache];
      answers.Take(sampled, now);
      users.sources[source] = {answers.window, /*is_sample=*/true};
      continue;
    }
    if (counted == asks.lookups.get() ||
        now - counted->window.last_time() > kSecondsBetweenSamples) {
      counted->window.Sample(LookupsOf(*counted->statistics), now);
    }
    users.sources[source] = {counted->window};
  }
  return users;
}

std::shared_ptr<AnswerSample> Ledger::SampleOf(
    const std::shared_ptr<rocksdb::Cache>& cache) {
  const std::lock_guard<std::mutex> lock(mutex_);
  std::erase_if(answers_,
                [](const auto& answers) { return answers.first.expired(); });
  return answers_[cache].sample;
}

}  // namespace linebloom
