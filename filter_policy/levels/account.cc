#include "filter_policy/levels/account.h"

#include <algorithm>

namespace linebloom {
namespace {

// How far flushes may fill the budget with what they want, and how far
// compactions and flushes with the least that they get: while compactions lag,
// the tree has keys that are about to go, and files that had no room for them
// would cost more reads than their memory saves.
constexpr double kMaxOfFlushes = 1.05;
constexpr double kMaxOfLeast = 1.2;
constexpr double kMaxOfLeastInFlushes = 1.35;

// A flush or recovery takes at most these shares of what is left, for what it
// wants and for the least that it gets. Rejected: half of what is left up
// to 1.3 times the budget for files that compactions are about to merge, and up
// to 1.33 for the others. In bursts four of a hundred such files then had less
// than 3 bits per key, and one without a filter stayed.
constexpr double kMaxOfRoomForFlush = 0.25;
constexpr double kMaxOfRoomForLeast = 1.0 / 3;

// What a file of the largest run keeps of the least that it gets, unless
// filters take so much of the budget that the tree must have keys that are
// about to go. The file would have too few bits once these are gone. Rejected:
// this part at any time, which read twice as much after a burst; all of it at
// any time, with which a tree without a burst came to 1.10 times its budget.
constexpr double kPartOfLargestRun = 0.8;
constexpr double kBurst = 1.1;

// The share that files written while their databases are opened may take
// besides. Even rounded up to whole lines, the sum stays below 1.1. Rejected:
// no limit but 10 bits per key, with which a tree reopened at its full size
// came to 1.125.
constexpr double kMaxOfRecoveries = 0.04;

// More databases than a process opens at once.
constexpr size_t kMaxDatabasesInRecovery = 64;

// `bits_per_unknown_key` is what filters that aren't known are taken for.
double BitsOf(const FilterTotals& totals, double bits_per_unknown_key) {
  return totals.bits + totals.unknown * bits_per_unknown_key;
}

}  // namespace

std::string FileNameOf(const std::string& path) {
  return path.substr(path.rfind('/') + 1);
}

void FilterAccount::BeginCompaction(const std::string& database, int job,
                                    const FilterTotals& inputs) {
  const std::lock_guard<std::mutex> lock(mutex_);
  databases_[database].jobs[job].inputs = inputs;
}

void FilterAccount::EndJob(const std::string& database, int job,
                           const FilterTotals& live) {
  const std::lock_guard<std::mutex> lock(mutex_);
  Database& known = databases_[database];
  known.live = live;
  known.jobs.erase(job);
}

void FilterAccount::Database::DropOutputs(
    const std::function<bool(const std::string& file)>& is_done,
    bool ends_compactions) {
  for (auto at = jobs.begin(); at != jobs.end();) {
    Job& job = at->second;
    const size_t dropped = std::erase_if(job.outputs, [&](const auto& output) {
      if (!is_done(output.first)) return false;
      job.written.Add(output.second, -1);
      return true;
    });
    const bool has_ended =
        dropped > 0 && (job.inputs ? ends_compactions : job.outputs.empty());
    at = has_ended ? jobs.erase(at) : std::next(at);
  }
}

void FilterAccount::SetLive(
    const std::string& database, const FilterTotals& live,
    const std::function<bool(const std::string& file)>& is_live) {
  const std::lock_guard<std::mutex> lock(mutex_);
  Database& known = databases_[database];
  known.live = live;
  known.DropOutputs(is_live, /*ends_compactions=*/true);
}

void FilterAccount::DropFile(const std::string& database,
                             const std::string& file) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto known = databases_.find(database);
  if (known == databases_.end()) return;
  known->second.DropOutputs(
      [&](const std::string& output) { return output == file; },
      /*ends_compactions=*/false);
}

void FilterAccount::DropFlush(const std::string& database, int job) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto known = databases_.find(database);
  if (known == databases_.end()) return;
  std::erase_if(known->second.jobs, [&](const auto& running) {
    return running.first == job && !running.second.inputs;
  });
}

