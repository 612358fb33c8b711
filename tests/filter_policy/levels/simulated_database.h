// A database that exists only for a listener: a test makes the calls that
// RocksDB would.
#pragma once

#include <atomic>
#include <cstdarg>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "filter_policy/levels/file_plan.h"
#include "linebloom/filter_policy.h"
#include "linebloom/level_size_listener.h"
#include "rocksdb/env.h"
#include "rocksdb/metadata.h"
#include "rocksdb/options.h"
#include "rocksdb/utilities/stackable_db.h"
#include "tests/filter_policy/rocksdb/filter_bits.h"

namespace linebloom {

class CountingLogger : public rocksdb::Logger {
 public:
  using rocksdb::Logger::Logv;
  void Logv(const char* /*format*/, va_list /*arguments*/) override {
    ++messages;
  }
  std::atomic<int> messages = 0;
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
  // Only its address counts.
  rocksdb::ColumnFamilyHandle* DefaultColumnFamily() const override {
    return reinterpret_cast<rocksdb::ColumnFamilyHandle*>(
        const_cast<SimulatedDatabase*>(this));
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
    *files = Files();
    ++listings;
    if (after_listing) std::exchange(after_listing, nullptr)();
  }

  std::vector<rocksdb::LiveFileMetaData> Files() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return files_;
  }

  void Add(const rocksdb::LiveFileMetaData& file) {
    const std::lock_guard<std::mutex> lock(mutex_);
    files_.push_back(file);
  }

  // The files of a column family's level.
  std::vector<rocksdb::LiveFileMetaData> FilesOf(const std::string& family,
                                                 int level) {
    std::vector<rocksdb::LiveFileMetaData> files = Files();
    std::erase_if(files, [&](const rocksdb::LiveFileMetaData& file) {
      return file.column_family_name != family || file.level != level;
    });
    return files;
  }

  void Remove(const std::vector<rocksdb::LiveFileMetaData>& files) {
    const std::lock_guard<std::mutex> lock(mutex_);
    for (const rocksdb::LiveFileMetaData& removed : files) {
      std::erase_if(files_, [&](const rocksdb::LiveFileMetaData& file) {
        return file.name == removed.name;
      });
    }
  }

  // A job has written a file, which is not live yet.
  void WriteFile(int job, const rocksdb::LiveFileMetaData& file) {
    const std::lock_guard<std::mutex> lock(mutex_);
    written_[job].push_back(file);
  }

  // Takes the files that a job has written.
  std::vector<rocksdb::LiveFileMetaData> TakeWritten(int job) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto written = written_.extract(job);
    if (written.empty()) return {};
    return std::move(written.mapped());
  }

  std::string NextFileName() {
    return "/" + std::to_string(++last_file_) + ".sst";
  }
  int NextJob() { return ++last_job_; }

  const std::shared_ptr<CountingLogger> log =
      std::make_shared<CountingLogger>();
  std::atomic<int> listings = 0;
  std::function<void()> after_listing;  // called once

 private:
  const std::string name_;
  const std::string session_;
  std::mutex mutex_;
  std::vector<rocksdb::LiveFileMetaData> files_;
  std::map<int, std::vector<rocksdb::LiveFileMetaData>> written_;  // by job
  std::atomic<int> last_file_ = 0;
  std::atomic<int> last_job_ = 0;
};

// What RocksDB's threads do, as far as a listener and a policy see it.
class SimulatedJobs {
 public:
  struct Written {
    std::string block;               // "": no filter
    std::optional<FileInTree> told;  // by the listener to the policy
  };

  explicit SimulatedJobs(const FilterPolicyOptions& options)
      : policy(MakePolicy(options)), listener(NewLevelSizeListener()) {}

  // Writes a file of these keys.
  Written WriteFile(SimulatedDatabase* db, const std::string& family, int level,
                    rocksdb::TableFileCreationReason reason, int job,
                    const std::vector<std::string>& keys, bool ok = true) {
    rocksdb::TableFileCreationInfo info;
    info.db_name = db->GetName();
    info.cf_name = family;
    info.file_path = db->GetName() + db->NextFileName();
    info.job_id = job;
    info.reason = reason;
    listener->OnTableFileCreationStarted(info);
    Written written;
    written.told = TakeFileInTree();
    BeginFile(*written.told);

    const rocksdb::BlockBasedTableOptions table;
    rocksdb::FilterBuildingContext context(table);
    context.column_family_name = family;
    context.level_at_creation = level;
    context.num_levels = 7;
    context.reason = reason;
    context.info_log = db->log.get();
    const std::unique_ptr<rocksdb::FilterBitsBuilder> builder(
        policy->GetBuilderWithContext(context));
    if (builder != nullptr) {
      for (const std::string& key : keys) builder->AddKey(key);
      written.block = FinishToString(builder.get());
    }
    if (!ok) info.status = rocksdb::Status::NoSpace();
    info.table_properties.num_entries = keys.size();
    info.table_properties.num_filter_entries = keys.size();
    info.table_properties.filter_size = written.block.size();
    listener->OnTableFileCreated(info);
    if (!ok) return written;
    rocksdb::LiveFileMetaData file;
    file.column_family_name = family;
    file.name = info.file_path.substr(db->GetName().size());
    file.level = level;
    file.num_entries = keys.size();
    file.smallestkey = keys.front();
    file.largestkey = keys.back();
    db->WriteFile(job, file);
    return written;
  }

