// A listener and a policy shared by several databases while they are opened,
// written and closed. ThreadSanitizer runs this. It can't see how RocksDB,
// which is built without it, synchronizes its threads, so the databases are
// simulated: our threads make the calls that RocksDB's would, in the same
// order.
#include <gtest/gtest.h>

#include <atomic>
#include <latch>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "filter_policy/filter/filter_block.h"
#include "linebloom/level_size_listener.h"
#include "rocksdb/convenience.h"
#include "tests/filter_policy/levels/simulated_database.h"
#include "tests/filter_policy/rocksdb/filter_bits.h"

namespace linebloom {
namespace {

using rocksdb::LiveFileMetaData;
using rocksdb::TableFileCreationReason;

class ListenerThreadsTest : public testing::Test {
 protected:
  ListenerThreadsTest() {
    FilterPolicyOptions options;
    options.level_aware = true;
    policy_.reset(NewFilterPolicy(options));
    options.bits_per_key = 31;  // out of range, so that it warns
    wrong_policy_.reset(NewFilterPolicy(options));
  }

  // Does what a RocksDB thread does for one new file. Returns the bits per key
  // requested for its filter.
  uint32_t WriteFile(SimulatedDatabase* db, const std::string& family,
                     int level, TableFileCreationReason reason, int job,
                     uint64_t rows) {
    rocksdb::TableFileCreationInfo info;
    info.db_name = db->GetName();
    info.cf_name = family;
    info.file_path = db->GetName() + db->NextFileName();
    info.job_id = job;
    info.reason = reason;
    listener_->OnTableFileCreationStarted(info);

    const rocksdb::BlockBasedTableOptions table;
    rocksdb::FilterBuildingContext context(table);
    context.column_family_name = family;
    context.level_at_creation = level;
    context.num_levels = 7;
    context.reason = reason;
    context.info_log = db->log.get();
    const std::unique_ptr<rocksdb::FilterBitsBuilder> builder(
        policy_->GetBuilderWithContext(context));
    delete wrong_policy_->GetBuilderWithContext(context);
    const std::vector<std::string> keys =
        NumberedKeys(info.file_path, static_cast<int>(rows));
    for (const std::string& key : keys) builder->AddKey(key);
    const std::string block = FinishToString(builder.get());
    const auto reader = NewReader(*policy_, block);
    for (const std::string& key : keys) denied_ += !reader->MayMatch(key);

    info.table_properties.num_entries = rows;
    info.table_properties.num_filter_entries = rows;
    info.table_properties.filter_size = block.size();
    listener_->OnTableFileCreated(info);
    LiveFileMetaData file;
    file.column_family_name = family;
    file.name = info.file_path.substr(db->GetName().size());
    file.level = level;
    file.num_entries = rows;
    db->Add(file);
    return ParseFilter(block.data(), block.size())
        .info.request.millibits_per_key;
  }

  uint32_t Flush(SimulatedDatabase* db, const std::string& family,
                 uint64_t rows) {
    rocksdb::FlushJobInfo job;
    job.cf_name = family;
    job.job_id = db->NextJob();
    job.table_properties.num_entries = rows;
    listener_->OnFlushBegin(db, job);
    const uint32_t millibits = WriteFile(
        db, family, 0, TableFileCreationReason::kFlush, job.job_id, rows);
    listener_->OnFlushCompleted(db, job);
    return millibits;
  }

  // Moves all of level 0 to level 1 in two threads, like two subcompactions.
  void Compact(SimulatedDatabase* db, const std::string& family) {
    const std::vector<LiveFileMetaData> inputs = db->Take(family, 0);
    if (inputs.empty()) return;
    rocksdb::CompactionJobInfo job;
    job.cf_name = family;
    job.job_id = db->NextJob();
    job.base_input_level = 0;
    job.output_level = 1;
    uint64_t rows = 0;
    for (const LiveFileMetaData& file : inputs) {
      const std::string path = db->GetName() + file.name;
      job.input_files.push_back(path);
      job.input_file_infos.push_back({0, 0, 0});
      const auto properties = std::make_shared<rocksdb::TableProperties>();
      properties->num_entries = file.num_entries;
      job.table_properties[path] = properties;
      rows += file.num_entries;
    }
    listener_->OnCompactionBegin(db, job);
    const auto write = [&] {
      WriteFile(db, family, 1, TableFileCreationReason::kCompaction, job.job_id,
                rows / 2);
    };
    std::thread other(write);
    write();
    other.join();
    listener_->OnCompactionCompleted(db, job);
    for (const std::string& path : job.input_files) {
      rocksdb::TableFileDeletionInfo deletion;
      deletion.db_name = db->GetName();
      deletion.file_path = path;
      listener_->OnTableFileDeleted(deletion);
    }
  }

