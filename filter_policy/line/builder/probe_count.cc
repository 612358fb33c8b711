#include "filter_policy/line/builder/probe_count.h"

namespace linebloom {
namespace {

#include "filter_policy/line/builder/probe_count_table.inc"

}  // namespace

int PlainProbes(uint32_t millibits) {
  int probes = 1;
  for (const uint32_t from : kPlainMillibitsForProbes) {
    if (millibits < from) break;
    ++probes;
  }
  return probes;
}

}  // namespace linebloom
