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

int SearchedProbes(uint64_t keys_in_line) {
  int probes = 1;
  for (const uint32_t up_to : kSearchedMostKeysForProbes) {
    if (keys_in_line > up_to) break;
    ++probes;
  }
  return probes;
}

}  // namespace linebloom
