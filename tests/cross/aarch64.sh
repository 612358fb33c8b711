#!/usr/bin/env bash
# Builds the line, the filter and their tests for AArch64 with Debian's cross
# compiler and runs them under qemu, without RocksDB: the NEON kernel, and the
# golden blocks on another architecture. Not part of the test suite, because it
# needs packages that nothing else does.
#
#   tests/cross/aarch64.sh
#
# Needs: g++-aarch64-linux-gnu qemu-user libgtest-dev libxxhash-dev
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
source "$root/tools/run_step.sh"
parse_options -- "$@"
build=$root/build/aarch64
googletest=/usr/src/googletest/googletest
for program in aarch64-linux-gnu-g++ qemu-aarch64; do
  command -v $program > /dev/null || stop "no $program; install g++-aarch64-linux-gnu and qemu-user"
done

# xxHash is a header, the same for every architecture, but the cross compiler
# doesn't search the host's headers.
mkdir -p "$build/include"
ln -sfn /usr/include/{xxhash.h,xxh3.h} "$build/include/"

GLOBIGNORE=$root/filter_policy/filter/solved_rates.cc # a program of its own
aarch64-linux-gnu-g++ -std=c++20 -O2 -Wall -Wextra -static -pthread \
  -I"$root" -I"$root/filter_policy/include" -I"$build/include" \
  -isystem $googletest -isystem $googletest/include -isystem $googletest/../googlemock/include \
  "-DLINEBLOOM_GOLDEN_DIR=\"$root/tests/golden\"" \
  "$root"/filter_policy/{line,line/kernel,filter}/*.cc \
  "$root"/tests/filter_policy/{line,line/kernel,filter}/*_test.cc \
  "$root/tests/golden/golden_block.cc" \
  $googletest/src/{gtest-all,gtest_main}.cc -o "$build/tests"

for simd in neon scalar; do
  echo "LINEBLOOM_SIMD=$simd"
  LINEBLOOM_SIMD=$simd qemu-aarch64 "$build/tests" --gtest_brief=1 \
    --gtest_filter='-*FalsePositiveRate*:*MatchesBuiltFilters*'
done
