#!/usr/bin/env bash
# Builds the fuzz targets with clang (tools/install_dependencies.sh --fuzz) and
# runs them, as many at a time as there are processors, each from its seeds and
# from the inputs of earlier runs.
#
#   tests/fuzz/run.sh [--seconds=N] [TARGET]...
#
# N is the time for each target, by default 30 seconds; without a TARGET all of
# them run. A target stops at the first input that breaks it and keeps it in
# build/fuzz/found/TARGET/; the next run starts with that. Inputs that reach new
# code go to build/fuzz/corpus/TARGET/. Nothing is written into the tree.
#
# Prints how many inputs each target ran, and names those that broke it. Exits with 0
# if none did, with 1 if one did or if the build failed, or with 2 after bad usage.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
source "$root/tools/run_step.sh"
parse_options seconds=30 -- "$@"
((seconds > 0)) || stop "--seconds must be 1 or more"
cd "$root" # where CMake looks for the presets
jobs=$(nproc)
targets=("${operands[@]}")
((${#targets[@]} > 0)) || mapfile -t targets < <(basename --suffix=.cc --multiple tests/fuzz/*_fuzz.cc)
for target in "${targets[@]}"; do
  [[ -f tests/fuzz/$target.cc ]] || stop "there is no target '$target'"
done

# Runs a target, with its output in its log. RocksDB is not built with
# AddressSanitizer, so bounds of containers shared with it can't be checked. What an
# input frees is needed as long as it runs: 8 MB stay in the cache, unlike 256.
fuzz() {
  local corpus=build/fuzz/corpus/$1 found=build/fuzz/found/$1 log=build/log/$1.log code=0
  mkdir -p "$corpus" "$found"
  ASAN_OPTIONS=detect_container_overflow=0:quarantine_size_mb=8 UBSAN_OPTIONS=print_stacktrace=1 \
    "build/fuzz/tests/fuzz/$1" -max_total_time="$seconds" -timeout=25 -report_slow_units=25 \
    -artifact_prefix="$found/" -print_final_stats=1 \
    "$corpus" "tests/fuzz/corpus/$1" "$found" > "$log" 2>&1 || code=1
  echo "$1: $(grep --text --only-matching --perl-regexp 'executed_units: +\K[0-9]+' "$log" || echo no) executions"
  ((code == 0)) || echo "$1 failed; see $log. Run it again with build/fuzz/tests/fuzz/$1 and:" >&2
  grep --text --only-matching --perl-regexp 'Test unit written to \K.*' "$log" >&2 || true
  return $code
}

run_step "configure fuzz" cmake --preset fuzz
run_step "build fuzz" cmake --build --preset fuzz --target "${targets[@]}" --parallel "$jobs"

echo "fuzzing ${#targets[@]} targets for $seconds s each, $jobs at a time; progress in build/log/TARGET.log" >&2
export -f fuzz
export seconds
printf '%s\n' "${targets[@]}" | xargs --max-procs="$jobs" --replace=TARGET bash -c 'fuzz TARGET' || exit 1
