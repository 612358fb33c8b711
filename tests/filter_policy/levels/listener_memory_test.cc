// The listener's memory: so many bytes per file, and nothing for files, column
// families and databases that are gone. A program of its own, because it counts
// all memory that is allocated.
#include <gtest/gtest.h>
#include <malloc.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include "filter_policy/levels/file_plan.h"
#include "linebloom/filter_policy.h"
#include "linebloom/level_size_listener.h"
#include "tests/filter_policy/levels/simulated_database.h"
#include "tests/filter_policy/rocksdb/filter_bits.h"

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

FilterPolicyOptions LevelAware() {
  FilterPolicyOptions options;
  options.level_aware = true;
  return options;
}

FilterPolicyOptions Budget() {
  FilterPolicyOptions options;
  options.memory_budget = 1 << 20;
  return options;
}

FilterPolicyOptions BudgetAndHeat() {
  FilterPolicyOptions options = Budget();
  options.heat_aware = true;
  return options;
}

class ListenerMemoryTest : public testing::Test {
 protected:
  using Database = std::unique_ptr<SimulatedDatabase>;

  void UsePolicy(const FilterPolicyOptions& options) {
    policy_.reset(NewFilterPolicy(options));
    listener_ = NewLevelSizeListener();
  }

  // As RocksDB does, has the policy validate the options first.
  Database Open(const std::string& path) {
    static int sessions = 0;
    rocksdb::DBOptions options;
    options.listeners = {listener_};
    EXPECT_TRUE(policy_->ValidateOptions(options, {}).ok());
    return std::make_unique<SimulatedDatabase>(path,
                                               std::to_string(++sessions));
  }

  void Close(Database db) {
    listener_->OnColumnFamilyHandleDeletionStarted(db->DefaultColumnFamily());
  }

  // Writes a file with a filter, as far as the listener sees it. Returns what
  // the listener had told the policy.
  std::optional<FileInTree> WriteFile(SimulatedDatabase* db,
                                      const std::string& family,
                                      TableFileCreationReason reason, int job,
                                      bool ok = true) {
    rocksdb::TableFileCreationInfo info;
    info.db_name = db->GetName();
    info.cf_name = family;
    info.file_path = db->GetName() + db->NextFileName();
    info.job_id = job;
    info.reason = reason;
    listener_->OnTableFileCreationStarted(info);
    std::optional<FileInTree> file = TakeFileInTree();
    BeginFile(*file);

    const rocksdb::BlockBasedTableOptions table;
    rocksdb::FilterBuildingContext context(table);
    context.column_family_name = family;
    context.level_at_creation = 0;
    context.num_levels = 7;
    context.reason = reason;
    context.info_log = db->log.get();
    const std::unique_ptr<rocksdb::FilterBitsBuilder> builder(
        policy_->GetBuilderWithContext(context));
    if (builder != nullptr) {
      builder->AddKey("key");
      info.table_properties.filter_size = FinishToString(builder.get()).size();
    }
    if (!ok) info.status = rocksdb::Status::NoSpace();
    info.table_properties.num_entries = 1;
    info.table_properties.num_filter_entries = 1;
    listener_->OnTableFileCreated(info);
    if (ok) {
      db->Add(FileOf(info.file_path.substr(db->GetName().size()), family));
    }
    return file;
  }

  static LiveFileMetaData FileOf(const std::string& name,
                                 const std::string& family) {
    LiveFileMetaData file;
    file.column_family_name = family;
    file.name = name;
    file.num_entries = 1;
    file.smallestkey = Key(0);
    file.largestkey = Key(1);
    return file;
  }

  std::optional<FileInTree> Flush(SimulatedDatabase* db,
                                  const std::string& family) {
    rocksdb::FlushJobInfo job;
    job.cf_name = family;
    job.job_id = db->NextJob();
    job.table_properties.num_entries = 1;
    listener_->OnFlushBegin(db, job);
    auto file =
        WriteFile(db, family, TableFileCreationReason::kFlush, job.job_id);
    listener_->OnFlushCompleted(db, job);
    return file;
  }

