// Keeps RocksDB from writing LOG files.
#pragma once

#include <cstdarg>

#include "rocksdb/env.h"

namespace linebloom::tools {

// Drops every message. If an `info_log` is set, RocksDB creates neither a LOG
// file nor its folder, which matters for databases that must only be read.
class QuietLogger : public rocksdb::Logger {
 public:
  using rocksdb::Logger::Logv;
  void Logv(const char* /*format*/, va_list /*arguments*/) override {}
};

}  // namespace linebloom::tools
