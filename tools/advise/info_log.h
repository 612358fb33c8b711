// What a database's info log says of its cache and its lookups.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace linebloom::tools {

struct InfoLogFacts {
  // Bytes of the block cache, which no OPTIONS file has.
  std::optional<uint64_t> cache_bytes;
  // Of the lookups that reached the files, the share that found a row, by the
  // last statistics, which RocksDB writes every stats_dump_period_sec.
  std::optional<double> hit_ratio;
};

// Of the file LOG in `folder`; nothing of what it lacks.
InfoLogFacts ReadInfoLog(const std::string& folder);

}  // namespace linebloom::tools
