#!/usr/bin/env bash
# Builds the line, the filter and their tests for AArch64 with Debian's cross
# compiler and runs them under qemu, without RocksDB: the NEON kernel, and the
# golden blocks on another architecture. Not part of the test suite, because it
# needs packages that nothing else does.
#
#   tests/cross/aarch64.sh
#
# Needs: g++-aarch64-linux-gnu qemu-user libgtest-dev libxxhash-dev
# libhighwayhash-dev
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
build=$root/build/aarch64
googletest=/usr/src/googletest

for program in aarch64-linux-gnu-g++ qemu-aarch64; do
  if ! command -v "$program" > /dev/null; then
    echo "aarch64.sh: no $program; install g++-aarch64-linux-gnu and qemu-user" >&2
    exit 2
  fi
done

mkdir -p "$build"
# xxHash and SipHash are header-only and the same for every architecture, but
# the cross compiler doesn't search the host's headers.
mkdir -p "$build/include"
ln -sfn /usr/include/{xxhash.h,xxh3.h,highwayhash} "$build/include/"

sources=()
for source in "$root"/filter_policy/{line,line/kernel,line/builder,sizing,filter}/*.cc; do
  [[ $source == */line_tables.cc ]] || sources+=("$source")
done
tests=("$root"/tests/filter_policy/{line,line/kernel,line/builder,sizing,filter}/*_test.cc
  "$root"/tests/filter_policy/line/line_cases.cc "$root/tests/golden/golden_block.cc")

objects=()
compile() { # SOURCE FLAG...
  local object
  object=$build/$(basename "$1" .cc).o
  aarch64-linux-gnu-g++ -std=c++20 -O2 -Wall -Wextra \
    "${@:2}" -c "$1" -o "$object"
  objects+=("$object")
}

flags=(-I"$root" -I"$root/filter_policy/include" -I"$build/include"
  -isystem "$googletest/googletest/include" -isystem "$googletest/googlemock/include"
  "-DLINEBLOOM_GOLDEN_DIR=\"$root/tests/golden\"")
for source in "${sources[@]}" "${tests[@]}"; do compile "$source" "${flags[@]}"; done
for source in "$googletest"/googletest/src/{gtest-all,gtest_main}.cc; do
  compile "$source" -I"$googletest/googletest" -I"$googletest/googletest/include" -w
done
aarch64-linux-gnu-g++ -static -pthread "${objects[@]}" -o "$build/line_test"

for simd in neon scalar; do
  echo "LINEBLOOM_SIMD=$simd"
  LINEBLOOM_SIMD=$simd qemu-aarch64 "$build/line_test" --gtest_brief=1 \
    --gtest_filter='-*StatesItsExactRate*:*FalsePositiveRate*:*MatchesBuiltFilters*'
done
