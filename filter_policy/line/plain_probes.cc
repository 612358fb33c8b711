#include "filter_policy/line/plain_probes.h"

#include <algorithm>
#include <iterator>

namespace linebloom {
namespace {

// The most thousandths of a bit per key with which RocksDB chooses 1, 2, ...
// probes; beyond, one more every 2 bits.
constexpr uint32_t kMostMillibits[] = {2080,  3580,  5100,  6640,
                                       8300,  10070, 11720, 14001,
                                       16050, 18300, 22001, 25501};

}  // namespace

int PlainProbes(uint32_t millibits) {
  if (millibits > 50000) return 24;
  if (millibits > 25501) return static_cast<int>((millibits - 1) / 2000) - 1;
  return static_cast<int>(std::ranges::lower_bound(kMostMillibits, millibits) -
                          std::begin(kMostMillibits)) +
         1;
}

}  // namespace linebloom
