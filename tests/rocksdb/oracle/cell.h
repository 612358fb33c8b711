// A cell of the oracle's tables.
#pragma once

#include <functional>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "tests/rocksdb/oracle/oracle.h"
#include "tests/rocksdb/oracle/steps.h"

namespace linebloom {

enum class Filters { kWhole, kPartitioned, kBoth };

struct Cell {
  std::string name;
  std::vector<Step> steps;
  std::function<void(Oracle*)> setting = {};
  Filters filters = Filters::kBoth;
  // The database begins with each of these policies; steps may change them.
  std::vector<Policy> policies = {kBloom, kLinebloom};
};

// A cell for these policies.
inline Cell CellOf(std::string name, std::vector<Step> steps,
                   std::vector<Policy> policies,
                   std::function<void(Oracle*)> setting = {}) {
  return {std::move(name), std::move(steps), std::move(setting), Filters::kBoth,
          std::move(policies)};
}

inline std::ostream& operator<<(std::ostream& out, const Cell& cell) {
  return out << cell.name;
}

class OracleTest : public Oracle, public testing::WithParamInterface<Cell> {};

#define INSTANTIATE_CELLS(suite, cells)                                   \
  INSTANTIATE_TEST_SUITE_P(suite, OracleTest, testing::ValuesIn(cells),   \
                           [](const testing::TestParamInfo<Cell>& cell) { \
                             return cell.param.name;                      \
                           })

}  // namespace linebloom
