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
for version in "6 29" "11 10" "12 0"; do
  ! compile_as $version || fail "compiles against RocksDB $version, which nobody has looked at"
  for part in \
    "linebloom knows the filter interfaces of RocksDB 7.0 to 11.9 only" \
    "table/block_based/filter_policy_internal.h" "filter_policy/rocksdb/declared_filter_bits.h" \
    "rocksdb_filterpolicy_t in db/c.cc" "filter_policy/policy/policy_for_c.h" "run the tests"; do
    grep --quiet --fixed-strings "$part" "$work/output" || fail "RocksDB $version: no '$part' in the output:"
  done
  grep error "$work/output" | head --lines=1
done
for version in "7 0" "9 5" "11 9"; do
  compile_as $version || fail "does not compile as RocksDB $version, which it knows"
done
