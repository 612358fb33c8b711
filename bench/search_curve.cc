// What search is worth: for many plans, the rate that lines have afterwards and
// the time that searching takes, as a table in Markdown.
//
//   build/release/bench/search_curve [BITS_PER_KEY]   (default 10)
//
// `*` marks the plans that no other beats in both, `=` those of the efforts.
// CPU time on one thread, without hashing and partition; LINEBLOOM_SIMD chooses
// the instruction set.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <random>
#include <span>
#include <utility>
#include <vector>

#include "filter_policy/filter/hash_list.h"
#include "filter_policy/filter/line_partition.h"
#include "filter_policy/line/builder/effort.h"
#include "filter_policy/line/builder/line_builder.h"
#include "filter_policy/sizing/sizing.h"

namespace linebloom {
namespace {

constexpr uint32_t kLines = 20000;

struct Point {
  SearchPlan plan;
  double rate;
  double nanoseconds_per_key;
};

double CpuSeconds() {
  timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) +
         static_cast<double>(now.tv_nsec) * 1e-9;
}

// The hashes of each line of a filter of random keys.
std::vector<std::vector<uint64_t>> RandomLines(double bits_per_key) {
  std::mt19937_64 random(1);
  HashList hashes;
  const auto keys = static_cast<size_t>(kLines * 512 / bits_per_key);
  for (size_t i = 0; i < keys; ++i) hashes.Add(random());
  LinePartition partition(hashes, kLines);
  std::vector<std::vector<uint64_t>> lines(kLines);
  for (std::vector<uint64_t>& line : lines) {
    const std::span<const uint64_t> next = partition.Next();
    line.assign(next.begin(), next.end());
  }
  return lines;
}

Point Measure(const SearchPlan& plan,
              const std::vector<std::vector<uint64_t>>& lines) {
  LineBuilder builder = LineBuilder::Searched(plan);
  double sum_of_rates = 0;
  size_t keys = 0;
  const double start = CpuSeconds();
  for (const std::vector<uint64_t>& hashes : lines) {
    uint8_t bytes[kLineBytes];
    sum_of_rates += builder.Build(hashes, bytes);
    keys += hashes.size();
  }
  return {plan, sum_of_rates / kLines,
          1e9 * (CpuSeconds() - start) / static_cast<double>(keys)};
}

const char* EffortOf(const SearchPlan& plan) {
  constexpr std::pair<BuildEffort, const char*> kEfforts[] = {
      {BuildEffort::kFast, "= fast"},
      {BuildEffort::kBalanced, "= balanced"},
      {BuildEffort::kMax, "= max"}};
  for (const auto& [effort, name] : kEfforts) {
    if (SearchPlanOf(effort) == plan) return name;
  }
  return "";
}

std::vector<SearchPlan> Plans() {
  std::vector<SearchPlan> plans;
  for (uint8_t rotation_bits = 0; rotation_bits <= 6; ++rotation_bits) {
    for (const int rounds : {0, 1, 2, 3}) {
      plans.push_back({rotation_bits, 1, rounds});
    }
    for (const int beam : {2, 4, 8, 16}) {
      plans.push_back({rotation_bits, beam, 2});
    }
  }
  return plans;
}

void Print(const std::vector<Point>& points, double keys_per_line) {
  printf(
      "| hashes x rotations | beam | rounds | tries/key | rate %% | ns/key | "
      "|\n| ---: | ---: | ---: | ---: | ---: | ---: | --- |\n");
  double best = 2;
  for (const Point& point : points) {
    const bool unbeaten = point.rate < best;
    best = std::min(best, point.rate);
    const int bases = 1 << (kSeedBits - point.plan.rotation_bits);
    // The beam has one choice before the first group and is full after it.
    const int tries = kSeeds * (1 + point.plan.beam * (kGroups - 1) +
                                point.plan.rounds * kGroups);
    printf("| %d x %d | %d | %d | %.0f | %.5f | %.0f | %s %s |\n", bases,
           kSeeds / bases, point.plan.beam, point.plan.rounds,
           tries / keys_per_line, 100 * point.rate, point.nanoseconds_per_key,
           unbeaten ? "*" : "", EffortOf(point.plan));
  }
}

}  // namespace
}  // namespace linebloom

int main(int argc, char** argv) {
  const double bits_per_key = argc > 1 ? std::atof(argv[1]) : 10;
  if (argc > 2 || !(bits_per_key >= 1 && bits_per_key <= 30)) {
    fprintf(stderr, "usage: search_curve [BITS_PER_KEY from 1 to 30]\n");
    return 2;
  }
  const std::vector<std::vector<uint64_t>> lines =
      linebloom::RandomLines(bits_per_key);
  std::vector<linebloom::Point> points;
  for (const linebloom::SearchPlan& plan : linebloom::Plans()) {
    points.push_back(linebloom::Measure(plan, lines));
  }
  std::sort(points.begin(), points.end(), [](const auto& a, const auto& b) {
    return a.nanoseconds_per_key < b.nanoseconds_per_key;
  });
  linebloom::Print(points, 512 / bits_per_key);
}
