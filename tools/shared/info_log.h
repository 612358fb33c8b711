// What a database's info log says of its cache, its lookups and its filters.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "linebloom/observed_rate.h"

namespace linebloom::tools {

struct InfoLogFacts {
  // Bytes of the block cache, which no OPTIONS file has.
  std::optional<uint64_t> cache_bytes;
  // When RocksDB last wrote statistics, which it does every
  // stats_dump_period_sec if the database has them, as in the log:
  // "2026/11/21-17:11:03.123456". "" without any.
  std::string until;
  // By those: of the lookups that reached the files, the share that found a
  // row, and what filters answered.
  std::optional<double> hit_ratio;
  FilterStats filters;
};

// Of the file LOG in `folder`; nothing of what it lacks.
InfoLogFacts ReadInfoLog(const std::string& folder);

}  // namespace linebloom::tools