  void Ingest(SimulatedDatabase* db, const std::string& family) {
    LiveFileMetaData file;
    file.column_family_name = family;
    file.name = db->NextFileName();
    file.level = 6;
    file.num_entries = 500;
    db->Add(file);
    rocksdb::ExternalFileIngestionInfo info;
    info.cf_name = family;
    listener_->OnExternalFileIngested(db, info);
  }

  // Lives from opening to closing; the next database at this path is a new one.
  void LiveThrough(const std::string& name, int session) {
    SimulatedDatabase db(name, name + std::to_string(session));
    // Forgets the previous database. Not in every session, so that in the
    // others all threads are first.
    if (session % 2 == 0) {
      EXPECT_EQ(10000u, Flush(&db, "default", 20));
    }
    std::latch all_are_here(4);
    std::vector<std::thread> threads;
    for (const char* const family : {"default", "other"}) {
      threads.emplace_back([this, &db, &all_are_here, family] {
        all_are_here.arrive_and_wait();
        for (int i = 0; i < kFlushes; ++i) Flush(&db, family, 20 + i % 9);
      });
      threads.emplace_back([this, &db, &all_are_here, family] {
        all_are_here.arrive_and_wait();
        Ingest(&db, family);
        for (int i = 0; i < kFlushes; ++i) {
          Compact(&db, family);
          if (i % 10 == 9) Ingest(&db, family);
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    // Half of the databases close unreported; the next session ID then tells.
    if (session % 4 < 2) {
      listener_->OnColumnFamilyHandleDeletionStarted(db.DefaultColumnFamily());
    }
    warnings_ += db.log->messages;
  }

  // Many small files: a missing lock only shows if two threads arrive at its
  // place at the same time.
  static constexpr int kFlushes = 30;

  const std::shared_ptr<rocksdb::EventListener> listener_ =
      NewLevelSizeListener();
  std::unique_ptr<const rocksdb::FilterPolicy> policy_;
  std::unique_ptr<const rocksdb::FilterPolicy> wrong_policy_;
  std::atomic<int> denied_ = 0;
  std::atomic<int> warnings_ = 0;
};

TEST_F(ListenerThreadsTest, DatabasesShareAListenerAndAPolicy) {
  constexpr int kDatabases = 3;
  constexpr int kSessions = 20;
  std::atomic<int> open = kDatabases;
  std::vector<std::thread> threads;
  for (int i = 0; i < kDatabases; ++i) {
    threads.emplace_back([this, i, &open] {
      for (int session = 0; session < kSessions; ++session) {
        LiveThrough("/database" + std::to_string(i), session);
      }
      --open;
    });
  }
  // This is what happens when RocksDB writes an OPTIONS file, a user reads the
  // options, or SstFileWriter writes a file.
  CountingLogger log;
  const rocksdb::BlockBasedTableOptions table;
  rocksdb::FilterBuildingContext context(table);
  context.info_log = &log;
  while (open > 0) {
    delete policy_->GetBuilderWithContext(context);
    delete wrong_policy_->GetBuilderWithContext(context);
    std::string options;
    EXPECT_TRUE(
        policy_->GetOptionString(rocksdb::ConfigOptions(), &options).ok());
    EXPECT_NE(std::string::npos, options.find("level_aware=true")) << options;
    EXPECT_EQ("linebloom:10", policy_->GetId());
    EXPECT_TRUE(policy_->ValidateOptions({}, {}).ok());
    EXPECT_FALSE(wrong_policy_->ValidateOptions({}, {}).ok());
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(0, denied_);
  EXPECT_GE(warnings_, kDatabases);
  EXPECT_GE(log.messages, 1);  // again whenever a database was opened
}

}  // namespace
}  // namespace linebloom
