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
# The final table shows executions, coverage (edges of the control flow taken)
# and the inputs found. Exits with 0 if nothing was found, with 1 if something
# was (named below the table) or if the build failed, or with 2 after bad usage.
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
  local corpus=build/fuzz/corpus/$1 found=build/fuzz/found/$1
  mkdir -p "$corpus" "$found"
  ASAN_OPTIONS=detect_container_overflow=0:quarantine_size_mb=8 UBSAN_OPTIONS=print_stacktrace=1 \
    "build/fuzz/tests/fuzz/$1" -max_total_time="$seconds" -timeout=25 -report_slow_units=25 \
    -artifact_prefix="$found/" -print_final_stats=1 \
    "$corpus" "tests/fuzz/corpus/$1" "$found" > "build/log/$1.log" 2>&1
}

# The last number after a word in a target's log; a dash if there is none.
last_number() {
  grep --text --only-matching --perl-regexp "$2:? +\K[0-9]+" "build/log/$1.log" | tail --lines=1 | grep . || echo -
}

# The paths that libFuzzer wrote in this run, one per line.
found_inputs() {
  grep --text --only-matching --perl-regexp 'Test unit written to \K.*' "build/log/$1.log" || true
}

run_step "configure fuzz" cmake --preset fuzz
run_step "build fuzz" cmake --build --preset fuzz --target "${targets[@]}" --parallel "$jobs"

batches=$(((${#targets[@]} + jobs - 1) / jobs))
echo "fuzzing ${#targets[@]} targets for $seconds s each: done at $(date --date="+$((batches * seconds)) seconds" +%T); progress in build/log/TARGET.log" >&2
broken=()
for ((first = 0; first < ${#targets[@]}; first += jobs)); do
  declare -A pids=()
  for target in "${targets[@]:first:jobs}"; do
    fuzz "$target" &
    pids[$target]=$!
  done
  for target in "${!pids[@]}"; do
    wait "${pids[$target]}" || broken+=("$target")
  done
done

printf '%-20s %12s %10s %8s\n' target executions coverage found
for target in "${targets[@]}"; do
  printf '%-20s %12s %10s %8s\n' "$target" \
    "$(last_number "$target" stat::number_of_executed_units)" \
    "$(last_number "$target" cov)" "$(found_inputs "$target" | wc --lines)"
done

for target in "${broken[@]}"; do
  echo "$target failed; see build/log/$target.log. Run it again with build/fuzz/tests/fuzz/$target and:" >&2
  found_inputs "$target" >&2
done
((${#broken[@]} == 0)) || exit 1
