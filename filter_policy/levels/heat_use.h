// Policies tell the listener here that they use heat.
#pragma once

#include <map>
#include <mutex>
#include <string>

namespace linebloom {

// Thread-safe.
class HeatUse {
 public:
  using HalfLives = std::map<std::string, double>;  // by column family

  // A policy builds filters of this column family by heat.
  void Set(const std::string& database, const std::string& family,
           double half_life_seconds) {
    const std::lock_guard<std::mutex> lock(mutex_);
    databases_[database][family] = half_life_seconds;
  }

  HalfLives Of(const std::string& database) const {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto found = databases_.find(database);
    return found == databases_.end() ? HalfLives() : found->second;
  }

  void Forget(const std::string& database, const std::string& family) {
    const std::lock_guard<std::mutex> lock(mutex_);
    databases_[database].erase(family);
  }

  void Forget(const std::string& database) {
    const std::lock_guard<std::mutex> lock(mutex_);
    databases_.erase(database);
  }

 private:
  mutable std::mutex mutex_;
  std::map<std::string, HalfLives> databases_;  // by path
};

}  // namespace linebloom
