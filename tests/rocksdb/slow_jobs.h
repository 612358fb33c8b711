// Holds or delays RocksDB's background jobs.
#pragma once

#include <atomic>
#include <chrono>
#include <mutex>
#include <random>
#include <thread>

#include "rocksdb/listener.h"

namespace linebloom {

// Blocks compactions at their start until it is opened.
class Barrier : public rocksdb::EventListener {
 public:
  void OnCompactionBegin(rocksdb::DB* /*db*/,
                         const rocksdb::CompactionJobInfo& /*job*/) override {
    begun = true;
    begun.notify_all();
    open.wait(false);
  }
  void Open() {
    open = true;
    open.notify_all();
  }
  std::atomic<bool> begun = false;
  std::atomic<bool> open = false;
};

// Delays jobs at random, as a busy machine or a slow disk does, so that flushes
// wait, compactions overlap and a closing database finds jobs under way.
// Thread-safe.
class SlowJobs : public rocksdb::EventListener {
 public:
  // Each delay is below `longest`, and a quarter of the events have one.
  explicit SlowJobs(std::chrono::milliseconds longest) : longest_(longest) {}

  void OnFlushBegin(rocksdb::DB* /*db*/,
                    const rocksdb::FlushJobInfo& /*job*/) override {
    Delay();
  }
  void OnFlushCompleted(rocksdb::DB* /*db*/,
                        const rocksdb::FlushJobInfo& /*job*/) override {
    Delay();
  }
  void OnCompactionBegin(rocksdb::DB* /*db*/,
                         const rocksdb::CompactionJobInfo& /*job*/) override {
    Delay();
  }
  void OnCompactionCompleted(
      rocksdb::DB* /*db*/, const rocksdb::CompactionJobInfo& /*job*/) override {
    Delay();
  }
  void OnTableFileCreationStarted(
      const rocksdb::TableFileCreationBriefInfo& /*info*/) override {
    Delay();
  }
  void OnTableFileCreated(
      const rocksdb::TableFileCreationInfo& /*info*/) override {
    Delay();
  }

 private:
  void Delay() {
    std::chrono::milliseconds delay(0);
    if (longest_ > delay) {
      const std::lock_guard<std::mutex> lock(mutex_);
      if (random_() % 4 == 0) {
        delay = std::chrono::milliseconds(random_() % longest_.count());
      }
    }
    std::this_thread::sleep_for(delay);
  }

  const std::chrono::milliseconds longest_;
  std::mutex mutex_;
  std::mt19937_64 random_{1};
};

}  // namespace linebloom
