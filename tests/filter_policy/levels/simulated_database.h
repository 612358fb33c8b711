// A database that exists only for a listener: a test makes the calls that
// RocksDB would.
#pragma once

#include <atomic>
#include <cstdarg>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "rocksdb/comparator.h"
#include "rocksdb/env.h"
#include "rocksdb/metadata.h"
#include "rocksdb/options.h"
#include "rocksdb/utilities/stackable_db.h"

namespace linebloom {

class CountingLogger : public rocksdb::Logger {
 public:
  using rocksdb::Logger::Logv;
  void Logv(const char* /*format*/, va_list /*arguments*/) override {
    ++messages;
  }
  std::atomic<int> messages = 0;
};

// The handle of a default column family, to be known by its address.
class SimulatedHandle : public rocksdb::ColumnFamilyHandle {
 public:
  const std::string& GetName() const override { return name_; }
  uint32_t GetID() const override { return 0; }
  rocksdb::Status GetDescriptor(
      rocksdb::ColumnFamilyDescriptor* /*descriptor*/) override {
    return rocksdb::Status::NotSupported();
  }
  const rocksdb::Comparator* GetComparator() const override {
    return rocksdb::BytewiseComparator();
  }

 private:
  const std::string name_ = "default";
};

// A database without a base: it answers only the listener's calls.
class SimulatedDatabase : public rocksdb::StackableDB {
 public:
  SimulatedDatabase(std::string name, std::string session)
      : StackableDB(static_cast<rocksdb::DB*>(nullptr)),
        name_(std::move(name)),
        session_(std::move(session)) {}

  const std::string& GetName() const override { return name_; }
  rocksdb::Status GetDbSessionId(std::string& session) const override {
    session = session_;
    return rocksdb::Status::OK();
  }
  rocksdb::ColumnFamilyHandle* DefaultColumnFamily() const override {
    return handle_.get();
  }
  rocksdb::Env* GetEnv() const override { return rocksdb::Env::Default(); }
  rocksdb::DBOptions GetDBOptions() const override {
    rocksdb::DBOptions options;
    options.info_log = log;
    return options;
  }
  bool GetAggregatedIntProperty(const rocksdb::Slice& /*property*/,
                                uint64_t* /*value*/) override {
    return false;
  }
  void GetLiveFilesMetaData(
      std::vector<rocksdb::LiveFileMetaData>* files) override {
    const std::lock_guard<std::mutex> lock(mutex_);
    *files = files_;
  }

  void Add(const rocksdb::LiveFileMetaData& file) {
    const std::lock_guard<std::mutex> lock(mutex_);
    files_.push_back(file);
  }

  // Removes and returns the files of a column family's level.
  std::vector<rocksdb::LiveFileMetaData> Take(const std::string& family,
                                              int level) {
    const std::lock_guard<std::mutex> lock(mutex_);
    std::vector<rocksdb::LiveFileMetaData> taken;
    std::erase_if(files_, [&](const rocksdb::LiveFileMetaData& file) {
      const bool is_it =
          file.column_family_name == family && file.level == level;
      if (is_it) taken.push_back(file);
      return is_it;
    });
    return taken;
  }

  std::string NextFileName() {
    return "/" + std::to_string(++last_file_) + ".sst";
  }
  int NextJob() { return ++last_job_; }

  const std::shared_ptr<CountingLogger> log =
      std::make_shared<CountingLogger>();

 private:
  const std::string name_;
  const std::string session_;
  const std::unique_ptr<SimulatedHandle> handle_ =
      std::make_unique<SimulatedHandle>();
  std::mutex mutex_;
  std::vector<rocksdb::LiveFileMetaData> files_;
  std::atomic<int> last_file_ = 0;
  std::atomic<int> last_job_ = 0;
};

}  // namespace linebloom
