// The listener's memory: so many bytes per file, and nothing for files, column
// families and databases that are gone. A program of its own, because it counts
// all memory that is allocated.
#include <gtest/gtest.h>
#include <malloc.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <vector>

#include "filter_policy/levels/heat_profile.h"
#include "linebloom/filter_policy.h"
#include "tests/filter_policy/levels/simulated_database.h"

namespace {
std::atomic<int64_t> allocated = 0;  // bytes, as malloc rounds them
}  // namespace

void* operator new(size_t size) {
  void* const memory = std::malloc(size);
  if (memory == nullptr) throw std::bad_alloc();
  allocated += static_cast<int64_t>(malloc_usable_size(memory));
  return memory;
}
void operator delete(void* memory) noexcept {
  if (memory != nullptr) {
    allocated -= static_cast<int64_t>(malloc_usable_size(memory));
  }
  std::free(memory);
}
void operator delete(void* memory, size_t /*size*/) noexcept {
  operator delete(memory);
}

namespace linebloom {
namespace {

using rocksdb::LiveFileMetaData;
using rocksdb::TableFileCreationReason;

// 21 bytes.
std::string Key(uint64_t number) {
  char key[32];
  snprintf(key, sizeof(key), "user:%016llu",
           static_cast<unsigned long long>(number));
  return key;
}

const FilterPolicyOptions kLevelAware = {.level_aware = true};
const FilterPolicyOptions kBudget = {.memory_budget = 1 << 20};
const FilterPolicyOptions kBudgetAndHeat = {.memory_budget = 1 << 20,
                                            .heat_aware = true};

class ListenerMemoryTest : public testing::Test {
 protected:
  using Database = std::unique_ptr<SimulatedDatabase>;

  void UsePolicy(const FilterPolicyOptions& options) { jobs_.emplace(options); }

  // As RocksDB does, has the policy validate the options first.
  Database Open(const std::string& path) {
    static int sessions = 0;
    rocksdb::DBOptions options;
    options.listeners = {jobs_->listener};
    EXPECT_TRUE(jobs_->policy->ValidateOptions(options, {}).ok());
    return std::make_unique<SimulatedDatabase>(path,
                                               std::to_string(++sessions));
  }

  static LiveFileMetaData FileOf(const std::string& name,
                                 const std::string& family, uint64_t first = 0,
                                 uint64_t last = 1) {
    LiveFileMetaData file;
    file.column_family_name = family;
    file.name = name;
    file.level = 6;
    file.num_entries = 1;
    file.smallestkey = Key(first);
    file.largestkey = Key(last);
    return file;
  }

  std::optional<FileInTree> Flush(SimulatedDatabase* db,
                                  const std::string& family = "default") {
    return jobs_->Flush(db, family, {Key(0), Key(1)}).told;
  }

  // Adds no file: all rows were deleted.
  void CompactAway(SimulatedDatabase* db, const std::string& family) {
    jobs_->Compact(db, family, [](int, uint64_t) {});
  }

  // A file of `size` keys that the database has, as the listener learns of it.
  void Create(SimulatedDatabase* db, const LiveFileMetaData& file,
              uint64_t keys, uint64_t filter_size) {
    rocksdb::TableFileCreationInfo info;
    info.db_name = db->GetName();
    info.file_path = db->GetName() + file.name;
    info.table_properties.num_entries = keys;
    info.table_properties.num_filter_entries = keys;
    info.table_properties.filter_size = filter_size;
    jobs_->listener->OnTableFileCreated(info);
  }

  // A million lookups that a filter of the policy rejects, in 1,000 keys.
  void Miss(uint64_t first) {
    const auto reader = NewReader(*jobs_->policy, "");
    for (uint64_t i = 0; i < 1'000'000; ++i) {
      EXPECT_FALSE(reader->MayMatch(Key(first + i % 1000)));
    }
  }

  // The heat of the first 1,000 keys, as the file's builder was told.
  static double HeatOfFirst(const std::optional<FileInTree>& file) {
    return file->heat == nullptr ? 0 : file->heat->HeatOf(Key(0), Key(999));
  }

