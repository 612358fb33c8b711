#!/usr/bin/env bash
# Compiles the header that declares RocksDB's filter interfaces against the
# installed RocksDB, and against made-up versions that it doesn't know. The
# latter must fail with a message that says what to compare.
#
#   unknown_version.sh SOURCE_FOLDER COMPILER [FLAG]...
#
# Works in a new folder inside the current one and removes it.
set -euo pipefail
source=$1
compile=("${@:2}" -std=c++20 -fsyntax-only -x c++)
header=$source/filter_policy/rocksdb/rocksdb_filter_bits.h

work=$(mktemp --directory "$PWD/unknown_version.XXXXXX")
trap 'rm -r "$work"' EXIT
mkdir "$work/rocksdb"

fail() {
  echo "unknown_version.sh: $*" >&2
  cat "$work/output" >&2
  exit 1
}

# compile_as MAJOR MINOR: compiles with a rocksdb/version.h of that version.
compile_as() {
  printf '#define ROCKSDB_MAJOR %s\n#define ROCKSDB_MINOR %s\n' "$1" "$2" > "$work/rocksdb/version.h"
  "${compile[@]}" -I"$work" "$header" > "$work/output" 2>&1
}

"${compile[@]}" "$header" > "$work/output" 2>&1 || fail "does not compile against the installed RocksDB"
# stops_as VERSION TEXT
stops_as() {
  ! compile_as $1 || fail "compiles against RocksDB $1"
  tr '\n' ' ' < "$work/output" | grep --quiet --fixed-strings "$2" || fail "RocksDB $1: no '$2' in the output:"
  grep --max-count=1 error "$work/output"
}
stops_as "6 29" "linebloom needs RocksDB 7.3 or later"
stops_as "7 2" "linebloom needs RocksDB 7.3 or later"
for version in "11 13" "12 0"; do
  stops_as "$version" "linebloom knows the filter interfaces of RocksDB up to 11.12 only"
  stops_as "$version" "tests/plugin/run.sh SOURCE --interfaces"
done
for version in "7 3" "9 5" "11 12"; do
  compile_as $version || fail "does not compile as RocksDB $version, which it knows"
done
