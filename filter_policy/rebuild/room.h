// Checks that the disk has space for a file next to its old version.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "filter_policy/rebuild/family.h"
#include "rocksdb/file_system.h"
#include "rocksdb/status.h"

namespace linebloom {

// How many bytes must stay free for the application's own writes while a file
// is rewritten: the write buffers of `families`, once as files and once as
// write-ahead logs. `in_memory` is what all write buffers of the database hold
// now, including those of other column families.
uint64_t ReserveForWrites(const std::vector<Family>& families,
                          uint64_t in_memory);

// Returns NoSpace, with all numbers, if the path of `file` has less free space
// than 1.1 times the file's `bytes` plus `reserve`. Returns OK if the file
// system can't report free space.
rocksdb::Status CheckRoom(rocksdb::FileSystem* file_system,
                          const std::string& file, uint64_t bytes,
                          uint64_t reserve);

}  // namespace linebloom
