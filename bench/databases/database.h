// Shared by the benchmarks that grow databases of their own. Errors end the
// program with exit code 2.
#pragma once

#include <errno.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>

#include "rocksdb/db.h"
#include "rocksdb/options.h"
#include "rocksdb/status.h"

namespace linebloom {

inline void Check(const rocksdb::Status& status) {
  if (status.ok()) return;
  std::fprintf(stderr, "%s: %s\n", program_invocation_short_name,
               status.ToString().c_str());
  std::exit(2);
}

// A folder that mustn't exist before and is gone afterwards.
class NewFolder {
 public:
  explicit NewFolder(std::string path) : path_(std::move(path)) {
    if (std::filesystem::exists(path_)) {
      Check(rocksdb::Status::InvalidArgument(path_, "exists"));
    }
    std::filesystem::create_directory(path_);
  }
  ~NewFolder() { std::filesystem::remove_all(path_); }
  NewFolder(const NewFolder&) = delete;
  NewFolder& operator=(const NewFolder&) = delete;

  const std::string& path() const { return path_; }

 private:
  const std::string path_;
};

inline std::unique_ptr<rocksdb::DB> OpenDatabase(
    const rocksdb::Options& options, const std::string& folder) {
  rocksdb::DB* db = nullptr;
  Check(rocksdb::DB::Open(options, folder, &db));
  return std::unique_ptr<rocksdb::DB>(db);
}

// 16 bytes, in the order of the numbers.
inline std::string KeyOf(uint64_t number) {
  char key[17];
  std::snprintf(key, sizeof(key), "%016llx",
                static_cast<unsigned long long>(number));
  return {key, 16};
}

}  // namespace linebloom
