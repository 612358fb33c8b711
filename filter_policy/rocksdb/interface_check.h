// Whether RocksDB's filter interfaces are as rocksdb_filter_bits.h declares
// them.
#pragma once

#include <string>

namespace linebloom {

// Builds a filter with RocksDB's own Bloom policy and asks it, through our
// declarations. Empty if all answers are as they must be; otherwise which were
// not. Takes some microseconds.
//
// A fork of RocksDB may have the version number of the one that it was made
// from and other virtual functions. Nothing can make a call through a wrong
// declaration safe, so what is least likely to do harm in one comes first, and
// nothing else follows a wrong answer.
std::string CheckFilterInterfaces();

}  // namespace linebloom
