// Policies tell the listener here that they use heat, and leave it the keys
// that their filters rejected.
#pragma once

#include <atomic>
#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "filter_policy/rocksdb/key_sampler.h"

namespace linebloom {

// A policy with heat_aware.
struct HeatUser {
  const std::shared_ptr<KeySampler> sampler = std::make_shared<KeySampler>();
  std::atomic<double> half_life_seconds = 0;

  // A reader knows no column family, so nothing is learned from the keys of
  // several. True if `user`, which its policy holds as well, is in use for more
  // than one.
  static bool IsShared(const std::shared_ptr<const HeatUser>& user) {
    return user.use_count() > 2;
  }
};

struct HeatSamples {
  KeySamples missing;
  std::chrono::duration<double> half_life;
};

// Thread-safe.
class HeatUse {
 public:
  // A policy builds filters of this column family by heat.
  void Set(const std::string& database, const std::string& family,
           std::shared_ptr<const HeatUser> user) {
    const std::lock_guard<std::mutex> lock(mutex_);
    users_[{database, family}] = std::move(user);
  }

  bool IsUsed(const std::string& database) const {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto first = users_.lower_bound({database, ""});
    return first != users_.end() && first->first.first == database;
  }

  // Nothing if the column family doesn't use heat.
  std::optional<HeatSamples> TakeSamples(const std::string& database,
                                         const std::string& family) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto user = users_.find({database, family});
    if (user == users_.end()) return std::nullopt;
    HeatSamples samples{
        user->second->sampler->Take(),
        std::chrono::duration<double>(user->second->half_life_seconds)};
    if (HeatUser::IsShared(user->second)) samples.missing.keys.clear();
    return samples;
  }

  void Forget(const std::string& database, const std::string& family) {
    const std::lock_guard<std::mutex> lock(mutex_);
    users_.erase({database, family});
  }

  void Forget(const std::string& database) {
    const std::lock_guard<std::mutex> lock(mutex_);
    std::erase_if(users_, [&database](const auto& user) {
      return user.first.first == database;
    });
  }

 private:
  mutable std::mutex mutex_;
  std::map<std::pair<std::string, std::string>, std::shared_ptr<const HeatUser>>
      users_;  // by the database's path and the column family
};

}  // namespace linebloom
