// Whether the disk has room for a file beside its old self.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "filter_policy/rebuild/family.h"
#include "rocksdb/file_system.h"
#include "rocksdb/status.h"

namespace linebloom {

// What has to stay free for the application's own writes while a file is
// rewritten, in bytes: the write buffers of `families` once as files and once
// more as write-ahead logs. `in_memory` is what all write buffers of the
// database hold now, those of other column families too.
uint64_t ReserveForWrites(const std::vector<Family>& families,
                          uint64_t in_memory);

// NoSpace, with all numbers, where the path of `file` has less free than 1.1
// times the file's `bytes` and `reserve`. OK where the file system can't tell
// how much is free.
rocksdb::Status CheckRoom(rocksdb::FileSystem* file_system,
                          const std::string& file, uint64_t bytes,
                          uint64_t reserve);

}  // namespace linebloom
