// Shared by all examples: everything but the part that matters.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <variant>
#include <vector>

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

// A filter that each example compares: its name, and what options say after
// `filter_policy=`. Replacing one string by another is the whole switch.
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

// Reports on stderr what the program does now.
void Say(const std::string& what);

// Returns options with filters of that policy. However few the `bytes` of rows,
// they make a tree of several levels; and no data blocks are kept in memory, so
// that every block is counted when it is read.
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

// Returns how many blocks this thread has read from files so far.
uint64_t BlocksRead();

// Scrambles `i`: different numbers stay different, in no order.
uint64_t Scatter(uint64_t i);

// Formats a number as "1,234,567".
std::string WithThousands(uint64_t number);

// Prints a row of a table: numbers with thousands, or with one decimal.
using Cell = std::variant<const char*, uint64_t, double>;
void PrintRow(const std::string& name, const std::vector<Cell>& cells);

// Returns the program's first argument as a number of at least 1000, or
// `otherwise` without one. Ends the program with 2 for any other argument.
uint64_t SizeFromArguments(int argc, char** argv, uint64_t otherwise);

}  // namespace examples
