// Filters in memory aligned to lines, for every way in which RocksDB stores and
// reads them.
#include <atomic>
#include <memory>
#include <mutex>
#include <set>
#include <tuple>

#include "linebloom/filter_policy.h"
#include "linebloom/memory_allocator.h"
#include "rocksdb/cache.h"
#include "rocksdb/memory_allocator.h"
#include "tests/rocksdb/db_fixture.h"

namespace linebloom {
namespace {

// An application's own policy that delegates to linebloom's, as RocksDB
// intends, and counts the filters that are read.
class NotingPolicy final : public rocksdb::FilterPolicy {
 public:
  const char* Name() const override { return "NotingPolicy"; }
  const char* CompatibilityName() const override {
    return policy_->CompatibilityName();
  }
  rocksdb::FilterBitsBuilder* GetBuilderWithContext(
      const rocksdb::FilterBuildingContext& context) const override {
    return policy_->GetBuilderWithContext(context);
  }
  rocksdb::FilterBitsReader* GetFilterBitsReader(
      const rocksdb::Slice& contents) const override {
    ++(reinterpret_cast<uintptr_t>(contents.data()) % 64 == 0 ? aligned
                                                              : others);
    return policy_->GetFilterBitsReader(contents);
  }

  mutable std::atomic<int> aligned = 0;
  mutable std::atomic<int> others = 0;

 private:
  const std::unique_ptr<const rocksdb::FilterPolicy> policy_{
      NewFilterPolicy(10)};
};

// linebloom's memory, recording the sizes requested.
class NotingAllocator final : public rocksdb::MemoryAllocator {
 public:
  const char* Name() const override { return "NotingAllocator"; }
  void* Allocate(size_t size) override {
    const std::lock_guard<std::mutex> lock(mutex_);
    sizes_.insert(size);
    return allocator_->Allocate(size);
  }
  void Deallocate(void* memory) override { allocator_->Deallocate(memory); }

  std::set<size_t> sizes() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return sizes_;
  }

 private:
  const std::shared_ptr<rocksdb::MemoryAllocator> allocator_ =
      NewFilterAllocator();
  mutable std::mutex mutex_;
  std::set<size_t> sizes_;
};

// With filters in the cache or held by their files, read directly or not.
class AlignedMemoryTest
    : public DbTest,
      public testing::WithParamInterface<std::tuple<bool, bool>> {};

INSTANTIATE_TEST_SUITE_P(Modes, AlignedMemoryTest,
                         testing::Combine(testing::Bool(), testing::Bool()));

TEST_P(AlignedMemoryTest, FiltersBeginAtALine) {
  const auto policy = std::make_shared<NotingPolicy>();
  const auto allocator = std::make_shared<NotingAllocator>();
  rocksdb::LRUCacheOptions cache;
  cache.capacity = 8 << 20;
  cache.memory_allocator = allocator;
  table_.block_cache = rocksdb::NewLRUCache(cache);
  table_.filter_policy = policy;
  std::tie(table_.cache_index_and_filter_blocks, options_.use_direct_reads) =
      GetParam();
  Reopen();
  for (uint64_t file = 0; file < 8; ++file) {
    WriteFile({file * 5000, (file + 1) * 5000});
  }
  Reopen();
  EXPECT_GE(CountMissing({0, 40000}).no, 19'000);
  ExpectRows({0, 40000});
  EXPECT_GE(policy->aligned, 8);
  EXPECT_EQ(policy->others, 0);
  // With the trailer of a block: the assumption of AllocationRounding.
  const size_t filter = AllProperties(db_.get()).front()->filter_size;
  EXPECT_EQ(1u, allocator->sizes().count(filter + 5)) << filter;
}

}  // namespace
}  // namespace linebloom
