#pragma once

#include <memory>

#include "rocksdb/db.h"
#include "rocksdb/version.h"

namespace linebloom {

// Lets DB::Open() and the like set a std::unique_ptr, as std::out_ptr of C++23
// does: RocksDB 9 takes a plain pointer only, and RocksDB 11 none.
class OutPtr {
 public:
  explicit OutPtr(std::unique_ptr<rocksdb::DB>* db) : db_(db) {}
  OutPtr(const OutPtr&) = delete;
  OutPtr& operator=(const OutPtr&) = delete;
#if ROCKSDB_MAJOR >= 11
  // NOLINTNEXTLINE(google-explicit-constructor): it is passed in its place
  operator std::unique_ptr<rocksdb::DB>*() { return db_; }

 private:
#else
  ~OutPtr() { db_->reset(plain_); }
  // NOLINTNEXTLINE(google-explicit-constructor): it is passed in its place
  operator rocksdb::DB**() { return &plain_; }

 private:
  rocksdb::DB* plain_ = nullptr;
#endif
  std::unique_ptr<rocksdb::DB>* db_;
};

}  // namespace linebloom
