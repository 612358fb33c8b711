// A listener and a policy shared by several databases while they are opened,
// written and closed. ThreadSanitizer runs this. It can't see how RocksDB,
// which is built without it, synchronizes its threads, so the databases are
// simulated: our threads make the calls that RocksDB's would, in the same
// order.
#include <gtest/gtest.h>

#include <atomic>
#include <latch>
#include <string>
#include <thread>
#include <vector>

#include "rocksdb/convenience.h"
#include "tests/filter_policy/levels/simulated_database.h"

namespace linebloom {
namespace {

class ListenerThreadsTest : public testing::Test {
 protected:
  // Expects that the keys are found, and returns the bits per key requested.
  uint32_t Check(SimulatedDatabase* db, const std::string& block,
                 const std::vector<std::string>& keys) {
    const rocksdb::BlockBasedTableOptions table;
    rocksdb::FilterBuildingContext context(table);
    context.info_log = db->log.get();
    delete wrong_policy_->GetBuilderWithContext(context);
    const auto reader = NewReader(*with_.policy, block);
    for (const std::string& key : keys) denied_ += !reader->MayMatch(key);
    return InfoOf(block).request.millibits_per_key;
  }

  uint32_t Flush(SimulatedDatabase* db, const std::string& family, int rows) {
    const std::vector<std::string> keys = NumberedKeys(family, rows);
    return Check(db, db->FlushKeys(family, keys).block, keys);
  }

  // Moves all of level 0 to level 1 in two threads, like two subcompactions.
  void Compact(SimulatedDatabase* db, const std::string& family) {
    db->CompactLevel(family, [&](int job, uint64_t rows) {
      const std::vector<std::string> keys =
          NumberedKeys(family, static_cast<int>(rows / 2));
      const auto write = [&] {
        const auto reason = rocksdb::TableFileCreationReason::kCompaction;
        Check(db, db->WriteFile(family, 1, reason, job, keys).block, keys);
      };
      std::thread other(write);
      write();
      other.join();
    });
  }

  void Ingest(SimulatedDatabase* db, const std::string& family) {
    db->Add(LiveFile(family, db->NextFileName(), /*level=*/6, /*rows=*/500));
    rocksdb::ExternalFileIngestionInfo info;
    info.cf_name = family;
    with_.listener->OnExternalFileIngested(db, info);
  }

  // Lives from opening to closing; the next database at this path is a new one.
  void LiveThrough(const std::string& name, int session) {
    SimulatedDatabase db(with_, name, name + std::to_string(session));
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
    if (session % 4 < 2) db.Close();
    warnings_ += db.log->messages;
  }

  // Many small files: a missing lock only shows if two threads arrive at its
  // place at the same time.
  static constexpr int kFlushes = 30;

  const PolicyAndListener with_{{.level_aware = true}};
  // Out of range, so that it warns.
  const OwnedPolicy wrong_policy_ =
      MakePolicy({.bits_per_key = 31, .level_aware = true});
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
    delete with_.policy->GetBuilderWithContext(context);
    delete wrong_policy_->GetBuilderWithContext(context);
    std::string options;
    EXPECT_TRUE(
        with_.policy->GetOptionString(rocksdb::ConfigOptions(), &options).ok());
    EXPECT_NE(std::string::npos, options.find("level_aware=true")) << options;
    EXPECT_EQ("linebloom", with_.policy->GetId());
    EXPECT_TRUE(with_.policy->ValidateOptions({}, {}).ok());
    EXPECT_FALSE(wrong_policy_->ValidateOptions({}, {}).ok());
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(0, denied_);
  EXPECT_GE(warnings_, kDatabases);
  EXPECT_GE(log.messages, 1);  // again whenever a database was opened
}

}  // namespace
}  // namespace linebloom
