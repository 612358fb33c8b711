#!/usr/bin/env bash
# Runs filter_bench with repetitions in random order and prints its tables in
# Markdown.
#
#   bench/filter_bench.sh [FILTER [REPETITIONS]]
#
# FILTER is a regular expression for benchmark names (default: the filters of 1M
# keys; .../cold, /many and /large take minutes to build). Needs build/release
# (tools/run_tests.sh builds it) and python3.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
filter=${1:-/hot/}
json=$(mktemp)
trap 'rm -f "$json"' EXIT
"$root/build/release/bench/filter_bench" --benchmark_filter="$filter" \
  --benchmark_repetitions="${2:-7}" --benchmark_min_time=0.2 \
  --benchmark_enable_random_interleaving=true \
  --benchmark_out="$json" --benchmark_out_format=json > /dev/null
simd=${LINEBLOOM_SIMD:+LINEBLOOM_SIMD=$LINEBLOOM_SIMD }
echo "\`${simd}bench/filter_bench.sh${1:+ '$1'}${2:+ $2}\`"
echo
python3 "$root/bench/filter_tables.py" "$json"
