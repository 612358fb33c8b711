// A database that exists only for a listener: a test makes the calls that
// RocksDB would.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdarg>
#include <cstdlib>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "filter_policy/levels/new_file.h"
#include "linebloom/filter_policy.h"
#include "linebloom/level_size_listener.h"
#include "rocksdb/env.h"
#include "rocksdb/metadata.h"
#include "rocksdb/options.h"
#include "rocksdb/utilities/stackable_db.h"
#include "tests/filter_policy/policy/filter_bits.h"

namespace linebloom {

class CountingLogger : public rocksdb::Logger {
 public:
  using rocksdb::Logger::Logv;
  void Logv(const char* /*format*/, va_list /*arguments*/) override {
    ++messages;
  }
  std::atomic<int> messages = 0;
};

inline rocksdb::LiveFileMetaData LiveFile(const std::string& family,
                                          const std::string& name, int level,
                                          uint64_t rows,
                                          const std::string& first = "",
                                          const std::string& last = "") {
  rocksdb::LiveFileMetaData file;
  file.column_family_name = family;
  file.name = name;
  file.level = level;
  file.num_entries = rows;
  file.smallestkey = first;
  file.largestkey = last;
  return file;
}

// A policy and a listener, which databases share.
struct PolicyAndListener {
  explicit PolicyAndListener(const FilterPolicyOptions& options)
      : policy(MakePolicy(options)), listener(NewLevelSizeListener()) {}

  OwnedPolicy policy;
  std::shared_ptr<rocksdb::EventListener> listener;
};

// A database without a base, which answers only the listener's calls. Its jobs
// are what RocksDB's threads do, as far as a listener and a policy see it.
class SimulatedDatabase : public rocksdb::StackableDB {
 public:
  using LiveFiles = std::vector<rocksdb::LiveFileMetaData>;

  struct Written {
    std::string block;            // "": no filter
    std::optional<NewFile> told;  // by the listener to the policy
  };

  SimulatedDatabase(const PolicyAndListener& its, std::string name,
                    std::string session = "session")
      : StackableDB(static_cast<rocksdb::DB*>(nullptr)),
        with(its),
        name_(std::move(name)),
        session_(std::move(session)) {}

  const std::string& GetName() const override { return name_; }
  rocksdb::Status GetDbSessionId(std::string& session) const override {
    session = session_;
    return session.empty() ? rocksdb::Status::NotSupported()
                           : rocksdb::Status::OK();
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
  void GetLiveFilesMetaData(LiveFiles* files) override {
    *files = Files();
    ++listings;
    if (after_listing) std::exchange(after_listing, nullptr)();
  }

  LiveFiles Files() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return files_;
  }

  // The files of a column family's level.
  LiveFiles FilesOf(const std::string& family, int level) {
    LiveFiles files = Files();
    std::erase_if(files, [&](const rocksdb::LiveFileMetaData& file) {
      return file.column_family_name != family || file.level != level;
    });
    return files;
  }

  // New files get other names.
  void Add(const rocksdb::LiveFileMetaData& file) {
    const std::lock_guard<std::mutex> lock(mutex_);
    last_file_ = std::max(last_file_.load(), std::atoi(&file.name[1]));
    files_.push_back(file);
  }

  void Remove(const LiveFiles& files) {
    const std::lock_guard<std::mutex> lock(mutex_);
    for (const rocksdb::LiveFileMetaData& removed : files) {
      std::erase_if(files_, [&](const rocksdb::LiveFileMetaData& file) {
        return file.name == removed.name;
      });
    }
  }

  std::string NextFileName() {
    return "/" + std::to_string(++last_file_) + ".sst";
  }
  int NextJob() { return ++last_job_; }

  // Writes a file of these keys, which is live when the job ends. If not `ok`,
  // RocksDB doesn't say which one it couldn't finish.
  Written WriteFile(const std::string& family, int level,
                    rocksdb::TableFileCreationReason reason, int job,
                    const std::vector<std::string>& keys, bool ok = true) {
    const std::string name = NextFileName();
    rocksdb::TableFileCreationInfo info;
    info.db_name = name_;
    info.cf_name = family;
    info.file_path = name_ + name;
    info.job_id = job;
    info.reason = reason;
    with.listener->OnTableFileCreationStarted(info);
    const rocksdb::BlockBasedTableOptions table;
    rocksdb::FilterBuildingContext context(table);
    context.column_family_name = family;
    context.level_at_creation = level;
    context.num_levels = 7;
    context.reason = reason;
    context.info_log = log.get();
    Written written;
    written.told = TakeNewFile(context);
    BeginFile(*written.told);
    const std::unique_ptr<rocksdb::FilterBitsBuilder> builder(
        with.policy->GetBuilderWithContext(context));
    if (builder != nullptr) {
      for (const std::string& key : keys) builder->AddKey(key);
      written.block = FinishToString(builder.get());
    }
    if (!ok) {
      info.status = rocksdb::Status::NoSpace();
      info.file_path = "(nil)";
    }
    info.table_properties.num_entries = keys.size();
    info.table_properties.num_filter_entries = keys.size();
    info.table_properties.filter_size = written.block.size();
    // RocksDB doesn't initialize it.
    info.file_size = ok ? 50 * keys.size() + written.block.size() : 0;
    with.listener->OnTableFileCreated(info);
    if (!ok) return written;
    const std::lock_guard<std::mutex> lock(mutex_);
    written_[job].push_back(
        LiveFile(family, name, level, keys.size(), keys.front(), keys.back()));
    return written;
  }