  // Merges all of level 0, but adds no file: all rows were deleted.
  void CompactAway(SimulatedDatabase* db, const std::string& family) {
    rocksdb::CompactionJobInfo job;
    job.cf_name = family;
    job.job_id = db->NextJob();
    job.base_input_level = 0;
    job.output_level = 1;
    const std::vector<LiveFileMetaData> files = db->Take(family, 0);
    for (const LiveFileMetaData& file : files) {
      job.input_files.push_back(db->GetName() + file.name);
      job.input_file_infos.push_back({0, 0, 0});
    }
    listener_->OnCompactionBegin(db, job);
    listener_->OnCompactionCompleted(db, job);
    Delete(db, files);
  }

  void Delete(SimulatedDatabase* db,
              const std::vector<LiveFileMetaData>& files) {
    for (const LiveFileMetaData& file : files) {
      rocksdb::TableFileDeletionInfo deletion;
      deletion.db_name = db->GetName();
      deletion.file_path = db->GetName() + file.name;
      listener_->OnTableFileDeleted(deletion);
    }
  }

  void Drop(SimulatedDatabase* db, const std::string& family) {
    Delete(db, db->Take(family, 0));
  }

  // A million lookups that a filter of the policy rejects, in 1,000 keys.
  void Miss(uint64_t first) {
    const auto reader = NewReader(*policy_, "");
    for (uint64_t i = 0; i < 1'000'000; ++i) {
      EXPECT_FALSE(reader->MayMatch(Key(first + i % 1000)));
    }
  }

  // The heat of the first 1,000 keys, as the file's builder was told.
  static double HeatOfFirst(const std::optional<FileInTree>& file) {
    return file->heat == nullptr ? 0 : file->heat->HeatOf(Key(0), Key(999));
  }

  // Bytes that the listener takes with this many files in the last level.
  int64_t BytesWithFiles(const FilterPolicyOptions& options, int files) {
    UsePolicy(options);
    Database db = Open("/database");
    std::vector<LiveFileMetaData> live;
    for (int i = 0; i < files; ++i) {
      live.push_back(FileOf(db->NextFileName(), "default"));
      live.back().level = 6;
      live.back().smallestkey = Key(2 * i);
      live.back().largestkey = Key(2 * i + 1);
    }
    const int64_t before = allocated;
    Flush(db.get(), "default");
    for (const LiveFileMetaData& file : live) {
      rocksdb::TableFileCreationInfo info;
      info.db_name = db->GetName();
      info.file_path = db->GetName() + file.name;
      info.table_properties.num_entries = 1;
      info.table_properties.filter_size = 100;
      listener_->OnTableFileCreated(info);
    }
    const int64_t known = allocated;
    for (const LiveFileMetaData& file : live) db->Add(file);
    const int64_t of_database = allocated - known;
    Flush(db.get(), "default");
    const int64_t bytes = allocated - before - of_database;
    Close(std::move(db));
    return bytes;
  }

  std::unique_ptr<const rocksdb::FilterPolicy> policy_;
  std::shared_ptr<rocksdb::EventListener> listener_;
};

// The figures in docs/tuning.md.
TEST_F(ListenerMemoryTest, PerFile) {
  constexpr int kFew = 1000;
  constexpr int kMany = 101'000;
  printf("bytes per file of the listener, keys of %zu bytes:\n", Key(0).size());
  const auto measure = [this](const char* name,
                              const FilterPolicyOptions& options) {
    const int64_t few = BytesWithFiles(options, kFew);
    const int64_t many = BytesWithFiles(options, kMany);
    const double per_file = static_cast<double>(many - few) / (kMany - kFew);
    printf("  %-28s %6.1f  (%.2f MB with %d files, %.2f MB with %d)\n", name,
           per_file, static_cast<double>(few) / 1e6, kFew,
           static_cast<double>(many) / 1e6, kMany);
    return per_file;
  };
  EXPECT_LT(measure("level_aware", LevelAware()), 150);
  EXPECT_LT(measure("memory_budget", Budget()), 150);
  EXPECT_LT(measure("memory_budget, heat_aware", BudgetAndHeat()), 500);
}

