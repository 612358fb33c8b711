// What lookups met of a database's filters, as RocksDB wrote it into its LOG.
#pragma once

#include <optional>
#include <string>

#include "linebloom/observed_rate.h"

namespace linebloom::tools {

struct LoggedAnswers {
  std::string when;       // as the LOG has it: "2026/11/21-17:11:03.123456"
  FilterAnswers answers;  // since the database's statistics were made
};

// The last statistics in LOG in the database's folder. RocksDB writes them
// every DBOptions::stats_dump_period_sec, ten minutes unless set, if the
// database has DBOptions::statistics. Nothing where there are none.
std::optional<LoggedAnswers> ReadLoggedAnswers(const std::string& folder);

}  // namespace linebloom::tools
