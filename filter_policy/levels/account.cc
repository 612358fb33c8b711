#include "filter_policy/levels/account.h"

#include <algorithm>

namespace linebloom {
namespace {

// How far compactions and flushes may fill the budget with what they want, and
// how far with the least that they get: while compactions lag, the tree has
// keys that are about to go, and files that had no room for them would cost
// more reads than their memory saves.
constexpr double kMaxOfCompactions = 1.0;
constexpr double kMaxOfFlushes = 1.05;
constexpr double kMaxOfLeast = 1.2;
constexpr double kMaxOfLeastInFlushes = 1.35;

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

// A flush or recovery takes at most these shares of what is left, for what it
// wants and for the least that it gets. Rejected: half of what is left up
// to 1.3 times the budget for files that compactions are about to merge, and up
// to 1.33 for the others. In bursts four of a hundred such files then had less
// than 3 bits per key, and one without a filter stayed.
constexpr double kMaxOfRoomForFlush = 0.25;
constexpr double kMaxOfRoomForLeast = 1.0 / 3;

// `bits_per_unknown_key` is what filters that aren't known are taken for.
double BitsOf(const FilterTotals& totals, double bits_per_unknown_key) {
  return totals.bits + totals.unknown * bits_per_unknown_key;
}

}  // namespace

std::string FileNameOf(const std::string& path) {
  return path.substr(path.rfind('/') + 1);
}

FilterTotals FilterAccount::Job::OutputTotals() const {
  FilterTotals totals;
  for (const auto& [file, filter] : outputs) totals.Add(filter);
  return totals;
}

uint64_t FilterAccount::VersionOf(const std::string& database) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto known = databases_.find(database);
  return known == databases_.end() ? 0 : known->second.version;
}

bool FilterAccount::SetLive(const std::string& database, uint64_t version,
                            const FilterTotals& live,
                            const std::set<std::string>& installed) {
  const std::lock_guard<std::mutex> lock(mutex_);
  Database& known = databases_[database];
  if (known.version != version) return false;
  ++known.version;
  all_live_.Add(known.live, -1);
  all_live_.Add(live);
  known.live = live;
  for (auto job = jobs_.begin(); job != jobs_.end();) {
    bool done = false;
    if (job->first.first == database) {
      auto& outputs = job->second.outputs;
      for (const std::string& file : installed) {
        if (outputs.erase(file) > 0) {
          done = job->second.is_compaction || outputs.empty();
        }
      }
    }
    job = done ? jobs_.erase(job) : std::next(job);
  }
  return true;
}

std::set<std::string> FilterAccount::FilesUnderWay(
    const std::string& database) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  std::set<std::string> files;
  for (const auto& [id, job] : jobs_) {
    if (id.first != database) continue;
    for (const auto& [file, filter] : job.outputs) files.insert(file);
  }
  return files;
}

void FilterAccount::BeginCompaction(const std::string& database, int job,
                                    const FilterTotals& inputs) {
  const std::lock_guard<std::mutex> lock(mutex_);
  Job& begun = jobs_[{database, job}];
  begun.is_compaction = true;
  begun.inputs = inputs;
}

void FilterAccount::EndJob(const std::string& database, int job,
                           const FilterTotals& change) {
  const std::lock_guard<std::mutex> lock(mutex_);
  Database& known = databases_[database];
  ++known.version;
  known.live.Add(change);
  all_live_.Add(change);
  jobs_.erase({database, job});
}

void FilterAccount::DropFile(const std::string& database,
                             const std::string& file) {
  const std::lock_guard<std::mutex> lock(mutex_);
  for (auto job = jobs_.begin(); job != jobs_.end();) {
    // RocksDB says nothing of the end of a flush that failed.
    const bool was_last =
        job->first.first == database && job->second.outputs.erase(file) > 0 &&
        job->second.outputs.empty() && !job->second.is_compaction;
    job = was_last ? jobs_.erase(job) : std::next(job);
  }
}

uint64_t FilterAccount::NoteBudget(const std::string& database,
                                   uint64_t budget) {
  const std::lock_guard<std::mutex> lock(mutex_);
  uint64_t other = 0;
  for (const auto& [path, known] : databases_) {
    if (known.budget != 0 && known.budget != budget) other = known.budget;
  }
  databases_[database].budget = budget;
  return other;
}

