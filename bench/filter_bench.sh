#!/usr/bin/env bash
# Runs filter_bench with repetitions in random order and prints its tables in
# Markdown: time against rocksdb-bloom's in the same run, and how much it
# scattered.
#
#   bench/filter_bench.sh [FILTER [REPETITIONS]]
#
# FILTER is a regular expression of benchmark names (default: all but the
# filters of 30M keys and the 1,000 filters, which take minutes to build).
# Needs build/release (tools/run_tests.sh builds it) and python3.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
filter=${1:-'^(build/|(miss|hit|batch)/hot)'}
json=$(mktemp)
trap 'rm -f "$json"' EXIT
"$root/build/release/bench/filter_bench" --benchmark_filter="$filter" \
  --benchmark_repetitions="${2:-7}" --benchmark_min_time=0.2 \
  --benchmark_enable_random_interleaving=true \
  --benchmark_out="$json" --benchmark_out_format=json > /dev/null
echo "\`bench/filter_bench.sh${1:+ '$1'}${2:+ $2}\`, LINEBLOOM_SIMD=${LINEBLOOM_SIMD:-unset}, LINEBLOOM_BENCH_ALIGN=${LINEBLOOM_BENCH_ALIGN:-unset}"
echo
python3 "$root/bench/filter_tables.py" "$json"
