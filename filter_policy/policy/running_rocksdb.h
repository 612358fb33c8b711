// The RocksDB that this runs in, as opposed to the one it was compiled for.
#pragma once

#include <string>

namespace linebloom {

// Empty if both have the same major and minor version and the running one's
// filter interfaces answer correctly. Otherwise the problem and its remedy,
// which the first call also prints on stderr.
//
// The interfaces in rocksdb_filter_bits.h fit the RocksDB that this was
// compiled for; in another one, calls could land in the wrong function. So
// after a mismatch nothing of linebloom's may be passed to RocksDB except
// RefusingFilterPolicy.
const std::string& RocksDbMismatch();

}  // namespace linebloom
