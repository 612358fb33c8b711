#!/usr/bin/env bash
# Installs missing packages, builds linebloom as for a release and runs its tests.
# ctest's summary comes last. Works on a fresh Debian 12 or later, as root or with
# sudo.
#
#   tools/run_tests.sh [--check | --nightly]
#
# --check is for every change: first formatting and clang-tidy (on Debian 12), then
# the tests of filters and of the SSTable reader with AddressSanitizer and UBSan, and
# those of pages in a browser.
# --nightly runs what takes longer and seldom finds more: clang-tidy of programs and
# benchmarks, clang's static analyzer, all tests with these sanitizers, builds of
# the library as a plugin and inside users' projects, ThreadSanitizer, and each fuzz
# target for two minutes.
# Stops at the first step that fails. Exits with 0 if all passed, 1 if something
# failed, or 2 after bad usage.
#
# The first run downloads packages, compiles for four minutes with two cores and
# puts about 300 MB into build/, with --check or --nightly several times as much;
# later runs compile only what changed.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root" # where CMake and ctest look for the presets
source tools/run_step.sh
jobs=$(nproc)
tests_at_once=$((2 * jobs)) # they wait for disks and background jobs

parse_options check=false nightly=false -- "$@"
((${#operands[@]} == 0)) || stop "unknown argument '${operands[0]}'"
! $check || ! $nightly || stop "--check and --nightly exclude each other"

# build PRESET [ARGUMENT of cmake --build]...: configures a preset and builds it.
build() {
  run_step "configure $1" cmake --preset "$1"
  run_step "build $1" cmake --build --preset "$1" --parallel "$jobs" "${@:2}"
}

# Uses `find`, because a fresh machine may have no git to list the files.
check_format() {
  find filter_policy table tools tests bench docs \( -name '*.h' -o -name '*.cc' \) -print0 |
    run_step "clang-format" xargs --null clang-format --dry-run -Werror
}

# tidy NAME CHECKS FOLDERS: checks several files at once, as units of a unity build:
# file by file the checks would go through RocksDB's headers again for each and take
# more than twice as long. The analyzer takes a unit's files for sources, not headers,
# only if "UnifiedSource" is part of its path. The configuration of the unit's folder
# applies to all its files, so tools/.clang-tidy and bench/.clang-tidy are repeated
# here. Without tests/, which would take as long again.
tidy() {
  run_step "configure clang-tidy" cmake --preset tidy
  run_step "$1" run-clang-tidy -quiet -p build/UnifiedSource -j "$jobs" \
    -checks="$2" "^$root/(build/UnifiedSource/)?($3)/"
}

quick_checks='-bugprone-suspicious-include,-clang-analyzer-*'

# test_with PRESET [ARGUMENT of ctest]...
test_with() {
  run_step "test $1" ctest --preset "$1" --parallel "$tests_at_once" "${@:2}"
}

# Of all tests these see most of the memory that is ours: filters, and files of any
# bytes. The others run with AddressSanitizer nightly.
own_memory='^((line|filter|bits|policy|table|failed_allocations)_test(\.[0-9]|_.*)|.*_fuzz)$'

# The findings of clang-format and clang-tidy differ between versions, so one
# version has to be authoritative: that of Debian 12, which is 14.
on_debian_12() {
  [[ $(. /etc/os-release && echo "$ID ${VERSION_ID:-}") == "debian 12" ]]
}

packages=()
if $check || $nightly; then packages+=(--fuzz); fi # for clang and its sanitizers
if $check; then packages+=(--browser); fi
if on_debian_12 && ($check || $nightly); then packages+=(--lint); fi
run_step "install packages" tools/install_dependencies.sh "${packages[@]}"
tests=(--label-exclude nightly)
if $check; then
  if on_debian_12; then
    check_format
    # The analyzer takes twice as long as all other checks.
    tidy clang-tidy "$quick_checks" 'filter_policy|table'
  else
    echo "formatting and clang-tidy are checked on Debian 12 only" >&2
  fi
  build asan-ubsan --target tests/filter_policy/all tests/table/all tests/fuzz/all
  test_with asan-ubsan --tests-regex "$own_memory"
fi
build release
if $nightly; then
  if on_debian_12; then
    tidy 'clang-tidy of programs' "$quick_checks" 'tools|docs|bench'
    tidy 'static analyzer' '-*,clang-analyzer-*' 'filter_policy|table|docs'
  fi
  build asan-ubsan
  test_with asan-ubsan --label-exclude nightly
  build tsan
  test_with tsan
  tests/fuzz/run.sh --seconds=120
  tests=(--label-regex nightly)
fi
test_with release "${tests[@]}"
sed --quiet '/% tests passed/,$p' build/log/test_release.log
