// A RocksDB whose filter builders have an additional virtual function after
// AddKey, as those of 9.6 had compared with 9.5. All later functions are then
// in the wrong place.
#include <cstddef>
#include <memory>

#include "linebloom/export.h"
#include "rocksdb/filter_policy.h"
#include "rocksdb/slice.h"
#include "rocksdb/status.h"
#include "rocksdb/version.h"

namespace ROCKSDB_NAMESPACE {
namespace {

class ForkBuilder {
 public:
  virtual ~ForkBuilder() = default;
  virtual void AddKey(const Slice& /*key*/) { ++keys_; }
#if ROCKSDB_MAJOR * 100 + ROCKSDB_MINOR >= 906
  virtual void AddKeyAndAlt(const Slice& /*key*/, const Slice& /*alt*/) {
    ++keys_;
  }
#endif
  virtual void AddManyKeys(const Slice* keys, size_t count) {
    for (size_t i = 0; i < count; ++i) AddKey(keys[i]);
  }
  virtual size_t EstimateEntriesAdded() { return keys_; }
  virtual Slice Finish(std::unique_ptr<const char[]>* buf) {
    auto* const bytes = new char[64 + 5]();
    buf->reset(bytes);
    return {bytes, 64 + 5};
  }
  virtual Slice Finish(std::unique_ptr<const char[]>* buf, Status*) {
    return Finish(buf);
  }
  virtual Status MaybePostVerify(const Slice&) { return Status::OK(); }
  virtual size_t ApproximateNumEntries(size_t bytes) { return bytes; }
  virtual size_t CalculateSpace(size_t keys) { return keys; }
  virtual double EstimatedFpRate(size_t, size_t) { return 1; }

 private:
  size_t keys_ = 0;
};

class ForkPolicy : public FilterPolicy {
 public:
  const char* Name() const override { return "bloomfilter"; }
  const char* CompatibilityName() const override {
    return "rocksdb.BuiltinBloomFilter";
  }
  FilterBitsBuilder* GetBuilderWithContext(
      const FilterBuildingContext&) const override {
    return reinterpret_cast<FilterBitsBuilder*>(new ForkBuilder);
  }
  FilterBitsReader* GetFilterBitsReader(const Slice&) const override {
    return nullptr;
  }
};

}  // namespace

LINEBLOOM_EXPORT const FilterPolicy* NewBloomFilterPolicy(
    double /*bits_per_key*/, bool /*ignored*/) {
  return new ForkPolicy;
}

}  // namespace ROCKSDB_NAMESPACE
