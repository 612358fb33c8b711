// Tells level-aware policies how large the levels of a database are.
//
// Needs only C++17 and RocksDB's public headers.
#pragma once

#include <memory>

#include "linebloom/export.h"
#include "rocksdb/listener.h"

namespace linebloom {

// The ID in option strings.
inline constexpr char kLevelSizeListenerName[] = "linebloom_level_sizes";

// Returns a listener that follows the level sizes of each column family with
// every flush, compaction and ingestion, and provides them to each policy with
// `level_aware` that builds the filter of a file of that database:
//
//   options.listeners.push_back(linebloom::NewLevelSizeListener());
//
// or, once this library is loaded, in the section [DBOptions] of an options
// file: listeners=linebloom_level_sizes
//
// Before the first flush or compaction after opening, level sizes are unknown
// and every file gets the average. Files written by log recovery get 3 bits per
// key more.
//
// After that, files get bits by their level, corrected so that the column
// family's average converges; no file may raise it by more than 10 %. The
// listener forgets a database when it is closed.
//
// It also follows how much all filters take, in all databases that it serves
// and in families of any policy. For that it reads the properties of files
// older than itself, with one or two reads per file, while a flush or
// compaction waits: 1,000 files each time, until all are read. Until then files
// count as average ones by their bytes. So do files without properties, such as
// LevelDB's.
//
// It takes about 170 bytes of memory per live file.
//
// Returns null in a RocksDB of another minor version than the one that
// linebloom was compiled for, whose listeners may have other functions.
// DB::Open then fails because of the policy before it uses a listener; don't
// hand RocksDB a null one without linebloom's policy.
//
// One listener may serve several databases. If two have one path, in different
// Envs, files of their subcompactions get the average. Thread-safe.
//
// It learns from RocksDB which files flushes and compactions add and delete.
// For what RocksDB doesn't tell, it calls DB::GetLiveFilesMetaData(), which
// holds the database's mutex for about half a microsecond per file: after every
// (files / 64)-th flush or compaction, and every (files / 1,000)-th ingestion.
LINEBLOOM_EXPORT std::shared_ptr<rocksdb::EventListener> NewLevelSizeListener();

}  // namespace linebloom
