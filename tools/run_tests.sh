#!/usr/bin/env bash
# Runs the tests: installs missing packages, builds everything as for a release
# and runs ctest, whose summary comes last. Works on a fresh Debian 12 or later,
# as root or with sudo.
#
#   tools/run_tests.sh [--all]
#
# --all first runs what takes longer: formatting and clang-tidy (on Debian 12),
# the tests under AddressSanitizer, UBSan and ThreadSanitizer, each fuzz target
# for 30 seconds, and on Debian 12 the tests with the RocksDB of Debian 13, if
# it may mount and chroot. Stops at the first step that fails. Exits with 0 if
# all passed, 1 if something failed, or 2 after bad usage.
#
# The first run downloads packages, compiles for four minutes with two cores and
# puts about 200 MB into build/, with --all several times as much; later runs
# compile only what changed.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root" # where CMake and ctest look for the presets
source tools/run_step.sh
jobs=$(nproc)
tests_at_once=$((2 * jobs)) # they wait for disks and background jobs

all=false
for argument in "$@"; do
  case $argument in
    -h | --help)
      print_usage "${BASH_SOURCE[0]}"
      exit 0
      ;;
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

# Uses `find`, because a fresh machine may have no git to list the files.
check_format() {
  find filter_policy table tools tests bench docs \( -name '*.h' -o -name '*.cc' \) -print0 |
    run_step "clang-format" xargs --null clang-format --dry-run -Werror
}

# tidy NAME CHECKS FOLDERS
tidy() {
  run_step "clang-tidy $1" run-clang-tidy -quiet -p build/UnifiedSource -j "$jobs" \
    -checks="$2" "^$root/(build/UnifiedSource/)?($3)/"
}

# Checks several files at once, as units of a unity build: file by file the checks
# would go through RocksDB's headers again for each and take 800 seconds instead
# of 300. The analyzer takes a unit's files for sources, not headers, only if
# "UnifiedSource" is part of its path. The configuration of the unit's folder
# applies to all its files, so tools/.clang-tidy and bench/.clang-tidy are
# repeated here. Without tests/, which would take as long again.
check_tidy() {
  run_step "configure clang-tidy" cmake --preset tidy
  tidy library '-bugprone-suspicious-include' 'filter_policy|table|docs'
  tidy programs '-bugprone-suspicious-include,-clang-analyzer-*' 'tools|bench'
}

test_with_sanitizers() {
  local preset
  for preset in asan-ubsan tsan; do
    build "$preset"
    run_step "test $preset" ctest --preset "$preset" --parallel "$tests_at_once"
  done
}

# With RocksDB 9.10, and files across versions. A container may lack the right
# to mount or chroot, and a mirror may lack Debian 13. That is not the tree's
# fault, so run.sh only reports it (exit code 2) and the other steps continue.
test_on_debian_13() {
  local code=0
  tests/compat/run.sh trixie --quick || code=$?
  ((code == 0 || code == 2)) || exit 1
}

# The findings of clang-format and clang-tidy differ between versions, so one
# version has to be authoritative: that of Debian 12, which is 14.
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

ctest --preset release --parallel "$tests_at_once" || exit 1
