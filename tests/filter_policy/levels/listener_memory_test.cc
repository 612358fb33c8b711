// The listener's memory: so many bytes per file, and nothing for files, column
// families and databases that are gone. Counts all memory that this program
// allocates, in an order that doesn't hide races from ThreadSanitizer.
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

#include "linebloom/filter_policy.h"
#include "tests/filter_policy/levels/simulated_database.h"

namespace {
std::atomic<int64_t> allocated = 0;  // bytes, as malloc rounds them
}  // namespace

void* operator new(size_t size) {
  void* const memory = std::malloc(size);
  if (memory == nullptr) throw std::bad_alloc();
  allocated.fetch_add(static_cast<int64_t>(malloc_usable_size(memory)),
                      std::memory_order_relaxed);
  return memory;
}
void operator delete(void* memory) noexcept {
  if (memory != nullptr) {
    allocated.fetch_sub(static_cast<int64_t>(malloc_usable_size(memory)),
                        std::memory_order_relaxed);
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
  return "user:" + std::to_string(1'000'000'000'000'000 + number);
}

const FilterPolicyOptions kLevelAware = {.level_aware = true};

using Database = std::unique_ptr<SimulatedDatabase>;

// As RocksDB does, has the policy validate the options first.
Database Open(const PolicyAndListener& with, const std::string& path) {
  static int sessions = 0;
  rocksdb::DBOptions options;
  options.listeners = {with.listener};
  EXPECT_TRUE(with.policy->ValidateOptions(options, {}).ok());
  return std::make_unique<SimulatedDatabase>(with, path,
                                             std::to_string(++sessions));
}

// Of the last level.
LiveFileMetaData FileOf(const std::string& family, const std::string& name,
                        uint64_t rows, uint64_t first, uint64_t last) {
  return LiveFile(family, name, /*level=*/6, rows, Key(first), Key(last));
}

std::optional<NewFile> Flush(SimulatedDatabase* db,
                             const std::string& family = "default") {
  return db->FlushKeys(family, {Key(0), Key(1)}).told;
}

// Adds no file: all rows were deleted.
void CompactAway(SimulatedDatabase* db, const std::string& family) {
  db->CompactLevel(family, [](int, uint64_t) {});
}

// A file of the database, with a filter, as the listener learns of it.
void Create(SimulatedDatabase* db, const LiveFileMetaData& file) {
  rocksdb::TableFileCreationInfo info;
  info.db_name = db->GetName();
  info.file_path = db->GetName() + file.name;
  info.table_properties.num_entries = file.num_entries;
  info.table_properties.num_filter_entries = file.num_entries;
  info.table_properties.filter_size = 100 + file.num_entries * 10 / 8;
  db->with.listener->OnTableFileCreated(info);
}

// Bytes that the listener takes for these files and for one that is flushed
// before in each of their column families.
double BytesWith(const FilterPolicyOptions& options,
                 const std::vector<LiveFileMetaData>& files) {
  const PolicyAndListener with(options);
  const Database db = Open(with, "/database");
  const int64_t before = allocated;
  std::string flushed;
  for (const LiveFileMetaData& file : files) {
    if (file.column_family_name == flushed) continue;
    flushed = file.column_family_name;
    Flush(db.get(), flushed);
  }
  for (const LiveFileMetaData& file : files) Create(db.get(), file);
  const int64_t created = allocated;
  for (const LiveFileMetaData& file : files) db->Add(file);
  const int64_t of_database = allocated - created;
  Flush(db.get());
  const int64_t bytes = allocated - before - of_database;
  db->Close();
  return static_cast<double>(bytes);
}

double BytesWithFiles(const FilterPolicyOptions& options, int count) {
  std::vector<LiveFileMetaData> files;
  for (int i = 0; i < count; ++i) {
    files.push_back(FileOf("default", "/old" + std::to_string(i), /*rows=*/1,
                           2 * i, 2 * i + 1));
  }
  return BytesWith(options, files);
}

double BytesWithFamilies(const FilterPolicyOptions& options, int count) {
  std::vector<LiveFileMetaData> files;
  for (int i = 0; i < count; ++i) {
    const std::string number = std::to_string(i);
    files.push_back(FileOf("family" + number, "/old" + number, /*rows=*/1, 0,
                           8'999'999'999'999'999));  // differ in 16 digits
  }
  return BytesWith(options, files);
}

// The figure in level_size_listener.h.
TEST(ListenerMemoryTest, PerFileAndColumnFamily) {
  const double per_file = (BytesWithFiles(kLevelAware, 101'000) -
                           BytesWithFiles(kLevelAware, 1000)) /
                          100'000;
  const double per_family = BytesWithFamilies(kLevelAware, 500) / 500;
  printf("bytes of the listener: %.1f per file, %.0f per family of two files\n",
         per_file, per_family);
  EXPECT_LT(per_file, 180);
  EXPECT_LT(per_family, 3000);
}

// Nothing that is gone leaves memory behind, except for a small slack for
// tables of hashes that keep their buckets.
TEST(ListenerMemoryTest, WhatIsGoneIsForgotten) {
  struct Case {
    const char* what;
    int rounds;
    std::function<void(SimulatedDatabase*, const std::string& name)> run;
  };
  const PolicyAndListener with(kLevelAware);
  // Each gets a new name and an open database.
  const Case cases[] = {
      {"closed databases", 1000,
       [&](SimulatedDatabase* /*db*/, const std::string& name) {
         const auto other = Open(with, "/" + name);
         for (int i = 0; i < 5; ++i) Flush(other.get());
         CompactAway(other.get(), "default");
         Flush(other.get());
         other->Close();
       }},
      {"dropped column families, 500 at a time", 20,
       [](SimulatedDatabase* db, const std::string& name) {
         const auto family = [&](int i) { return name + std::to_string(i); };
         for (int i = 0; i < 500; ++i) Flush(db, family(i));
         for (int i = 0; i < 500; ++i) {
           db->DeleteFiles(db->FilesOf(family(i), 0));
         }
         Flush(db);
         db->DeleteFiles(db->FilesOf("default", 0));
       }},
      {"column families whose rows were merged away", 10'000,
       [](SimulatedDatabase* db, const std::string& name) {
         Flush(db, name);
         CompactAway(db, name);
       }},
      // RocksDB says nothing of databases that are closed before they flush,
      // nor of flushes that fail.
      {"databases that only recover", 1000,
       [&](SimulatedDatabase* /*db*/, const std::string& name) {
         const auto other = Open(with, "/" + name);
         for (const char* const family : {"default", "other"}) {
           other->WriteFile(family, 0, TableFileCreationReason::kRecovery, 1,
                            {Key(0)});
         }
         other->Close();
       }},
      {"flushes that fail", 1000,
       [](SimulatedDatabase* db, const std::string& /*name*/) {
         rocksdb::FlushJobInfo job;
         job.cf_name = "default";
         job.job_id = db->NextJob();
         db->with.listener->OnFlushBegin(db, job);
         db->WriteFile("default", 0, TableFileCreationReason::kFlush,
                       job.job_id, {Key(0)}, /*ok=*/false);
       }},
  };
  for (const auto& [what, rounds, run] : cases) {
    SCOPED_TRACE(what);
    const auto db = Open(with, "/database");
    Flush(db.get());
    int64_t after_first = 0;
    for (int i = 0; i < rounds; ++i) {
      run(db.get(), std::to_string(100'000 + i));
      if (i == rounds / 20) after_first = allocated;
    }
    EXPECT_LT(allocated - after_first, 4096);
    db->Close();
  }
}

}  // namespace
}  // namespace linebloom
