// Keeps RocksDB from writing LOG files.
#pragma once

#include <cstdarg>

#include "rocksdb/env.h"

namespace linebloom::tools {

// Drops every message. With any `info_log` set RocksDB neither makes a LOG file
// nor the folder for it, which matters where a database is only to be read.
class QuietLogger : public rocksdb::Logger {
 public:
  using rocksdb::Logger::Logv;
  void Logv(const char* /*format*/, va_list /*arguments*/) override {}
};

}  // namespace linebloom::tools
