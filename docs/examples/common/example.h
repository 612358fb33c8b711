// Shared by all examples: everything but the part that matters.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "rocksdb/db.h"
#include "rocksdb/options.h"
#include "rocksdb/status.h"

namespace examples {

// Ends the program with 1 and a message if something failed.
void Require(const rocksdb::Status& status, const std::string& doing);
void Require(bool condition, const std::string& otherwise);

// A new folder for databases among the temporary files; removed at the end.
class ScratchFolder {
 public:
  ScratchFolder();
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

// The filters that each example compares: a name, and what its options say
// after `filter_policy=`. To replace one string by another is the whole switch.
struct FilterChoice {
  const char* name;
  const char* filter_policy;
};
constexpr FilterChoice kFilterChoices[] = {
    {"RocksDB's Bloom", "bloomfilter:10:false"},
    {"linebloom:10", "linebloom:10"},
    {"linebloom, level_aware",
     "{id=linebloom;bits_per_key=10;level_aware=true}"}};
constexpr char kNoFilter[] = "nullptr";

// Prints their option strings.
void PrintFilterChoices();

// What the program does now, on stderr.
void Say(const std::string& what);

// Options with filters of that policy, with which `bytes` of rows make a tree
// of several levels, however few they are, and which keep no data blocks in
// memory, so that every block is counted when it is read.
rocksdb::Options SmallTree(uint64_t bytes, const std::string& filter_policy);

std::unique_ptr<rocksdb::DB> Open(const rocksdb::Options& options,
                                  const std::string& path);

// Flushes, and waits until compactions have brought the tree into shape.
void Settle(rocksdb::DB* db);

// Flushes and rewrites every file.
void CompactEverything(rocksdb::DB* db);

// The filters of the live files.
struct Filters {
  uint64_t keys = 0;
  uint64_t bytes = 0;
};
Filters FiltersOf(rocksdb::DB* db);

// The blocks that this thread has read from files so far.
uint64_t BlocksRead();

// A number for each `i`, different for different ones, without any order.
uint64_t Scatter(uint64_t i);

// "1,234,567"
std::string WithThousands(uint64_t number);

// The program's first argument as a number of at least 1000, or `otherwise`
// without one. Ends the program with 2 for any other argument.
uint64_t SizeFromArguments(int argc, char** argv, uint64_t otherwise);

}  // namespace examples
