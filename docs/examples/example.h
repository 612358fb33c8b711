// Shared by all examples: everything but the part that matters.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "rocksdb/db.h"
#include "rocksdb/options.h"
#include "rocksdb/status.h"

namespace examples {

// Ends the program with 1 and a message if something failed.
void Require(bool condition, const std::string& otherwise);
void Require(const rocksdb::Status& status, const std::string& doing);

// What options say after `filter_policy=`: the whole switch. None comes first.
constexpr const char* kPolicies[] = {
    "nullptr", "bloomfilter:10:false", "linebloom:10",
    "{id=linebloom;bits_per_key=10;level_aware=true}"};

struct Filters {
  uint64_t keys = 0;
  uint64_t bytes = 0;
};

// A new database with filters of that policy, removed at the end. However few
// the `bytes` of rows, they make a tree of several levels; and no data blocks
// are kept in memory, so that every block is counted when it is read.
class Database {
 public:
  Database(
      const std::string& filter_policy, uint64_t bytes,
      const std::function<void(rocksdb::Options*)>& change = [](auto*) {});
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  rocksdb::DB* operator->() const { return db_.get(); }
  // Looks a key up; adds the blocks read from files to `blocks`.
  bool Has(const std::string& key, uint64_t* blocks) const;
  void Put(const std::string& key, const std::string& value) const;
  void Delete(const std::string& key) const;
  // Flushes and rewrites every file.
  void CompactAll() const;
  Filters LiveFilters() const;

 private:
  std::string path_;
  std::unique_ptr<rocksdb::DB> db_;
};

// Scrambles `i`: different numbers stay different, in no order.
uint64_t Scatter(uint64_t i);

}  // namespace examples
