#!/usr/bin/env bash
# Runs filter_bench with repetitions in random order and prints its tables in
# Markdown.
#
#   bench/filter_bench.sh [FILTER [REPETITIONS]]
#
# FILTER is a regular expression for benchmark names (default: the filters of 1M
# keys; .../cold, /many and /large take minutes to build). Needs build/release
# (tools/run_tests.sh builds it) and python3. With IN_TREE=PROGRAM, a filter_bench
# that tests/plugin/run.sh --bench has linked with a RocksDB from source, the two
# take turns and share the tables.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
filter=${1:-/hot/} repetitions=${2:-7} rounds=1
programs=("$root/build/release/bench/filter_bench")
if [[ ${IN_TREE:-} ]]; then
  programs+=("$IN_TREE")
  rounds=$repetitions repetitions=1
fi
work=$(mktemp --directory)
trap 'rm -r "$work"' EXIT
for ((round = 0; round < rounds; ++round)); do
  for i in "${!programs[@]}"; do
    "${programs[i]}" --benchmark_filter="$filter" \
      --benchmark_repetitions="$repetitions" --benchmark_min_time=0.2 \
      --benchmark_enable_random_interleaving=true \
      --benchmark_out="$work/$round.$i.json" --benchmark_out_format=json > /dev/null
  done
done
variables=${BITS_PER_KEY:+BITS_PER_KEY=$BITS_PER_KEY }${LINEBLOOM_SIMD:+LINEBLOOM_SIMD=$LINEBLOOM_SIMD }${IN_TREE:+IN_TREE=$IN_TREE }
echo "\`${variables}bench/filter_bench.sh${1:+ '$1'}${2:+ $2}\`"
echo
python3 "$root/bench/filter_tables.py" "$work"/*.json
