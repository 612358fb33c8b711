#!/usr/bin/env bash
# Coverage of filter_policy/ and table/ by the tests: lines, then branches, file by file.
#
# Builds into build/coverage, runs ctest without what is labelled nightly, and prints two
# tables. Branches that only exceptions take don't count. Takes ten minutes of CPU time.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
source "$root/tools/run_step.sh"
command -v gcovr > /dev/null || stop "gcovr is missing; install the package gcovr"
build=$root/build/coverage
mkdir -p "$build"

cmake -S "$root" -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Debug \
  -DCMAKE_CXX_FLAGS_DEBUG="-O1 -g1" \
  -DCMAKE_CXX_FLAGS="--coverage -fprofile-update=atomic" >"$build.log"
cmake --build "$build" --parallel "$(nproc)" >>"$build.log"
find "$build" -name '*.gcda' -delete
ctest --test-dir "$build" -LE nightly --parallel "$(nproc)" --output-on-failure \
  >>"$build.log" || echo "some tests failed; see $build.log" >&2

# A line counts as run if it was run in any program that holds it.
of_both=(--root "$root" --filter "$root/filter_policy/" --filter "$root/table/"
  --exclude-throw-branches --exclude-unreachable-branches)
gcovr "${of_both[@]}" --json "$build.json" "$build"
gcovr "${of_both[@]}" --add-tracefile "$build.json"
gcovr "${of_both[@]}" --add-tracefile "$build.json" --branches --print-summary