// Those with heat have a profile each.
TEST_F(ListenerMemoryTest, PerColumnFamily) {
  const auto measure = [this](const char* name,
                              const FilterPolicyOptions& options) {
    UsePolicy(options);
    auto db = Open("/database");
    constexpr int kFamilies = 500;
    int64_t of_database = 0;
    const int64_t before = allocated;
    for (int i = 0; i < kFamilies; ++i) {
      const std::string family = "family" + std::to_string(i);
      LiveFileMetaData file = FileOf(db->NextFileName(), family);
      file.level = 6;
      file.largestkey = Key(9'999'999'999'999'999);  // differs in 16 digits
      const int64_t known = allocated;
      db->Add(file);
      of_database += allocated - known;
      Flush(db.get(), family);
    }
    // Knows of the heat of the last family.
    Flush(db.get(), "default");
    const double bytes =
        static_cast<double>(allocated - before - of_database) / kFamilies;
    printf("  %-28s %6.0f bytes per family of two files\n", name, bytes);
    Close(std::move(db));
    return bytes;
  };
  EXPECT_LT(measure("level_aware", LevelAware()), 3000);
  EXPECT_LT(measure("memory_budget", Budget()), 3000);
  EXPECT_LT(measure("memory_budget, heat_aware", BudgetAndHeat()), 30'000);
}

// A small slack for tables of hashes that keep their buckets.
constexpr int64_t kSlack = 4096;

TEST_F(ListenerMemoryTest, ClosedDatabasesAreForgotten) {
  UsePolicy(BudgetAndHeat());
  int64_t after_first = 0;
  for (int round = 0; round < 20; ++round) {
    for (int path = 0; path < 50; ++path) {
      auto db = Open("/database" + std::to_string(round) + "_" +
                     std::to_string(path));
      for (int i = 0; i < 5; ++i) Flush(db.get(), "default");
      CompactAway(db.get(), "default");
      Flush(db.get(), "default");
      Close(std::move(db));
    }
    if (round == 0) after_first = allocated;
  }
  EXPECT_LT(allocated - after_first, kSlack);
}

// 10,000 in all, 500 at a time.
TEST_F(ListenerMemoryTest, DroppedColumnFamiliesAreForgotten) {
  UsePolicy(BudgetAndHeat());
  auto db = Open("/database");
  int64_t after_first = 0;
  for (int round = 0; round < 20; ++round) {
    const auto name = [round](int i) {
      return "family" + std::to_string(500 * round + i);
    };
    for (int i = 0; i < 500; ++i) Flush(db.get(), name(i));
    for (int i = 0; i < 500; ++i) Drop(db.get(), name(i));
    Flush(db.get(), "default");
    Drop(db.get(), "default");
    if (round == 0) after_first = allocated;
  }
  EXPECT_LT(allocated - after_first, kSlack);
  Close(std::move(db));
}

// One after the other, each with a compaction.
TEST_F(ListenerMemoryTest, MergedColumnFamiliesAreForgotten) {
  UsePolicy(BudgetAndHeat());
  auto db = Open("/database");
  int64_t after_first = 0;
  for (int i = 0; i < 10'000; ++i) {
    const std::string family = "family" + std::to_string(i);
    Flush(db.get(), family);
    CompactAway(db.get(), family);
    if (i == 100) after_first = allocated;
  }
  EXPECT_LT(allocated - after_first, kSlack);
  Close(std::move(db));
}

// RocksDB says nothing of databases that are closed before they flush, nor of
// flushes that fail.
TEST_F(ListenerMemoryTest, DatabasesThatOnlyRecoverAreForgotten) {
  UsePolicy(BudgetAndHeat());
  int64_t after_first = 0;
  for (int i = 0; i < 1000; ++i) {
    auto db = Open("/database" + std::to_string(i));
    WriteFile(db.get(), "default", TableFileCreationReason::kRecovery, 1);
    WriteFile(db.get(), "other", TableFileCreationReason::kRecovery, 1);
    Close(std::move(db));
    if (i == 10) after_first = allocated;
  }
  EXPECT_LT(allocated - after_first, kSlack);
}

TEST_F(ListenerMemoryTest, FlushesThatFailAreForgotten) {
  UsePolicy(BudgetAndHeat());
  auto db = Open("/database");
  Flush(db.get(), "default");
  int64_t after_first = 0;
  for (int i = 0; i < 1000; ++i) {
    rocksdb::FlushJobInfo job;
    job.cf_name = "default";
    job.job_id = db->NextJob();
    listener_->OnFlushBegin(db.get(), job);
    WriteFile(db.get(), "default", TableFileCreationReason::kFlush, job.job_id,
              /*ok=*/false);
    if (i == 10) after_first = allocated;
  }
  EXPECT_LT(allocated - after_first, kSlack);
  Close(std::move(db));
}

// Databases with the same families and file names keep what is theirs, and a
// new one at the path of an old one inherits nothing.
TEST_F(ListenerMemoryTest, NothingIsAttributedToAnotherDatabase) {
  UsePolicy(BudgetAndHeat());
  std::unique_ptr<const rocksdb::FilterPolicy> policy_of_a(
      NewFilterPolicy(BudgetAndHeat()));
  // Two files in the last level, of which one is hot.
  const auto open = [this](const std::string& path, bool first_is_hot) {
    auto db = Open(path);
    Flush(db.get(), "default");
    for (const bool first : {true, false}) {
      LiveFileMetaData file =
          FileOf(first ? "/101.sst" : "/102.sst", "default");
      file.level = 6;
      file.num_entries = 1000;
      file.smallestkey = Key(first ? 0 : 1000);
      file.largestkey = Key(first ? 999 : 1999);
      rocksdb::TableFileCreationInfo info;
      info.db_name = path;
      info.file_path = path + file.name;
      info.table_properties.num_filter_entries = 1000;
      info.table_properties.filter_size = 1250;
      listener_->OnTableFileCreated(info);
      db->Add(file);
    }
    Miss(first_is_hot ? 0 : 1000);
    Flush(db.get(), "default");
    return db;
  };
  auto b = open("/b", false);
  std::swap(policy_, policy_of_a);
  auto a = open("/a", true);
  EXPECT_GT(HeatOfFirst(Flush(a.get(), "default")), 1.5);
  Close(std::move(a));
  std::swap(policy_, policy_of_a);
  EXPECT_LT(HeatOfFirst(Flush(b.get(), "default")), 0.5);
  std::swap(policy_, policy_of_a);
  // Destroyed, and another one in its place.
  a = Open("/a");
  const auto first = Flush(a.get(), "default");
  EXPECT_EQ(nullptr, first->heat);
  EXPECT_EQ(nullptr, first->tree);
  const auto second = Flush(a.get(), "default");
  EXPECT_EQ(nullptr, second->heat);
  EXPECT_TRUE(second->tree == nullptr || second->tree->levels.empty());
  std::swap(policy_, policy_of_a);
  EXPECT_LT(HeatOfFirst(Flush(b.get(), "default")), 0.5);
  // The account has the filters of both, each of a single key.
  EXPECT_GT(first->account->Live().all_keys(), 2000);
  Close(std::move(b));
  EXPECT_LT(first->account->Live().all_keys(), 10);
  Close(std::move(a));
  EXPECT_EQ(0, first->account->Live().all_keys());
}

// A reader doesn't know whose keys it rejects.
TEST_F(ListenerMemoryTest, FamiliesThatShareAPolicyLearnNothing) {
  FilterPolicyOptions options;
  options.heat_aware = true;
  UsePolicy(options);
  auto db = Open("/database");
  for (const uint64_t first : {0, 1000}) {
    LiveFileMetaData file = FileOf(db->NextFileName(), "default");
    file.level = 6;
    file.num_entries = 1000;
    file.smallestkey = Key(first);
    file.largestkey = Key(first + 999);
    db->Add(file);
  }
  Flush(db.get(), "default");
  Flush(db.get(), "other");
  EXPECT_EQ(1, db->log->messages);
  Miss(0);
  Flush(db.get(), "default");
  EXPECT_NEAR(1, HeatOfFirst(Flush(db.get(), "default")), 0.01);
  // It learns when it is alone again.
  Drop(db.get(), "other");
  Flush(db.get(), "default");
  Miss(0);
  Flush(db.get(), "default");
  EXPECT_GT(HeatOfFirst(Flush(db.get(), "default")), 1.5);
  Close(std::move(db));
}

}  // namespace
}  // namespace linebloom
