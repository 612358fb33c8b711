// The answers of a database's filters, as RocksDB wrote them into its LOG.
#pragma once

#include <optional>
#include <string>

#include "linebloom/observed_rate.h"

namespace linebloom::tools {

struct LoggedAnswers {
  std::string when;       // as in the LOG: "2026/11/21-17:11:03.123456"
  FilterAnswers answers;  // since the statistics were created
};

// The last statistics in the LOG of the database's folder. RocksDB writes them
// every DBOptions::stats_dump_period_sec, by default ten minutes, if the
// database has DBOptions::statistics. Nothing if there are none.
std::optional<LoggedAnswers> ReadLoggedAnswers(const std::string& folder);

}  // namespace linebloom::tools
