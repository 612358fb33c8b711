// The facts about a file's filter as JSON.
#pragma once

#include "filter_policy/filter_facts/file_facts.h"
#include "nlohmann/json_fwd.hpp"
#include "tools/filter_dump/live_files.h"

namespace linebloom::tools {

// `path` and, if the file has them, `column_family` and `level`.
nlohmann::ordered_json FileAsJson(const LiveFile& file);

// `rows`, `format_version`, and `filter`, which is null for a file without one.
nlohmann::ordered_json FactsAsJson(const FileFacts& facts);

}  // namespace linebloom::tools