uint64_t FilterAccount::NoteBudget(const std::string& database,
                                   uint64_t budget) {
  const std::lock_guard<std::mutex> lock(mutex_);
  databases_[database].budget = budget;
  for (const auto& [path, known] : databases_) {
    if (known.budget != 0 && known.budget != budget) return known.budget;
  }
  return 0;
}

void FilterAccount::Forget(const std::string& database) {
  const std::lock_guard<std::mutex> lock(mutex_);
  databases_.erase(database);
  std::erase_if(recovered_,
                [&](const auto& of) { return of.first == database; });
}

FilterTotals FilterAccount::Live() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return AllLive();
}

double FilterAccount::Reserve(const FilterPlace& place,
                              const BudgetRequest& request) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (request.is_recovery) return ReserveInRecovery(place.database, request);
  std::map<int, Job>& jobs = databases_[place.database].jobs;
  if (!request.is_flush && !jobs.contains(place.job)) {
    return request.bits_per_key;
  }
  Job& job = jobs[place.job];
  FilterTotals& booked = job.outputs[place.file];
  const double bits = Allowed(request, job, booked.keys);
  const FilterTotals filter = {.keys = request.keys,
                               .bits = bits >= 1 ? bits * request.keys : 0};
  booked.Add(filter);
  job.written.Add(filter);
  return bits;
}

FilterTotals FilterAccount::AllLive() const {
  FilterTotals live;
  for (const auto& [path, database] : databases_) live.Add(database.live);
  return live;
}

double FilterAccount::BitsBut(const Job& but,
                              double bits_per_unknown_key) const {
  double bits = 0;
  for (const auto& [path, database] : databases_) {
    bits += BitsOf(database.live, bits_per_unknown_key);
    for (const auto& [id, job] : database.jobs) {
      const double inputs =
          job.inputs ? BitsOf(*job.inputs, bits_per_unknown_key) : 0;
      bits += job.inputs && &job == &but
                  ? -inputs
                  : std::max(0.0, job.written.bits - inputs);
    }
  }
  return bits;
}

double FilterAccount::Allowed(const BudgetRequest& request, const Job& job,
                              double keys_of_file) const {
  const double all_keys = AllLive().all_keys();
  const double share = all_keys > 0 ? request.budget / all_keys : 0;
  const double others = BitsBut(job, share);
  double room = 0;
  double most_room = 0;
  double keys_to_come = 0;
  double least_bits = request.least_bits;
  if (job.inputs) {
    if (request.is_of_largest_run &&
        others + job.inputs->bits < kBurst * request.budget) {
      least_bits *= kPartOfLargestRun;
    }
    room = request.budget - others - job.written.bits;
    // A compaction may spend what its inputs free: its files stay when the
    // backlog is gone, and with less they made most of the tree's reads.
    most_room = std::max(BitsOf(*job.inputs, share),
                         kMaxOfLeast * request.budget - others) -
                job.written.bits;
    keys_to_come = job.inputs->all_keys() - job.written.keys;
  } else {
    // `others` has the file's earlier partitions.
    room = kMaxOfRoomForFlush * (kMaxOfFlushes * request.budget - others);
    most_room =
        kMaxOfRoomForLeast * (kMaxOfLeastInFlushes * request.budget - others);
    keys_to_come = request.expected_keys - keys_of_file;
  }
  keys_to_come = std::max({1.0, request.keys, keys_to_come});
  return std::max(std::min(request.bits_per_key, room / keys_to_come),
                  std::min(least_bits, most_room / keys_to_come));
}

double FilterAccount::ReserveInRecovery(const std::string& database,
                                        const BudgetRequest& request) {
  double room = kMaxOfRecoveries * request.budget;
  for (const auto& [other, bits] : recovered_) room -= bits;
  const double bits =
      std::min(request.bits_per_key,
               kMaxOfRoomForFlush * room / std::max(1.0, request.keys));
  if (bits < 1) return bits;
  auto known = std::ranges::find(recovered_, database,
                                 &decltype(recovered_)::value_type::first);
  if (known == recovered_.end()) {
    if (recovered_.size() == kMaxDatabasesInRecovery) recovered_.pop_front();
    known = recovered_.emplace(recovered_.end(), database, 0);
  }
  known->second += bits * request.keys;
  return bits;
}

}  // namespace linebloom
