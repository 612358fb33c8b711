// Checks that RocksDB's filter interfaces are as rocksdb_filter_bits.h declares
// them.
#pragma once

#include <string>

namespace linebloom {

// Builds a filter with RocksDB's own Bloom policy and probes it, through our
// declarations. Empty if all answers are right; otherwise says which are wrong.
// Takes some microseconds.
//
// A fork of RocksDB may have the version number of the release it was made
// from, but other virtual functions. Nothing can make a call through a wrong
// declaration safe, so the calls least likely to do harm come first, and a
// wrong answer ends the check.
std::string CheckFilterInterfaces();

}  // namespace linebloom