  // Bytes that the listener takes with this many files in the last level.
  double BytesWithFiles(const FilterPolicyOptions& options, int files) {
    UsePolicy(options);
    Database db = Open("/database");
    std::vector<LiveFileMetaData> live;
    for (int i = 0; i < files; ++i) {
      live.push_back(FileOf(db->NextFileName(), "default", 2 * i, 2 * i + 1));
    }
    const int64_t before = allocated;
    Flush(db.get());
    for (const auto& file : live) Create(db.get(), file, 1, 100);
    const int64_t known = allocated;
    for (const LiveFileMetaData& file : live) db->Add(file);
    const int64_t of_database = allocated - known;
    Flush(db.get());
    const int64_t bytes = allocated - before - of_database;
    jobs_->Close(db.get());
    return static_cast<double>(bytes);
  }

  // The same with this many column families of two files. Those with heat have
  // a profile each.
  double BytesWithFamilies(const FilterPolicyOptions& options, int families) {
    UsePolicy(options);
    Database db = Open("/database");
    int64_t of_database = 0;
    const int64_t before = allocated;
    for (int i = 0; i < families; ++i) {
      const std::string family = "family" + std::to_string(i);
      const LiveFileMetaData file = FileOf(  // that differ in 16 digits
          db->NextFileName(), family, 0, 9'999'999'999'999'999);
      const int64_t known = allocated;
      db->Add(file);
      of_database += allocated - known;
      Flush(db.get(), family);
    }
    // Knows of the heat of the last family.
    Flush(db.get());
    const int64_t bytes = allocated - before - of_database;
    jobs_->Close(db.get());
    return static_cast<double>(bytes);
  }

  std::optional<SimulatedJobs> jobs_;
};

// The figures in docs/tuning.md.
TEST_F(ListenerMemoryTest, PerFileAndColumnFamily) {
  struct Case {
    const char* name;
    FilterPolicyOptions options;
    double max_per_file;
    double max_per_family;
  };
  printf("bytes of the listener, keys of %zu bytes:\n", Key(0).size());
  for (const auto& [name, options, max_per_file, max_per_family] :
       {Case{"level_aware", kLevelAware, 150, 3000},
        Case{"memory_budget", kBudget, 150, 3000},
        Case{"memory_budget, heat_aware", kBudgetAndHeat, 500, 30'000}}) {
    const double per_file =
        (BytesWithFiles(options, 101'000) - BytesWithFiles(options, 1000)) /
        100'000;
    const double per_family = BytesWithFamilies(options, 500) / 500;
    printf("  %-28s %6.1f per file, %6.0f per family of two files\n", name,
           per_file, per_family);
    EXPECT_LT(per_file, max_per_file);
    EXPECT_LT(per_family, max_per_family);
  }
}

// Nothing that is gone leaves memory behind, except for a small slack for
// tables of hashes that keep their buckets.
TEST_F(ListenerMemoryTest, WhatIsGoneIsForgotten) {
  struct Case {
    const char* what;
    int rounds;
    std::function<void(SimulatedDatabase*, const std::string& name)> run;
  };
  const auto recover = [this](SimulatedDatabase* db, const char* family) {
    jobs_->WriteFile(db, family, 0, TableFileCreationReason::kRecovery, 1,
                     {Key(0)});
  };
  // Each gets a new name and an open database.
  const Case cases[] = {
      {"closed databases", 1000,
       [this](SimulatedDatabase* /*db*/, const std::string& name) {
         const auto other = Open("/" + name);
         for (int i = 0; i < 5; ++i) Flush(other.get());
         CompactAway(other.get(), "default");
         Flush(other.get());
         jobs_->Close(other.get());
       }},
      {"dropped column families, 500 at a time", 20,
       [this](SimulatedDatabase* db, const std::string& name) {
         const auto family = [&](int i) { return name + std::to_string(i); };
         for (int i = 0; i < 500; ++i) Flush(db, family(i));
         for (int i = 0; i < 500; ++i) {
           jobs_->Delete(db, db->FilesOf(family(i), 0));
         }
         Flush(db);
         jobs_->Delete(db, db->FilesOf("default", 0));
       }},
      {"column families whose rows were merged away", 10'000,
       [this](SimulatedDatabase* db, const std::string& name) {
         Flush(db, name);
         CompactAway(db, name);
       }},
      // RocksDB says nothing of databases that are closed before they flush,
      // nor of flushes that fail.
      {"databases that only recover", 1000,
       [&](SimulatedDatabase* /*db*/, const std::string& name) {
         const auto other = Open("/" + name);
         recover(other.get(), "default");
         recover(other.get(), "other");
         jobs_->Close(other.get());
       }},
      {"flushes that fail", 1000,
       [this](SimulatedDatabase* db, const std::string& /*name*/) {
         rocksdb::FlushJobInfo job;
         job.cf_name = "default";
         job.job_id = db->NextJob();
         jobs_->listener->OnFlushBegin(db, job);
         jobs_->WriteFile(db, "default", 0, TableFileCreationReason::kFlush,
                          job.job_id, {Key(0)}, /*ok=*/false);
       }},
  };
  for (const auto& [what, rounds, run] : cases) {
    SCOPED_TRACE(what);
    UsePolicy(kBudgetAndHeat);
    const auto db = Open("/database");
    Flush(db.get());
    int64_t after_first = 0;
    for (int i = 0; i < rounds; ++i) {
      run(db.get(), std::to_string(100'000 + i));
      if (i == rounds / 20) after_first = allocated;
    }
    EXPECT_LT(allocated - after_first, 4096);
    jobs_->Close(db.get());
  }
}

// Databases with the same families and file names keep what is theirs, and a
// new one at the path of an old one inherits nothing.
TEST_F(ListenerMemoryTest, NothingIsAttributedToAnotherDatabase) {
  UsePolicy(kBudgetAndHeat);
  OwnedPolicy policy_of_a = MakePolicy(kBudgetAndHeat);
  // Two files in the last level, of which one is hot.
  const auto open = [this](const std::string& path, bool first_is_hot) {
    auto db = Open(path);
    Flush(db.get());
    for (const bool first : {true, false}) {
      LiveFileMetaData file = first ? FileOf("/101.sst", "default", 0, 999)
                                    : FileOf("/102.sst", "default", 1000, 1999);
      file.num_entries = 1000;
      Create(db.get(), file, 1000, 1250);
      db->Add(file);
    }
    Miss(first_is_hot ? 0 : 1000);
    Flush(db.get());
    return db;
  };
  auto b = open("/b", false);
  std::swap(jobs_->policy, policy_of_a);
  auto a = open("/a", true);
  EXPECT_GT(HeatOfFirst(Flush(a.get())), 1.5);
  jobs_->Close(a.get());
  std::swap(jobs_->policy, policy_of_a);
  EXPECT_LT(HeatOfFirst(Flush(b.get())), 0.5);
  std::swap(jobs_->policy, policy_of_a);
  // Destroyed, and another one in its place.
  a = Open("/a");
  const auto first = Flush(a.get());
  EXPECT_EQ(nullptr, first->heat);
  EXPECT_EQ(nullptr, first->tree);
  const auto second = Flush(a.get());
  EXPECT_EQ(nullptr, second->heat);
  EXPECT_TRUE(second->tree == nullptr || second->tree->levels.empty());
  std::swap(jobs_->policy, policy_of_a);
  EXPECT_LT(HeatOfFirst(Flush(b.get())), 0.5);
  // The account has the filters of both, each of a single key.
  EXPECT_GT(first->account->Live().all_keys(), 2000);
  jobs_->Close(b.get());
  EXPECT_LT(first->account->Live().all_keys(), 10);
  jobs_->Close(a.get());
  EXPECT_EQ(0, first->account->Live().all_keys());
}

// A reader doesn't know whose keys it rejects.
TEST_F(ListenerMemoryTest, FamiliesThatShareAPolicyLearnNothing) {
  UsePolicy({.heat_aware = true});
  auto db = Open("/database");
  for (const uint64_t first : {0, 1000}) {
    LiveFileMetaData file =
        FileOf(db->NextFileName(), "default", first, first + 999);
    file.num_entries = 1000;
    db->Add(file);
  }
  Flush(db.get());
  Flush(db.get(), "other");
  EXPECT_EQ(1, db->log->messages);
  Miss(0);
  Flush(db.get());
  EXPECT_NEAR(1, HeatOfFirst(Flush(db.get())), 0.01);
  // It learns when it is alone again.
  jobs_->Delete(db.get(), db->FilesOf("other", 0));
  Flush(db.get());
  Miss(0);
  Flush(db.get());
  EXPECT_GT(HeatOfFirst(Flush(db.get())), 1.5);
  jobs_->Close(db.get());
}

}  // namespace
}  // namespace linebloom
