#!/usr/bin/env bash
# Runs the tests: installs what is missing, builds everything as released and
# runs ctest, whose closing lines come last. Complete on a fresh Debian 12 or
# later, as root or with sudo.
#
#   tools/run_tests.sh [--all]
#
# With --all it does before that what takes longer: formatting and clang-tidy
# (on Debian 12), the tests under AddressSanitizer, UBSan and ThreadSanitizer,
# each fuzz target for 30 seconds, and on Debian 12 the tests with the RocksDB of
# Debian 13, where it may mount and chroot. The first step that fails ends it.
# Exit code 0: all passed; 1: something failed; 2: bad usage.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root" # where CMake and ctest look for the presets
source tools/run_step.sh
jobs=$(nproc)

all=false
for argument in "$@"; do
  case $argument in
    --all) all=true ;;
    *)
      echo "run_tests.sh: unknown argument '$argument'; the only one is --all" >&2
      exit 2
      ;;
  esac
done

# Configures and builds a preset.
build() {
  run_step "configure $1" cmake --preset "$1"
  run_step "build $1" cmake --build --preset "$1" --parallel "$jobs"
}

# By `find`, for a fresh machine may have no git to list the files with.
check_format() {
  find filter_policy table tools tests bench \( -name '*.h' -o -name '*.cc' \) -print0 |
    run_step "clang-format" xargs --null clang-format --dry-run -Werror
}

# By the compile commands of the release build. Without tests/, which would take
# as long again. For all of it: run-clang-tidy -quiet -p build/release
check_tidy() {
  run_step "clang-tidy" run-clang-tidy -quiet -p build/release -j "$jobs" \
    "^$root/(filter_policy|table|tools|bench)/"
}

test_with_sanitizers() {
  local preset
  for preset in asan-ubsan tsan; do
    build "$preset"
    run_step "test $preset" ctest --preset "$preset" --parallel "$jobs"
  done
}

# With RocksDB 9.10, and files across versions. A container may lack the right to
# mount or chroot, or a mirror Debian 13; that is no fault of the tree, so run.sh
# says it (exit code 2) and the rest goes on.
test_on_debian_13() {
  local code=0
  tests/compat/run.sh trixie --quick || code=$?
  ((code == 0 || code == 2)) || exit 1
}

# What clang-format and clang-tidy find differs from version to version. One
# has to be the measure: Debian 12's, which is 14.
on_debian_12() {
  [[ $(. /etc/os-release && echo "$ID ${VERSION_ID:-}") == "debian 12" ]]
}

if $all && on_debian_12; then
  run_step "install packages" tools/install_dependencies.sh --lint --fuzz --compat
  check_format
  build release
  check_tidy
elif $all; then
  echo "formatting and clang-tidy are checked on Debian 12 only" >&2
  run_step "install packages" tools/install_dependencies.sh --fuzz
  build release
else
  run_step "install packages" tools/install_dependencies.sh
  build release
fi
if $all; then
  test_with_sanitizers
  tests/fuzz/run.sh --seconds=30
  if on_debian_12; then test_on_debian_13; fi
fi

ctest --preset release --parallel "$jobs" || exit 1
