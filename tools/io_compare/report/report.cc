#include "tools/io_compare/report/report.h"

namespace linebloom::tools {

double PolicyResult::bits_per_key() const {
  uint64_t entries = 0;
  for (const FileShape& file : shape.files) entries += file.entries;
  return entries == 0 ? 0
                      : 8.0 * static_cast<double>(filter_bytes) /
                            static_cast<double>(entries);
}

std::string ToString(FilterKeys keys) {
  switch (keys) {
    case FilterKeys::kCells:
      return "cells";
    case FilterKeys::kRows:
      return "rows";
    case FilterKeys::kBoth:
      return "both";
  }
  return "";
}

}  // namespace linebloom::tools
