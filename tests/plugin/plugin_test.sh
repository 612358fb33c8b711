#!/usr/bin/env bash
# Builds linebloom as a plugin of a small tree that takes plugins as RocksDB's does,
# linked with the RocksDB that is installed. Our declaration stands in for RocksDB's
# private header, which is not installed. run.sh takes a tree of RocksDB's.
#
#   plugin_test.sh ROOT make|cmake|interfaces|bad_input COMPILER [LAUNCHER]
set -euo pipefail
root=$1 what=$2 compiler=$3 launcher=${4:-}
export ROCKSDB_PLUGINS=linebloom

work=$(mktemp --directory)
trap 'rm -r "$work"' EXIT
cd "$work"
cp "$root"/tests/plugin/tree/* "$root/tests/consumer/consumer.cc" .
mkdir -p plugin table/block_based
ln -s "$root" plugin/linebloom
ln -s "$root/filter_policy/policy/declared_filter_bits.h" table/block_based/filter_policy_internal.h

fail() {
  echo "plugin_test.sh: $*" >&2
  exit 1
}

# Configures a build without optimization; make has release flags, below.
configure() {
  cmake -S . -B build -G Ninja -DROCKSDB_PLUGINS=linebloom \
    -DCMAKE_CXX_COMPILER="$compiler" -DCMAKE_CXX_COMPILER_LAUNCHER="$launcher" "$@"
}

# stops_with TEXT COMMAND...: the command fails and prints the text, however wrapped.
stops_with() {
  local text=$1
  shift
  ! "$@" > output 2>&1 || fail "'$*' went through"
  tr -s ' \n' '  ' < output | grep --quiet --fixed-strings "$text" ||
    { cat output; fail "'$*' stops without '$text'"; }
  echo "stops: $text"
}

by_make() {
  make --jobs=2 --silent OBJ_DIR=objects CXX="$compiler" LAUNCHER="$launcher" program
  ./program database
}

by_cmake() {
  mkdir lz4
  echo '#define XXH_VERSION_NUMBER 605' > lz4/xxhash.h
  configure -DCMAKE_BUILD_TYPE=Debug
  cmake --build build --parallel 2
  build/program database
}

# A RocksDB whose builder's virtual functions differ: one more before AddKey would
# move all others.
interfaces() {
  local private=table/block_based/filter_policy_internal.h
  "$root/tests/plugin/check_interfaces.sh" . "$compiler"
  rm $private
  sed '/void AddKey(/i virtual void Prepare(size_t) {}' "$root/filter_policy/policy/declared_filter_bits.h" > $private
  stops_with "its FilterBitsBuilder without the private header: declare these functions in" \
    "$root/tests/plugin/check_interfaces.sh" . "$compiler"
  sed --in-place 's/void Prepare(size_t) {}/void Prepare(size_t) = 0;/' $private
  stops_with "of abstract class type" \
    "$root/tests/plugin/check_interfaces.sh" . "$compiler"
}

bad_input() {
  cat > old_compiler << END
#!/bin/sh
case "\$*" in *++20*) exit 1 ;; esac
exec $compiler "\$@"
END
  chmod +x old_compiler
  local cxx20="linebloom needs a compiler with C++20, such as GCC 11 or Clang 14"
  stops_with "$cxx20: set CXX to one instead of '$work/old_compiler'" \
    make CXX="$work/old_compiler" program
  compiler=$work/old_compiler stops_with \
    "$cxx20: set CMAKE_CXX_COMPILER to one instead of $work/old_compiler" configure

  mkdir old_xxhash
  echo '#define XXH_VERSION_NUMBER 704' > old_xxhash/xxhash.h
  local xxhash="linebloom needs xxhash.h of xxHash 0.8 or later: install it (on Debian libxxhash-dev), or set"
  stops_with "$xxhash EXTRA_CXXFLAGS to -I and its folder" \
    make CXX="$compiler" EXTRA_CXXFLAGS=-Iold_xxhash program
  rm -r build
  stops_with "$xxhash XXHASH_INCLUDE_DIR to its folder" configure -DCMAKE_IGNORE_PATH=/usr/include
  stops_with "$xxhash XXHASH_INCLUDE_DIR to its folder" configure -DXXHASH_INCLUDE_DIR="$work/old_xxhash"
  stops_with "$xxhash XXHASH_INCLUDE_DIR to its folder" \
    cmake -S "$root" -B alone -DXXHASH_INCLUDE_DIR="$work/old_xxhash" -DCMAKE_CXX_COMPILER="$compiler"

  stops_with "linebloom is C++20: compile its sources with -std=c++20" \
    "$compiler" -std=c++17 -I"$root" -I"$root/filter_policy/include" -fsyntax-only "$root/filter_policy/filter/filter_block.cc"
}

case $what in
  make) by_make ;;
  cmake) by_cmake ;;
  interfaces) interfaces ;;
  bad_input) bad_input ;;
  *) fail "no '$what'" ;;
esac
