// The CPU time of bits_per_key=auto for a new file: the model of a leveled tree
// and the choice among its bits.
//
//   build/release/bench/choose_bench
//
// Names are choose/FILES/HITS: the files of the tree, and how many of the
// lookups hit, in per cent.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <string>
#include <vector>

#include "filter_policy/levels/auto_bits.h"
#include "filter_policy/levels/live_files.h"

namespace linebloom {
namespace {

constexpr char kFamily[] = "default";

// Four files of level 0 and three levels, each of a tenth of the next. Files
// have up to 50,000 rows, as the seams between levels leave them.
LiveFiles TreeOf(int64_t files) {
  LiveFiles tree;
  std::vector<rocksdb::LiveFileMetaData> listed;
  for (int64_t i = 0; i < files; ++i) {
    rocksdb::LiveFileMetaData file;
    file.column_family_name = kFamily;
    file.name = "/" + std::to_string(i) + ".sst";
    file.level = i < 4 ? 0 : i < files / 100 ? 4 : i < files / 10 ? 5 : 6;
    const auto rows = static_cast<double>(50'000 - i % 40 * 1'000);
    file.size = static_cast<uint64_t>(rows * 66);
    tree.Create(file.name,
                FileTotals{.rows = rows,
                           .keys = rows,
                           .bits = rows * 10,
                           .files = 1,
                           .index_bytes = rows / 3,
                           .data_blocks = rows / 60,
                           .data_bytes = rows * 66},
                file.size, nullptr);
    listed.push_back(file);
  }
  tree.List(listed, tree.version());
  return tree;
}

void Choose(benchmark::State& state) {
  const LiveFiles tree = TreeOf(state.range(0));
  const LiveFiles::Family& family = tree.families().at(kFamily);
  SteadyChoice choice;
  double bits = 0;
  for (auto _ : state) {
    CacheLoad load;
    load.totals = family.live.filters;
    load.cache.capacity = load.totals.keys;  // 8 bits for each
    load.trees = {ModelOf(family, rocksdb::kCompactionStyleLevel)};
    load.lookups.all = 1e5;
    load.lookups.hits = 1e3 * static_cast<double>(state.range(1));
    bits = choice.Next(load).average_bits;
  }
  state.counters["bits_per_key"] = bits;
}
BENCHMARK(Choose)->Name("choose")->ArgsProduct({{40, 10'000}, {1, 90}});

}  // namespace
}  // namespace linebloom

BENCHMARK_MAIN();
