// The RocksDB that this runs in, as opposed to the one it was compiled with.
#pragma once

#include <string>

namespace linebloom {

// Empty if both have the same major and minor number and the filter interfaces
// of the one that runs answer as they must (interface_check.h); otherwise what
// is wrong and what to do, which the first call also says on stderr.
//
// The interfaces in rocksdb_filter_bits.h are right for the RocksDB that this
// was compiled with: in another one, calls could land in the wrong function. So
// nothing of linebloom's may then be handed to RocksDB but
// RefusingFilterPolicy.
const std::string& RocksDbMismatch();

}  // namespace linebloom
