// Tells level-aware policies how large the levels of a database are.
//
// Needs C++17 and RocksDB's public headers, nothing else.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "linebloom/export.h"
#include "rocksdb/listener.h"

namespace linebloom {

// The id in option strings.
inline constexpr char kLevelSizeListenerName[] = "linebloom_level_sizes";

// Sizes of levels, in keys.
struct ExpectedLevelSizes {
  // Level 0 first, then level 1 and so on.
  std::vector<uint64_t> keys;
  // Files of level 0, each of which is a sorted run of its own.
  uint64_t level0_files = 4;
};

// Returns a listener that looks at the level sizes of each column family when a
// flush, a compaction or an ingestion ends, and tells them to every policy with
// `level_aware` that builds the filter of a file of that database:
//
//   options.listeners.push_back(linebloom::NewLevelSizeListener());
//
// or, once this library is loaded, in the section [DBOptions] of an options
// file: listeners=linebloom_level_sizes
//
// Until sizes are known every file gets the average of bits, or the whole sum
// of rates. Then files get bits by their level, but none that would lift all
// filters of the column family by more than a tenth above the average; filters
// of files that were there when the database was opened count as the average.
// It forgets a database that was closed or destroyed when another is opened at
// the same path.
//
// Without it such a policy assumes that all levels are full and each is
// `size_ratio` times as large as the one above.
//
// While a column family has fewer keys than `expected`, it is taken to have the
// expected sizes, and its filters may take any memory: for bulk loads whose
// result is known.
//
// Null in a RocksDB of another minor version than the one that linebloom was
// compiled with, whose listeners may have other functions.
//
// One listener may serve several databases. Thread-safe. It calls
// DB::GetLiveFilesMetaData(), which holds the database's mutex for about
// half a microsecond a file; with more than 1,000 files not after each flush
// and compaction, but after one in (files / 1,000).
LINEBLOOM_EXPORT std::shared_ptr<rocksdb::EventListener> NewLevelSizeListener();
LINEBLOOM_EXPORT std::shared_ptr<rocksdb::EventListener> NewLevelSizeListener(
    const ExpectedLevelSizes& expected);

}  // namespace linebloom