  Written Flush(SimulatedDatabase* db, const std::string& family,
                const std::vector<std::string>& keys) {
    rocksdb::FlushJobInfo job;
    job.cf_name = family;
    job.job_id = db->NextJob();
    job.table_properties.num_entries = keys.size();
    listener->OnFlushBegin(db, job);
    Written written =
        WriteFile(db, family, 0, rocksdb::TableFileCreationReason::kFlush,
                  job.job_id, keys);
    for (const auto& file : db->TakeWritten(job.job_id)) {
      job.file_path = db->GetName() + file.name;
      db->Add(file);
    }
    listener->OnFlushCompleted(db, job);
    return written;
  }

  // Merges all files of a level into the next; `write` writes the files of a
  // job of so many rows. If not `ok`, the job fails after that.
  template <typename Write>
  void Compact(SimulatedDatabase* db, const std::string& family,
               const Write& write, int level = 0, bool ok = true) {
    const std::vector<rocksdb::LiveFileMetaData> files =
        db->FilesOf(family, level);
    if (files.empty()) return;
    rocksdb::CompactionJobInfo job = Begin(db, family, level, files);
    uint64_t rows = 0;
    for (const auto& file : files) rows += file.num_entries;
    write(job.job_id, rows);
    const auto written = db->TakeWritten(job.job_id);
    if (!ok) job.status = rocksdb::Status::Corruption();
    End(db, files, written, &job);
    Delete(db, ok ? files : written);
  }

  // What a job that merges a level writes: a file of as many keys.
  void WriteMerged(SimulatedDatabase* db, const std::string& family, int level,
                   int job, uint64_t rows) {
    WriteFile(db, family, level + 1,
              rocksdb::TableFileCreationReason::kCompaction, job,
              NumberedKeys(family, static_cast<int>(rows)));
  }
  void Merge(SimulatedDatabase* db, const std::string& family, int level = 0,
             bool ok = true) {
    const auto write = [&](int job, uint64_t rows) {
      WriteMerged(db, family, level, job, rows);
    };
    Compact(db, family, write, level, ok);
  }

  // Moves all files of a level to the next as they are.
  void Move(SimulatedDatabase* db, const std::string& family, int level) {
    std::vector<rocksdb::LiveFileMetaData> files = db->FilesOf(family, level);
    if (files.empty()) return;
    rocksdb::CompactionJobInfo job = Begin(db, family, level, files);
    for (rocksdb::LiveFileMetaData& file : files) file.level = level + 1;
    End(db, files, files, &job);
  }

  void Delete(SimulatedDatabase* db,
              const std::vector<rocksdb::LiveFileMetaData>& files) {
    db->Remove(files);
    for (const rocksdb::LiveFileMetaData& file : files) {
      rocksdb::TableFileDeletionInfo deletion;
      deletion.db_name = db->GetName();
      deletion.file_path = db->GetName() + file.name;
      listener->OnTableFileDeleted(deletion);
    }
  }

  void Close(SimulatedDatabase* db) {
    listener->OnColumnFamilyHandleDeletionStarted(db->DefaultColumnFamily());
  }

  OwnedPolicy policy;
  const std::shared_ptr<rocksdb::EventListener> listener;

 private:
  // Begins a compaction of these files of `level`.
  rocksdb::CompactionJobInfo Begin(
      SimulatedDatabase* db, const std::string& family, int level,
      const std::vector<rocksdb::LiveFileMetaData>& files) {
    rocksdb::CompactionJobInfo job;
    job.cf_name = family;
    job.job_id = db->NextJob();
    job.base_input_level = level;
    job.output_level = level + 1;
    for (const rocksdb::LiveFileMetaData& file : files) {
      const std::string path = db->GetName() + file.name;
      job.input_files.push_back(path);
      const auto properties = std::make_shared<rocksdb::TableProperties>();
      properties->num_entries = file.num_entries;
      job.table_properties[path] = properties;
    }
    listener->OnCompactionBegin(db, job);
    return job;
  }

  // Ends it; unless it has failed, `outputs` take the place of `inputs`.
  void End(SimulatedDatabase* db,
           const std::vector<rocksdb::LiveFileMetaData>& inputs,
           const std::vector<rocksdb::LiveFileMetaData>& outputs,
           rocksdb::CompactionJobInfo* job) {
    if (job->status.ok()) {
      db->Remove(inputs);
      for (const rocksdb::LiveFileMetaData& file : outputs) {
        job->output_files.push_back(db->GetName() + file.name);
        job->output_file_infos.push_back({file.level, 0, 0});
        db->Add(file);
      }
    }
    listener->OnCompactionCompleted(db, *job);
  }
};

}  // namespace linebloom
