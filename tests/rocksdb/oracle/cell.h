// A cell of the oracle's tables.
#pragma once

#include <functional>
#include <ostream>
#include <string>
#include <vector>

#include "tests/rocksdb/oracle/oracle.h"
#include "tests/rocksdb/oracle/steps.h"

namespace linebloom {

enum class Filters { kWhole, kPartitioned, kBoth };

using Setting = std::function<void(Oracle*)>;

struct Cell {
  std::string name;
  std::vector<Step> steps;
  Setting setting = {};
  Filters filters = Filters::kBoth;
  // The database begins with each of these policies; steps may change them.
  std::vector<Policy> policies = {kBloom, kLinebloom};
};

// Settings by option strings.
inline Setting Table(const std::string& text) {
  return [text](Oracle* o) { o->UseTableOptions(text); };
}
inline Setting Database(const std::string& text) {
  return [text](Oracle* o) { o->UseDatabaseOptions(text); };
}

inline std::ostream& operator<<(std::ostream& out, const Cell& cell) {
  return out << cell.name;
}

class OracleTest : public Oracle, public testing::WithParamInterface<Cell> {};

#define INSTANTIATE_CELLS(suite, cells)                                 \
  INSTANTIATE_TEST_SUITE_P(suite, OracleTest, testing::ValuesIn(cells), \
                           testing::PrintToStringParamName())

}  // namespace linebloom