  Written FlushKeys(const std::string& family,
                    const std::vector<std::string>& keys) {
    rocksdb::FlushJobInfo job;
    job.cf_name = family;
    job.job_id = NextJob();
    job.table_properties.num_entries = keys.size();
    with.listener->OnFlushBegin(this, job);
    Written written = WriteFile(
        family, 0, rocksdb::TableFileCreationReason::kFlush, job.job_id, keys);
    for (const auto& file : TakeWritten(job.job_id)) {
      job.file_path = name_ + file.name;
      Add(file);
    }
    with.listener->OnFlushCompleted(this, job);
    return written;
  }

  // Merges all files of a level into the next; `write` writes the files of a
  // job of so many rows. If not `ok`, the job fails after that.
  template <typename Write>
  void CompactLevel(const std::string& family, const Write& write,
                    int level = 0, bool ok = true) {
    const LiveFiles files = FilesOf(family, level);
    if (files.empty()) return;
    rocksdb::CompactionJobInfo job = Begin(family, level, files);
    uint64_t rows = 0;
    for (const auto& file : files) rows += file.num_entries;
    write(job.job_id, rows);
    const LiveFiles written = TakeWritten(job.job_id);
    if (!ok) job.status = rocksdb::Status::Corruption();
    End(files, written, &job);
    DeleteFiles(ok ? files : written);
  }

  // Into one file of as many keys.
  void MergeLevel(const std::string& family, int level, bool ok) {
    const auto write = [&](int job, uint64_t rows) {
      WriteFile(family, level + 1,
                rocksdb::TableFileCreationReason::kCompaction, job,
                NumberedKeys(family, static_cast<int>(rows)));
    };
    CompactLevel(family, write, level, ok);
  }

  // Moves all files of a level to the next as they are.
  void MoveLevel(const std::string& family, int level) {
    LiveFiles files = FilesOf(family, level);
    if (files.empty()) return;
    rocksdb::CompactionJobInfo job = Begin(family, level, files);
    for (rocksdb::LiveFileMetaData& file : files) file.level = level + 1;
    End(files, files, &job);
  }

  void DeleteFiles(const LiveFiles& files) {
    Remove(files);
    for (const rocksdb::LiveFileMetaData& file : files) {
      rocksdb::TableFileDeletionInfo deletion;
      deletion.db_name = name_;
      deletion.file_path = name_ + file.name;
      with.listener->OnTableFileDeleted(deletion);
    }
  }

  rocksdb::Status Close() override {
    with.listener->OnColumnFamilyHandleDeletionStarted(DefaultColumnFamily());
    return rocksdb::Status::OK();
  }

  const PolicyAndListener& with;  // outlives the database
  std::shared_ptr<CountingLogger> log = std::make_shared<CountingLogger>();
  std::atomic<int> listings = 0;
  std::function<void()> after_listing;  // called once

 private:
  // Takes the files that a job has written.
  LiveFiles TakeWritten(int job) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto written = written_.extract(job);
    return written.empty() ? LiveFiles() : std::move(written.mapped());
  }

  // Begins a compaction of these files of `level`.
  rocksdb::CompactionJobInfo Begin(const std::string& family, int level,
                                   const LiveFiles& files) {
    rocksdb::CompactionJobInfo job;
    job.cf_name = family;
    job.job_id = NextJob();
    job.base_input_level = level;
    job.output_level = level + 1;
    for (const rocksdb::LiveFileMetaData& file : files) {
      const std::string path = name_ + file.name;
      job.input_files.push_back(path);
      const auto properties = std::make_shared<rocksdb::TableProperties>();
      properties->num_entries = file.num_entries;
      job.table_properties[path] = properties;
    }
    with.listener->OnCompactionBegin(this, job);
    return job;
  }

  // Ends it; unless it has failed, `outputs` take the place of `inputs`.
  void End(const LiveFiles& inputs, const LiveFiles& outputs,
           rocksdb::CompactionJobInfo* job) {
    if (job->status.ok()) {
      Remove(inputs);
      for (const rocksdb::LiveFileMetaData& file : outputs) {
        job->output_files.push_back(name_ + file.name);
        job->output_file_infos.push_back({file.level, 0, 0});
        Add(file);
      }
    }
    with.listener->OnCompactionCompleted(this, *job);
  }

  const std::string name_;
  const std::string session_;
  std::mutex mutex_;
  LiveFiles files_;
  std::map<int, LiveFiles> written_;  // by job
  std::atomic<int> last_file_ = 0;
  std::atomic<int> last_job_ = 0;
};

}  // namespace linebloom