void FilterAccount::Forget(const std::string& database) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto known = databases_.find(database);
  if (known != databases_.end()) {
    all_live_.Add(known->second.live, -1);
    databases_.erase(known);
  }
  std::erase_if(recovered_,
                [&](const auto& of) { return of.first == database; });
  std::erase_if(jobs_,
                [&](const auto& job) { return job.first.first == database; });
}

FilterTotals FilterAccount::Live() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return all_live_;
}

double FilterAccount::BitsBut(const JobId& but,
                              double bits_per_unknown_key) const {
  double bits = BitsOf(all_live_, bits_per_unknown_key);
  for (const auto& [id, job] : jobs_) {
    const double inputs = BitsOf(job.inputs, bits_per_unknown_key);
    bits += job.is_compaction && id == but
                ? -inputs
                : std::max(0.0, job.OutputTotals().bits - inputs);
  }
  return bits;
}

double FilterAccount::Allowed(const FilterPlace& place,
                              const BudgetRequest& request) const {
  if (request.keys <= 0) return 0;
  if (request.is_recovery) return AllowedInRecovery(request);
  const JobId id{place.database, place.job};
  const auto job = jobs_.find(id);
  const bool is_compaction = job != jobs_.end() && job->second.is_compaction;
  // RocksDB says nothing of the inputs of CompactFiles() up to 9.11. What is
  // wanted then takes the place of what they have.
  if (!request.is_flush && !is_compaction) return request.bits_per_key;
  const double share =
      all_live_.all_keys() > 0 ? request.budget / all_live_.all_keys() : 0;
  const double others = BitsBut(id, share);
  double room = 0;
  double most_room = 0;
  double keys_to_come = request.expected_keys;
  double least_bits = request.least_bits;
  if (is_compaction) {
    if (request.is_of_largest_run &&
        others + job->second.inputs.bits < kBurst * request.budget) {
      least_bits *= kPartOfLargestRun;
    }
    const FilterTotals written = job->second.OutputTotals();
    room = kMaxOfCompactions * request.budget - others - written.bits;
    // A compaction may spend what its inputs free: its files stay when the
    // backlog is gone, and with less they made most of the tree's reads.
    const double freed = BitsOf(job->second.inputs, share) - written.bits;
    most_room =
        std::max(freed, kMaxOfLeast * request.budget - others - written.bits);
    keys_to_come = job->second.inputs.all_keys() - written.keys;
  } else {
    // `others` has the file's earlier partitions.
    room = kMaxOfRoomForFlush * (kMaxOfFlushes * request.budget - others);
    most_room =
        kMaxOfRoomForLeast * (kMaxOfLeastInFlushes * request.budget - others);
    if (job != jobs_.end()) {
      const auto file = job->second.outputs.find(place.file);
      if (file != job->second.outputs.end()) keys_to_come -= file->second.keys;
    }
  }
  keys_to_come = std::max(request.keys, keys_to_come);
  return std::max(std::min(request.bits_per_key, room / keys_to_come),
                  std::min(least_bits, most_room / keys_to_come));
}

double FilterAccount::AllowedInRecovery(const BudgetRequest& request) const {
  double room = kMaxOfRecoveries * request.budget;
  for (const auto& [database, bits] : recovered_) room -= bits;
  return std::min(request.bits_per_key,
                  kMaxOfRoomForFlush * room / request.keys);
}

void FilterAccount::BookRecovered(const std::string& database, double bits) {
  const auto known =
      std::find_if(recovered_.begin(), recovered_.end(),
                   [&](const auto& of) { return of.first == database; });
  if (known != recovered_.end()) {
    known->second += bits;
    return;
  }
  recovered_.emplace_back(database, bits);
  if (recovered_.size() > kMaxDatabasesInRecovery) recovered_.pop_front();
}

double FilterAccount::EstimateBits(const FilterPlace& place,
                                   const BudgetRequest& request) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const double bits = Allowed(place, request);
  if (!request.is_recovery) {
    jobs_[{place.database, place.job}].outputs.try_emplace(place.file);
  }
  return bits;
}

double FilterAccount::ReserveBits(const FilterPlace& place,
                                  const BudgetRequest& request) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const double bits = Allowed(place, request);
  if (request.is_recovery) {
    if (bits >= 1) BookRecovered(place.database, bits * request.keys);
    return bits;
  }
  FilterTotals& booked = jobs_[{place.database, place.job}].outputs[place.file];
  booked.keys += request.keys;
  if (bits >= 1) booked.bits += bits * request.keys;
  return bits;
}

}  // namespace linebloom
